/* Padding of bytes with a constant, a row of the last axis at a time, in words.
 *
 * op       pad
 * types    x:s8|u8 -> y:=x
 * isa      xpulpv2
 * when     mode == 0 && before[7] >= 0 && before[7] + xn[7] <= n[7]
 * split    n
 * stack    224
 * let      rows = n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6]
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + n[7] *
 *          fit.words / 4))
 */
#include "kern/xpulp/transpose.h"

static inline Y pad_value(const struct pad_dims *k)
{
    return (Y)k->p0;
}

static inline void pad_copy(const X *x, Y *y, int32_t n)
{
    transpose_copy(x, (X *)y, n);
}

static inline void pad_fill(Y *y, Y value, int32_t n)
{
    const int32_t word = (int32_t)((uint8_t)value * 0x01010101u);

    for (; n > 3; n -= 4, y += 4)
        transpose_store((X *)y, word);
    while (n-- > 0)
        *y++ = value;
}

#include "kern/copy/pad_rows.h"

void FN(const struct pad_dims *k, const struct io *io)
{
    pad_rows(k, io);
}
