/* Matrix product with b in rows, two columns of which are packed at a time, so
 * that the inner loops run along neighbours.
 *
 * op       matmul
 * types    a:s8|u8|s16 b:s8|u8|s16 bias:int mul:int add:int
 *          -> y:s8|u8|s16|u16|s32
 * types    a:s8|u8|s16 b:s8|u8|s16 bias:int mul:int add:int shifts:int
 *          -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     ak == 1 && bn == 1
 * scratch  2 * k * b.bytes
 * split    m n
 * stack    416
 * cycles   ncore > 1 ? ncore * (450 + nb[0] * nb[1] * nb[2] * (200 + min(n *
 *          ((m + ncore - 1) / ncore * (60 + 4 * k) + 10 * k + 60), (n + ncore
 *          - 1) / ncore * (m * (60 + 4 * k) + 10 * k + 60)))) : nb[0] * nb[1]
 *          * nb[2] * n * (m * (25 + 3 * k) + 8 * k + 30)
 * code     1940
 */
#include "kern/finish.h"

FINISH_MATMUL

typedef A LEFT;
typedef B RIGHT;
#include "kern/matmul/dot.h"
#include "kern/matmul/packed.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
