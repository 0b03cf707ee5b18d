/* Sum of squares.
 *
 * op       sumsquare
 * types    x:f32 -> y:f32
 * isa      any
 * split    n
 * stack    224
 * cycles   14 * x.n
 */
#include "kern/row/reduce.h"

REDUCE(float, 0, a + x * x, a)
