/* x to the y.
 *
 * op       pow
 * types    x:f32 y:f32 -> z:f32
 * isa      any
 * inplace  x y
 * split    n
 * stack    352
 * cycles   400 * z.n
 */
#include "kern/map/map.h"

MAP2(X, Y, Z, powf(x, y))
