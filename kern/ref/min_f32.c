/* The lesser; not a number if either is not.
 *
 * op       min
 * types    x:f32 y:f32 -> z:f32
 * isa      any
 * inplace  x y
 * split    n
 * stack    256
 * cycles   20 * z.n
 */
#include "kern/map/map.h"

MAP2(X, Y, Z, x != x || x < y ? x : y)
