/* Roots of integers for XpulpV2, bit by bit; elsewhere isqrt32(). */
#ifndef XPULP_ROOT_H
#define XPULP_ROOT_H

#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

/* floor(sqrt(v)), v > 0. */
#ifdef XPULPV2
static inline uint32_t root_of(uint32_t v)
{
    const int32_t top = xp_fl1((int32_t)v) >> 1;
    uint32_t root = 0, bit = 1u << top, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 5\n"
        "add %[root], %[root], %[bit]\n"
        "mul %[t], %[root], %[root]\n"
        "sltu %[t], %[v], %[t]\n"
        "xp.msu %[root], %[t], %[bit]\n"
        "srli %[bit], %[bit], 1\n" XP_BLOCK_END
        : [root] "+&r"(root), [bit] "+&r"(bit), [t] "=&r"(t)
        : [n] "r"(top + 1), [v] "r"(v)
        : XP_CLOBBERS);
    return root;
}
#else
static inline uint32_t root_of(uint32_t v)
{
    return isqrt32(v);
}
#endif

#endif
