/* The mean of each window.
 *
 * op       avgpool
 * types    x:f32 mul:none add:none -> y:f32
 * isa      any
 * layout   any
 * split    n c
 * stack    384
 * cycles   n * c * oh * ow * (50 + 25 * kh * kw)
 */
#include "kern/pool/plain.h"

POOL_EACH(clipf(pool_sum(k, x, i, j) / pool_divisor(k, i, j), k->flo, k->fhi))
