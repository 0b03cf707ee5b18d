/* The greater and the less of bytes, and sums, four at a time.  To be included
 * after X. */
#ifndef GREATER_H
#define GREATER_H

#include "kern/dsp/dsp.h"

/* The greater of each two bytes. */
static inline uint32_t greater(uint32_t a, uint32_t b)
{
#ifdef DSP
    uint32_t v;

    if (DSP_SIGNED(X))
        __asm__("ssub8 %0, %1, %2\n"
                "sel %0, %1, %2\n" : "=&r"(v) : "r"(a), "r"(b));
    else
        __asm__("usub8 %0, %1, %2\n"
                "sel %0, %1, %2\n" : "=&r"(v) : "r"(a), "r"(b));
    return v;
#else
    uint32_t v = 0;

    for (int i = 0; i < 32; i += 8) {
        const X c = (X)(a >> i), d = (X)(b >> i);

        v |= (uint32_t)(uint8_t)(c > d ? c : d) << i;
    }
    return v;
#endif
}

/* The less of each two bytes with a sign. */
static inline uint32_t less(uint32_t a, uint32_t b)
{
    uint32_t v;

#ifdef DSP
    __asm__("ssub8 %0, %1, %2\n"
            "sel %0, %2, %1\n" : "=&r"(v) : "r"(a), "r"(b));
#else
    v = 0;
    for (int i = 0; i < 32; i += 8) {
        const int8_t c = (int8_t)(a >> i), d = (int8_t)(b >> i);

        v |= (uint32_t)(uint8_t)(c < d ? c : d) << i;
    }
#endif
    return v;
}

/* Each byte of a, or -128 where that of b is. */
static inline uint32_t least_where(uint32_t a, uint32_t b)
{
    const uint32_t least = 0x80808080u;
    uint32_t v;

#ifdef DSP
    __asm__("uadd8 %0, %1, %2\n"
            "sel %0, %3, %4\n"
            : "=&r"(v) : "r"(b ^ least), "r"(~0u), "r"(a), "r"(least));
#else
    v = 0;
    for (int i = 0; i < 32; i += 8) {
        const uint32_t each = (uint32_t)0xff << i;

        v |= (b & each) == (least & each) ? least & each : a & each;
    }
#endif
    return v;
}

/* The sum of each two bytes with a sign, -128 at least and 127 at most. */
static inline uint32_t bytes_sum(uint32_t a, uint32_t b)
{
    uint32_t v;

#ifdef DSP
    __asm__("qadd8 %0, %1, %2" : "=r"(v) : "r"(a), "r"(b));
#else
    v = 0;
    for (int i = 0; i < 32; i += 8)
        v |= (uint32_t)(uint8_t)clip((int8_t)(a >> i) + (int8_t)(b >> i), -128,
                                     127) << i;
#endif
    return v;
}

#endif
