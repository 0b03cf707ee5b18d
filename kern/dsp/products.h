/* Sums of products of two rows with two, or one with two, by dsp.h.  LEFT and
 * RIGHT are the types of the two sides, 8 bits each. */
#ifndef DSP_PRODUCTS_H
#define DSP_PRODUCTS_H

#include "kern/dsp/dsp.h"

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
