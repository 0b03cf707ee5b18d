/* Bytes four at a time, with the packed 16-bit products of Arm's DSP
 * extension; elsewhere the same in plain C, so that the kernels can be tested
 * anywhere.
 *
 * Four bytes are loaded as a word and spread into two words of two halves: the
 * even bytes and the odd ones.  A product of such words is two products and
 * their sum. */
#ifndef DSP_H
#define DSP_H

#include <string.h>
#include "kern/kern.h"

static inline uint32_t dsp_load(const void *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return v;
}

/* Up to four bytes, and zeros behind them. */
static inline uint32_t dsp_some(const void *p, int32_t n)
{
    const uint8_t *at = p;
    uint32_t v = 0;

    if (n > 3)
        return dsp_load(p);
    while (n-- > 0)
        v = v << 8 | at[n];
    return v;
}

static inline uint32_t dsp_halves(int32_t low, int32_t high)
{
    return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

#ifdef DSP
#include <arm_acle.h>

static inline uint32_t dsp_even(uint32_t v, int is_signed)
{
    return is_signed ? (uint32_t)__sxtb16(v) : (uint32_t)__uxtb16(v);
}

static inline uint32_t dsp_odd(uint32_t v, int is_signed)
{
    uint32_t r;

    if (is_signed)
        __asm__("sxtb16 %0, %1, ror #8" : "=r"(r) : "r"(v));
    else
        __asm__("uxtb16 %0, %1, ror #8" : "=r"(r) : "r"(v));
    return r;
}

static inline int32_t dsp_mac(uint32_t a, uint32_t b, int32_t sum)
{
    return __smlad((int16x2_t)a, (int16x2_t)b, sum);
}

/* Halves of a less those of b. */
static inline uint32_t dsp_less(uint32_t a, uint32_t b)
{
    return (uint32_t)__ssub16((int16x2_t)a, (int16x2_t)b);
}

/* sum + x times the lower half of a, or the upper one; x fits 16 bits. */
static inline int32_t dsp_mac_low(uint32_t a, int32_t x, int32_t sum)
{
    return __smlabb((int32_t)a, x, sum);
}

static inline int32_t dsp_mac_high(uint32_t a, int32_t x, int32_t sum)
{
    return __smlatb((int32_t)a, x, sum);
}
#else
static inline uint32_t dsp_less(uint32_t a, uint32_t b)
{
    return ((a & 0xffff) - (b & 0xffff)) % 0x10000 |
           ((a >> 16) - (b >> 16)) << 16;
}

static inline int32_t dsp_mac_low(uint32_t a, int32_t x, int32_t sum)
{
    return sum + (int16_t)a * x;
}

static inline int32_t dsp_mac_high(uint32_t a, int32_t x, int32_t sum)
{
    return sum + (int16_t)(a >> 16) * x;
}

/* Halves from bytes 0 and 2 of v. */
static inline uint32_t dsp_even(uint32_t v, int is_signed)
{
    const uint32_t lo = v & 0xff, hi = v >> 16 & 0xff;

    if (!is_signed)
        return hi << 16 | lo;
    return ((hi ^ 0x80) - 0x80) << 16 | (((lo ^ 0x80) - 0x80) & 0xffff);
}

static inline uint32_t dsp_odd(uint32_t v, int is_signed)
{
    return dsp_even(v >> 8, is_signed);
}

static inline int32_t dsp_mac(uint32_t a, uint32_t b, int32_t sum)
{
    return sum + (int16_t)a * (int16_t)b +
           (int16_t)(a >> 16) * (int16_t)(b >> 16);
}
#endif

#define DSP_SIGNED(T) ((T)-1 < (T)1)

/* The upper half of a * b + 2^31, for kern/finish.h. */
#define HIGH_HALF dsp_high
static inline int32_t dsp_high(int32_t a, int32_t b)
{
#ifdef DSP
    int32_t v;

    __asm__("smmulr %0, %1, %2" : "=r"(v) : "r"(a), "r"(b));
    return v;
#else
    return (int32_t)(((int64_t)a * b + 0x80000000u) >> 32);
#endif
}

#endif
