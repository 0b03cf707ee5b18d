/* The next integer down.
 *
 * op       floor
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    352
 * cycles   30 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, floorf(x))
