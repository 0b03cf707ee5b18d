/* Sum of magnitudes.
 *
 * op       l1
 * types    x:int -> y:int
 * isa      any
 * split    n
 * stack    128
 * cycles   14 * x.n
 *
 * Without sign, so that what does not fit wraps.
 */
#include "kern/row/reduce.h"

REDUCE(uint64_t, 0, a + (x < 0 ? 0 - (uint64_t)x : (uint64_t)x), a)
