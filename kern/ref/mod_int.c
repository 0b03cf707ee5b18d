/* Remainder.
 *
 * op       mod
 * types    x:int y:int -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    288
 * cycles   40 * z.n
 *
 * mode 0: the sign of the divisor; 1: of the dividend, as C has it.  Of a
 * division by zero 0.
 */
#include "kern/map/map.h"

static ACC remainder_of(ACC x, ACC y, int mode)
{
    ACC r = y == 0 || y == -1 ? 0 : x % y;

    return mode == 0 && r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

MAP2(X, Y, Z, remainder_of(x, y, k->mode))
