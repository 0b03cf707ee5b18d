/* Float to integer by one scale and zero point, where floats are not the
 * chip's: a product of whole numbers, and the division only where that leaves
 * the rounding open.
 *
 * op       quantize
 * types    x:f32 scale:f32 zero:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16
 * isa      xpulpv2
 * when     mode == 0 && n[0] * n[1] * n[2] * n[3] * n[4] == 1 && s0[5] == 1 &&
 *          scale.n == 1 && (!has.zero || zero.n == 1) && lo >= -65536 &&
 *          hi <= 65536
 * split    n
 * stack    352
 * cycles   ncore * (fit.call + fit.element * ceil(x.n, ncore))
 * code     2000
 */
#include <string.h>
#include "kern/map/map.h"
#include "kern/xpulp/scale.h"

enum {
    SCALED = 30,    /* bits behind the point of a quotient of mantissas */
    ODD = 1 << 8,   /* more than it is off, float32's own rounding included */
    BEYOND = 18,    /* 2^18 and any zero point are together out of bounds */
    HALF = -2,      /* a quotient of mantissas times 2^-2 is below a half */
    LEAST = 3, MOST = 200, /* exponents of scales */
};

/* A scale: its exponent as it is stored, 2^54 over its mantissa, and itself. */
struct scale {
    int32_t exponent;
    uint32_t inverse;
    float value;
};

/* Bit by bit, which takes less code than a division of 64 bits. */
static struct scale scale_of(float value)
{
    uint32_t bits, mantissa, rest = 1u << 23, inverse = 0;

    memcpy(&bits, &value, sizeof bits);
    mantissa = 1u << 23 | (bits & 0x7fffff);
    for (int i = 0; i < 32; i++, rest <<= 1) {
        const uint32_t one = rest >= mantissa;

        inverse = 2 * inverse + one;
        rest -= one * mantissa;
    }
    return (struct scale){(int32_t)(bits >> 23), inverse, value};
}

/* x / scale to the nearest, ties to even; 0 of what is no number. */
static NOINLINE int32_t divided(float x, float scale)
{
    const float v = clipf(x / scale, -(1 << BEYOND), 1 << BEYOND);
    const float up = v + 12582912.0f; /* 1.5 * 2^23: fractions are rounded */
    int32_t bits;

    memcpy(&bits, &up, sizeof bits);
    return v == v ? bits - 0x4b400000 : 0;
}

static inline int32_t quotient(float x, const struct scale *s)
{
    const uint32_t inverse = s->inverse;
    int32_t bits, exponent, shift, v;
    uint32_t sum;

    memcpy(&bits, &x, sizeof bits);
    exponent = (bits >> 23 & 255) - s->exponent;
    if (exponent <= HALF)
        return 0;
    if (exponent >= BEYOND - 1)
        return divided(x, s->value);
    shift = SCALED - exponent;
    sum = (uint32_t)((uint64_t)((uint32_t)bits << 8 | 1u << 31) * inverse >>
                     32) + (1u << (shift - 1));
    if ((sum + ODD) << (32 - shift) < (uint32_t)(2 * ODD) << (32 - shift))
        return divided(x, s->value);
    v = (int32_t)(sum >> shift);
    return bits < 0 ? -v : v;
}

void FN(const struct map_dims *k, const struct io *io)
{
    const ZERO *zeros = io->in[2];
    const int32_t zero = zeros ? (int32_t)*zeros : 0, lo = k->lo, hi = k->hi;
    const struct scale s = scale_of(*(const SCALE *)io->in[1]);
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, end;

    /* Scales below 0 too, and beside which infinity is not beyond all. */
    const int plain = s.exponent < LEAST || s.exponent > MOST;

    for (span(k->n[5], io->core, io->ncore, &i, &end); i < end; i++) {
        const int32_t v = plain ? divided(x[i], s.value) : quotient(x[i], &s);

        y[i] = (Y)scale_clip(v + zero, lo, hi);
    }
}
