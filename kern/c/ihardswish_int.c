/* The integer HardSwish in 32 bits, but for its epilogue.
 *
 * op       ihardswish
 * types    x:s8|u8|s16|s32 mul:int add:int -> y:s8|u8|s16|s32
 * round    0 1
 * isa      any
 * when     s0[5] == 1 && sm[5] == 0 && sa[5] == 0 && has.mul == has.add &&
 *          p2 >= 0 && max(-x.lo, x.hi) + max(p1, -p1) < 2147483648 &&
 *          max(-x.lo, x.hi) * p2 * max(p0, -p0) < 2147483648
 * inplace  x
 * split    n
 * stack    288
 * cycles   50 + 20 * x.n
 */
#include "kern/finish.h"
#include "kern/map/map.h"

static inline int32_t hardswish(int32_t x, int32_t sixth, int32_t three,
                                int32_t six)
{
    return x * clip(x + three, 0, six) * sixth;
}

static void plain(const struct map_dims *k, int32_t n, const X *x, Y *y)
{
    const int32_t lo = k->lo, hi = k->hi;
    const int32_t sixth = k->p0, three = k->p1, six = k->p2;

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)clip(hardswish((int32_t)x[i], sixth, three, six), lo, hi);
}

static void scaled(const struct map_dims *k, int32_t n, const X *x, MUL mul,
                   ADD add, Y *y)
{
    const int32_t lo = k->lo, hi = k->hi, shift = k->shift;
    const int32_t sixth = k->p0, three = k->p1, six = k->p2;

    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)rescale(hardswish((int32_t)x[i], sixth, three, six), mul,
                          add, shift, lo, hi);
}

void FN(const struct map_dims *k, const struct io *io)
{
    const MUL *mul = io->in[1];
    const ADD *add = io->in[2];
    struct nest p;
    const int some = nest_begin(k, io, &p);
    Y *y = (Y *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        const X *x = (const X *)io->in[0] + p.at0;

        if (mul)
            scaled(k, p.n, x, mul[p.atm], add[p.ata], y);
        else
            plain(k, p.n, x, y);
        y += p.step;
    } while (nest_next(k, &p));
}
