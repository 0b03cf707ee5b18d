/* A norm without statistics, in 32 bits.
 *
 * op       inonorm
 * types    x:s8|u8|s16|s32 w:s8|u8|s16|s32 b:s8|u8|s16|s32 -> y:s8|u8|s16|s32
 * isa      any
 * when     (max(-x.lo, x.hi) * max(-w.lo, w.hi) + max(-b.lo, b.hi)) *
 *          max(-p0, p0) < 2147483648 && shift < 32
 * inplace  x
 * split    n
 * stack    320
 * cycles   150 * ncore + 30 * x.n
 * code     340
 *
 * The macro calls its operands x, y and z: here they are x, w and b.
 */
#include "kern/map/map.h"

MAP3(X, W, B, Y, clip((x * y + z) * k->p0 >> k->shift, k->lo, k->hi))
