/* Counts the instructions of a program on QEMU, exactly, layer by layer.
 *
 * A TCG plugin.  QEMU translates a block of instructions once and runs it many
 * times; at translation we cut the block at marks (rt/<environment>/mark.h)
 * and ask for a call at its beginning with the length of the first piece, and
 * at each mark with the length of the piece after it.  A block is left early
 * only by a fault, and then nobody wants the count.
 *
 * Debian ships QEMU with plugins but without their header, so the few
 * functions used are declared here (interface version 1).  Inline counters in
 * memory are wrong in QEMU 7.2: callbacks are used.  Just before the end of a
 * page the data of an instruction carries the next halfword too, so its size
 * tells nothing.
 *
 *     -plugin count.so,out=FILE
 *
 * FILE gets a line for every piece between marks: instructions, in order. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t Id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct Info {
    const char *target_name;
} Info;
typedef void Call(unsigned cpu, void *data);
enum { NO_REGS };

void qemu_plugin_register_vcpu_tb_trans_cb(Id id,
    void (*call)(Id id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
    Call *call, int regs, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
    Call *call, int regs, void *data);
void qemu_plugin_register_atexit_cb(Id id, void (*call)(Id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
    const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(Id id, const Info *info, int argc,
                               char **argv);

typedef enum Mark { NONE, BEGIN = 0x61, LAYER, END } Mark;

static int riscv, counting;
static uint64_t count;
static FILE *out;

/* hint #n of Thumb: f3af 80nn; slti zero, zero, n of RISC-V. */
static Mark which(const struct qemu_plugin_insn *insn)
{
    const uint8_t *p = qemu_plugin_insn_data(insn);
    unsigned n;

    if (riscv) {
        if (p[0] != 0x13 || p[1] != 0x20)
            return NONE;
        n = p[2] & 0xf ? 0 : (unsigned)(p[3] << 4 | p[2] >> 4);
    } else {
        if (p[0] != 0xaf || p[1] != 0xf3 || p[3] != 0x80)
            return NONE;
        n = p[2];
    }
    return n >= BEGIN && n <= END ? (Mark)n : NONE;
}

static void piece(unsigned cpu, void *data)
{
    (void)cpu;
    if (counting)
        count += (uintptr_t)data;
}

/* data: the mark, and above it the length of the piece that follows. */
static void mark(unsigned cpu, void *data)
{
    Mark m = (Mark)((uintptr_t)data & 0xff);

    if (counting && m != BEGIN)
        fprintf(out, "%llu\n", (unsigned long long)count);
    counting = m != END;
    count = 0;
    piece(cpu, (void *)((uintptr_t)data >> 8));
}

static size_t piece_length(const struct qemu_plugin_tb *tb, size_t from)
{
    size_t i, n = qemu_plugin_tb_n_insns(tb);

    for (i = from; i < n && !which(qemu_plugin_tb_get_insn(tb, i)); i++)
        ;
    return i - from;
}

static void translate(Id id, struct qemu_plugin_tb *tb)
{
    size_t i = piece_length(tb, 0), n = qemu_plugin_tb_n_insns(tb);

    (void)id;
    if (i)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, piece, NO_REGS, (void *)i);
    while (i < n) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t len = piece_length(tb, ++i);

        qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, NO_REGS,
            (void *)((uintptr_t)len << 8 | which(insn)));
        i += len;
    }
}

static void finish(Id id, void *data)
{
    (void)id, (void)data;
    fclose(out);
}

int qemu_plugin_install(Id id, const Info *info, int argc, char **argv)
{
    int i;

    for (i = 0; i < argc; i++)
        if (!strncmp(argv[i], "out=", 4))
            out = fopen(argv[i] + 4, "w");
    if (!out)
        return -1;
    riscv = !strncmp(info->target_name, "riscv", 5);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
