/* Sums of 32 bits to bytes: the bias, multiplier and shift of each channel.
 *
 * op       add
 * types    x:s32 y:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int -> z:s8|u8
 * types    x:s32 y:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int shifts:int
 *          -> z:s8|u8
 * round    0 1
 * isa      xpulpv2
 * when     has.mul && has.add && n[0] * n[1] * n[2] * n[3] == 1 &&
 *          s0[5] == 1 && s1[4] == 0 && sm[4] == 0 && sa[4] == 0 &&
 *          shift < 62 &&
 *          max(-acc.lo, acc.hi) < 536870912 &&
 *          max(-scaled.lo, scaled.hi) >> shift < 2147483648
 * split    n
 * stack    240
 * asks     35
 * let      one = s1[5] + sm[5] + sa[5] == 0 && n[4] == 1
 * let      quads = one ? 1 : n[5] / 4
 * let      rows = one ? n[5] / 4 : n[4]
 * let      rest = one ? n[5] % 4 : n[5] % 4 * n[4]
 * let      high = shift > 29 && add.lo % 1073741824 == 0 &&
 *          add.hi % 1073741824 == 0
 * cycles   ncore * (fit.call + (ceil(quads, ncore) + 1) * fit.quad +
 *          ceil(quads * rows, ncore) * (high ? fit.row + round * fit.round :
 *          4 * fit.wide) + (rest > 0) * fit.rest +
 *          ceil(rest, ncore) * fit.wide)
 *
 * What is left of a layer whose sums an accelerator made and does not scale.
 * Four channels at a time: a row of them is a word of the result.
 */
#include "kern/xpulp/scale.h"

/* What elements of each of four channels have; add and shift: without their
 * lowest 30 bits. */
struct quad {
    int32_t bias[4], mul[4], add[4], shift[4];
};

/* Rows of four elements, steps in elements. */
struct rows {
    const X *x;
    Z *z;
    int32_t xs, zs, n;
};

#ifdef XPULPV2
#if ROUND
#define QUAD_LENGTH "35"
#define QUAD_SIGN(v) "srai %[s], " v ", 31\n"
#define QUAD_LESS(v) "xp.mac " v ", %[s], %[two]\n"
#else
#define QUAD_LENGTH "27"
#define QUAD_SIGN(v)
#define QUAD_LESS(v)
#endif
#define QUAD_HIGH(v, i)                                                      \
    "add " v ", " v ", %[b" #i "]\n"                                         \
    QUAD_SIGN(v)                                                             \
    "slli " v ", " v ", 2\n"                                                 \
    "mulh " v ", " v ", %[m" #i "]\n"                                        \
    QUAD_LESS(v)                                                             \
    "xp.addnr " v ", %[a" #i "], %[s" #i "]\n"                               \
    ".if %[u]\n xp.clipu " v ", " v ", 9\n .else\n"                          \
    "xp.clip " v ", " v ", 8\n .endif\n"
