/* Rows of a softmax by a table, its quotients rounded half to even.  To be
 * included after X, T and Y are defined; after HIDES where x may be beyond the
 * table, or the least there is, and then has no power. */
#ifndef ROW_LEVEL_ROWS_H
#define ROW_LEVEL_ROWS_H

#include "kern/row/levels.h"
#include "kern/row/own_rows.h"

static int32_t levels_greatest(const X *x, int32_t n)
{
    int32_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static inline uint32_t levels_power(const T *t, int32_t top, int32_t x)
{
#ifdef HIDES
    if (top - x > 255 || x == INT16_MIN)
        return 0;
#endif
    return (uint32_t)t[top - x];
}

static void levels_row(const struct row_dims *k, const X *x, const T *t, Y *y)
{
    const int32_t n = k->n, lo = k->lo, hi = k->hi, top = levels_greatest(x, n);
    struct levels levels;
    uint64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += levels_power(t, top, x[i]);
    levels = levels_of(levels_sum(sum, (uint32_t)k->p1), (uint32_t)k->p2);
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)clip(level_of(&levels, levels_power(t, top, x[i])) + lo, lo,
                       hi);
}

static inline void levels_rows(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        levels_row(k, r.x, io->in[1], r.y);
}

#endif
