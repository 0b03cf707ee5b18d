/* The sum of each window.
 *
 * op       sumpool
 * types    x:int mul:int add:int -> y:int
 * types    x:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * layout   any
 * split    n c
 * stack    176
 * cycles   n * c * oh * ow * (50 + 25 * kh * kw)
 */
#include "kern/pool/plain_finish.h"

POOL_EACH(pool_finish(k, io, pool_sum(k, x, i, j), c))
