/* Random operands for the operators of `cases`, and the judgement of what a
 * kernel makes of them: shared by the programs that run kernels on a chip.  The
 * including file defines measure(). */
#ifndef SIM_CASES_H
#define SIM_CASES_H

#include "kern/kern.h"
#include "rt.h"
#include "test/sim/chip.h"

#include <string.h>

#ifndef L1
#define L1
#define L2
#endif
#ifndef BYTES
#define BYTES 200000
#endif

void fast(const void *k, const struct io *io);
void plain(const void *k, const struct io *io);

static uint8_t arena[BYTES] L1;
#ifndef WANT
#define WANT BYTES
#endif
static uint8_t want[WANT] L2;
static int32_t used;

static int strayed; /* a kernel, beyond its scratch memory */

static inline void stray(void)
{
    rt_print("more scratch memory than the head says\n");
    strayed = 1;
}

/* The kernel on so many cores, with scratch memory behind what is used. */
static uint32_t measure(const Case *k, const struct io *io, int cores);

static uint32_t roll(uint32_t n)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % n;
}

static int64_t roll64(int64_t lo, int64_t hi)
{
    const uint64_t n = (uint64_t)hi - (uint64_t)lo + 1;
    const uint64_t r = (uint64_t)roll(1 << 24) << 24 | roll(1 << 24);

    if (roll(5) == 0)
        return roll(2) ? lo : hi;
    return (int64_t)((uint64_t)lo + (n ? r % n : r));
}

/* Room for elements, at a word (of elements of 8 bytes, two) and a few on. */
static void *room(const struct operand *o, int jitter)
{
    const int32_t step = o->bytes > 4 ? 4 : o->bytes;
    uint8_t *p;

    used = (used + 15) & ~15;
    used += jitter ? (int32_t)roll(4) * step : 0;
    if (o->bytes == 8)
        used = (used + 7) & ~7;
    p = arena + used;
    used += o->n * o->bytes + 16;
    if (used > BYTES)
        rt_print("too large\n");
    return p;
}

static void fill(const struct operand *o, uint8_t *p)
{
    if (o->data) {
        memcpy(p, o->data, (size_t)(o->n * o->bytes));
        return;
    }
    for (int32_t i = 0; i < o->n; i++) {
        const int64_t low = 0x7fffffff, half = 1 << 30;
        int64_t v = roll64(o->lo, o->hi);

        /* as UPPER_HALF wants addends */
        if ((o->lo & o->hi & low) == half)
            v = (v & ~low) | half;
        for (int32_t b = 0; b < o->bytes; b++)
            *p++ = (uint8_t)(v >> 8 * b);
    }
}

static struct io operands(const Case *k, int jitter)
{
    struct io io = {.ncore = 1};

    used = 0;
    for (int32_t i = 0; i < k->nin; i++)
        if (k->in[i].n) {
            void *p = room(&k->in[i], jitter);

            fill(&k->in[i], p);
            io.in[i] = p;
        }
    io.out[0] = room(&k->out, jitter);
    return io;
}

/* The result, and that nothing behind it was touched. */
static int differs(const Case *k, const uint8_t *y)
{
    const int32_t n = k->out.n * k->out.bytes;
    int bad = 0;

    for (int32_t i = 0; i < n; i++)
        bad |= y[i] != want[i];
    return bad;
}

static int guarded(const Case *k, const uint8_t *y)
{
    const int32_t n = k->out.n * k->out.bytes;
    int bad = 0;

    for (int32_t i = n; i < n + 8; i++)
        bad |= y[i] != 0x5a;
    return !bad;
}

static void clear(const Case *k, uint8_t *y)
{
    memset(y, 0x5a, (size_t)(k->out.n * k->out.bytes + 8));
}

/* The result ahead of operand 0 by no more than it must be. */
static int try_ahead(const Case *k, const struct io *io, int cores)
{
    const int32_t bytes = k->in[0].n * k->in[0].bytes;
    const int32_t least = k->out.n * k->out.bytes, more = k->ahead + bytes;
    const struct operand both = {.n = more > least ? more : least, .bytes = 1};
    struct io over = *io;
    uint8_t *y;

    if (k->ahead < 0 || used + both.n + *k->scratch + 64 > BYTES)
        return 0;
    y = room(&both, 0);
    over.out[0] = y;
    over.in[0] = memcpy(y + k->ahead, io->in[0], (size_t)bytes);
    measure(k, &over, cores);
    return differs(k, y);
}

static inline int try_case(const Case *k, int cores)
{
    struct io io = operands(k, 1), right = io;
    int bad;

    strayed = 0;
    right.out[0] = want;
    right.tmp = arena + ((used + 15) & ~15);
    plain(k->dims, &right);
    clear(k, io.out[0]);
    measure(k, &io, cores);
    bad = differs(k, io.out[0]) || !guarded(k, io.out[0]);
    for (int32_t i = 0; i < k->nin; i++)
        if (k->inplace >> i & 1) {
            clear(k, io.out[0]);
            memcpy(io.out[0], io.in[i], (size_t)(k->out.n * k->out.bytes));
            right = io;
            right.in[i] = io.out[0];
            measure(k, &right, cores);
            bad |= differs(k, io.out[0]) || !guarded(k, io.out[0]);
        }
    bad |= try_ahead(k, &io, cores);
    return bad | strayed;
}

#endif
