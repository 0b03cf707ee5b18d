/* Softmax of bytes and of what is hidden, by a table, its quotients rounded half
 * to even: in 32 bits but for sums, and for what is too near to a half.
 *
 * op       qsoftmax
 * types    x:s16 t:s32 -> y:s8|u8
 * isa      any
 * when     p2 > 0 && t.lo >= 0
 * split    rows
 * stack    272
 * cycles   ncore * ((rows + ncore - 1) / ncore * (700 + 56 * n) + 60)
 */
#define HIDES
#include "kern/row/level_rows.h"

void FN(const struct row_dims *k, const struct io *io)
{
    levels_rows(k, io);
}
