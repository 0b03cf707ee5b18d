/* beta times: x, or alpha (exp(x) - 1) where x is not positive.
 *
 * op       selu
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    352
 * cycles   150 * x.n
 *
 * alpha and beta are the alpha and gamma of ONNX.
 */
#include "kern/map/map.h"

MAP1(X, Y, k->beta * (x > 0 ? x : k->alpha * expm1f(x)))
