/* Codes of 8 bits as N-Eureka wants those of one tap: of each four neighbours
 * the bits side by side, eight such words a tile.
 *
 * op       pack
 * types    x:s8|u8 -> y:u8
 * isa      xpulpv2
 * when     bits == 8 && by == 4 && part[0] == 32 && part[1] == 4 &&
 *          ps[0] == 256 && ps[1] == 32 && ps[2] == 1 &&
 *          (p0 == 0 || p0 == 128) && p3 < 2 && n[7] > 0 &&
 *          (n[6] == 1 || ys[6] == 8 * row) &&
 *          (n[5] == 1 || ys[5] == 8 * (row * n[6] + n[7]) ||
 *           ys[5] == 8 * row * n[6]) &&
 *          (n[4] == 1 || ys[4] == 8 * row * n[6] * n[5]) &&
 *          n[0] * n[1] * n[2] * n[3] == 1 && size == row * rows &&
 *          row % 32 == 0 && row >= n[7] + apart * (n[5] - 1) &&
 *          (apart == 0 || (n[7] % 4 == 0 && n[4] == 1))
 * let      rows = n[4] * n[5] * n[6]
 * let      row = size / max(rows, 1)
 * let      apart = (n[5] > 1) * (ys[5] > 8 * row * n[6]) * n[7]
 * split    n
 * stack    192
 * let      gaps = n[7] < row && n[7] != 4
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.word * (n[7] / 4) +
 *          gaps * ((n[7] > 3) * fit.row + (n[7] % 4 > 0) * fit.rest) +
 *          (n[7] == row ? 0 : row / 4)))
 * code     700
 *
 * Bit b of codes 4 i to 4 i + 3 is nibble b of word i: the dot product of 1, 2,
 * 4 and 8 and what a mask of bit b leaves of the four.  Rows of the fifth axis
 * may begin one behind the other, as blocks on a diagonal do.
 */
#define LEFT uint8_t
#define RIGHT uint8_t
#include "kern/xpulp/word.h"
#include "kern/xpulp/fill.h"
#include "kern/xpulp/mean.h"

enum { PACK_WORD = 4 };

/* Four codes turned; flip: what is changed of them. */
static inline int32_t pack_word(int32_t w, uint32_t flip)
{
    uint32_t v = 0;

#ifdef XPULPV2
#pragma GCC unroll 8
    for (int b = 7; b >= 0; b--)
        v = (uint32_t)xp_sdot4u((int32_t)(v << 3),
                                (int32_t)((uint32_t)w & 0x01010101u << b),
                                0x08040201);
#else
    for (int b = 0; b < 8; b++)
        for (int j = 0; j < 4; j++)
            v |= ((uint32_t)w >> (8 * j + b) & 1) << (4 * b + j);
#endif
    return (int32_t)(v ^ flip);
}

/* n words of codes, to places `step` bytes apart.  A mask of bits b and b + 4 has
 * two nibbles in one product, and v is of four of these: nibbles 0, 4, 2, 6, 1,
 * 5, 3 and 7, which two products of halves bring into their order. */
#ifdef XPULPV2
#define PACK_BITS(mask)                                                       \
    "and %[t], %[w], %[" mask "]\n"                                           \
    "xpv.sdotup.b %[v], %[t], %[ones]\n"

static inline void pack_words(const X *x, Y *y, int32_t n, int32_t step,
                              uint32_t flip)
{
    int32_t v, t, w;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 19\n"
            "xp.lw.post %[w], %[x], 4\n"
            "and %[t], %[w], %[b3]\n"
            "xpv.dotup.b %[v], %[t], %[ones]\n"
            "slli %[v], %[v], 6\n" PACK_BITS("b1")
            "slli %[v], %[v], 9\n" PACK_BITS("b2")
            "slli %[v], %[v], 6\n" PACK_BITS("b0")
            "xor %[v], %[v], %[flip]\n"
            "and %[t], %[v], %[lower]\n"
            "sub %[v], %[v], %[t]\n"
            "xpv.dotup.h %[t], %[t], %[beside]\n"
            "xpv.dotup.h %[v], %[v], %[beside]\n"
            "xp.mac %[t], %[v], %[upper]\n"
            "xp.sw.postr %[t], %[y], %[step]\n" XP_BLOCK_END
            : [x] "+&r"(x), [y] "+&r"(y), [v] "=&r"(v), [t] "=&r"(t),
              [w] "=&r"(w)
            : [n] "r"(n), [step] "r"(step), [ones] "r"(0x08040201),
              [flip] "r"(flip), [b0] "r"(0x11111111), [b1] "r"(0x22222222),
              [b2] "r"(0x44444444), [b3] "r"(0x88888888),
              [lower] "r"(0x0f0f0f0f), [beside] "r"(0x00100001),
              [upper] "r"(4096)
            : XP_CLOBBERS);
}
#else
static void pack_words(const X *x, Y *y, int32_t n, int32_t step, uint32_t flip)
{
    for (; n > 0; n--, x += PACK_WORD, y += step)
        word_store(y, pack_word(word_load(x), flip));
}
#endif

/* The last codes of a row, fewer than four. */
static inline int32_t pack_rest(const X *x, int32_t n, uint32_t flip)
{
    uint32_t w = (uint8_t)x[0];

    if (n > 1)
        w |= (uint32_t)(uint8_t)x[1] << 8;
    if (n > 2)
        w |= (uint32_t)(uint8_t)x[2] << 16;
    return pack_word((int32_t)w, flip & ((1u << n) - 1) * 0x11111111u);
}

/* Rows of n codes, `bytes` apart, over what is blank. */
static inline void pack_rows(const X *x, Y *y, int32_t rows, int32_t n,
                             int32_t bytes, uint32_t flip)
{
    const int32_t words = n >> 2, rest = n & 3;

    if (n == PACK_WORD) {
        pack_words(x, y, rows, bytes, flip);
        return;
    }
    for (; rows > 0; rows--, x += n, y += bytes) {
        pack_words(x, y, words, PACK_WORD, flip);
        if (rest)
            word_store(y + 4 * words, pack_rest(x + 4 * words, rest, flip));
    }
}

void FN(const struct pack_dims *k, const struct io *io)
{
    const int32_t n = k->n[7], block = k->n[6], groups = k->n[5];
    const int32_t rows = k->n[4] * groups * block;
    const int32_t bytes = mean_of_sum(k->size, rows);
    const int32_t apart = groups > 1 && (k->ys[5] >> 3) > bytes * block;
    const uint32_t flip = k->p0 ? 0xf0000000u : 0;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t from, to;

    span(rows, io->core, io->ncore, &from, &to);
    x += (ptrdiff_t)from * n;
    y += (ptrdiff_t)from * bytes;
    if (n == bytes) {
        pack_words(x, y, (to - from) * (n >> 2), PACK_WORD, flip);
        return;
    }
    words_fill(y, (to - from) * (bytes >> 2), k->p2);
    while (from < to) {
        const int32_t group = apart ? mean_of_sum(from, block) : 0;
        const int32_t left = apart ? (group + 1) * block - from : to - from;
        const int32_t some = left < to - from ? left : to - from;

        pack_rows(x, y + group * n, some, n, bytes, flip);
        x += some * n;
        y += some * bytes;
        from += some;
    }
}
