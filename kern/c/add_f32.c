/* Sum along dense rows.
 *
 * op       add
 * types    x:f32 y:f32 mul:none add:none -> z:f32
 * isa      any
 * when     s0[5] == 1 && (s1[5] == 1 || s1[5] == 0)
 * inplace  x y
 * split    n
 * stack    256
 * cycles   50 + 9 * z.n
 */
#include "kern/map/run.h"

RUN_F32(x + y)
