/* What matrix products of one row share (line.h): batches, CHUNK columns of the
 * result at a time, whose sums chunk() makes, and their results. */
#ifndef LINE_MATMUL_H
#define LINE_MATMUL_H

#include "kern/dsp/saturated.h"

/* Columns of the result at a time; products of a sum at a time. */
enum { CHUNK = 32, PART = 256 };

/* What sums begin with: biases n and following, `count` of them and up to an
 * even number; they are taken as they are, or brought to `sums`. */
static const int32_t *begin(const struct matmul_dims *k, const struct io *io,
                            int32_t n, int32_t *sums, int32_t count)
{
    static const int32_t none[CHUNK];
    const BIAS *bias = io->in[2];

    if (!bias)
        return none;
    if (k->biasn == 1 && sizeof *bias == 4 && !(count & 1))
        return (const int32_t *)(uintptr_t)(bias + n);
    bias += (ptrdiff_t)n * k->biasn;
    for (int32_t i = 0; i < count; i++, bias += k->biasn)
        sums[i] = (int32_t)*bias;
    sums[count] = 0;
    return sums;
}

#ifdef SCALED_32
/* Results n and following, `count` of them; each has a multiplier and an addend
 * of its own, and (sum * mul + add) 32 bits. */
static NOINLINE void finish(const struct matmul_dims *k, const struct io *io,
                            int32_t n, const int32_t *sums, int32_t count,
                            Y *y)
{
    const MUL *mul = (const MUL *)io->in[3] + n;
    const ADD *add = (const ADD *)io->in[4] + n;
    const int32_t shift = k->shift;

#pragma GCC unroll 4
    for (int32_t i = 0; i < count; i++)
        y[i] = saturated((int32_t)((uint32_t)sums[i] * (uint32_t)mul[i] +
                                   (uint32_t)add[i]) >> shift);
    if (panel_clips(k->lo, k->hi))
        panel_clip(y, count, k->lo, k->hi);
}
#else
/* Results n and following, `count` of them.  Shifts below 32 belong to small
 * products, which are shifted to the left. */
static inline void results(const struct matmul_dims *k, const struct io *io,
                           int32_t n, const int32_t *sums, int32_t count,
                           int32_t up, int32_t down, Y *y)
{
    static const ADD none = 0;
    const int32_t muln = k->muln, addn = io->in[4] ? k->addn : 0;
    const MUL *mul = (const MUL *)io->in[3] + (ptrdiff_t)n * muln;
    const ADD *add = io->in[4] ? (const ADD *)io->in[4] + (ptrdiff_t)n * addn
                               : &none;
    const int32_t *end = sums + count;
#ifdef SHIFTS
    const SHIFTS *shifts = (const SHIFTS *)io->in[5] + (ptrdiff_t)n * muln;
#endif

    for (; sums != end; mul += muln, add += addn) {
        const int32_t sum = *sums++;
        int64_t v = *add;

        if (ROUND)
            v -= (uint32_t)sum & 0x80000000u;
        v += (int64_t)sum * (int32_t)*mul;
#ifdef SHIFTS
        down = (int32_t)*shifts - 32;
        shifts += muln;
#endif
        v = (int64_t)((uint64_t)v << up);
        *y++ = saturated((int32_t)(v >> 32) >> down);
    }
}

static NOINLINE void finish(const struct matmul_dims *k, const struct io *io,
                            int32_t n, const int32_t *sums, int32_t count,
                            Y *y)
{
#if !defined SHIFTS && !UPPER_HALF
    if (k->shift < 32)
        results(k, io, n, sums, count, 32 - k->shift, 0, y);
    else
#endif
        results(k, io, n, sums, count, 0, k->shift - 32, y);
    if (panel_clips(k->lo, k->hi))
        panel_clip(y, count, k->lo, k->hi);
}
#endif

/* sums[i] = from[i] + a.(column i of b), of `count` columns; there is room
 * behind for one more sum and PART halves, which a is expanded to; first: it is
 * not yet. */
static void chunk(const struct matmul_dims *k, const A *a, const B *b,
                  const int32_t *from, int32_t *sums, int32_t count,
                  int first);

static void one(const struct matmul_dims *k, const struct io *io, const A *a,
                const B *b, Y *y)
{
    int32_t *sums = io->tmp;

    for (int32_t n = 0; n < k->n; n += CHUNK, b += CHUNK * k->bn) {
        const int32_t left = k->n - n, count = left < CHUNK ? left : CHUNK;

        chunk(k, a, b, begin(k, io, n, sums, count), sums, count, n == 0);
        finish(k, io, n, sums, count, y + n);
    }
}

static inline void line_matmul(const struct matmul_dims *k,
                               const struct io *io)
{
    const A *a = io->in[0];
    const B *b = io->in[1];
    Y *y = io->out[0];

    for (int32_t i = 0; i < k->nb[0]; i++)
        for (int32_t j = 0; j < k->nb[1]; j++)
            for (int32_t l = 0; l < k->nb[2]; l++, y += k->n)
                one(k, io,
                    a + (ptrdiff_t)i * k->ab[0] + (ptrdiff_t)j * k->ab[1] +
                        (ptrdiff_t)l * k->ab[2],
                    b + (ptrdiff_t)i * k->bb[0] + (ptrdiff_t)j * k->bb[1] +
                        (ptrdiff_t)l * k->bb[2],
                    y);
}

#endif
