/* Matrix product of one row by b transposed, four columns of sixteen elements at
 * a time.
 *
 * op       matmul
 * types    a:s8|u8 b:s8 bias:s8|s16|s32 mul:s8|s16|s32 add:s32|s64 -> y:s8|u8
 * types    a:s8|u8 b:s8 bias:s8|s16|s32 mul:s8|s16|s32 add:s32|s64
 *          shifts:s8 -> y:s8|u8
 * round    0 1
 * isa      mve
 * when     m == 1 && ak == 1 && bk == 1 && n > 3 && k < 32768 && has.mul &&
 *          biasn < 2 && muln < 2 && addn < 2 &&
 *          acc.lo >= -1073741824 && acc.hi < 1073741824 &&
 *          (shift > 31 || (shift > 0 && !has.shifts && 2 * mul.hi < 1 << shift &&
 *          2 * mul.lo >= -(1 << shift) && scaled.hi < 1 << shift + 31 &&
 *          scaled.lo >= -(1 << shift + 31)))
 * stack    384
 * cycles   nb[0] * nb[1] * nb[2] * (60 + (k >> 1) + (n + 3 >> 2) *
 *          (70 + 14 * (k + 15 >> 4)))
 */
#include "kern/share.h"

typedef A X;
typedef B W;
#include "kern/mve/mve.h"

/* What is added to sums where elements of a have no sign: weights are then more
 * by 128 than they should be. */
static int32_t line_less(const A *a, int32_t n)
{
    const uint8_t *p = (const uint8_t *)a;
    uint32_t sum = 0;

    if (PANEL_SIGNED(A))
        return 0;
    for (; n > 0; n -= 16, p += 16)
        sum = vaddvaq_p_u8(sum, vldrbq_z_u8(p, vctp8q((uint32_t)n)),
                           vctp8q((uint32_t)n));
    return -128 * (int32_t)sum;
}

#define LINE_ROW(row, sum, q, flip, type)                               \
    "vldrb.8 " q ", [" row "], #16\n" flip                              \
    "vmladava." type " " sum ", q0, " q "\n"
#define LINE_ALL(flip1, flip2, type)                                    \
    "dlstp.8 lr, r12\n"                                                 \
    "1:\n"                                                              \
    "vldrb.8 q0, [r9], #16\n" LINE_ROW("r1", "r0", "q1", flip1, type)   \
        LINE_ROW("r3", "r2", "q2", flip2, type)                         \
        LINE_ROW("r5", "r4", "q1", flip1, type)                         \
        LINE_ROW("r8", "r6", "q2", flip2, type)                         \
    "letp lr, 1b\n"                                                     \
    "vmov q0[2], q0[0], r0, r4\n"                                       \
    "vmov q0[3], q0[1], r2, r6\n"                                       \
    "vstrw.32 q0, [r10]\n"

/* a by four rows of b, bn apart. */
static NOINLINE void line_sums(const A *a, const B *b, int32_t bn, int32_t k,
                               int32_t start, int32_t sums[4])
{
    register int32_t r0 __asm__("r0") = start;
    register int32_t r2 __asm__("r2") = start;
    register int32_t r4 __asm__("r4") = start;
    register int32_t r6 __asm__("r6") = start;
    register const B *r1 __asm__("r1") = b;
    register const B *r3 __asm__("r3") = b + bn;
    register const B *r5 __asm__("r5") = b + 2 * bn;
    register const B *r8 __asm__("r8") = b + 3 * bn;
    register const A *r9 __asm__("r9") = a;
    register int32_t *r10 __asm__("r10") = sums;
    register int32_t r12 __asm__("r12") = k;

#define LINE_ASM(before, ...)                                           \
    __asm__ volatile(before LINE_ALL(__VA_ARGS__)                       \
                     : "+r"(r0), "+r"(r2), "+r"(r4), "+r"(r6),          \
                       "+r"(r1), "+r"(r3), "+r"(r5), "+r"(r8),          \
                       "+r"(r9)                                         \
                     : "r"(r10), "r"(r12)                               \
                     : "r11", "lr", "d0", "d1", "d2", "d3", "d4", "d5", \
                       "d6", "d7", "memory")
    if (PANEL_SIGNED(A))
        LINE_ASM("", "", "", "s8");
    else
        LINE_ASM("mov r11, #128\nvdup.8 q3, r11\n", "veor q1, q1, q3\n",
                 "veor q2, q2, q3\n", "u8");
}

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

static void one(const struct matmul_dims *k, const struct io *io, const A *a,
                const B *b, Y *y)
{
    const int32_t start = line_less(a, k->k);

    for (int32_t i = 0; i < k->n; i += 4) {
        const int32_t n = i + 4 > k->n ? k->n - 4 : i;
        int32_t sums[4];

        line_sums(a, b + (ptrdiff_t)n * k->bn, k->bn, k->k, start, sums);
        vstrbq_s32((int8_t *)y + n, line_finish(k, io, n, vldrwq_s32(sums)));
    }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    const A *a = io->in[0];
    const B *b = io->in[1];
    Y *y = io->out[0];

    for (int32_t i = 0; i < k->nb[0]; i++)
        for (int32_t j = 0; j < k->nb[1]; j++)
            for (int32_t l = 0; l < k->nb[2]; l++, y += k->n)
                one(k, io,
                    a + (ptrdiff_t)i * k->ab[0] + (ptrdiff_t)j * k->ab[1] +
                        (ptrdiff_t)l * k->ab[2],
                    b + (ptrdiff_t)i * k->bb[0] + (ptrdiff_t)j * k->bb[1] +
                        (ptrdiff_t)l * k->bb[2],
                    y);
}
