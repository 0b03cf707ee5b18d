/* x, or y x where x is negative.
 *
 * op       prelu
 * types    x:f32 y:f32 -> z:f32
 * isa      any
 * inplace  x y
 * split    n
 * stack    256
 * cycles   20 * z.n
 */
#include "kern/map/map.h"

MAP2(X, Y, Z, x < 0 ? x * y : x)
