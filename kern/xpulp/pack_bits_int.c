/* Codes of 8 bits as NE16 wants those of one tap: a word of two bytes for each
 * bit of 16 channels, the least first.
 *
 * op       pack
 * types    x:s8|u8 -> y:u8
 * isa      xpulpv2
 * when     bits == 8 && by == 16 && part[0] == 16 && ps[0] == 128 &&
 *          ps[2] == 1 && (p0 == 0 || p0 == 128) && n[7] > 0 &&
 *          (p2 == 0 || (p2 == -65536 && p3 == 4 && p0 == 128)) &&
 *          (n[6] == 1 || ys[6] == 8 * row) &&
 *          (n[4] == 1 || ys[4] == 8 * row * n[6] * n[5]) &&
 *          n[0] * n[1] * n[2] * n[3] == 1 && size == row * rows &&
 *          row % 16 == 0 && row >= n[7] && (apart == 0 || (n[4] == 1 &&
 *          (apart == 8 * n[7] ? n[7] % 16 == 0 && n[7] * n[5] <= row :
 *           apart == n[7] && n[7] % 4 == 0 && n[7] * n[5] <= 16)))
 * let      rows = n[4] * n[5] * n[6]
 * let      row = size / max(rows, 1)
 * let      apart = (n[5] > 1) * (ys[5] - 8 * row * n[6])
 * split    n
 * stack    192
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (n[7] == 4 && row == 16 ?
 *          fit.four : fit.row + fit.tile * ceil(n[7], 16) +
 *          (n[7] % 16 == 0 ? 0 : fit.rest) + fit.blank * ((row - n[7]) / 16)))
 * code     900
 * asks     19
 *
 * The bits of 16 codes, in four words, change places by pairs of words: one bit
 * of a bit's number goes into that of its word and another out of it, five times.
 * Of rows of four codes each bit of the four is a dot product with what a mask
 * leaves of them.  Rows of the fifth axis may begin one behind the other, as
 * blocks on a diagonal do.
 */
#define LEFT uint8_t
#define RIGHT uint8_t
#include "kern/xpulp/delta_swap.h"
#include "kern/xpulp/word.h"
#include "kern/xpulp/fill.h"
#include "kern/xpulp/transpose.h"

enum { PACK_TILE = 16, PACK_WORD = 4 };

/* The next word. */
static inline uint32_t pack_get(const X **x)
{
#ifdef XPULPV2
    return (uint32_t)xp_load_step(*x, 4);
#else
    *x += 4;
    return (uint32_t)word_load(*x - 4);
#endif
}

static inline void pack_put(Y **y, uint32_t v)
{
#ifdef XPULPV2
    __asm__ volatile("xp.sw.post %1, %0, 4" : "+r"(*y) : "r"(v) : "memory");
#else
    word_store(*y, (int32_t)v);
    *y += 4;
#endif
}

/* Bytes change places: `first` and `second` say which are those of a and of b. */
static inline void pack_shuffle(uint32_t *a, uint32_t *b, uint32_t first,
                                uint32_t second)
{
    const int32_t one = (int32_t)*a, other = (int32_t)*b;

    *a = (uint32_t)SHUFFLE(one, other, (int32_t)first);
    *b = (uint32_t)SHUFFLE(one, other, (int32_t)second);
}

/* 16 codes, four a word, to the words of their bits; flip: what is changed of
 * the last. */
static inline void pack_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                             Y **y, uint32_t flip)
{
    delta_swap(&a, &b, 4, 0x0f0f0f0f);
    delta_swap(&c, &d, 4, 0x0f0f0f0f);
    pack_shuffle(&a, &c, 0x06020400, 0x07030501);
    pack_shuffle(&b, &d, 0x06020400, 0x07030501);
    delta_swap(&a, &c, 1, 0x55555555);
    delta_swap(&b, &d, 1, 0x55555555);
    pack_shuffle(&a, &c, 0x05040100, 0x07060302);
    pack_shuffle(&b, &d, 0x05040100, 0x07060302);
    delta_swap(&a, &c, 2, 0x33333333);
    delta_swap(&b, &d, 2, 0x33333333);
    pack_put(y, a);
    pack_put(y, c);
    pack_put(y, b);
    pack_put(y, d ^ flip);
}

/* Codes of a row that are fewer than 16; at: how many of others are before
 * them. */
static Y *pack_rest(const X *x, int32_t n, int32_t at, Y *y, uint32_t flip)
{
    uint32_t w[4] = {0};
    int32_t i;

    for (i = 0; i + PACK_WORD <= n; i += PACK_WORD)
        w[(at + i) >> 2] = (uint32_t)word_load(x + i);
    for (; i < n; i++)
        w[(at + i) >> 2] |= (uint32_t)(uint8_t)x[i] << 8 * (i & 3);
    pack_tile(w[0], w[1], w[2], w[3], &y, flip);
    return y;
}

