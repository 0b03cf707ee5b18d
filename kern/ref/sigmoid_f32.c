/* 1 / (1 + exp(-x)).
 *
 * op       sigmoid
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    352
 * cycles   170 * x.n
 * code     2600
 */
#include "kern/map/map.h"

MAP1(X, Y, 1 / (1 + expf(-x)))