#define QUAD_OF(i)                                                           \
    [b##i] "r"(q->bias[i]), [m##i] "r"(q->mul[i]), [a##i] "r"(q->add[i]),    \
    [s##i] "r"(q->shift[i])

/* Results between the bounds of Z. */
static NOINLINE void quad_high(const struct quad *q, const struct rows *r)
{
    const X *x = r->x;
    Z *z = r->z;
    int32_t v0 = r->n, v1, v2, v3, s;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[v0], " QUAD_LENGTH "\n"
        "xp.lw.post %[v0], %[x], 4\n"
        "xp.lw.post %[v1], %[x], 4\n"
        "xp.lw.post %[v2], %[x], 4\n"
        "xp.lw.postr %[v3], %[x], %[xs]\n"
        QUAD_HIGH("%[v0]", 0) QUAD_HIGH("%[v1]", 1)
        "xpv.packlo.b %[v0], %[v1], %[v0]\n"
        QUAD_HIGH("%[v2]", 2) QUAD_HIGH("%[v3]", 3)
        "xpv.packhi.b %[v0], %[v3], %[v2]\n"
        "xp.sw.postr %[v0], %[z], %[zs]\n" XP_BLOCK_END
        : [v0] "+&r"(v0), [v1] "=&r"(v1), [v2] "=&r"(v2), [v3] "=&r"(v3),
          [s] "=&r"(s), [x] "+&r"(x), [z] "+&r"(z)
        : [xs] "r"(4 * r->xs - 12), [zs] "r"(r->zs), QUAD_OF(0), QUAD_OF(1),
          QUAD_OF(2), QUAD_OF(3), [two] "r"(2),
          [u] "i"(XP_UNSIGNED(Z))
        : XP_CLOBBERS);
}
#else
static void quad_high(const struct quad *q, const struct rows *r)
{
    const int32_t lo = (Z)-1 < 0 ? -128 : 0;

    for (int32_t i = 0; i < 4 * r->n; i++) {
        const int32_t row = i >> 2, j = i & 3;
        const int32_t v = r->x[(ptrdiff_t)row * r->xs + j] + q->bias[j];
        int32_t high = (int32_t)(((int64_t)(4 * v) * q->mul[j]) >> 32);

        if (ROUND)
            high += 2 * (v >> 31);
        r->z[(ptrdiff_t)row * r->zs + j] =
            (Z)clip((high + q->add[j]) >> q->shift[j], lo, lo + 255);
    }
}
#endif

/* Rows of `count` channels from `at` on, whatever they have. */
static NOINLINE void rows_wide(const struct map_dims *k, const struct io *io,
                               int32_t at, int32_t count,
                               const struct rows *r)
{
    for (int32_t j = 0; j < count; j++) {
        const int32_t c = at + j;
        const int32_t bias = (int32_t)((const Y *)io->in[1])[c * k->s1[5]];
        const int32_t mul = (int32_t)((const MUL *)io->in[2])[c * k->sm[5]];
        const int64_t add = (int64_t)((const ADD *)io->in[3])[c * k->sa[5]];
        const int32_t shift = SHIFT_OF(k, io, 4, c * k->sm[5]);

        for (int32_t i = 0; i < r->n; i++)
            r->z[(ptrdiff_t)i * r->zs + j] = (Z)scale_clip(
                scale64(r->x[(ptrdiff_t)i * r->xs + j] + bias, mul, add,
                        shift), k->lo, k->hi);
    }
}

/* false: not all four have shifts and addends that end in 30 zeros. */
static inline int quad_of(const struct map_dims *k, const struct io *io,
                          int32_t at, struct quad *q)
{
    int high = 1;

    for (int32_t j = 0; j < 4; j++) {
        const int32_t c = at + j;
        const int64_t add = (int64_t)((const ADD *)io->in[3])[c * k->sa[5]];
        const int32_t shift = SHIFT_OF(k, io, 4, c * k->sm[5]);

        q->bias[j] = (int32_t)((const Y *)io->in[1])[c * k->s1[5]];
        q->mul[j] = (int32_t)((const MUL *)io->in[2])[c * k->sm[5]];
        q->add[j] = (int32_t)(add >> 30);
        q->shift[j] = shift - 30;
        if (!UPPER_HALF)
            high &= shift > (ROUND ? ROUND_SHIFT : 29) && shift < 62 &&
                    !(add & ((1 << 30) - 1)) && add >> 59 == add >> 63;
    }
    return high;
}

/* Results that lie between the bounds of Z, between those of the operator. */
static inline void rows_clip(const struct map_dims *k, const struct rows *r)
{
    for (int32_t i = 0; k->hi - k->lo < 255 && i < 4 * r->n; i++) {
        Z *z = &r->z[(ptrdiff_t)(i >> 2) * r->zs + (i & 3)];

        *z = (Z)scale_clip(*z, k->lo, k->hi);
    }
}

static void quad_all(const struct map_dims *k, const struct io *io,
                     int32_t at, const struct rows *r)
{
    struct quad q;

    if (!quad_of(k, io, at, &q)) {
        rows_wide(k, io, at, 4, r);
        return;
    }
    quad_high(&q, r);
    rows_clip(k, r);
}

void FN(const struct map_dims *k, const struct io *io)
{
    const int one = !(k->s1[5] | k->sm[5] | k->sa[5]) && k->n[4] == 1;
    const int32_t m = k->n[5], rows = one ? m >> 2 : k->n[4];
    const int32_t rest = m & 3, xs = one ? 4 : k->s0[4], zs = one ? 4 : m;
    int32_t i, end, at, row;

    span(one ? rows : (m >> 2) * rows, io->core, io->ncore, &i, &end);
    at = i < end ? i / rows : 0;
    row = i - at * rows;
    for (; i < end; at++, row = 0) {
        const int32_t n = rows - row < end - i ? rows - row : end - i;

        quad_all(k, io, 4 * at, &(struct rows){
            (const X *)io->in[0] + (ptrdiff_t)row * xs + 4 * at,
            (Z *)io->out[0] + (ptrdiff_t)row * zs + 4 * at, xs, zs, n});
        i += n;
    }
    span(rest ? k->n[4] : 0, io->core, io->ncore, &row, &end);
    if (row < end)
        rows_wide(k, io, m - rest, rest, &(struct rows){
            (const X *)io->in[0] + (ptrdiff_t)row * k->s0[4] + m - rest,
            (Z *)io->out[0] + (ptrdiff_t)row * m + m - rest, k->s0[4], m,
            end - row});
}
