/* The sum of each window.
 *
 * op       sumpool
 * types    x:f32 mul:none add:none -> y:f32
 * isa      any
 * layout   any
 * split    n c
 * stack    256
 * cycles   n * c * oh * ow * (50 + 25 * kh * kw)
 */
#include "kern/pool/plain.h"

POOL_EACH(clipf(pool_sum(k, x, i, j), k->flo, k->fhi))
