/* Softmax of bytes by a table, its quotients rounded half to even: in 32 bits
 * but for sums, and for what is too near to a half.
 *
 * op       qsoftmax
 * types    x:s8|u8 t:s32 -> y:s8|u8
 * isa      any
 * when     p2 > 0 && t.lo >= 0
 * split    rows
 * inplace  x
 * stack    240
 * cycles   ncore * ((rows + ncore - 1) / ncore * (700 + 50 * n) + 60)
 *
 * With S of 24 bits in place of the sum, w p2 / sum is e / 128, e being w p2 by
 * 2^39 / S, but for 2.1 below and 1.1 above: each of them has 15 bits at least.
 */
#include "kern/kern.h"

enum { FRACTION = 128, ABOVE = 2, BELOW = 3 };

static int32_t greatest(const X *x, int32_t n)
{
    int32_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

/* v / sum, rounded half to even. */
static NOINLINE int32_t rounded(uint64_t v, uint64_t sum)
{
    const uint64_t twice = 2 * v + sum, r = twice / (2 * sum);

    return (int32_t)(r - (r & (r * 2 * sum == twice)));
}

static void row(const struct row_dims *k, const X *x, const T *t, Y *y)
{
    const int32_t n = k->n, lo = k->lo, hi = k->hi;
    const uint32_t levels = (uint32_t)k->p2;
    const T *from = t + greatest(x, n);
    uint64_t sum = 0;
    uint32_t high, inverse;
    int32_t shift = 7;

    for (int32_t i = 0; i < n; i++)
        sum += (uint32_t)from[-(int32_t)x[i]];
    while (sum >> shift >> 24)
        shift++;
    high = (uint32_t)(sum >> shift);
    inverse = high >> 23 ? 0x80000000u / (high >> 8) : 0;
    for (int32_t i = 0; i < n; i++) {
        const uint32_t w = (uint32_t)from[-(int32_t)x[i]];
        const uint32_t by = ((w >> 7) * levels) >> (shift - 7);
        const uint32_t e = (uint32_t)((uint64_t)by * inverse >> 32) +
                           FRACTION / 2;
        const uint32_t part = e % FRACTION;
        int32_t q = (int32_t)(e / FRACTION);

        if (part < ABOVE || part >= FRACTION - BELOW || !inverse)
            q = sum ? rounded((uint64_t)w * levels, sum) : 0;
        y[i] = (Y)clip(q + lo, lo, hi);
    }
}

void FN(const struct row_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->n;
    for (; i < end; i++, x += k->n, y += k->n)
        row(k, x, io->in[1], y);
}
