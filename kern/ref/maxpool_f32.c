/* The greatest element of each window; padding never wins.
 *
 * op       maxpool
 * types    x:f32 -> y:f32
 * isa      any
 * layout   any
 * split    n c
 * stack    256
 * cycles   n * c * oh * ow * (50 + 25 * kh * kw)
 */
#include "kern/pool/plain.h"

POOL_EACH(clipf(pool_most(k, x, i, j), k->flo, k->fhi))
