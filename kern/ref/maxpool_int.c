/* The greatest element of each window; padding never wins.
 *
 * op       maxpool
 * types    x:int -> y:int
 * isa      any
 * layout   any
 * split    n c
 * stack    160
 * cycles   n * c * oh * ow * (50 + 25 * kh * kw)
 */
#include "kern/pool/plain.h"

POOL_EACH(bound(pool_most(k, x, i, j), k->lo, k->hi))
