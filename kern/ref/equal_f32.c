/* Equal?
 *
 * op       equal
 * types    x:f32 y:f32 -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    256
 * cycles   18 * z.n
 */
#include "kern/map/map.h"

MAP2(X, Y, Z, x == y)
