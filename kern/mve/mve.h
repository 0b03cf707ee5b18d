/* Helium: epilogues and moves that its kernels share.  Kernels of this folder are
 * for processors that have it, and are tested on one. */
#ifndef MVE_H
#define MVE_H

#include <arm_mve.h>
#include "kern/conv/panel.h"

/* The epilogues of four lanes: ((sum * mul + add) >> 32) >> -up, where add is
 * hi * 2^32 + ~below. */
struct mve_scale {
    int32_t mul[4], hi[4];
    uint32_t below[4];
    int32_t up[4];
};

static inline void mve_put_scale(struct mve_scale *to, int lane,
                                 struct scale32 s)
{
    to->mul[lane] = s.mul;
    to->hi[lane] = s.hi;
    to->below[lane] = ~s.lo;
    to->up[lane] = -s.post;
}

/* Saturates four results, in q0, to Y: instructions for assembly. */
#define MVE_SATURATE(is_signed)                                         \
    "vqmovnb.s32 q0, q0\n" is_signed " q0, q0\n"

/* Bytes of x are without sign or have it; products want it. */
#define MVE_FLIP (PANEL_SIGNED(X) ? 0 : 0x80)

/* What a channel's n weights add to its sum where elements of x are less by 128
 * than they should be. */
static inline int32_t mve_bias(const W *w, int32_t n)
{
    register int32_t sum __asm__("r0") = 0;

    if (PANEL_SIGNED(X))
        return 0;
    __asm__("dlstp.8 lr, %2\n"
            "1:\n"
            "vldrb.8 q0, [%1], #16\n"
            "vaddva.s8 %0, q0\n"
            "letp lr, 1b\n"
            : "+r"(sum), "+r"(w)
            : "r"(n)
            : "lr", "d0", "d1", "memory");
    return 128 * sum;
}

#endif
