/* The integer HardSwish: x times a clipped line.
 *
 * op       ihardswish
 * types    x:int mul:int add:int -> y:int
 * types    x:int mul:int add:int shifts:int -> y:int
 * round    0 1
 * isa      any
 * inplace  x
 * split    n
 * stack    320
 * cycles   40 * x.n
 *
 * x (clip(x + three, 0, six) one_over_six), then the epilogue.
 * p0: one_over_six, p1: three, p2: six.
 */
#include "kern/map/map.h"

MAP_FINISH(1)

static int64_t hardswish(int64_t x, int64_t sixth, int64_t three, int64_t six)
{
    int64_t line = x + three;

    return x * ((line < 0 ? 0 : line > six ? six : line) * sixth);
}

MAP1(X, Y, finish(k, io, &p, i, hardswish(x, k->p0, k->p1, k->p2)))
