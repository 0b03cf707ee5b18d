/* Reductions of bytes over axes but the last, four columns at a time.  To be
 * included after X, a type of one byte, and Y are defined, and
 *     COLUMN_RESULT(k, io, sum, column)   what becomes of a sum */
#ifndef REDUCE_COLUMNS_H
#define REDUCE_COLUMNS_H

#include "kern/row/reduce.h"
#include "kern/xpulp/columns.h"

static inline void four(const struct reduce_dims *k, const struct io *io,
                        const X *x, int32_t column, Y *y)
{
    int32_t i[6] = {0}, s[4] = {0};
    ptrdiff_t at = 0;

    (void)io, (void)column; /* COLUMN_RESULT() may do without */
    do
        columns_add(s, x + at, k->m[5], k->ms[5]);
    while (reduce_next(k->m, k->ms, i, 5, &at));
    for (int j = 0; j < 4; j++)
        y[j] = (Y)COLUMN_RESULT(k, io, s[j], column + j);
}

/* Words of four results are dealt out; the last of a row has the last four. */
static inline void columns(const struct reduce_dims *k, const struct io *io)
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
        four(k, io, x, column,
             (Y *)io->out[0] + (ptrdiff_t)row * n + column);
    }
}

#endif
