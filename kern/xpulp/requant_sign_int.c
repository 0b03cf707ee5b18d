/* Bytes that are 128 more, or less, as another type: their sign bits change,
 * four at a time.
 *
 * op       requant
 * types    x:s8 mul:int add:u8|s16|u16|s32|s64 -> y:u8
 * types    x:u8 mul:int add:s8|s16|s32|s64 -> y:s8
 * isa      xpulpv2
 * when     s0[5] == 1 && n[0] * n[1] * n[2] * n[3] * n[4] == 1 &&
 *          shift == 0 && mul.lo == 1 && mul.hi == 1 && add.lo == add.hi &&
 *          max(-add.lo, add.hi) == 128 && lo == min(add.lo, 0) &&
 *          hi == lo + 255
 * inplace  x
 * split    n
 * stack    64
 * cycles   ncore * (fit.call + fit.pair * ceil(y.n, 8 * ncore))
 * code     205
 * asks     65
 */
#define LEFT uint8_t
#define RIGHT uint8_t
#include "kern/xpulp/word.h"

enum { SIGN = 0x80 };

/* Words by two, and one more. */
static inline void sign_words(const X *x, Y *y, int32_t n)
{
    const uint32_t signs = 0x01010101u * SIGN;

#ifdef XPULPV2
    uint32_t a, b;

    if (n > 1)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 6\n"
            "xp.lw.post %[a], %[x], 4\n xp.lw.post %[b], %[x], 4\n"
            "xor %[a], %[a], %[signs]\n xor %[b], %[b], %[signs]\n"
            "xp.sw.post %[a], %[y], 4\n xp.sw.post %[b], %[y], 4\n"
            XP_BLOCK_END
            : [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x), [y] "+&r"(y)
            : [n] "r"(n >> 1), [signs] "r"(signs)
            : XP_CLOBBERS);
    n &= 1;
#endif
    for (; n > 0; n--, x += 4, y += 4)
        word_store(y, (int32_t)((uint32_t)word_load(x) ^ signs));
}

/* The last core has what is no word. */
void FN(const struct map_dims *k, const struct io *io)
{
    const int32_t n = k->n[5], words = n >> 2;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t from, to;

    span(words, io->core, io->ncore, &from, &to);
    sign_words(x + 4 * from, y + 4 * from, to - from);
    if (io->ncore > 1 && io->core < io->ncore - 1)
        return;
    for (int32_t i = 4 * words; i < n; i++)
        y[i] = (Y)((uint8_t)x[i] ^ SIGN);
}
