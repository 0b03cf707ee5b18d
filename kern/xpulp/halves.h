/* Bytes halved the more often, the further an element is below the greatest of
 * its row (kern/ref/itamax_int.c), for XpulpV2, four at a time; elsewhere the
 * same in plain C.  To be included after X, a type of one byte, is defined;
 * what is shifted is at most 255 too.
 *
 * With t = top - x the shift (t + 16) >> 5, from 0 to 8, is t >> 5 and then
 * once more if t >> 4 is odd: lanes shift by 7 at most.  256 >> s is
 * (255 >> s) + 1. */
#ifndef HALVES_H
#define HALVES_H

#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
/* d: v shifted; t: what is off the top, not kept. */
#define HALVES_SHIFT(d, v, t, w)                                             \
    "xpv.srl.sci.b " w ", " t ", 4\n"                                        \
    "xpv.srl.sci.b " t ", " t ", 5\n"                                        \
    "xpv.and.sci.b " w ", " w ", 1\n"                                        \
    "xpv.srl.b " d ", " v ", " t "\n"                                        \
    "xpv.srl.b " d ", " d ", " w "\n"

/* Sum of 256 >> s over n elements, 4 or more, of which none exceeds top. */
static inline int32_t halves_sum(const X *x, int32_t n, int32_t top)
{
    const int32_t tops = xp_each4(top);
    const int32_t mask = (int32_t)(UINT32_MAX << 8 * (-n & 3));
    int32_t sum = n, e = 0, a, t, w;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 8\n" "xp.lw.post %[a], %[x], 4\n"
        "xpv.sdotup.b %[sum], %[e], %[ones]\n"
        "xpv.sub.b %[t], %[top], %[a]\n"
        HALVES_SHIFT("%[e]", "%[all]", "%[t]", "%[w]") XP_BLOCK_END
        : [sum] "+&r"(sum), [e] "+&r"(e), [a] "=&r"(a), [t] "=&r"(t),
          [w] "=&r"(w), [x] "+&r"(x)
        : [n] "r"(n >> 2), [top] "r"(tops), [all] "r"(-1),
          [ones] "r"(0x01010101)
        : XP_CLOBBERS);
    sum = xp_sdot4u(sum, e, 0x01010101);
    if (!(n & 3))
        return sum;
    t = xp_sub4(tops, xp_load(x + (n & 3) - 4));
    e = xp_srl4(-1, t >> 5 & 0x07070707);
    e = xp_srl4(e, t >> 4 & 0x01010101);
    return xp_sdot4u(sum, e & mask, 0x01010101);
}
#else
static inline int32_t halved(int32_t v, int32_t t)
{
    return v >> (t >> 5) >> (t >> 4 & 1);
}

static inline int32_t halves_sum(const X *x, int32_t n, int32_t top)
{
    int32_t sum = n;

    for (int32_t i = 0; i < n; i++)
        sum += halved(255, top - x[i]);
    return sum;
}
#endif

#endif
