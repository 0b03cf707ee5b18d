/* A program on a device: started, and given what it asks for. */
#include "dev/device.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 16, PIECE = 1 << 16 };
static const uint32_t FAILED = UINT32_MAX;

/* ---- what it asks for ---- */

/* A path in the folder that its files may lie in; NULL: another. */
static const char *allowed(Device *d, const char *path)
{
    const char *base = path_base(path);
    char *dir = realpath(arena_fmt(d->mem, "%.*s.", (int)(base - path), path),
                         NULL);
    size_t n = d->dir ? strlen(d->dir) : 0;
    bool ok = n && dir && !strncmp(dir, d->dir, n) &&
              (!dir[n] || dir[n] == '/') && *base && strcmp(base, "..");

    free(dir);
    return ok ? path : NULL;
}

static uint32_t do_open(Device *d)
{
    char path[4096] = "";
    const char *p;
    size_t i;

    if (d->asked.b >= sizeof path ||
        !gdb_read(d->g, d->asked.a, path, d->asked.b))
        return FAILED;
    p = allowed(d, path);
    for (i = 0; i < LEN(d->file) && d->file[i]; i++)
        ;
    if (!p || i == LEN(d->file))
        return FAILED;
    d->file[i] = fopen(p, d->asked.c ? "wb" : "rb");
    return d->file[i] ? (uint32_t)i : FAILED;
}

static FILE *file_of(Device *d)
{
    return d->asked.a < LEN(d->file) ? d->file[d->asked.a] : NULL;
}

static uint32_t do_close(Device *d)
{
    FILE *f = file_of(d);

    if (!f)
        return FAILED;
    d->file[d->asked.a] = NULL;
    return fclose(f) ? FAILED : 0;
}

static uint32_t do_print(Device *d)
{
    char *s = arena_get(d->mem, MIN(d->asked.b, TEXT) + 1, 1);

    if (!gdb_read(d->g, d->asked.a, s, MIN(d->asked.b, TEXT)))
        return 0;
    str_put(&d->g->console, s);
    if (d->show) {
        fputs(s, stdout);
        fflush(stdout);
    }
    return 0;
}

/* The program knows only that it failed. */
static uint32_t cut_off(const Device *d)
{
    warn("device %s: %s", d->where, d->g->why);
    return FAILED;
}

static uint32_t do_write(Device *d)
{
    static char s[PIECE];
    FILE *f = file_of(d);
    uint32_t at = 0, k;

    for (; f && at < d->asked.c; at += k) {
        k = MIN(d->asked.c - at, PIECE);
        if (!gdb_read(d->g, d->asked.b + at, s, k))
            return cut_off(d);
        if (fwrite(s, 1, k, f) != k)
            return FAILED;
    }
    return at;
}

static uint32_t do_read(Device *d)
{
    static char s[PIECE];
    FILE *f = file_of(d);
    uint32_t at = 0;
    size_t k = 1;

    for (; f && at < d->asked.c && k; at += (uint32_t)k) {
        k = fread(s, 1, MIN(d->asked.c - at, PIECE), f);
        if (k && !gdb_write(d->g, d->asked.b + at, s, k))
            return cut_off(d);
    }
    return at;
}

/* ---- running ---- */

/* Every word of the mailbox, in the order of rt/session.h. */
static bool read_mailbox(Device *d)
{
    unsigned char b[sizeof d->asked];
    uint32_t *to = (uint32_t *)(void *)&d->asked;
    size_t i;

    if (!gdb_read(d->g, d->mailbox, b, sizeof b))
        return device_lost(d);
    for (i = 0; i < sizeof b / 4; i++)
        to[i] = b[4 * i] | (uint32_t)b[4 * i + 1] << 8 |
                (uint32_t)b[4 * i + 2] << 16 | (uint32_t)b[4 * i + 3] << 24;
    return true;
}

static bool stopped_elsewhere(Device *d, const GdbStop *s)
{
    uint64_t pc = 0, lr = 0;

    if (s->kind != 'T')
        return device_fail(d, "the program ended with %s %d%s",
            s->kind == 'X' ? "signal" : "status", s->signal, device_said(d));
    gdb_reg_get(d->g, "pc", &pc);
    gdb_reg_get(d->g, "lr", &lr);
    return device_fail(d, "the program stopped (signal %d) at pc=0x%08" PRIx64
        " (%s), lr=0x%08" PRIx64 ": a fault, or wild code%s", s->signal, pc,
        device_where(d, pc), lr, device_said(d));
}

static bool run_on(Device *d, int ms)
{
    GdbStop s = {0};
    uint64_t pc = 0;

    if (!gdb_continue(d->g) || !gdb_wait(d->g, ms, &s)) {
        char why[sizeof d->g->why];

        if (d->g->lost || d->g->running)
            return device_lost(d);
        memcpy(why, d->g->why, sizeof why);
        gdb_reg_get(d->g, "pc", &pc);
        return device_fail(d, "%.600s (%s)", why, device_where(d, pc));
    }
    if (s.kind != 'T' || !gdb_reg_get(d->g, "pc", &pc))
        return stopped_elsewhere(d, &s);
    return (pc & ~1u) == d->stop ? read_mailbox(d) : stopped_elsewhere(d, &s);
}

