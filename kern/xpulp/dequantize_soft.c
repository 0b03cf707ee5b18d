/* Integer to float by one scale and zero point, where floats are not the
 * chip's: the product of whole numbers, rounded to the nearest, ties to even.
 *
 * op       dequantize
 * types    x:s8|u8|s16|u16 scale:f32 zero:s8|u8|s16|u16|s32 -> y:f32
 * isa      xpulpv2
 * when     s0[5] == 1 && scale.n == 1 && (!has.zero ||
 *          (zero.n == 1 && max(-zero.lo, zero.hi) < 65536))
 * split    n
 * stack    352
 * cycles   ncore * (fit.call + fit.element * ceil(x.n, ncore))
 * code     465
 */
#include "kern/map/map.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
#define HIGHEST_BIT(v) xp_fl1((int32_t)(v))
#else
static inline int32_t highest_bit(uint32_t v)
{
    int32_t n = -1;

    for (; v; v >>= 1)
        n++;
    return n;
}
#define HIGHEST_BIT highest_bit
#endif

union word {
    float f;
    uint32_t u;
};

/* v times mantissa 2^exponent, v not 0; the highest bit of the mantissa is its
 * 31st.  So is that of v where it is shifted up: of their product the upper
 * word has 32 bits or 31.  31 stay, what is below them in the last one; then
 * 24, rounded by what is added, which carries into the exponent. */
static inline float product(int32_t v, uint32_t mantissa, int32_t exponent)
{
    const uint32_t sign = (uint32_t)(v >> 31);
    const uint32_t size = ((uint32_t)v ^ sign) - sign;
    const int32_t up = 31 - HIGHEST_BIT(size);
    const uint64_t all = (uint64_t)(size << up) * mantissa;
    const uint32_t high = (uint32_t)(all >> 32), more = high >> 31;
    const uint32_t rest = (uint32_t)all | (high & more);
    const uint32_t bits = high >> more | (rest != 0);
    union word y;

    y.u = (sign & 1u << 31) +
          ((uint32_t)(exponent + 30 - up + (int32_t)more) << 23) +
          ((bits + 0x3f + (bits >> 7 & 1)) >> 7);
    return y.f;
}

static NOINLINE void run(const X *x, int32_t n, int32_t zero, float scale,
                         Y *y)
{
    const union word s = {scale};
    const int32_t exponent = (int32_t)(s.u >> 23);

    /* Neither is a scale below 0 or denormal, nor a product infinite. */
    if (exponent < 1 || exponent > 220)
        for (int32_t i = 0; i < n; i++)
            y[i] = (float)((int32_t)x[i] - zero) * scale;
    else
        for (int32_t i = 0; i < n; i++) {
            const int32_t v = (int32_t)x[i] - zero;

            y[i] = v ? product(v, s.u << 8 | 1u << 31, exponent) : 0;
        }
}

void FN(const struct map_dims *k, const struct io *io)
{
    const SCALE scale = *(const SCALE *)io->in[1];
    const ZERO *zp = io->in[2];
    const int32_t zero = zp ? (int32_t)*zp : 0;
    const X *x = io->in[0];
    Y *y = io->out[0];
    struct nest p;

    if (nest_runs(k) == 1) {
        int32_t from, to;

        span(k->n[5], io->core, io->ncore, &from, &to);
        run(x + from, to - from, zero, scale, y + from);
    } else if (nest_begin(k, io, &p)) {
        y += p.out;
        do {
            run(x + p.at0, p.n, zero, scale, y);
            y += p.step;
        } while (nest_next(k, &p));
    }
}
