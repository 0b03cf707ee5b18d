/* x times a line of slope 1/6 through (0, 1/2), clipped to [0, 1].
 *
 * op       hardswish
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   30 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x * clipf(x / 6 + 0.5f, 0, 1))
