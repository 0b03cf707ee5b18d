/* Helium: epilogues that its kernels share.  Kernels of this folder are for
 * processors that have it, and are tested on one. */
#ifndef MVE_H
#define MVE_H

#include <arm_mve.h>
#include "kern/conv/panel.h"

/* Does a bias go into the sum, since what becomes of it is not linear? */
#define MVE_BIAS (UPPER_HALF || ROUND)

/* The epilogues of four lanes.  With UPPER_HALF:
 * (2 * sum * mul + 2^31 >> 32) + hi >> -up; else ((sum * mul + add) >> 32) >>
 * -up, where add is hi * 2^32 + ~below. */
struct mve_scale {
    int32_t mul[4], hi[4], up[4];
#if !UPPER_HALF
    uint32_t below[4];
#endif
};

static inline void mve_put_scale(struct mve_scale *to, int lane, int32_t bias,
                                 int32_t mul, int64_t add, int32_t shift)
{
#if UPPER_HALF
    (void)bias;
    to->mul[lane] = mul;
    to->hi[lane] = (int32_t)(add >> 31);
    to->up[lane] = 31 - shift;
#else
    const struct scale32 s = scale32(bias, mul, add, shift);

    to->mul[lane] = s.mul;
    to->hi[lane] = s.hi;
    to->up[lane] = -s.post;
    to->below[lane] = ~s.lo;
#endif
}

/* Four numbers with a sign from number n on, or one for all, or none. */
#define MVE_FOUR(type, p, n, step)                                      \
    (!(p) ? vdupq_n_s32(0)                                              \
     : !(step) ? vdupq_n_s32((int32_t)*(const type *)(p))               \
     : sizeof(type) == 1 ? vldrbq_s32((const int8_t *)(p) + (n))        \
     : sizeof(type) == 2 ? vldrhq_s32((const int16_t *)(p) + (n))       \
                         : vldrwq_s32((const int32_t *)(p) + (n)))

/* The same of 64 bits, or of fewer that become as many: their upper halves, and the
 * lower. */
#define MVE_WIDE(type, p, n, step, low)                                 \
    ((p) && sizeof(type) == 8 ? mve_wide(p, (step) ? (n) : -1, low)     \
                              : mve_widen(MVE_FOUR(type, p, n, step), low))

static inline int32x4_t mve_wide(const int32_t *p, int32_t n, uint32x4_t *low)
{
    int32x4x2_t v = {{vdupq_n_s32(p[0]), vdupq_n_s32(p[1])}};

    if (n >= 0)
        v = vld2q_s32(p + 2 * n);
    *low = vreinterpretq_u32_s32(v.val[0]);
    return v.val[1];
}

static inline int32x4_t mve_widen(int32x4_t v, uint32x4_t *low)
{
    *low = vreinterpretq_u32_s32(v);
    return vshrq_n_s32(v, 31);
}

/* Four numbers of 64 bits >> 31. */
static inline int32x4_t mve_above(int32x4_t high, uint32x4_t low)
{
    return vsliq_n_s32(vreinterpretq_s32_u32(vshrq_n_u32(low, 31)), high, 1);
}

/* Lanes 2 and 3 as 0 and 1. */
static inline void mve_twice(struct mve_scale *of)
{
    for (int i = 0; i < 2; i++) {
        of->mul[i + 2] = of->mul[i];
        of->hi[i + 2] = of->hi[i];
        of->up[i + 2] = of->up[i];
#if !UPPER_HALF
        of->below[i + 2] = of->below[i];
#endif
    }
}

/* The results of the sums in q0: instructions for assembly, to which q1, q2 and
 * q3 are free.  Operands are registers, with the instruction that loads each,
 * if it is not there; they may be q1 all. */
#if UPPER_HALF
#if ROUND
#define MVE_BELOW0 "vshr.s32 q3, q0, #31\n"
#define MVE_LESS "vadd.i32 q0, q0, q3\n"
#else
#define MVE_BELOW0
#define MVE_LESS
#endif
/* vqrdmulh rounds as wanted; it saturates only -2^31 by itself. */
#define MVE_SCALE(mul, ld_mul, hi, ld_hi, below, ld_below, up, ld_up)   \
    MVE_BELOW0 ld_mul                                                   \
    "vqrdmulh.s32 q0, q0, " mul "\n" MVE_LESS ld_hi                     \
    "vadd.i32 q0, q0, " hi "\n" ld_up                                   \
    "vshl.s32 q0, q0, " up "\n"
#else
#if ROUND
/* Of sums below 0: 2^31 less. */
#define MVE_BELOW0 "vshr.s32 q3, q0, #31\n"
#define MVE_LESS                                                        \
    "vbic q1, q3, q2\n"                                                 \
    "vshr.s32 q1, q1, #31\n"                                            \
    "vadd.i32 q0, q0, q1\n"                                             \
    "vshl.i32 q3, q3, #31\n"                                            \
    "veor q2, q2, q3\n"
#else
#define MVE_BELOW0
#define MVE_LESS
#endif
#define MVE_SCALE(mul, ld_mul, hi, ld_hi, below, ld_below, up, ld_up)   \
    MVE_BELOW0 ld_mul                                                   \
    "vmul.i32 q2, q0, " mul "\n"                                        \
    "vmulh.s32 q0, q0, " mul "\n" MVE_LESS ld_hi                        \
    "vadd.i32 q0, q0, " hi "\n"                                         \
    "vmov.i32 q3, #1\n" ld_below                                        \
    "vpt.u32 hi, q2, " below "\n"                                       \
    "vaddt.i32 q0, q0, q3\n" ld_up                                      \
    "vshl.s32 q0, q0, " up "\n"
#endif

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
