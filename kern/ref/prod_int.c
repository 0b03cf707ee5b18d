/* Product.
 *
 * op       prod
 * types    x:int -> y:int
 * isa      any
 * split    n
 * stack    128
 * cycles   14 * x.n
 *
 * Without sign, so that what does not fit wraps.
 */
#include "kern/row/reduce.h"

REDUCE(uint64_t, 1, a * (uint64_t)x, a)
