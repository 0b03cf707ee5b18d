/* Is it not a number?
 *
 * op       isnan
 * types    x:f32 -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   10 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x != x)
