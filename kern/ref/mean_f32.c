/* Mean.
 *
 * op       mean
 * types    x:f32 -> y:f32
 * isa      any
 * split    n
 * stack    320
 * cycles   14 * x.n
 */
#include "kern/row/reduce.h"

REDUCE(float, 0, a + x, a / n)
