/* Padding with a constant, a row of the last axis at a time, in words.
 *
 * op       pad
 * types    x:s8|u8|s16|u16|s32 -> y:=x
 * isa      xpulpv2
 * when     mode == 0 && before[7] >= 0 && before[7] + xn[7] <= n[7]
 * split    n
 * stack    272
 * let      rows = n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6]
 * let      words = xn[7] * y.bytes / 4
 * let      left = before[7] * y.bytes % 4
 * let      right = (n[7] - xn[7] - before[7]) * y.bytes % 4
 * let      word = fit.words + (left > 0) * fit.odd
 * let      row = fit.row + (left + right) * fit.byte
 * cycles   ncore * (fit.call + min(ceil(rows, ncore) * (row + words * word),
 *          rows * (row + ceil(words, ncore) * word)))
 * code     1000
 */
#define LEFT uint8_t
#define RIGHT uint8_t
#include "kern/xpulp/word.h"
#include "kern/xpulp/fill.h"
#include "kern/xpulp/transpose.h"

static inline Y pad_value(const struct pad_dims *k)
{
    return (Y)k->p0;
}

static inline void pad_copy(const X *x, Y *y, int32_t n)
{
    transpose_copy(x, y, n * (int32_t)sizeof *y);
}

static inline void pad_fill(Y *y, Y value, int32_t n)
{
    const uint32_t each = sizeof *y == 4 ? 1 : sizeof *y == 2 ? 0x10001
                                                              : 0x01010101;
    const uint32_t mask = sizeof *y == 4 ? UINT32_MAX
                                         : (1u << 8 * (sizeof *y & 3)) - 1;
    const int32_t word = (int32_t)(((uint32_t)value & mask) * each);
    const int32_t step = 4 / (int32_t)sizeof *y;

    words_fill(y, n / step, word);
    for (y += n / step * step, n %= step; n > 0; n--)
        *y++ = value;
}

#include "kern/copy/pad_rows.h"

void FN(const struct pad_dims *k, const struct io *io)
{
    pad_rows(k, io);
}
