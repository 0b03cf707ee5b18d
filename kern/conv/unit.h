/* Jobs of the accelerators N-Eureka and NE16, whose registers are the same:
 * convolutions of bytes with weights of 2 to 8 bits.  Anywhere else the same in
 * plain C. */
#ifndef UNIT_H
#define UNIT_H

#include "kern/kern.h"

/* What the last register says of a job: bits of types, so that code depends on
 * none. */
enum { UNIT_CONF = 18, UNIT_SCALE = 12, UNIT_WORDS = 21, UNIT_SIGNED = 1 << 26 };

/* Bytes of so many results, and of so many scales. */
static inline int32_t unit_bytes(const struct pconv_dims *k, int32_t n)
{
    return n << (k->job[UNIT_CONF] >> UNIT_WORDS & 3);
}

static inline int32_t unit_scales(const struct pconv_dims *k, int32_t n)
{
    return n << (k->job[UNIT_CONF] >> UNIT_SCALE & 3);
}

/* Of pixels without gaps, where the last rows begin that are a job of their
 * own. */
static inline int32_t unit_last(const struct pconv_dims *k)
{
    return k->oh * k->ow - k->again * k->cols;
}

#ifdef XPULPV2
#include "kern/insn.h"

/* Registers in words: a job is begun by TRIGGER, and is what stands from JOB
 * on: six that say where, and those of the dims (src/ir/job.c), in pairs but for
 * the last two. */
enum {
    UNIT_TRIGGER = 0, UNIT_ACQUIRE = 1, UNIT_JOB = 8, UNIT_WHERE = 6,
    UNIT_PAIRS = 8, UNIT_REST = 16, UNIT_REST_IN = 17, UNIT_COUNT = 19,
};

/* Begins the job that was told. */
static inline void unit_trigger(volatile uint32_t *unit)
{
    __asm__ volatile("" ::: "memory");
    unit[UNIT_TRIGGER] = 0;
}

/* Tells the job that was acquired what does not depend on places. */
static inline __attribute__((always_inline)) void
unit_words(const int32_t *job, volatile uint32_t *r)
{
    uint32_t a, b;

    r += UNIT_WHERE;
    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 4\n"
        "xp.lw.post %[a], %[job], 4\n xp.lw.post %[b], %[job], 4\n"
        "xp.sw.post %[a], %[r], 4\n xp.sw.post %[b], %[r], 4\n" XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [job] "+&r"(job), [r] "+&r"(r)
        : [n] "r"(UNIT_PAIRS)
        : XP_CLOBBERS);
    r[0] = (uint32_t)job[0];
    r[1] = (uint32_t)job[1];
}

/* The last rows, in one subtile. */
static inline __attribute__((always_inline)) void
unit_rest(const struct pconv_dims *k, volatile uint32_t *r)
{
    r[UNIT_REST] = r[UNIT_REST_IN] =
        (uint32_t)k->again << 16 | (uint32_t)k->cols;
    r[UNIT_COUNT] = 1 << 16 | 1;
}

/* Tells the job that was acquired what it is, so many bytes behind x and y; with
 * all rows of the dims, or the last ones.  weights: where their memory begins. */
static inline __attribute__((always_inline)) void
unit_tell(const struct pconv_dims *k, const struct io *io, uint32_t weights,
          volatile uint32_t *r, int32_t x, int32_t y, const int again)
{
    r[0] = (uint32_t)(uintptr_t)io->in[1] - weights;
    r[1] = (uint32_t)(uintptr_t)io->in[0] - (uint32_t)*k->job + (uint32_t)x;
    r[2] = (uint32_t)(uintptr_t)io->out[0] + (uint32_t)y;
    r[3] = (uint32_t)(uintptr_t)io->in[3];
    r[4] = 0;
    r[5] = (uint32_t)(uintptr_t)io->in[4];
    unit_words(k->job + 1, r);
    if (again)
        unit_rest(k, r);
}

/* Waits until another job may be told; its number is left at io->tmp. */
static inline volatile uint32_t *unit_next(const struct io *io)
{
    volatile uint32_t *unit = (volatile uint32_t *)(uintptr_t)io->more.unit;
    int32_t number;

    do
        number = (int32_t)unit[UNIT_ACQUIRE];
    while (number < 0);
    *(int32_t *)io->tmp = number;
    return unit;
}

/* Another job for the last pixels. */
static NOINLINE void unit_again(const struct pconv_dims *k, const struct io *io,
                                uint32_t weights)
{
    volatile uint32_t *unit = unit_next(io);
    const int32_t at = unit_last(k), y = unit_bytes(k, at * k->yw);

    unit_tell(k, io, weights, unit + UNIT_JOB, at * k->xw, y, 1);
    unit_trigger(unit);
}

/* Begins the job of image 0, which was acquired, and perhaps another. */
static inline __attribute__((always_inline)) void
unit_job(const struct pconv_dims *k, const struct io *io, uint32_t weights)
{
    volatile uint32_t *unit = (volatile uint32_t *)(uintptr_t)io->more.unit;

    unit_tell(k, io, weights, unit + UNIT_JOB, 0, 0, 0);
    unit_trigger(unit);
    if (k->again)
        unit_again(k, io, weights);
}

#else

#include "kern/conv/unit_plain.h"

/* Pixels [at, ..) of one tap, as an image of the rows and columns that the unit
 * goes through. */
static inline void unit_raster(const struct pconv_dims *k,
                               const struct plain *all, int32_t at,
                               int32_t rows)
{
    struct plain p = *all;

    p.x += (ptrdiff_t)at * k->xw;
    p.y += unit_bytes(k, at * k->yw);
    p.h = p.oh = rows;
    p.wide = p.ow = k->cols;
    p.xh = k->xrow;
    p.yh = k->yrow;
    p.xw *= k->sw;
    p.sh = p.sw = 1;
    plain_all(k, &p);
}

static inline void unit_plain(const struct pconv_dims *k, const struct plain *p)
{
    if (k->g > 1 || k->kh * k->kw > 1) {
        plain_all(k, p);
        return;
    }
    unit_raster(k, p, 0, k->rows);
    if (k->again)
        unit_raster(k, p, unit_last(k), k->again);
}

static inline void unit_job(const struct pconv_dims *k, const struct io *io,
                            uint32_t weights)
{
    const struct plain p = plain_of(k, io);

    (void)weights;
    unit_plain(k, &p);
}

#endif

#endif
