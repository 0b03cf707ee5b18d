/* A norm without statistics: ((x w + b) p0) >> shift, clipped.
 *
 * op       inonorm
 * types    x:int w:int b:int -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    320
 * cycles   66 * x.n
 *
 * The macro calls its operands x, y and z: here they are x, w and b.
 * p0: mul.  No rounding.
 */
#include "kern/map/map.h"

MAP3(X, W, B, Y, bound((((int64_t)x * y + z) * k->p0) >> k->shift, k->lo,
                          k->hi))
