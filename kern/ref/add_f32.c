/* Sum.
 *
 * op       add
 * types    x:f32 y:f32 mul:none add:none -> z:f32
 * isa      any
 * inplace  x y
 * split    n
 * stack    288
 * cycles   20 * z.n
 */
#include "kern/map/map.h"

MAP2(X, Y, Z, clipf(x + y, k->flo, k->fhi))
