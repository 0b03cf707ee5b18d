/* Matrix product of three to five rows by b transposed, scaled in 32 bits: each
 * word of b, spread, by all rows at once.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:int mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8
 * isa      dsp
 * when     m > 2 && m < 6 && ak == 1 && bk == 1 && k % 4 == 0 && k < 32768 &&
 *          has.mul && mulm == 0 && addm == 0 && (!has.bias || biasm == 0) &&
 *          shift < 32 && acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * scratch  2 * m * k
 * stack    192
 * cycles   nb[0] * nb[1] * nb[2] * (100 + 3 * m * k + n * (45 + 6 * m +
 *          (4 + 3 * m) * (k >> 2)))
 */
#include "kern/dsp/saturated.h"

#define MATMUL_STEP 1
#include "kern/matmul/matmul.h"

/* Rows as halves: of four columns two words of each in turn. */
static NOINLINE void expand(const struct matmul_dims *k, const A *a,
                            uint32_t *to)
{
    for (int32_t i = 0; i < k->k; i += 4)
        for (int32_t m = 0; m < k->m; m++, to += 2) {
            const uint32_t v = dsp_load(a + (ptrdiff_t)m * k->am + i);

            to[0] = dsp_even(v, DSP_SIGNED(A));
            to[1] = dsp_odd(v, DSP_SIGNED(A));
        }
}

/* What results of a column have in common: what sums begin with, and how far
 * apart results are. */
struct few {
    int32_t first, mul, add, shift, next;
};

static inline Y few_result(const struct few *f, int32_t sum)
{
    return saturated((int32_t)((uint32_t)sum * (uint32_t)f->mul +
                               (uint32_t)f->add) >> f->shift);
}

/* Results of three to five rows, expanded, by a row of b of n elements, a
 * multiple of four. */
#ifdef DSP
#define FEW_ROW(sum)                                                    \
    "ldrd %[v], %[w], [%[x]], #8\n"                                     \
    "smlad %[" sum "], %[even], %[v], %[" sum "]\n"                     \
    "smlad %[" sum "], %[odd], %[w], %[" sum "]\n"
#define FEW_WORD(extend, rows)                                          \
    "ldr %[odd], [%[b]], #4\n" extend " %[even], %[odd]\n" extend       \
    " %[odd], %[odd], ror #8\n" rows
#define FEW_ASM(extend, rows)                                           \
    __asm__ volatile("lsls %[v], %[n], #29\n"                           \
                     "itt mi\n"                                         \
                     "addmi %[n], %[n], #4\n"                           \
                     "bmi 2f\n"                                         \
                     "1:\n" FEW_WORD(extend, rows)                      \
                     "2:\n" FEW_WORD(extend, rows)                      \
                     "subs %[n], %[n], #8\n"                            \
                     "bne 1b\n"                                         \
                     : [s0] "+r"(s0), [s1] "+r"(s1), [s2] "+r"(s2),     \
                       [s3] "+r"(s3), [s4] "+r"(s4), [x] "+r"(x),       \
                       [b] "+r"(b), [n] "+r"(n), [v] "=&r"(v),          \
                       [w] "=&r"(w), [even] "=&r"(even),                \
                       [odd] "=&r"(odd)                                 \
                     :                                                  \
                     : "cc", "memory")
#define FEW_COLUMN(name, rows, loads)                                   \
    static NOINLINE void name(const uint32_t *x, const B *b, int32_t n, \
                              const struct few *of, Y *y)               \
    {                                                                   \
        int32_t s0 = of->first, s1 = s0, s2 = s0, s3 = s0, s4 = s0;     \
        uint32_t v, w, even, odd;                                       \
                                                                        \
        if (DSP_SIGNED(B))                                              \
            FEW_ASM("sxtb16", loads);                                   \
        else                                                            \
            FEW_ASM("uxtb16", loads);                                   \
        few_results(of, rows, y, s0, s1, s2, s3, s4);                   \
    }

static inline void few_results(const struct few *of, int rows, Y *y, int32_t s0,
                               int32_t s1, int32_t s2, int32_t s3, int32_t s4)
{
    const struct few f = *of;

    y[0] = few_result(&f, s0);
    y[f.next] = few_result(&f, s1);
    y[2 * f.next] = few_result(&f, s2);
    if (rows > 3)
        y[3 * f.next] = few_result(&f, s3);
    if (rows > 4)
        y[4 * f.next] = few_result(&f, s4);
}
FEW_COLUMN(column_of_3, 3, FEW_ROW("s0") FEW_ROW("s1") FEW_ROW("s2"))
FEW_COLUMN(column_of_4, 4, FEW_ROW("s0") FEW_ROW("s1") FEW_ROW("s2")
                               FEW_ROW("s3"))
FEW_COLUMN(column_of_5, 5, FEW_ROW("s0") FEW_ROW("s1") FEW_ROW("s2")
                               FEW_ROW("s3") FEW_ROW("s4"))
#else
#define FEW_COLUMN(name, rows)                                          \
    static void name(const uint32_t *x, const B *b, int32_t n,          \
                     const struct few *of, Y *y)                        \
    {                                                                   \
        for (int r = 0; r < rows; r++, y += of->next) {                 \
            const uint32_t *at = x + 2 * r;                             \
            int32_t sum = of->first;                                    \
                                                                        \
            for (int32_t i = 0; i < n; i += 4, at += 2 * rows) {        \
                const uint32_t v = dsp_load(b + i);                     \
                                                                        \
                sum = dsp_mac(dsp_even(v, DSP_SIGNED(B)), at[0], sum);  \
                sum = dsp_mac(dsp_odd(v, DSP_SIGNED(B)), at[1], sum);   \
            }                                                           \
            *y = few_result(of, sum);                                   \
        }                                                               \
    }
FEW_COLUMN(column_of_3, 3)
FEW_COLUMN(column_of_4, 4)
FEW_COLUMN(column_of_5, 5)
#endif

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    const BIAS *bias = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];
    struct few f = {.shift = k->shift, .next = k->n};

    (void)of;
    expand(k, a, io->tmp);
    for (int32_t n = 0; n < k->n; n++, b += k->bn, mul += k->muln) {
        f.first = bias ? (int32_t)bias[n * k->biasn] : 0;
        f.add = add ? (int32_t)add[n * k->addn] : 0;
        f.mul = (int32_t)*mul;
        if (k->m == 3)
            column_of_3(io->tmp, b, k->k, &f, y + n);
        else if (k->m == 4)
            column_of_4(io->tmp, b, k->k, &f, y + n);
        else
            column_of_5(io->tmp, b, k->k, &f, y + n);
    }
    if (panel_clips(k->lo, k->hi))
        panel_clip(y, k->m * k->n, k->lo, k->hi);
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
