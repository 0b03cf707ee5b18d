/* Mean in 32 bits, to the nearest integer; ties go up.
 *
 * op       mean
 * types    x:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     max(-x.lo, x.hi) * count < 536870912
 * split    n
 * stack    224
 * cycles   150 + (ncore - 1) * 850 + y.n * (100 + 60 * m[0] * m[1] * m[2] *
 *          m[3] * m[4]) + 7 * x.n
 * code     400
 */
#include "kern/row/reduce.h"

/* a / n rounded down, n > 0. */
static inline int32_t down(int32_t a, int32_t n)
{
    const int32_t q = a / n;

    return q - (a - q * n < 0);
}

REDUCE(int32_t, 0, a + (int32_t)x, down(2 * a + k->count, 2 * k->count))
