/* Scaling along dense rows.
 *
 * op       requant
 * types    x:s8|u8|s16|u16|s32 mul:int add:int -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     s0[5] == 1
 * inplace  x
 * split    n
 * stack    288
 * cycles   50 + 18 * x.n
 */
#define RESCALED rescale
#include "kern/map/requant.h"
