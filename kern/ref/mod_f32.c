/* Remainder.
 *
 * op       mod
 * types    x:f32 y:f32 -> z:f32
 * isa      any
 * inplace  x y
 * split    n
 * stack    352
 * cycles   150 * z.n
 *
 * mode 0: the sign of the divisor; 1: of the dividend, as C has it.
 */
#include "kern/map/map.h"

static float remainder_of(float x, float y, int mode)
{
    float r = fmodf(x, y);

    return mode == 0 && r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

MAP2(X, Y, Z, remainder_of(x, y, k->mode))
