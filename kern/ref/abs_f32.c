/* Magnitude.
 *
 * op       abs
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    224
 * cycles   10 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, fabsf(x))
