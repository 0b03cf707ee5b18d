/* The greatest element; not a number if one is not.
 *
 * op       rmax
 * types    x:f32 -> y:f32
 * isa      any
 * split    n
 * stack    224
 * cycles   14 * x.n
 */
#include "kern/row/reduce.h"

REDUCE(float, x, x != x || x > a ? x : a, a)
