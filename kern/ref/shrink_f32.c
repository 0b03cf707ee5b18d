/* Towards zero by alpha; zero within beta of it.
 *
 * op       shrink
 * types    x:f32 -> y:f32
 * isa      any
 * inplace  x
 * split    n
 * stack    256
 * cycles   16 * x.n
 *
 * alpha and beta are the bias and lambd of ONNX.
 */
#include "kern/map/map.h"

MAP1(X, Y, x < -k->beta ? x + k->alpha : x > k->beta ? x - k->alpha : 0)
