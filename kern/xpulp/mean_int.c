/* Mean of bytes over axes but the last, four columns at a time; ties go up.
 *
 * op       mean
 * types    x:s8|u8 -> y:s8|u8
 * isa      xpulpv2
 * when     xs[5] == 1 && n[5] > 3 && count < 4194304
 * split    n
 * stack    256
 * let      team = ncore > 1
 * let      outer = n[0] * n[1] * n[2] * n[3] * n[4]
 * cycles   ncore * (fit.call + team * fit.team + ceil(outer * ((n[5] + 3) / 4),
 *          ncore) * (fit.columns + fit.row * count + fit.run * (count / m[5]) +
 *          (outer > 1) * fit.outer))
 * code     480
 * cold     400
 */
#include "kern/xpulp/columns.h"
#include "kern/row/reduce.h"

/* (2 sum + n) / 2n rounded down, n > 0 */
static inline int32_t mean(int32_t sum, int32_t n)
{
    const int32_t a = 2 * sum + n, q = a / (2 * n);

    return q - (a - q * 2 * n < 0);
}

static inline void four(const struct reduce_dims *k, const X *x, Y *y)
{
    int32_t i[6] = {0}, s[4] = {0};
    ptrdiff_t at = 0;

    do
        columns_add(s, x + at, k->m[5], k->ms[5]);
    while (reduce_next(k->m, k->ms, i, 5, &at));
    for (int j = 0; j < 4; j++)
        y[j] = (Y)mean(s[j], k->count);
}

/* Words of four results are dealt out; the last of a row has the last four. */
void FN(const struct reduce_dims *k, const struct io *io)
{
    const int32_t n = k->n[5], words = (n + 3) >> 2;
    int32_t rows = 1, at, end;

    for (int axis = 0; axis < 5; axis++)
        rows *= k->n[axis];
    span(rows * words, io->core, io->ncore, &at, &end);
    for (; at < end; at++) {
        const int32_t row = at / words, word = 4 * (at - row * words);
        const int32_t column = word < n - 4 ? word : n - 4;
        const X *x = (const X *)io->in[0] + column;
        int32_t rest = row;

        for (int axis = 4; rest; axis--) {
            const int32_t next = rest / k->n[axis];

            x += (ptrdiff_t)(rest - next * k->n[axis]) * k->xs[axis];
            rest = next;
        }
        four(k, x, (Y *)io->out[0] + (ptrdiff_t)row * n + column);
    }
}
