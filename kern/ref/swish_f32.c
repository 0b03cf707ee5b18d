/* x times the logistic function of alpha x.
 *
 * op       swish
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    352
 * cycles   170 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, x / (1 + expf(-k->alpha * x)))
