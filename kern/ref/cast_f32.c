/* To float.
 *
 * op       cast
 * types    x:any -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    352
 * cycles   14 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x)
