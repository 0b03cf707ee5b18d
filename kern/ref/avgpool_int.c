/* The mean of each window, to the nearest integer.
 *
 * op       avgpool
 * types    x:int mul:int add:int -> y:int
 * types    x:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * layout   any
 * split    n c
 * stack    320
 * cycles   n * c * oh * ow * (50 + 25 * kh * kw)
 *
 * Ties go up: floor(sum / count + 1/2).  The epilogue is given the mean.
 */
#include "kern/pool/plain_finish.h"

static int64_t pool_mean(int64_t sum, int64_t count)
{
    return floor_div(2 * sum + count, 2 * count);
}

POOL_EACH(pool_finish(k, io, pool_mean(pool_sum(k, x, i, j),
                                       pool_divisor(k, i, j)), c))
