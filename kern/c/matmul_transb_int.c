/* Matrix product with b transposed, two rows by two columns at a time.
 *
 * op       matmul
 * types    a:s8|u8|s16 b:s8|u8|s16 bias:int mul:int add:int
 *          -> y:s8|u8|s16|u16|s32
 * types    a:s8|u8|s16 b:s8|u8|s16 bias:int mul:int add:int shifts:int
 *          -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     ak == 1 && bk == 1
 * split    m n
 * stack    384
 * cycles   ncore * (250 + min(ncore - 1, 1) * 240 + nb[0] * nb[1] * nb[2] *
 *          min(((m + 1) / 2 + ncore - 1) / ncore * 2 * n,
 *          m * (((n + 1) / 2 + ncore - 1) / ncore * 2)) *
 *          (125 + (m < 2 ? 4 * k : 3 * k)))
 * code     1240
 */
#include "kern/finish.h"

FINISH_MATMUL

typedef A LEFT;
typedef B RIGHT;
#include "kern/matmul/dot.h"
#include "kern/matmul/transb.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
