/* x times the logistic function of alpha x, powers from a table.
 *
 * op       swish
 * types    x:f32 -> y:f32
 * isa      dsp
 * inplace  x
 * split    n
 * stack    112
 * cycles   48 * x.n
 */
#include "kern/map/map.h"
#include "kern/dsp/power.h"

/* The power is of what is below 0: of z above, 1 / (1 + exp(-z)); else
 * exp(z) / (1 + exp(z)). */
static inline float logistic(float z)
{
    const float e = 0.5f * power(z < 0 ? z : -z);

    return (z < 0 ? e : 1.0f) / (1.0f + e);
}

MAP1(X, Y, x * logistic(k->alpha * x))
