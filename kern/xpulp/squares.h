/* Sums of squares of 16 bits, two by two.  To be included after X is defined.
 */
#ifndef SQUARES_H
#define SQUARES_H

#include "kern/xpulp/inverse.h"
#include "kern/xpulp/scale.h"

#define CLIP scale_clip

#ifdef XPULPV2
#define SQUARES squares_two
static inline uint64_t squares_two(const X *x, int32_t n)
{
    uint32_t lo = 0, hi = 0, s, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 5\n"
        "xp.lw.post %[s], %[x], 4\n"
        "xpv.dotsp.h %[s], %[s], %[s]\n"
        "add %[lo], %[lo], %[s]\n"
        "sltu %[t], %[lo], %[s]\n"
        "add %[hi], %[hi], %[t]\n" XP_BLOCK_END
        : [lo] "+&r"(lo), [hi] "+&r"(hi), [s] "=&r"(s), [t] "=&r"(t),
          [x] "+&r"(x)
        : [n] "r"(n >> 1)
        : XP_CLOBBERS);
    return ((uint64_t)hi << 32 | lo) +
           (n & 1 ? (uint32_t)((int32_t)*x * *x) : 0);
}
#endif

#endif
