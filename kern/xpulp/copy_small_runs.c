/* Strided copy of runs of two, four or eight bytes, a run at once.
 *
 * op       transpose slice windows expand concat
 * types    x:s8|u8|b8 -> y:=x
 * isa      xpulpv2
 * when     xs[7] == 1 && ys[7] == 1 && (n[7] == 2 || n[7] == 4 || n[7] == 8)
 * split    n
 * stack    224
 * let      team = ncore > 1
 * let      outer = n[0] * n[1] * n[2] * n[3] * n[4]
 * let      rows = outer * n[5]
 * cycles   ncore * (fit.call + team * fit.team) + outer * (outer < ncore ?
 *          ncore : 1) * fit.outer + rows * ((rows < ncore ? ncore : 1) *
 *          fit.row + n[6] * (n[7] > 4 ? fit.run8 : fit.run))
 * code     500
 * cold     460
 * asks     30
 */
#include "kern/copy/copy.h"

static inline void small_bytes(const X *x, Y *y, const struct copy_dims *k,
                               int32_t rows, int32_t n)
{
    for (; rows > 0; rows--, x += k->xs[6], y += k->ys[6])
        for (int32_t i = 0; i < n; i++)
            y[i] = x[i];
}

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
/* Two loads and two stores that step by registers. */
#define SMALL_TWO(load, store, xs, ys)                                       \
    XP_BLOCK "xlp.setup 0, %[n], 4\n"                                        \
    "xp." load ".postr %[a], %[x], " xs "\n"                                 \
    "xp." load ".postr %[b], %[x], %[xs]\n"                                  \
    "xp." store ".postr %[a], %[y], " ys "\n"                                \
    "xp." store ".postr %[b], %[y], %[ys]\n" XP_BLOCK_END
#define SMALL_COPY(text, xstep, ystep, count)                                \
    __asm__ volatile(text                                                    \
                     : [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x),             \
                       [y] "+&r"(y)                                          \
                     : [n] "r"(count), [xs] "r"(xstep), [ys] "r"(ystep),     \
                       [four] "r"(4)                                         \
                     : XP_CLOBBERS)

/* `rows` runs of n bytes; of two and four a last one that is odd is left. */
static inline void small_rows(const X *x, Y *y, const struct copy_dims *k,
                              int32_t rows, int32_t n)
{
    const int32_t xs = k->xs[6], ys = k->ys[6];
    int32_t a, b;

    if (n == 8) {
        SMALL_COPY(SMALL_TWO("lw", "sw", "%[four]", "%[four]"), xs - 4, ys - 4,
                   rows);
        return;
    }
    if (rows > 1 && n == 4)
        SMALL_COPY(SMALL_TWO("lw", "sw", "%[xs]", "%[ys]"), xs, ys, rows >> 1);
    else if (rows > 1)
        SMALL_COPY(SMALL_TWO("lhu", "sh", "%[xs]", "%[ys]"), xs, ys, rows >> 1);
    if (rows & 1)
        small_bytes(x, y, k, 1, n);
}
#else
static inline void small_rows(const X *x, Y *y, const struct copy_dims *k,
                              int32_t rows, int32_t n)
{
    small_bytes(x, y, k, rows, n);
}
#endif

/* The same n[5] times. */
static NOINLINE void small_runs(const X *x, Y *y, const struct copy_dims *k,
                                const int32_t n[8])
{
    const int32_t rows = n[6], bytes = n[7];

    for (int32_t m = n[5]; m > 0; m--, x += k->xs[5], y += k->ys[5])
        small_rows(x, y, k, rows, bytes);
}

/* Runs that are cut. */
static NOINLINE void small_parts(const X *x, Y *y, const struct copy_dims *k,
                                 const int32_t n[8])
{
    for (int32_t m = n[5]; m > 0; m--, x += k->xs[5], y += k->ys[5])
        small_bytes(x, y, k, n[6], n[7]);
}

/* A run may itself be cut among the cores. */
void FN(const struct copy_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[7] = {0}, n[8];
    ptrdiff_t from, to;

    if (!copy_begin(k, io, 7, n, &from, &to))
        return;
    do {
        if (n[7] == k->n[7])
            small_runs(x + from, y + to, k, n);
        else
            small_parts(x + from, y + to, k, n);
    } while (copy_next(k, n, i, 5, &from, &to));
}
