/* Rows of bytes for XpulpV2: whose they are, and the greatest element of one.
 * To be included after X, a type of one byte, is defined. */
#ifndef ROWS_H
#define ROWS_H

#include "kern/kern.h"

#define ROWS_SIGNED(T) ((T)-1 < (T)1)

/* Rows [row, end) and of each the results [from, to): whole rows, or where
 * there are few a part of one.  What all results of a row share, each core
 * that has some finds for itself. */
struct rows {
    int32_t row, end, from, to;
};

static inline struct rows rows_of(const struct row_dims *k,
                                  const struct io *io)
{
    struct rows r = {0, k->rows, 0, k->n};
    int32_t each;

    if (io->ncore <= 1)
        return r;
    if (2 * k->rows > io->ncore) {
        span(k->rows, io->core, io->ncore, &r.row, &r.end);
        return r;
    }
    each = io->ncore / k->rows;
    r.row = io->core / each;
    r.end = r.row < k->rows ? r.row + 1 : r.row;
    span(k->n, io->core - r.row * each, each, &r.from, &r.to);
    return r;
}

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
static inline int32_t rows_max(int32_t a, int32_t b)
{
    return ROWS_SIGNED(X) ? xp_max4(a, b) : xp_max4u(a, b);
}

/* Of n elements; the last words are looked at again. */
static inline int32_t rows_greatest(const X *x, int32_t n)
{
    int32_t most = x[0], a, b;

    if (n < 4) {
        for (int32_t i = 1; i < n; i++)
            most = xp_max(most, x[i]);
        return most;
    }
    most = rows_max(xp_load(x), xp_load(x + n - 4));
    if (n > 7) {
        most = rows_max(most, xp_load(x + n - 8));
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 4\n"
            "xp.lw.post %[a], %[x], 4\n"
            "xp.lw.post %[b], %[x], 4\n"
            "xpv.maxt.b %[m], %[m], %[a], %[max]\n"
            "xpv.maxt.b %[m], %[m], %[b], %[max]\n" XP_BLOCK_END
            : [m] "+&r"(most), [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x)
            : [n] "r"(n >> 3), [max] "i"(XP_UNSIGNED(X))
            : XP_CLOBBERS);
    }
    most = rows_max(most, most >> 16);
    return (X)rows_max(most, most >> 8);
}
#else
static int32_t rows_greatest(const X *x, int32_t n)
{
    int32_t most = x[0];

    for (int32_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}
#endif

#endif
