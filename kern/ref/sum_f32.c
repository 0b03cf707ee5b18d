/* Sum.
 *
 * op       sum
 * types    x:f32 mul:none add:none -> y:f32
 * isa      any
 * split    n
 * stack    224
 * cycles   14 * x.n
 */
#include "kern/row/reduce.h"

REDUCE(float, 0, a + x, clipf(a, k->flo, k->fhi))
