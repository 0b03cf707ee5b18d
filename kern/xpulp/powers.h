/* Rows of the integer softmax of bytes from a table of powers
 * (kern/row/powers.h), for XpulpV2.  To be included after X and Y, types of a
 * byte. */
#ifndef XPULP_POWERS_H
#define XPULP_POWERS_H

#include "kern/xpulp/quotients.h"
#include "kern/row/powers.h"

/* The powers of n elements into v; returns their sum. */
#ifdef XPULPV2
static inline uint32_t powers(uintptr_t zero, const X *x, int32_t n,
                              uint32_t *v)
{
    uint32_t sum = 0;
    int32_t a, b, c, d = 0, w;

    /* while a load is waited for, the last of the turn before is added */
    if (n > 3)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 17\n"
            "xp.lw.post %[w], %[x], 4\n"
            "add %[sum], %[sum], %[d]\n"
            FOUR_PLACES FOUR_LOOK_UP("xp.lw.at", "%[zero]")
            "add %[sum], %[sum], %[a]\n"
            "xp.sw.post %[a], %[v], 4\n"
            "add %[sum], %[sum], %[b]\n"
            "xp.sw.post %[b], %[v], 4\n"
            "add %[sum], %[sum], %[c]\n"
            "xp.sw.post %[c], %[v], 4\n"
            "xp.sw.post %[d], %[v], 4\n" XP_BLOCK_END
            : [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
              [d] "+&r"(d), [w] "=&r"(w), [v] "+&r"(v), [x] "+&r"(x)
            : [n] "r"(n >> 2), [zero] "r"(zero), [i0] "r"(4), [i1] "r"(4 << 8),
              [i2] "r"(4 << 16), [i3] "r"(4 << 24),
              [signs] "i"(XP_SIGNS(X, int8_t))
            : XP_CLOBBERS);
    sum += (uint32_t)d;
    for (n &= 3; n > 0; n--) {
        *v = power(zero, *x++);
        sum += *v++;
    }
    return sum;
}
#else
static inline uint32_t powers(uintptr_t zero, const X *x, int32_t n, uint32_t *v)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        v[i] = power(zero, x[i]);
        sum += v[i];
    }
    return sum;
}
#endif

/* v hi / sum, v being powers of at most `most` bits.  Their products with `hi`,
 * and inverses, have 32 bits where powers have 11 or the sum has few
 * (kern/row/inverse.h); of sums beyond 2^20 every quotient is then 0. */
static inline void powers_quotients(uint32_t hi, int32_t most, uint32_t sum,
                                    const uint32_t *v, int32_t n, Y *y)
{
    const int32_t s = most + bits(sum | 1), more = s > 32 ? s - 32 : 0;
    const int32_t low = s < 31 ? s : 31;

    if (s <= 24 || sum <= hi)
        quotients_short(v, n, (hi << 24) / (sum | !sum) + 1, 24, y);
    else if (most <= 11)
        quotients_short(v, n, inverse(hi, sum, low), low, y);
    else
        quotients(v, n, inverse(hi, sum, 32 + more), more, y);
}

#endif