/* Rows of four codes alone, which are codes `at` to at + 3 of 16. */
#ifdef XPULPV2
#define PACK_TWO(odd, even)                                                   \
    "and %[t], %[w], %[" odd "]\n"                                            \
    "xpv.dotup.b %[v], %[t], %[by]\n"                                         \
    "slli %[v], %[v], 15\n"                                                   \
    "and %[t], %[w], %[" even "]\n"                                           \
    "xpv.sdotup.b %[v], %[t], %[by]\n"
#define PACK_PUT                                                              \
    "sll %[v], %[v], %[up]\n"                                                 \
    "xp.sw.post %[v], %[y], 4\n"

static void pack_fours(const X *x, Y *y, int32_t rows, int32_t at,
                       uint32_t flip)
{
    int32_t v, t, w;

    if (rows > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 33\n"
            "xp.lw.post %[w], %[x], 4\n"
            PACK_TWO("b1", "b0") PACK_PUT
            PACK_TWO("b3", "b2") "srli %[v], %[v], 2\n" PACK_PUT
            PACK_TWO("b5", "b4") "srli %[v], %[v], 4\n" PACK_PUT
            PACK_TWO("b7", "b6") "srli %[v], %[v], 6\n"
            "sll %[v], %[v], %[up]\n xor %[v], %[v], %[flip]\n"
            "xp.sw.post %[v], %[y], 4\n" XP_BLOCK_END
            : [x] "+&r"(x), [y] "+&r"(y), [v] "=&r"(v), [t] "=&r"(t),
              [w] "=&r"(w)
            : [n] "r"(rows), [up] "r"(at & 8), [flip] "r"(flip),
              [by] "r"(at & 4 ? 0x80402010 : 0x08040201),
              [b0] "r"(0x01010101), [b1] "r"(0x02020202),
              [b2] "r"(0x04040404), [b3] "r"(0x08080808),
              [b4] "r"(0x10101010), [b5] "r"(0x20202020),
              [b6] "r"(0x40404040), [b7] "r"(0x80808080)
            : XP_CLOBBERS);
}
#else
static void pack_fours(const X *x, Y *y, int32_t rows, int32_t at,
                       uint32_t flip)
{
    for (; rows > 0; rows--, x += PACK_WORD, y += PACK_TILE)
        pack_rest(x, PACK_WORD, at, y, flip);
}
#endif

static inline Y *pack_blank(Y *y, int32_t n, int32_t last)
{
    for (; n >= PACK_TILE; n -= PACK_TILE, y += PACK_TILE) {
        words_fill(y, 3, 0);
        word_store(y + 12, last);
    }
    return y;
}

/* Rows of n codes, `bytes` each, with `at` codes of others before them; flip:
 * what is changed of a tile's last word, last: that of a blank one. */
static void pack_rows(const X *x, Y *y, int32_t rows, int32_t n, int32_t at,
                      int32_t bytes, uint32_t flip, int32_t last)
{
    const int32_t rest = n & (PACK_TILE - 1), first = at & (PACK_TILE - 1);
    const uint32_t own = last ? flip
                              : flip & ((1u << rest) - 1) << (16 + first);

    if (n == PACK_WORD && bytes == PACK_TILE) {
        pack_fours(x, y, rows, first, own);
        return;
    }
    for (; rows > 0; rows--, x += n) {
        const X *from = x;
        Y *to = pack_blank(y, at, last);

        y += bytes;
        while (from < x + n - rest) {
            const uint32_t a = pack_get(&from), b = pack_get(&from);
            const uint32_t c = pack_get(&from), d = pack_get(&from);

            pack_tile(a, b, c, d, &to, flip);
        }
        if (rest)
            to = pack_rest(from, rest, first, to, own);
        pack_blank(to, (int32_t)(y - to), last);
    }
}

void FN(const struct pack_dims *k, const struct io *io)
{
    const int32_t n = k->n[7], block = k->n[6], groups = k->n[5];
    const int32_t rows = k->n[4] * groups * block, bytes = k->size / rows;
    const int32_t apart = groups > 1 && k->ys[5] > 8 * bytes * block;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t from, to;

    span(rows, io->core, io->ncore, &from, &to);
    x += (ptrdiff_t)from * n;
    y += (ptrdiff_t)from * bytes;
    while (from < to) {
        const int32_t left = apart ? block - from % block : to - from;
        const int32_t some = left < to - from ? left : to - from;

        pack_rows(x, y, some, n, apart ? from / block * n : 0, bytes,
                  k->p0 ? 0xffff0000u : 0, k->p2);
        x += some * n;
        y += some * bytes;
        from += some;
    }
}
