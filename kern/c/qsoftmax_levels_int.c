/* Softmax of bytes by a table, its quotients rounded half to even: in 32 bits
 * but for sums, and for what is too near to a half.
 *
 * op       qsoftmax
 * types    x:s8|u8 t:s32 -> y:s8|u8
 * isa      any
 * when     p2 > 0 && t.lo >= 0
 * split    rows
 * inplace  x
 * stack    272
 * cycles   ncore * ((rows + ncore - 1) / ncore * (700 + 50 * n) + 60)
 */
#include "kern/row/level_rows.h"

void FN(const struct row_dims *k, const struct io *io)
{
    levels_rows(k, io);
}
