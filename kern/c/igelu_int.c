/* The integer GELU in 32 bits.
 *
 * op       igelu
 * types    x:s8|u8|s16|s32 -> y:s8|u8|s16|s32
 * isa      any
 * when     s0[5] == 1 && p0 <= 0 && -p0 < 32768 &&
 *          max(-x.lo, x.hi) < 1073741824 &&
 *          max(-x.lo, x.hi) * (max(p1, -p1) + p0 * p0) < 2147483648
 * inplace  x
 * split    n
 * stack    224
 * cycles   50 + 21 * x.n
 *
 * |L| is at most |one| + b^2, so x (one + L) / 2 stays within |x| times that.
 */
#include "kern/map/map.h"

/* L = sign(x) (one - (q + b)^2) with q = min(|x|, -b) */
static inline int32_t curve(int32_t x, int32_t b, int32_t one)
{
    const int32_t size = x < 0 ? -x : x, q = (size < -b ? size : -b) + b;
    const int32_t l = one - q * q;

    return x < 0 ? -l : x > 0 ? l : 0;
}

void FN(const struct map_dims *k, const struct io *io)
{
    const int32_t b = k->p0, one = k->p1;
    struct nest p;
    const int some = nest_begin(k, io, &p);
    const int32_t n = p.n;
    Y *y = (Y *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        const X *x = (const X *)io->in[0] + p.at0;

        for (int32_t i = 0; i < n; i++) {
            const int32_t v = (int32_t)x[i];

            y[i] = (Y)(v * ((one + curve(v, b, one)) >> 1));
        }
        y += p.step;
    } while (nest_next(k, &p));
}
