/* Sum.
 *
 * op       add
 * types    x:int y:int mul:int add:int -> z:int
 * types    x:int y:int mul:int add:int shifts:int -> z:int
 * round    0 1
 * isa      any
 * inplace  x y
 * split    n
 * stack    320
 * cycles   ncore > 1 ? 450 * ncore + 58 * z.n : 30 * z.n
 *
 * Computed without sign, so that what does not fit wraps.
 */
#include "kern/map/map.h"

MAP_FINISH(2)

MAP2(X, Y, Z, finish(k, io, &p, i, (ACC)((uint64_t)x + (uint64_t)y)))
