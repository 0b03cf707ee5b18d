/* Logical negation.
 *
 * op       not
 * types    x:int -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    224
 * cycles   10 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, !x)
