/* Matrix product of 16 bits by bytes with b transposed, eight elements
 * at a time.
 *
 * op       matmul
 * types    a:s16 b:s8 bias:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    a:s16 b:s8 bias:int mul:int add:int shifts:int
 *          -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      mve
 * when     ak == 1 && bk == 1 && k > 3
 * split    m n
 * stack    288
 * cycles   nb[0] * nb[1] * nb[2] * m * n * (50 + 3 * ceil(k, 8)) + 280
 */
#include "kern/finish.h"

FINISH_MATMUL
typedef A LEFT;
typedef B RIGHT;
#include "kern/mve/short.h"
#include "kern/matmul/transb.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
