/* Counts the instructions of a program on QEMU, exactly, layer by layer; and
 * estimates the cycles that the chip would take.
 *
 * A TCG plugin.  QEMU translates a block of instructions once and runs it many
 * times; at translation we cut the block at marks (rt/<environment>/mark.h)
 * and ask for a call at its beginning with the first piece, and at each mark
 * with the piece after it.  A block is left early only by a fault, and then
 * nobody wants the count.
 *
 * Debian ships QEMU with plugins but without their header, so the few
 * functions used are declared here (interface version 1).  Inline counters in
 * memory are wrong in QEMU 7.2: callbacks are used.  Just before the end of a
 * page the data of an instruction carries the next halfword too, so its size
 * tells nothing.
 *
 *     -plugin count.so,out=FILE[,core=m4|m7][,code=CACHE][,data=CACHE]
 *             [,memory=BASE:SIZE:CYCLES]...
 *
 * FILE gets a line for every piece between marks: instructions, cycles (-1
 * without `core`), in order.  CACHE is BYTES:WAYS:LINE; a line that it does
 * not have takes CYCLES more from its memory, an access without a cache too.
 * Memories that are not named answer at once, past the caches. */
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
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
enum { LOADS_AND_STORES = 3 };

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
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
typedef void Access(unsigned cpu, uint32_t info, uint64_t address, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
    Access *call, int regs, int kinds, void *data);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(Id id, const Info *info, int argc,
                               char **argv);

typedef enum Mark { NONE, BEGIN = 0x61, LAYER, END } Mark;

enum { MOST_OPS = 512, MOST_MEMORIES = 8 };

/* Instructions without a mark among them. */
typedef struct Piece {
    uint32_t first, end;    /* addresses; end: where the next one goes on */
    uint32_t instructions, halves;
    bool branches;          /* ends with a branch that may not be taken */
    bool jumps;             /* with one that is */
    uint32_t target;        /* where the branch went last */
    int sure;               /* 0 to 3: that it goes there again */
} Piece;

typedef struct Memory {
    uint32_t base, size, cycles;
} Memory;

static bool riscv, counting;
static uint64_t count, halves;
static FILE *out;
static const Pipe *core;
static Cache code_cache, data_cache;
static Memory memory[MOST_MEMORIES];
static int nmemory;
static Piece *last; /* that ran, where it ends with a branch */

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

/* ---- running ---- */

static const Memory *memory_at(uint32_t address)
{
    int i;

    for (i = 0; i < nmemory; i++)
        if (address - memory[i].base < memory[i].size)
            return &memory[i];
    return NULL;
}

static void reach(Cache *c, uint32_t address)
{
    const Memory *m = memory_at(address);

    if (m && !(c->sets && cache_has(c, address)))
        halves += HALVES * m->cycles;
}

static void fetch(const Piece *p)
{
    uint32_t line = code_cache.sets ? code_cache.line : 8, at;

    for (at = p->first & -line; at < p->end; at += line)
        reach(&code_cache, at);
}

/* What the branch before it cost: a refill, or a wrong prediction by two bits
 * of history. */
static void arrive(const Piece *p)
{
    Piece *b = last;

    last = NULL;
    if (!b)
        return;
    if (!core->mistaken) {
        halves += b->jumps || p->first != b->end ? core->taken : 0;
        return;
    }
    if (b->target == p->first) {
        b->sure += b->sure < 3;
        return;
    }
    halves += b->branches ? core->mistaken : 0;
    if (b->sure-- <= 1) {
        b->target = p->first;
        b->sure = 1;
    }
}

static void piece(unsigned cpu, void *data)
{
    Piece *p = data;

    (void)cpu;
    if (!counting)
        return;
    count += p->instructions;
    if (!core)
        return;
    arrive(p);
    halves += p->halves;
    fetch(p);
    if (p->branches || p->jumps)
        last = p;
}

static void mark(unsigned cpu, void *data)
{
    Mark m = (Mark)(uintptr_t)data;

    (void)cpu;
    if (counting && m != BEGIN)
        fprintf(out, "%llu %lld\n", (unsigned long long)count,
                core ? (long long)(halves / HALVES) : -1);
    counting = m != END;
    count = halves = 0;
}

