/* Weighted sum: clip((x p0 + y p1 + c) >> shift, lo, hi).
 *
 * op       wadd
 * types    x:int y:int c:int -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    320
 * cycles   20 * z.n
 *
 * Two quantized values of different scales on the grid of a third.
 */
#include "kern/map/map.h"

MAP3(X, Y, C, Z,
     bound(((int64_t)x * k->p0 + (int64_t)y * k->p1 + (int64_t)z) >> k->shift,
           k->lo, k->hi))
