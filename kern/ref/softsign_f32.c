/* x / (1 + |x|).
 *
 * op       softsign
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   30 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x / (1 + fabsf(x)))
