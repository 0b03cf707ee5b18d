/* The epilogue of a run of sums, each with its own bias, multiplier and addend
 * or all with the same: for XpulpV2 a hardware loop of ten instructions.
 *
 * To be included after BIAS, MUL, ADD and Y are defined, and
 * scaled(sum, mul, add, shift), or EPILOGUE_SCALE32: that nothing leaves 32
 * bits and no addend is wider. */
#ifndef EPILOGUE_H
#define EPILOGUE_H

#include "kern/xpulp/scale.h"

#ifdef EPILOGUE_SCALE32
#define EPILOGUE_IN_32 1
#else
#define EPILOGUE_IN_32 0
#endif

/* Operands of the epilogue and their steps in bytes; and what stands in for an
 * absent one, which is loaded as often, and so lies beside them. */
struct epilogue {
    const BIAS *bias;
    const MUL *mul;
    const ADD *add;
    int32_t biasn, muln, addn, shift, lo, hi;
    BIAS no_bias;
    MUL no_mul;
    ADD no_add;
#ifdef SHIFTS
    const SHIFTS *shifts;
    int32_t shiftsn;
#endif
};

#if defined XPULPV2 && defined EPILOGUE_SCALE32
static inline void epilogue_run(const struct epilogue *e, const int32_t *sum,
                                int32_t n, Y *y)
{
    const BIAS *bias = e->bias;
    const MUL *mul = e->mul;
    const ADD *add = e->add;
    int32_t s, b, m, a;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 10\n"
        "xp.lt.postr %1, %[bias], %[bn], %[lb]\n"
        "xp.lw.post %0, %[sum], 4\n"
        "xp.lt.postr %2, %[mul], %[mn], %[lm]\n"
        "xp.lt.postr %3, %[add], %[an], %[la]\n"
        "add %0, %0, %1\n"
        "xp.mac %3, %0, %2\n"
        "sra %3, %3, %[shift]\n"
        "xp.max %3, %3, %[lo]\n"
        "xp.min %3, %3, %[hi]\n"
        "xp.st.post %3, %[y], %[size], %[store]\n"
        XP_BLOCK_END
        : "=&r"(s), "=&r"(b), "=&r"(m), "=&r"(a), [bias] "+r"(bias),
          [sum] "+r"(sum), [mul] "+r"(mul), [add] "+r"(add), [y] "+r"(y)
        : [n] "r"(n), [bn] "r"(e->biasn), [mn] "r"(e->muln),
          [an] "r"(e->addn), [shift] "r"(e->shift), [lo] "r"(e->lo),
          [hi] "r"(e->hi), [lb] "i"(XP_TYPE(BIAS)),
          [lm] "i"(XP_TYPE(MUL)), [la] "i"(XP_TYPE(ADD)),
          [size] "i"(sizeof(Y)),
          [store] "i"(XP_TYPE(Y))
        : XP_CLOBBERS);
}
#else
#ifdef EPILOGUE_SCALE32
#define scaled scale32
#endif

static inline void epilogue_run(const struct epilogue *e, const int32_t *sum,
                                int32_t n, Y *y)
{
    const char *bias = (const char *)e->bias, *mul = (const char *)e->mul;
    const char *add = (const char *)e->add;
    const int32_t biasn = e->biasn, muln = e->muln, addn = e->addn;
    const int32_t lo = e->lo, hi = e->hi;
#ifdef SHIFTS
    const SHIFTS *shifts = e->shifts;
#else
    const int32_t shift = e->shift;
#endif

    for (; n > 0; n--, bias += biasn, mul += muln, add += addn) {
#ifdef SHIFTS
        const int32_t shift = (int32_t)*shifts;

        shifts += e->shiftsn;
#endif
        const int32_t b = (int32_t)*(const BIAS *)(const void *)bias;
        const int32_t m = (int32_t)*(const MUL *)(const void *)mul;

        *y++ = (Y)scale_clip(
            scaled(*sum++ + b, m, *(const ADD *)(const void *)add, shift), lo,
            hi);
    }
}
#endif

#endif
