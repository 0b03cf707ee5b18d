/* Mean, to the nearest integer; ties go up.
 *
 * op       mean
 * types    x:int -> y:int
 * isa      any
 * split    n
 * stack    240
 * cycles   14 * x.n
 */
#include "kern/row/reduce.h"

REDUCE(int64_t, 0, a + (int64_t)x,
       floor_div(2 * a + k->count, 2 * (int64_t)k->count))
