/* Sum along dense rows.
 *
 * op       add
 * types    x:s8|u8|s16|u16|s32 y:s8|u8|s16|u16|s32 mul:int add:int
 *          -> z:s8|u8|s16|u16|s32
 * round    0 1
 * isa      any
 * when     s0[5] == 1 && (s1[5] == 1 || s1[5] == 0) && has.mul == has.add &&
 *          max(-acc.lo, acc.hi) < 2147483648
 * inplace  x y
 * split    n
 * stack    288
 * let      team = ncore > 1
 * cycles   50 + team * (has.mul ? 460 : 400) * ncore + (22 + team *
 *          (has.mul ? mul.n > 1 ? 38 : 8 : -10)) * z.n
 * code     has.mul ? 760 : 560
 * cold     has.mul ? 640 : 395
 */
#include "kern/finish.h"
#include "kern/map/run.h"

RUN_INT(x + y, rescale)
