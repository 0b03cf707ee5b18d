/* Matrix product of 16 bits by bytes with b transposed, with packed
 * products.
 *
 * op       matmul
 * types    a:s16 b:s8 bias:int mul:int add:int -> y:s8|u8|s16|u16|s32
 * types    a:s16 b:s8 bias:int mul:int add:int shifts:int
 *          -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      dsp
 * when     ak == 1 && bk == 1 && k > 3
 * split    m n
 * stack    448
 * cycles   nb[0] * nb[1] * nb[2] * m * n * (40 + (m < 2 ? 5 * k : 7 * k / 2) / 2) + 280
 */
#include "kern/dsp/dsp.h"
#include "kern/finish.h"

FINISH_MATMUL
typedef A LEFT;
typedef B RIGHT;
#include "kern/dsp/short.h"
#include "kern/matmul/transb.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
