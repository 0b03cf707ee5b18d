/* To a truth value: is it not zero?
 *
 * op       cast
 * types    x:any -> y:b8
 * isa      any
 * inplace  x
 * split    n
 * stack    224
 * cycles   12 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x != 0)
