/* Greater?
 *
 * op       greater
 * types    x:int y:int -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    256
 * cycles   16 * z.n
 */
#include "kern/map/map.h"

MAP2(X, Y, Z, (ACC)x > (ACC)y)
