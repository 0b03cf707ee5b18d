/* Scaling along dense rows, in 32 bits.
 *
 * op       requant
 * types    x:s8|u8|s16|u16|s32 mul:int add:int -> y:s8|u8|s16|u16|s32
 * isa      any
 * when     s0[5] == 1 && shift < 32 && max(-scaled.lo, scaled.hi) < 2147483648
 * inplace  x
 * split    n
 * stack    288
 * cycles   50 + 10 * x.n
 * code     570
 */
#define RESCALED rescale32
#include "kern/map/requant.h"
