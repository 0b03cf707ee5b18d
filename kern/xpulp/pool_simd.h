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

/* The bounds of the result, in each byte. */
static inline int32_t pool_lo(const struct pool_dims *k)
{
    const int32_t least = POOL_SIGNED(X) ? -128 : 0;

    return (int32_t)(((k->lo > least ? k->lo : least) & 255) * 0x01010101u);
}

static inline int32_t pool_hi(const struct pool_dims *k)
{
    const int32_t most = POOL_SIGNED(X) ? 127 : 255;

    return (int32_t)(((k->hi < most ? k->hi : most) & 255) * 0x01010101u);
}

static inline int32_t pool_clip(const struct pool_dims *k, int32_t v)
{
    v = pool_max(v, pool_lo(k));
    return POOL_SIGNED(X) ? xp_min4(v, pool_hi(k)) : xp_min4u(v, pool_hi(k));
}

#define POOL_WORDS
/* Windows of two by two, four of n channels at a time. */
static inline int32_t pool_words(const struct pool_dims *k,
                                 const struct patch *p, const X *x, int32_t n,
                                 Y *y)
{
    const X *b = x + p->col, *c = x + p->row, *d = b + p->row;
    int32_t s, t, u, v;

    if (p->rows != 2 || p->cols != 2 || n < 4)
        return 0;
    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 10\n"
        "xp.lw.post %[s], %[a], 4\n"
        "xp.lw.post %[t], %[b], 4\n"
        "xp.lw.post %[u], %[c], 4\n"
        "xp.lw.post %[v], %[d], 4\n"
        POOL_MAX("%[s]", "%[t]") POOL_MAX("%[s]", "%[lo]")
        POOL_MAX("%[u]", "%[v]") POOL_MAX("%[s]", "%[u]")
        "xpv.mint.b %[s], %[s], %[hi], %[max]\n"
        "xp.sw.post %[s], %[y], 4\n" XP_BLOCK_END
        : [s] "=&r"(s), [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v),
          [a] "+&r"(x), [b] "+&r"(b), [c] "+&r"(c), [d] "+&r"(d),
          [y] "+&r"(y)
        : [n] "r"(n >> 2), [lo] "r"(pool_lo(k)), [hi] "r"(pool_hi(k)),
          [max] "i"(XP_UNSIGNED(X))
        : XP_CLOBBERS);
    return n & ~3;
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
