/* Quotient, towards zero; of division by zero 0.
 *
 * op       div
 * types    x:int y:int -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    256
 * cycles   40 * z.n
 */
#include "kern/map/map.h"

static ACC quotient(ACC x, ACC y)
{
    return y == -1 ? (ACC)(0 - (uint64_t)x) : x / y;
}

MAP2(X, Y, Z, y == 0 ? 0 : quotient(x, y))
