/* The integer layer norm in 32 bits.
 *
 * op       ilayernorm
 * types    x:s8|u8|s16|s32 w:s8|u8|s16|s32 b:s8|u8|s16|s32 -> y:s8|u8|s16|s32
 * isa      any
 * when     (x.hi - x.lo) * (x.hi - x.lo) * n < 2147483648 &&
 *          max(-x.lo, x.hi) * n < 2147483648 &&
 *          (x.hi - x.lo) * max(-w.lo, w.hi) + max(-b.lo, b.hi) < 2147483648 &&
 *          shift < 32
 * inplace  x
 * split    rows
 * stack    96
 * cycles   ncore * ((rows + ncore - 1) / ncore * (300 + 61 * n) + 60)
 * code     420
 */
#define SQUARES uint32_t
#include "kern/row/layernorm.h"

void FN(const struct row_dims *k, const struct io *io)
{
    rows(k, io);
}
