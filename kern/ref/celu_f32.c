/* x, or alpha (exp(x / alpha) - 1) where x is negative.
 *
 * op       celu
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    352
 * cycles   160 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x < 0 ? k->alpha * expm1f(x / k->alpha) : x)
