/* log(1 + exp(x)), without overflow.
 *
 * op       softplus
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    352
 * cycles   300 * x.n
 */
#include "kern/map/map.h"

static float softplus(float x)
{
    return (x > 0 ? x : 0) + log1pf(expf(-fabsf(x)));
}

MAP1(X, Y, softplus(x))
