/* Powers of e from a table.
 *
 * exp(-t) = 2^-n/32 exp(r), |r| <= ln(2)/64: n = round(32 t/ln 2) has seven
 * bits of an exponent and five of an index; exp(r) is a parabola, within 3e-7.
 */
#ifndef POWER_H
#define POWER_H

#include <string.h>
#include "kern/kern.h"

/* Twice 2^-i/32: the sum is twice what it should be, too. */
static const float powers[32] = {
    2.00000000f, 1.95714414f, 1.91520655f, 1.87416768f,
    1.83400810f, 1.79470909f, 1.75625217f, 1.71861935f,
    1.68179286f, 1.64575553f, 1.61049032f, 1.57598090f,
    1.54221082f, 1.50916445f, 1.47682619f, 1.44518077f,
    1.41421354f, 1.38390994f, 1.35425556f, 1.32523668f,
    1.29683959f, 1.26905096f, 1.24185777f, 1.21524739f,
    1.18920708f, 1.16372490f, 1.13878858f, 1.11438680f,
    1.09050775f, 1.06714046f, 1.04427373f, 1.02189720f
};

static inline float greater(float a, float b)
{
#ifdef MAXIMUM
    __asm__("vmaxnm.f32 %0, %0, %1" : "+t"(a) : "t"(b));
    return a;
#else
    return a > b ? a : b;
#endif
}

static inline int32_t nearest(float t)
{
#ifdef FPU
    __asm__("vcvtr.s32.f32 %0, %0" : "+t"(t)); /* as FPSCR has it at reset */
    union { float f; int32_t i; } v = {t};

    return v.i;
#else
    return (int32_t)(t + 0.5f);
#endif
}

/* Twice exp(t) of t <= 0; of t below -87 about 0. */
static inline float power(float t)
{
    const float t0 = greater(t, -87.0f);
    const int32_t n = nearest(t0 * -46.166241308f);
    const float r = t0 + (float)n * 0.021660849f;
    uint32_t bits;
    float v;

    memcpy(&bits, &powers[n & 31], sizeof bits);
    bits -= ((uint32_t)n & ~31u) << 18;
    memcpy(&v, &bits, sizeof v);
    return v + v * (r + r * r * 0.5f);
}

#endif
