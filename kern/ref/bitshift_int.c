/* Bits moved.
 *
 * op       bitshift
 * types    x:int y:int -> z:int
 * isa      any
 * inplace  x y
 * stack    128
 * cycles   16 * z.n
 *
 * mode 0: to the left, 1: to the right.
 */
#include "kern/map.h"

static uint64_t shifted(uint64_t x, uint64_t by, int mode)
{
    if (by > 63)
        return 0;
    return mode == 0 ? x << by : x >> by;
}

MAP2(X, Y, Z, shifted((uint64_t)x, (uint64_t)y, k->mode))
