/* One over x.
 *
 * op       reciprocal
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   24 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, 1 / x)
