/* The integer layer norm of 16 bits: its squares are summed in 64.
 *
 * op       ilayernorm
 * types    x:s16 w:s8|u8|s16|s32 b:s8|u8|s16|s32 -> y:s8|u8|s16|s32
 * isa      any
 * when     max(-x.lo, x.hi) * n < 2147483648 && n < 65536 &&
 *          (x.hi - x.lo) * max(-w.lo, w.hi) + max(-b.lo, b.hi) < 2147483648 &&
 *          shift < 32
 * split    rows
 * stack    176
 * cycles   ncore * ((rows + ncore - 1) / ncore * (500 + 66 * n) + 60)
 */
#define SQUARES uint64_t
#include "kern/row/layernorm.h"

void FN(const struct row_dims *k, const struct io *io)
{
    rows(k, io);
}
