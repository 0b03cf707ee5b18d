/* Values outside [flo, fhi] become the nearer bound.
 *
 * op       clip
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   14 * x.n
 */
#include "kern/map/map.h"

MAP1(X, Y, clipf(x, k->flo, k->fhi))
