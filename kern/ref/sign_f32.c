/* -1, 0 or 1; NaN stays NaN.
 *
 * op       sign
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   12 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x > 0 ? 1 : x < 0 ? -1 : x)
