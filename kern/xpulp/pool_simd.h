/* pool4() of pool.h for bytes and XpulpV2: a word of four channels at a time,
 * two taps a step.  To be included between an operator of kern/pool/ and
 * pool.h, with POOL_SIMD defined: POOL_MOST, the greatest, or POOL_SUMS.
 * Elsewhere pool.h has the loops. */
#ifndef POOL_SIMD_H
#define POOL_SIMD_H

#include "kern/pool/patch.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
#define POOL4
#define POOL_MOST 1
#define POOL_SUMS 2
#define POOL_SIGNED(T) ((T)-1 < (T)1)
#define POOL_LOAD(d) "xp.lw.postr " d ", %[x], %[col]\n"

/* The word at any address. */
static inline int32_t pool_load(const X *x)
{
    int32_t v;

    __asm__ volatile("lw %0, 0(%1)" : "=r"(v) : "r"(x) : "memory");
    return v;
}

#if POOL_SIMD == POOL_MOST
#define POOL_MAX(d, v) "xpv.maxt.b " d ", " d ", " v ", %[max]\n"

static inline int32_t pool_max(int32_t a, int32_t b)
{
    return POOL_SIGNED(X) ? xp_max4(a, b) : xp_max4u(a, b);
}

/* The greatest of each byte of `most` and of n words, `col` apart. */
static inline int32_t pool_row(int32_t most, const X *x, int32_t n, int32_t col)
{
    int32_t other = most, v, w;

    if (n > 1)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 4\n"
            POOL_LOAD("%[v]") POOL_LOAD("%[w]")
            POOL_MAX("%[a]", "%[v]") POOL_MAX("%[b]", "%[w]") XP_BLOCK_END
            : [a] "+&r"(most), [b] "+&r"(other), [x] "+&r"(x), [v] "=&r"(v),
              [w] "=&r"(w)
            : [n] "r"(n >> 1), [col] "r"(col),
              [max] "i"(XP_UNSIGNED(X))
            : XP_CLOBBERS);
    if (n & 1)
        other = pool_max(other, pool_load(x));
    return pool_max(most, other);
}

/* Each byte of v within the bounds of the result. */
static inline int32_t pool_clip(const struct pool_dims *k, int32_t v)
{
    const int32_t least = POOL_SIGNED(X) ? -128 : 0;
    const int32_t lo = k->lo > least ? k->lo : least;
    const int32_t hi = k->hi < least + 255 ? k->hi : least + 255;

    v = pool_max(v, (lo & 255) * 0x01010101);
    return POOL_SIGNED(X) ? xp_min4(v, (hi & 255) * 0x01010101)
                          : xp_min4u(v, hi * 0x01010101);
}

static NOINLINE void pool4(const struct pool_dims *k, const struct io *io,
                           const struct patch *p, const X *x, int32_t taps,
                           int32_t c, Y *y)
{
    const int whole = p->row == p->cols * p->col;
    const int32_t cols = whole ? p->cols * p->rows : p->cols;
    int32_t most = pool_load(x);

    (void)io, (void)taps, (void)c;
    for (int32_t i = whole ? 1 : p->rows; i > 0; i--, x += p->row)
        most = pool_row(most, x, cols, (int32_t)p->col);
    most = pool_clip(k, most);
    __asm__ volatile("sw %0, 0(%1)" : : "r"(most), "r"(y) : "memory");
}
#else
#include "kern/xpulp/columns.h"

static NOINLINE void pool4(const struct pool_dims *k, const struct io *io,
                           const struct patch *p, const X *x, int32_t taps,
                           int32_t c, Y *y)
{
    const int whole = p->row == p->cols * p->col;
    const int32_t cols = whole ? p->cols * p->rows : p->cols;
    int32_t s[4] = {0};

    for (int32_t i = whole ? 1 : p->rows; i > 0; i--, x += p->row)
        columns_add(s, x, cols, (int32_t)p->col);
    for (int32_t i = 0; i < 4; i++)
        s[i] = finish_pool(k, io, s[i], taps, c + i);
    for (int32_t i = 0; i < 4; i++)
        y[i] = (Y)s[i];
}
#endif
#endif

#endif
