/* Bounds along dense rows: the activations of floats.
 *
 * op       clip
 * types    x:f32 -> y:f32
 * isa      any
 * when     s0[5] == 1
 * inplace  x
 * split    n
 * stack    256
 * cycles   50 + 8 * x.n
 */
#include "kern/map/map.h"

void FN(const struct map_dims *k, const struct io *io)
{
    const float lo = k->flo, hi = k->fhi;
    struct nest p;
    const int some = nest_begin(k, io, &p);
    const int32_t n = p.n;
    Y *y = (Y *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        const X *x = (const X *)io->in[0] + p.at0;

        for (int32_t i = 0; i < n; i++)
            y[i] = clipf(x[i], lo, hi);
        y += p.step;
    } while (nest_next(k, &p));
}
