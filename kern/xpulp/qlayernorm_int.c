/* The layer norm of bytes on a grid (kern/ref/qlayernorm_int.c) for XpulpV2: a
 * row's sums by dot products.
 *
 * op       qlayernorm
 * types    x:s8|u8 w:s32 b:s64 -> y:s8|u8
 * isa      xpulpv2
 * when     n < 4096 && shift > 31
 * inplace  x
 * split    rows
 * stack    256
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + fit.element * n))
 * code     1350
 */
#include "kern/xpulp/inverse.h"
#include "kern/row/own_rows.h"
#include "kern/row/qlayernorm.h"

/* The sum of n bytes and that of their squares. */
static inline int32_t sums(const X *x, int32_t n, uint32_t *squares)
{
    int32_t sum = 0, square = 0;

#ifdef XPULPV2
    for (; n > 3; n -= 4, x += 4) {
        const int32_t w = xp_load(x);

        sum = XP_UNSIGNED(X) ? xp_sdot4u(sum, w, 0x01010101)
                             : xp_sdot4(sum, w, 0x01010101);
        square = XP_UNSIGNED(X) ? xp_sdot4u(square, w, w)
                                : xp_sdot4(square, w, w);
    }
#endif
    for (; n > 0; n--, x++) {
        sum += *x;
        square += *x * *x;
    }
    *squares = (uint32_t)square;
    return sum;
}

/* n results: what is multiplied by, has 64 bits with w, to which b is added. */
#ifdef XPULPV2
static inline void results(const struct row_dims *k, const struct scale *s,
                           const X *x, const W *w, const B *b, Y *y)
{
    int32_t a, c, d, low, high;

    if (k->n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 19\n"
            "xp.lt.post %[a], %[x], 1, %[xt]\n"
            "xp.lw.post %[c], %[w], 4\n"
            "xp.lw.post %[low], %[b], 4\n"
            "mul %[a], %[a], %[n]\n"
            "xp.lw.post %[high], %[b], 4\n"
            "sub %[a], %[a], %[sum]\n"
            "sll %[a], %[a], %[up]\n"
            "mulh %[a], %[a], %[by]\n"
            "sra %[a], %[a], %[down]\n"
            "mul %[d], %[a], %[c]\n"
            "mulh %[a], %[a], %[c]\n"
            "add %[low], %[low], %[d]\n"
            "sltu %[d], %[low], %[d]\n"
            "add %[high], %[high], %[a]\n"
            "add %[high], %[high], %[d]\n"
            "sra %[high], %[high], %[shift]\n"
            "xp.max %[high], %[high], %[lo]\n"
            "xp.min %[high], %[high], %[hi]\n"
            "xp.st.post %[high], %[y], 1, %[yt]\n" XP_BLOCK_END
            : [a] "=&r"(a), [c] "=&r"(c), [d] "=&r"(d), [low] "=&r"(low),
              [high] "=&r"(high), [x] "+&r"(x), [w] "+&r"(w), [b] "+&r"(b),
              [y] "+&r"(y)
            : [n] "r"(k->n), [sum] "r"(s->sum), [up] "r"(s->up),
              [by] "r"(s->by), [down] "r"(s->down), [shift] "r"(k->shift - 32),
              [lo] "r"(k->lo), [hi] "r"(k->hi), [xt] "i"(XP_TYPE(X)),
              [yt] "i"(XP_TYPE(Y))
            : XP_CLOBBERS);
}
#else
static void results(const struct row_dims *k, const struct scale *s,
                    const X *x, const W *w, const B *b, Y *y)
{
    for (int32_t i = 0; i < k->n; i++) {
        const int32_t d = (k->n * x[i] - s->sum) * (1 << s->up);
        const int64_t v = (int64_t)(upper(d, s->by) >> s->down) * w[i] + b[i];

        y[i] = (Y)clip((int32_t)(v >> 32) >> (k->shift - 32), k->lo, k->hi);
    }
}
#endif

static void row(const struct row_dims *k, const X *x, const W *w, const B *b,
                Y *y)
{
    struct scale s;
    uint32_t squares;
    const int32_t sum = sums(x, k->n, &squares);

    take_scale(k, sum, squares, &s);
    results(k, &s, x, w, b, y);
}

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        row(k, r.x, io->in[1], io->in[2], r.y);
}
