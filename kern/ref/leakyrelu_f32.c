/* x, or alpha x where x is negative.
 *
 * op       leakyrelu
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   14 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x < 0 ? k->alpha * x : x)
