/* Matrix product with b transposed, two rows by two columns at a time.
 *
 * op       matmul
 * types    a:s8|u8|s16 b:s8|u8|s16 bias:int mul:int add:int
 *          -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     ak == 1 && bk == 1
 * split    m n
 * stack    384
 * cycles   nb[0] * nb[1] * nb[2] * m * n * (25 + 3 * k)
 */
#include "kern/finish.h"

FINISH_MATMUL

typedef A LEFT;
typedef B RIGHT;
#include "kern/dot.h"
#include "kern/matmul_t.h"

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