static void access_data(unsigned cpu, uint32_t info, uint64_t address,
                        void *data)
{
    uint32_t size = 1u << qemu_plugin_mem_size_shift(info);

    (void)cpu, (void)data;
    if (!counting)
        return;
    if (!qemu_plugin_mem_is_store(info) && (address & 3) + size > 4 && size < 8)
        halves += core->unaligned;
    reach(&data_cache, (uint32_t)address);
}

/* ---- translation ---- */

static size_t piece_length(const struct qemu_plugin_tb *tb, size_t from)
{
    size_t i, n = qemu_plugin_tb_n_insns(tb);

    for (i = from; i < n && !which(qemu_plugin_tb_get_insn(tb, i)); i++)
        ;
    return i - from;
}

static void time_piece(Piece *p, const struct qemu_plugin_tb *tb, size_t from,
                       size_t n)
{
    static Op op[MOST_OPS];
    size_t i;

    for (i = 0; i < n && i < MOST_OPS; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, from + i);
        Code code = {qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn)};

        op[i] = decode(&code);
        if (!i)
            p->first = (uint32_t)qemu_plugin_insn_vaddr(insn);
        p->end = (uint32_t)qemu_plugin_insn_vaddr(insn) + (uint32_t)op[i].size;
        if (op[i].address)
            qemu_plugin_register_vcpu_mem_cb(insn, access_data, NO_REGS,
                                             LOADS_AND_STORES, NULL);
    }
    p->halves = core->halves(op, i);
    p->branches = op[i - 1].kind == OP_branch && op[i - 1].conditional;
    p->jumps = op[i - 1].kind == OP_branch && !p->branches;
}

static Piece *new_piece(const struct qemu_plugin_tb *tb, size_t from, size_t n)
{
    Piece *p = calloc(1, sizeof *p); /* as long as QEMU has the block */

    if (!p)
        abort();
    p->instructions = (uint32_t)n;
    if (core)
        time_piece(p, tb, from, n);
    return p;
}

static void translate(Id id, struct qemu_plugin_tb *tb)
{
    size_t i = piece_length(tb, 0), n = qemu_plugin_tb_n_insns(tb);

    (void)id;
    if (i)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, piece, NO_REGS,
                                             new_piece(tb, 0, i));
    while (i < n) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t len = piece_length(tb, ++i);

        qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, NO_REGS,
                                               (void *)(uintptr_t)which(insn));
        if (len)
            qemu_plugin_register_vcpu_insn_exec_cb(
                qemu_plugin_tb_get_insn(tb, i), piece, NO_REGS,
                new_piece(tb, i, len));
        i += len;
    }
}

/* ---- start and end ---- */

static void finish(Id id, void *data)
{
    (void)id, (void)data;
    fclose(out);
}

static bool read_cache(Cache *c, const char *s)
{
    unsigned size, ways, line;

    return sscanf(s, "%u:%u:%u", &size, &ways, &line) == 3 &&
           cache_make(c, size, ways, line);
}

static bool read_memory(const char *s)
{
    Memory *m = &memory[nmemory++];

    return nmemory <= MOST_MEMORIES &&
           sscanf(s, "%u:%u:%u", &m->base, &m->size, &m->cycles) == 3;
}

static bool take(const char *arg)
{
    const char *value = strchr(arg, '=');
    size_t n;

    if (!value++)
        return true;
    n = (size_t)(value - arg);
    if (!strncmp(arg, "out=", n))
        return (out = fopen(value, "w"));
    if (!strncmp(arg, "core=", n))
        return (core = pipe_of(value)) && decode_start();
    if (!strncmp(arg, "code=", n))
        return read_cache(&code_cache, value);
    if (!strncmp(arg, "data=", n))
        return read_cache(&data_cache, value);
    return strncmp(arg, "memory=", n) || read_memory(value);
}

int qemu_plugin_install(Id id, const Info *info, int argc, char **argv)
{
    int i;

    for (i = 0; i < argc; i++)
        if (!take(argv[i]))
            return -1;
    if (!out)
        return -1;
    riscv = !strncmp(info->target_name, "riscv", 5);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
