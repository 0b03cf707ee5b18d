/* Weighted sum along dense rows, in 32 bits.
 *
 * op       wadd
 * types    x:s8|u8|s16|u16|s32 y:s8|u8|s16|u16|s32 c:int
 *          -> z:s8|u8|s16|u16|s32
 * isa      any
 * when     s0[5] == 1 && s1[5] == 1 && c.n == 1 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * inplace  x y
 * split    n
 * stack    256
 * cycles   50 + 13 * z.n
 */
#define WADD_SUM int32_t
#define WADD_CLIP clip
#include "kern/map/wadd.h"
