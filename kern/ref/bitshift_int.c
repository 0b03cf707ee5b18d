/* Bits moved.
 *
 * op       bitshift
 * types    x:int y:int -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    256
 * cycles   16 * z.n
 *
 * mode 0: to the left, 1: to the right.
 */
#include "kern/map/map.h"

static uint64_t left(uint64_t x, uint64_t by)
{
    return by > 63 ? 0 : x << by;
}

static X right(X x, uint64_t by)
{
    if (by >= 8 * sizeof x)
        return x > 0 ? 0 : (X)(x >> (8 * sizeof x - 1));
    return (X)(x >> by);
}

MAP2(X, Y, Z, k->mode ? (uint64_t)right(x, (uint64_t)y)
                      : left((uint64_t)x, (uint64_t)y))
