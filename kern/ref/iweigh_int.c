/* Weights of attention of its scores (kern/ref/iattend_int.c): a table's value,
 * with what a mask adds, its power by a table, what part that is of all of the
 * row's, and what a table makes of this.
 *
 * op       iweigh
 * types    x:int scores:int powers:int parts:int mask:int -> y:int
 * isa      any
 * inplace  x
 * split    rows
 * scratch  4 * n
 * stack    192
 * cycles   ncore * ceil(rows, ncore) * (100 + 120 * n)
 */
#include "kern/finish.h"

static void row(const struct weigh_dims *k, const struct io *io, const X *x,
                const MASK *mask, Y *y)
{
    const SCORES *scores = io->in[1];
    const POWERS *powers = io->in[2];
    const PARTS *parts = io->in[3];
    int32_t *v = io->tmp, most = INT32_MIN;
    int64_t sum = 0;

    for (int32_t i = 0; i < k->n; i++) {
        v[i] = (int32_t)scores[128 + x[i]];
        if (mask)
            v[i] = clip(v[i] + (int32_t)mask[i], -128, 127);
        most = v[i] > most ? v[i] : most;
    }
    for (int32_t i = 0; i < k->n; i++) {
        v[i] = (int32_t)powers[255 + v[i] - most];
        sum += v[i];
    }
    for (int32_t i = 0; i < k->n; i++)
        y[i] = (Y)parts[sum ? (int64_t)v[i] * k->p1 / sum : 0];
}

void FN(const struct weigh_dims *k, const struct io *io)
{
    const MASK *mask = io->in[4];
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    for (; i < end; i++)
        row(k, io, (const X *)io->in[0] + (ptrdiff_t)i * k->n,
            mask ? mask + (ptrdiff_t)(i / k->each) * k->mrow : NULL,
            (Y *)io->out[0] + (ptrdiff_t)i * k->n);
}
