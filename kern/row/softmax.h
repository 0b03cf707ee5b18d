/* The integer softmax of bytes from a table of powers (powers.h), by three
 * loops that the including file defines.  To be included after X and Y. */
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include "kern/row/powers.h"

/* The sum of a row's powers. */
static uint32_t powers_sum(uintptr_t zero, const X *x, int32_t n);

/* Results of a row: its powers times q >> 32 + shift. */
static void powers_put(uintptr_t zero, const X *x, int32_t n, uint32_t q,
                       int32_t shift, Y *y);

static int32_t powers_greatest(const X *x, int32_t n);

/* A row, from a table whose greatest power has so many bits. */
static void powers_row(const struct row_dims *k, const uint32_t *table,
                       int32_t most, const X *x, Y *y)
{
    const uintptr_t zero = powers_zero(table, powers_greatest(x, k->n));
    const uint32_t sum = powers_sum(zero, x, k->n), hi = (uint32_t)k->hi;
    int32_t s;

    if (sum > hi) {
        s = most + bits(sum);
        s = s > 32 ? s : 32;
        powers_put(zero, x, k->n, inverse(hi, sum, s), s - 32, y);
    } else {
        const uint32_t q = inverse(hi, sum | !sum, 24);

        for (int32_t i = 0; i < k->n; i++)
            y[i] = (Y)(power(zero, x[i]) * q >> 24); /* hi has eight bits */
    }
}

static inline void powers_rows(const struct row_dims *k, const struct io *io)
{
    const int32_t most = powers_most(k);
    const X *x = io->in[0];
    Y *y = io->out[0];
    uint32_t *table = io->tmp;

    powers_table(k, table);
    for (int32_t i = 0; i < k->rows; i++, x += k->n, y += k->n)
        powers_row(k, table, most, x, y);
}

#endif
