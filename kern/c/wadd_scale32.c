/* Weighted sum along dense rows, in 32 bits.
 *
 * op       wadd
 * types    x:s8|u8|s16|u16|s32 y:s8|u8|s16|u16|s32 c:int
 *          -> z:s8|u8|s16|u16|s32
 * isa      any
 * when     s0[5] == 1 && s1[5] == 1 && c.n == 1 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * inplace  x y
 * split    n
 * stack    256
 * cycles   50 + 13 * z.n
 */
#include "kern/finish.h"
#include "kern/map/map.h"

static NOINLINE void run(const struct map_dims *k, const X *x, const Y *y,
                         int32_t c, Z *z, int32_t n)
{
    const int32_t p0 = k->p0, p1 = k->p1;
    const int32_t shift = k->shift, lo = k->lo, hi = k->hi;

    for (int32_t i = 0; i < n; i++) {
        const int32_t sum = x[i] * p0 + y[i] * p1 + c;

        z[i] = (Z)clip(sum >> shift, lo, hi);
    }
}

void FN(const struct map_dims *k, const struct io *io)
{
    const int32_t c = (int32_t)*(const C *)io->in[2];
    struct nest p;
    const int some = nest_begin(k, io, &p);
    Z *z = (Z *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        run(k, (const X *)io->in[0] + p.at0, (const Y *)io->in[1] + p.at1, c,
            z, p.n);
        z += p.step;
    } while (nest_next(k, &p));
}
