/* x where it is greater than alpha, else 0.
 *
 * op       threlu
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   12 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x > k->alpha ? x : 0)
