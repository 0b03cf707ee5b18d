/* To an integer; what does not fit keeps its low bits.
 *
 * op       cast
 * types    x:int -> y:s8|u8|s16|u16|s32|u32|s64|u64
 * isa      any
 * inplace  x
 * split    n
 * stack    224
 * cycles   10 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x)
