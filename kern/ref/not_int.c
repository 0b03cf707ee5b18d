/* Logical negation.
 *
 * op       not
 * types    x:int -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    192
 * cycles   10 * x.n
 */
#include "kern/map.h"

MAP1(X, Y, !x)
