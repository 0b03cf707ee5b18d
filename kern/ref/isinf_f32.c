/* Is it infinite?
 *
 * op       isinf
 * types    x:f32 -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   14 * x.n
 *
 * p0: positive infinity counts; p1: negative infinity does.
 */
#include "kern/map/map.h"

MAP1(X, Y, (k->p0 && x == INFINITY) || (k->p1 && x == -INFINITY))
