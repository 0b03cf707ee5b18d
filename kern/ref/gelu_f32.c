/* x times the normal distribution at x.
 *
 * op       gelu
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    384
 * cycles   200 * x.n
 *
 * mode 0: by the error function; 1: by its approximation with tanh.
 */
#include "kern/map/map.h"

static float gelu(float x, int mode)
{
    const float root_half = 0.70710678f, root_2_by_pi = 0.79788456f;

    if (mode == 1)
        return x / 2 * (1 + tanhf(root_2_by_pi * (x + 0.044715f * x * x * x)));
    return x / 2 * (1 + erff(root_half * x));
}

MAP1(X, Y, gelu(x, k->mode))
