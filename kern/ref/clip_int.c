/* Values outside [lo, hi] become the nearer bound.
 *
 * op       clip
 * types    x:int -> y:int
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   12 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, bound(x, k->lo, k->hi))
