/* Hyperbolic tangent.
 *
 * op       tanh
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    352
 * cycles   150 * x.n
 * code     3600
 */
#include "kern/map/map.h"

MAP1(X, Y, tanhf(x))
