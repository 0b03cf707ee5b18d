/* Matrix products of one row by rows of b, four of them at a time, on Helium.
 * The including file defines line_sums(). */
#ifndef MVE_LINE_H
#define MVE_LINE_H

#include "kern/mve/mve.h"

/* sums[i] = start + a.(row i of b) over k columns, rows being bn apart. */
static void line_sums(const A *a, const B *b, int32_t bn, int32_t k,
                      int32_t start, int32_t sums[4]);

/* What a function does with the parameters of line_sums(): `steps` for each
 * vector of `count` bytes of four rows, after `before`, with registers of its
 * own.
 *
 * Of the registers r0, r2, r4 and r6 are the sums, r1, r3, r5 and r8 the rows,
 * r9 where a is. */
#define LINE_BY_FOUR(before, steps, count, ...)                         \
    register int32_t r0 __asm__("r0") = start;                          \
    register int32_t r2 __asm__("r2") = start;                          \
    register int32_t r4 __asm__("r4") = start;                          \
    register int32_t r6 __asm__("r6") = start;                          \
    register const B *r1 __asm__("r1") = b;                             \
    register const B *r3 __asm__("r3") = b + bn;                        \
    register const B *r5 __asm__("r5") = b + 2 * bn;                    \
    register const B *r8 __asm__("r8") = b + 3 * bn;                    \
    register const A *r9 __asm__("r9") = a;                             \
    register int32_t *r10 __asm__("r10") = sums;                        \
    register int32_t r12 __asm__("r12") = count;                        \
                                                                        \
    __asm__ volatile(before                                             \
                     "dlstp.8 lr, r12\n"                                \
                     "1:\n" steps                                       \
                     "letp lr, 1b\n"                                    \
                     "vmov q0[2], q0[0], r0, r4\n"                      \
                     "vmov q0[3], q0[1], r2, r6\n"                      \
                     "vstrw.32 q0, [r10]\n"                             \
                     : "+r"(r0), "+r"(r2), "+r"(r4), "+r"(r6),          \
                       "+r"(r1), "+r"(r3), "+r"(r5), "+r"(r8),          \
                       "+r"(r9)                                         \
                     : "r"(r10), "r"(r12)                               \
                     : __VA_ARGS__, "lr", "d0", "d1", "d2", "d3", "d4", \
                       "d5", "d6", "d7", "memory")

#if UPPER_HALF
/* (sum * mul + add) >> shift, where what is below 2^31 is only rounded. */
static inline int32x4_t line_scale(int32x4_t sum, int32x4_t mul,
                                   int32x4_t high, uint32x4_t low,
                                   int32_t shift)
{
    int32x4_t v = vaddq_s32(vqrdmulhq_s32(sum, mul), mve_above(high, low));

    if (ROUND)
        v = vaddq_s32(v, vshrq_n_s32(sum, 31));
#ifdef SHIFTS
    (void)shift;
    return v;
#else
    return vshlq_r_s32(v, 31 - shift);
#endif
}
#else
/* The same, or with SHIFTS (sum * mul + add) >> 32, whatever is below; with
 * ROUND, of sums below 0 2^31 less. */
static inline int32x4_t line_scale(int32x4_t sum, int32x4_t mul,
                                   int32x4_t high, uint32x4_t low,
                                   int32_t shift)
{
    const int32_t up = shift < 32 ? 32 - shift : 0;
    uint32x4_t sums;
    int32x4_t v;

    if (up) {
        mul = vshlq_r_s32(mul, up);
        high = vorrq_s32(vshlq_r_s32(high, up),
                         vreinterpretq_s32_u32(vshlq_r_u32(low, up - 32)));
        low = vshlq_r_u32(low, up);
    }
    if (ROUND) {
        const mve_pred16_t less = vcmpltq_n_s32(sum, 0);

        high = vsubq_m_n_s32(high, high, 1,
                             vcmpgeq_m_n_s32(vreinterpretq_s32_u32(low), 0,
                                             less));
        low = veorq_m_u32(low, low, vdupq_n_u32(0x80000000u), less);
    }
    sums = vaddq_u32(vreinterpretq_u32_s32(vmulq_s32(sum, mul)), low);
    v = vaddq_s32(vmulhq_s32(sum, mul), high);
    v = vaddq_m_n_s32(v, v, 1, vcmphiq_u32(low, sums));
#ifdef SHIFTS
    return v;
#else
    return shift > 32 ? vshlq_r_s32(v, 32 - shift) : v;
#endif
}
#endif

static inline int32x4_t line_finish(const struct matmul_dims *k,
                                    const struct io *io, int32_t n,
                                    int32x4_t sum)
{
    uint32x4_t low;
    const int32x4_t high = MVE_WIDE(ADD, io->in[4], n, k->addn, &low);
    int32x4_t v;

    sum = vaddq_s32(sum, MVE_FOUR(BIAS, io->in[2], n, k->biasn));
    v = line_scale(sum, MVE_FOUR(MUL, io->in[3], n, k->muln), high, low,
                   k->shift);
#ifdef SHIFTS
    v = vshlq_s32(v, vsubq_s32(vdupq_n_s32(UPPER_HALF ? 31 : 32),
                               MVE_FOUR(SHIFTS, io->in[5], n, k->muln)));
#endif
    return vminq_s32(vmaxq_s32(v, vdupq_n_s32(k->lo)), vdupq_n_s32(k->hi));
}

/* Results of one row, y, whose sums begin with start. */
static inline void line_row(const struct matmul_dims *k, const struct io *io,
                            const A *a, const B *b, int32_t start, Y *y)
{
    for (int32_t i = 0; i < k->n; i += 4) {
        const int32_t n = i + 4 > k->n ? k->n - 4 : i;
        int32_t sums[4];

        line_sums(a, b + (ptrdiff_t)n * k->bn, k->bn, k->k, start, sums);
        vstrbq_s32((int8_t *)y + n, line_finish(k, io, n, vldrwq_s32(sums)));
    }
}

#endif
