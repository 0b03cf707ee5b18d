/* Bytes four at a time, with the packed 16-bit products of Arm's DSP
 * extension; elsewhere the same in plain C, so that the kernels can be tested
 * anywhere.
 *
 * Four bytes are loaded as a word and spread into two words of two halves: the
 * even bytes and the odd ones.  A product of such words is two products and
 * their sum.  LEFT and RIGHT are the types of the two sides, 8 bits each. */
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
#else
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

/* s += a.u a.v, t += b.u b.v over n elements. */
static inline void dsp22(const LEFT *a, const LEFT *b, const RIGHT *u,
                         const RIGHT *v, int32_t n, int32_t s[2],
                         int32_t t[2])
{
    const int left = DSP_SIGNED(LEFT), right = DSP_SIGNED(RIGHT);
    int32_t s0 = s[0], s1 = s[1], t0 = t[0], t1 = t[1];

    for (int32_t i = n >> 2; i > 0; i--, a += 4, b += 4, u += 4, v += 4) {
        const uint32_t aw = dsp_load(a), bw = dsp_load(b);
        const uint32_t uw = dsp_load(u), vw = dsp_load(v);
        uint32_t p = dsp_even(aw, left), q = dsp_even(bw, left);
        uint32_t x = dsp_even(uw, right), y = dsp_even(vw, right);

        s0 = dsp_mac(p, x, s0);
        s1 = dsp_mac(p, y, s1);
        t0 = dsp_mac(q, x, t0);
        t1 = dsp_mac(q, y, t1);
        p = dsp_odd(aw, left), q = dsp_odd(bw, left);
        x = dsp_odd(uw, right), y = dsp_odd(vw, right);
        s0 = dsp_mac(p, x, s0);
        s1 = dsp_mac(p, y, s1);
        t0 = dsp_mac(q, x, t0);
        t1 = dsp_mac(q, y, t1);
    }
    for (n &= 3; n > 0; n--, a++, b++, u++, v++) {
        s0 += *a * *u;
        s1 += *a * *v;
        t0 += *b * *u;
        t1 += *b * *v;
    }
    s[0] = s0, s[1] = s1;
    t[0] = t0, t[1] = t1;
}

/* s += a.u a.v over n elements. */
static inline void dsp12(const LEFT *a, const RIGHT *u, const RIGHT *v,
                         int32_t n, int32_t s[2])
{
    const int left = DSP_SIGNED(LEFT), right = DSP_SIGNED(RIGHT);
    int32_t s0 = s[0], s1 = s[1];

    for (int32_t i = n >> 2; i > 0; i--, a += 4, u += 4, v += 4) {
        const uint32_t aw = dsp_load(a);
        const uint32_t uw = dsp_load(u), vw = dsp_load(v);
        uint32_t p = dsp_even(aw, left);

        s0 = dsp_mac(p, dsp_even(uw, right), s0);
        s1 = dsp_mac(p, dsp_even(vw, right), s1);
        p = dsp_odd(aw, left);
        s0 = dsp_mac(p, dsp_odd(uw, right), s0);
        s1 = dsp_mac(p, dsp_odd(vw, right), s1);
    }
    for (n &= 3; n > 0; n--, a++, u++, v++) {
        s0 += *a * *u;
        s1 += *a * *v;
    }
    s[0] = s0, s[1] = s1;
}

#endif
