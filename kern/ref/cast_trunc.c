/* From float to integer, towards zero.
 *
 * op       cast
 * types    x:f32 -> y:s8|u8|s16|u16|s32|u32|s64|u64
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   30 * x.n
 */
#include "kern/map/map.h"

/* C leaves open what a number that does not fit becomes: here the nearest that
 * does; not a number becomes 0. */
static int64_t trunc64(float x)
{
    if (x != x)
        return 0;
    if (x >= 9223372036854775808.0f)
        return INT64_MAX;
    return x < -9223372036854775808.0f ? INT64_MIN : (int64_t)x;
}

MAP1(X, Y, trunc64(x))