/* Files and console; false: the caller's. */
static bool serve(Device *d, uint32_t *answer)
{
    static uint32_t (*const calls[])(Device *) = {
        [RT_OPEN] = do_open, [RT_CLOSE] = do_close, [RT_PRINT] = do_print,
        [RT_WRITE] = do_write, [RT_READ] = do_read};

    if (d->asked.want >= LEN(calls) || !calls[d->asked.want])
        return false;
    *answer = calls[d->asked.want](d);
    return true;
}

static bool go_on(Device *d, uint32_t answer)
{
    unsigned char b[4] = {answer & 255, answer >> 8 & 255, answer >> 16 & 255,
                          answer >> 24};

    return (gdb_write(d->g, d->mailbox + offsetof(struct rt_mailbox, result),
                      b, sizeof b) &&
            gdb_reg_set(d->g, "pc", d->go)) || device_lost(d);
}

bool device_go(Device *d, uint32_t answer, int ms)
{
    int64_t end = link_now() + ms;

    do {
        if ((d->asked.want && !go_on(d, answer)) ||
            !run_on(d, (int)MAX(1, end - link_now())))
            return false;
    } while (serve(d, &answer));
    return true;
}

/* ---- loading ---- */

static bool set_registers(Device *d)
{
    Gdb *g = d->g;
    uint32_t pc = d->image.entry;

    if (d->riscv)
        return gdb_reg_set(g, "pc", pc) || device_lost(d);
    return (gdb_reg_set(g, "psr", 0x01000000) && /* Thumb */
            gdb_reg_set(g, "sp", d->image.stack) &&
            gdb_reg_set(g, "lr", 0xffffffff) &&
            gdb_reg_set(g, "pc", pc & ~1u)) || device_lost(d);
}

/* Where a Cortex-M begins stands in its vectors. */
static bool read_vectors(Device *d)
{
    uint32_t at = image_find(&d->image, "rt_vectors");
    unsigned char b[8];
    int i;

    if (d->riscv)
        return true;
    if (!at && !image_find(&d->image, "rt_start"))
        return device_fail(d, "the program has no vectors");
    if (!gdb_read(d->g, at, b, sizeof b))
        return device_lost(d);
    d->image.stack = d->image.entry = 0;
    for (i = 4; i--;) {
        d->image.stack = d->image.stack << 8 | b[i];
        d->image.entry = d->image.entry << 8 | b[4 + i];
    }
    return true;
}

/* After another program: from reset, as far as the server can; the simulator
 * begins anew. */
static bool leave_other(Device *d)
{
    if (!d->stop)
        return true;
    if (d->g->kind == GDB_sim)
        return device_again(d);
    gdb_break(d->g, d->stop, d->riscv ? 4 : 2, false);
    if (d->g->kind == GDB_qemu || d->g->kind == GDB_openocd)
        return gdb_reset(d->g) || device_lost(d);
    return true;
}

bool device_load(Device *d, const char *elf)
{
    if (!leave_other(d) || !image_load(d, elf, &d->image))
        return false;
    d->stop = image_find(&d->image, "rt_stop");
    d->go = image_find(&d->image, "rt_go");
    d->mailbox = image_find(&d->image, "rt_mailbox");
    d->asked = (struct rt_mailbox){0};
    d->g->console.n = 0;
    if (!d->stop || !d->go || !d->mailbox)
        return device_fail(d, "%s has no rt_stop and rt_mailbox: it was not "
                           "built with rt/session.c", elf);
    return read_vectors(d) &&
           (gdb_break(d->g, d->stop, d->riscv ? 4 : 2, true) ||
            device_lost(d)) && set_registers(d);
}

/* ---- time ---- */

/* Ticks of an instruction where they are exactly in proportion, rounded to what
 * emulators have; 0: they are not. */
static double ticks_of_instruction(const struct rt_mailbox *m)
{
    double a = m->spin[1].ticks - m->spin[0].ticks;
    double b = m->spin[2].ticks - m->spin[1].ticks;
    double k = (a + b) / (4.0 * RT_TURNS);

    if (fabs(a - b) > 2 || a <= 0)
        return 0;
    return fabs(k - round(1000 * k) / 1000) < 1e-3 ? round(1000 * k) / 1000 : k;
}

/* Less what the mark itself takes; a layer may do next to nothing. */
static uint32_t less(uint32_t v, uint32_t mark)
{
    return v > mark ? v - mark : 0;
}

void device_time(const Device *d, struct rt_time t, int64_t *cycles,
                 int64_t *instructions)
{
    const struct rt_mailbox *m = &d->asked;
    double k = ticks_of_instruction(m);
    uint32_t ticks = less(t.ticks, m->mark.ticks);

    *cycles = *instructions = -1;
    if (!d->riscv && t.instructions) /* the SysTick went round */
        return;
    if (d->emulator && k > 0)
        *instructions = (int64_t)round(ticks / k);
    else if (!d->emulator && d->riscv && m->mark.instructions)
        *instructions = less(t.instructions, m->mark.instructions);
    if (!d->emulator && m->spin[0].ticks)
        *cycles = ticks;
}
