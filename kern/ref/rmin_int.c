/* The least element.
 *
 * op       rmin
 * types    x:int -> y:int
 * isa      any
 * split    n
 * stack    128
 * cycles   14 * x.n
 */
#include "kern/row/reduce.h"

REDUCE(ACC, (ACC)x, (ACC)x < a ? (ACC)x : a, a)
