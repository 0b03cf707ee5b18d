/* Euclidean length, rounded down.
 *
 * op       l2
 * types    x:int -> y:int
 * isa      any
 * stack    160
 * cycles   14 * x.n
 */
#include "kern/reduce.h"

REDUCE(int64_t, 0, a + (int64_t)x * x, isqrt((uint64_t)a))
