/* Each element scaled: clip((x mul + add) >> shift, lo, hi).
 *
 * op       requant
 * types    x:int mul:int add:int -> y:int
 * types    x:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * inplace  x
 * split    n
 * stack    288
 * cycles   30 * x.n
 * code     740
 */
#include "kern/map/map.h"

MAP_FINISH(1)

MAP1(X, Y, finish(k, io, &p, i, x))
