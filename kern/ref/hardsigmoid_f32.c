/* A line of slope alpha through (0, beta), clipped to [0, 1].
 *
 * op       hardsigmoid
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   18 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, clipf(k->alpha * x + k->beta, 0, 1))
