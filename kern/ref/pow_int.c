/* x to the y, by squaring; what does not fit wraps.
 *
 * op       pow
 * types    x:int y:int -> z:int
 * isa      any
 * inplace  x y
 * split    n
 * stack    256
 * cycles   100 * z.n
 *
 * Negative powers of all but 1 and -1 are 0.
 */
#include "kern/map/map.h"

static int64_t power(int64_t x, int64_t y)
{
    uint64_t base = (uint64_t)x, result = 1;

    if (y < 0)
        return x == 1 ? 1 : x == -1 ? 1 - 2 * (y & 1) : 0;
    for (; y; y >>= 1, base *= base)
        if (y & 1)
            result *= base;
    return (int64_t)result;
}

MAP2(X, Y, Z, power(x, y))
