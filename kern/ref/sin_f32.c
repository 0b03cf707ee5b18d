/* Sine, of radians.
 *
 * op       sin
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    704
 * cycles   150 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, sinf(x))
