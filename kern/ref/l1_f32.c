/* Sum of magnitudes.
 *
 * op       l1
 * types    x:f32 -> y:f32
 * isa      any
 * split    n
 * stack    224
 * cycles   14 * x.n
 */
#include "kern/row/reduce.h"

REDUCE(float, 0, a + fabsf(x), a)
