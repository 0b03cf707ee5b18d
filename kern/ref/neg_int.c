/* Negation.
 *
 * op       neg
 * types    x:int -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    224
 * cycles   10 * x.n
 *
 * Unsigned, because the least integer has none in its own type.
 */
#include "kern/map/map.h"

MAP1(X, Y, 0 - (uint64_t)x)
