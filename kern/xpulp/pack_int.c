/* Codes of 8 bits as N-Eureka wants those of one tap: of each four neighbours
 * the bits side by side, eight such words a tile.
 *
 * op       pack
 * types    x:s8|u8 -> y:u8
 * isa      xpulpv2
 * when     bits == 8 && by == 4 && part[0] == 32 && part[1] == 4 &&
 *          ps[0] == 256 && ps[1] == 32 && ps[2] == 1 &&
 *          (p0 == 0 || p0 == 128) && n[7] > 0 &&
 *          (n[6] == 1 || ys[6] == 8 * row) &&
 *          (n[5] == 1 || ys[5] == 8 * row * n[6]) &&
 *          (n[4] == 1 || ys[4] == 8 * row * n[6] * n[5]) &&
 *          n[0] * n[1] * n[2] * n[3] == 1 && size == row * rows
 * let      row = 32 * ceil(n[7], 32)
 * let      rows = n[4] * n[5] * n[6]
 * split    n
 * stack    160
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + fit.word *
 *          ceil(n[7], 4)))
 * code     320
 *
 * Bit b of codes 4 i to 4 i + 3 is nibble b of word i: the dot product of 1, 2,
 * 4 and 8 and what a mask of bit b leaves of the four.
 */
#define LEFT uint8_t
#define RIGHT uint8_t
#include "kern/xpulp/word.h"

enum { PACK_TILE = 32, PACK_WORD = 4 };

/* n words of bytes turned; flip: what is changed of each. */
#ifdef XPULPV2
#define PACK_BIT(mask)                                                        \
    "and %[t], %[w], %[" mask "]\n"                                           \
    "slli %[v], %[v], 3\n"                                                    \
    "xpv.sdotup.b %[v], %[t], %[ones]\n"

static inline void pack_words(const X *x, Y *y, int32_t n, uint32_t flip)
{
    int32_t v, t, w;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 26\n"
            "xp.lw.post %[w], %[x], 4\n"
            "and %[t], %[w], %[b7]\n"
            "xpv.dotup.b %[v], %[t], %[ones]\n"
            PACK_BIT("b6") PACK_BIT("b5") PACK_BIT("b4") PACK_BIT("b3")
            PACK_BIT("b2") PACK_BIT("b1") PACK_BIT("b0")
            "xor %[v], %[v], %[flip]\n"
            "xp.sw.post %[v], %[y], 4\n" XP_BLOCK_END
            : [x] "+&r"(x), [y] "+&r"(y), [v] "=&r"(v), [t] "=&r"(t),
              [w] "=&r"(w)
            : [n] "r"(n), [ones] "r"(0x08040201), [flip] "r"(flip),
              [b0] "r"(0x01010101), [b1] "r"(0x02020202),
              [b2] "r"(0x04040404), [b3] "r"(0x08080808),
              [b4] "r"(0x10101010), [b5] "r"(0x20202020),
              [b6] "r"(0x40404040), [b7] "r"(0x80808080)
            : XP_CLOBBERS);
}
#else
static void pack_words(const X *x, Y *y, int32_t n, uint32_t flip)
{
    for (; n > 0; n--, x += PACK_WORD, y += PACK_WORD) {
        uint32_t v = flip;

        for (int b = 0; b < 8; b++)
            for (int j = 0; j < 4; j++)
                v ^= (uint32_t)((uint8_t)x[j] >> b & 1) << (4 * b + j);
        word_store(y, (int32_t)v);
    }
}
#endif

/* A row of n codes; behind the last of them zeros. */
static inline void pack_row(const X *x, Y *y, int32_t n, uint32_t flip)
{
    const int32_t whole = n & ~3, rest = n & 3;
    const int32_t end = (n + PACK_TILE - 1) & ~(PACK_TILE - 1);
    X last[PACK_WORD] = {0};

    pack_words(x, y, whole >> 2, flip);
    y += whole;
    n = end - whole;
    if (rest) {
        for (int32_t i = 0; i < rest; i++)
            last[i] = x[whole + i];
        pack_words(last, y, 1,
                   flip & ((1u << rest) - 1) * 0x11111111u);
        y += PACK_WORD, n -= PACK_WORD;
    }
    for (; n > 0; n -= PACK_WORD, y += PACK_WORD)
        word_store(y, 0);
}

void FN(const struct pack_dims *k, const struct io *io)
{
    const int32_t n = k->n[7], rows = k->n[4] * k->n[5] * k->n[6];
    const int32_t bytes = (n + PACK_TILE - 1) & ~(PACK_TILE - 1);
    const uint32_t flip = k->p0 ? 0xf0000000u : 0;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t from, to;

    span(rows, io->core, io->ncore, &from, &to);
    x += (ptrdiff_t)from * n;
    y += (ptrdiff_t)from * bytes;
    if (n == bytes) {
        pack_words(x, y, (to - from) * (n >> 2), flip);
        return;
    }
    for (; from < to; from++, x += n, y += bytes)
        pack_row(x, y, n, flip);
}
