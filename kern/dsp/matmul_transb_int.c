/* Matrix product with b transposed and packed products.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int
 *          -> y:s8|u8|s16|u16|s32
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int shifts:int
 *          -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      dsp
 * when     ak == 1 && bk == 1 && k < 32768 && k > 3
 * split    m n
 * stack    384
 * cycles   nb[0] * nb[1] * nb[2] * m * n * (27 + 2 * k) + 280
 */
#include "kern/dsp/dsp.h"
#include "kern/finish.h"

FINISH_MATMUL

typedef A LEFT;
typedef B RIGHT;
#include "kern/dsp/dot.h"
#include "kern/matmul/transb.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
