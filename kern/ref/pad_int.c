/* Padding: with a constant, a mirror image, the edge, or the other end.
 *
 * op       pad
 * types    x:int -> y:int
 * isa      any
 * split    n
 * stack    192
 * cycles   60 * y.n
 *
 * n: axes of y, xn: of x.  mode 0: p0, 1: mirrored without the edge, 2: the
 * edge, 3: wrapped around.  Negative padding crops.
 */
#include "kern/kern.h"

static Y pad_value(const struct pad_dims *k)
{
    return (Y)k->p0;
}

#include "kern/copy/pad.h"

void FN(const struct pad_dims *k, const struct io *io)
{
    pad_all(k, io);
}
