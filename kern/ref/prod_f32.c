/* Product.
 *
 * op       prod
 * types    x:f32 -> y:f32
 * isa      any
 * split    n
 * stack    224
 * cycles   14 * x.n
 */
#include "kern/row/reduce.h"

REDUCE(float, 1, a * x, a)
