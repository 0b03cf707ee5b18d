/* Convolution of one pixel, of weights of four bits, four channels of 32
 * columns at a time.
 *
 * op       pconv
 * types    x:s8|u8 w:u8 b:s8|s16|s32 mul:s8|s16|s32 add:s32|s64 -> y:s8|u8
 * types    x:s8|u8 w:u8 b:s8|s16|s32 mul:s8|s16|s32 add:s32|s64
 *          shifts:s8 -> y:s8|u8
 * round    0 1
 * isa      mve
 * let      k = kh * kw * c
 * when     mode == 2 && bits == 4 && less == 8 && tile == 2 &&
 *          n * oh * ow == 1 && kh == h && kw == w && ph == 0 && pw == 0 &&
 *          xc == 1 && yc == 1 && (kw == 1 || xw == c) &&
 *          (kh == 1 || xh == kw * c) && m > 3 && k < 32768 && has.mul &&
 *          acc.lo >= -1073741824 && acc.hi < 1073741824 &&
 *          (shift > 31 || (shift > 0 && !has.shifts &&
 *          2 * mul.hi < 1 << shift && 2 * mul.lo >= -(1 << shift) &&
 *          scaled.hi < 1 << shift + 31 && scaled.lo >= -(1 << shift + 31)))
 * layout   last
 * words    2 1 2 0
 * scratch  k + 31 & -32
 * stack    512
 * cycles   120 + (3 * k >> 3) + (m + 3 >> 2) * (70 + 24 * (k + 31 >> 5))
 */
#include "kern/conv/nibbles.h"
#include "kern/conv/line.h"
#include "kern/mve/line.h"

enum { LINE_STEP = 32 };

/* sum + the elements of v. */
static inline int32_t line_add(int32_t sum, uint8x16_t v)
{
    if (PANEL_SIGNED(A))
        return vaddvaq_s8(sum, vreinterpretq_s8_u8(v));
    return (int32_t)vaddvaq_u8((uint32_t)sum, v);
}

/* n elements as vectors of the even ones and the odd ones in turn, with zeros
 * behind them.  Codes are 8 more than the weights: what that adds to a sum. */
static int32_t line_spread(const void *a, int32_t n, uint8_t *to)
{
    const uint8_t *p = a;
    int32_t sum = 0;

    for (; n > 0; n -= LINE_STEP, p += LINE_STEP, to += LINE_STEP) {
        uint8_t last[LINE_STEP] = {0};
        uint8x16x2_t all;

        if (n < LINE_STEP) {
            memcpy(last, p, (size_t)n);
            p = last;
        }
        all = vld2q_u8(p);
        vstrbq_u8(to, all.val[0]);
        vstrbq_u8(to + 16, all.val[1]);
        sum = line_add(line_add(sum, all.val[0]), all.val[1]);
    }
    return NIBBLE_LESS * sum;
}

#define LINE_ROW(row, sum, type)                                        \
    "vldrb.8 q2, [" row "], #16\n"                                      \
    "vand q3, q2, q4\n"                                                 \
    "vmladava." type " " sum ", q0, q3\n"                               \
    "vshr.u8 q2, q2, #4\n"                                              \
    "vmladava." type " " sum ", q1, q2\n"
#define LINE_STEPS(type)                                                \
    "vldrb.8 q0, [r9], #16\n"                                           \
    "vldrb.8 q1, [r9], #16\n" LINE_ROW("r1", "r0", type)                \
        LINE_ROW("r3", "r2", type) LINE_ROW("r5", "r4", type)           \
        LINE_ROW("r8", "r6", type)
#define LINE_MASK "vmov.i8 q4, #15\n"

static NOINLINE void line_sums(const A *a, const B *b, int32_t bn, int32_t k,
                               int32_t start, int32_t sums[4])
{
    if (PANEL_SIGNED(A)) {
        LINE_BY_FOUR(LINE_MASK, LINE_STEPS("s8"), (k + 1) >> 1, "d8", "d9");
    } else {
        LINE_BY_FOUR(LINE_MASK, LINE_STEPS("u8"), (k + 1) >> 1, "d8", "d9");
    }
}

void FN(const struct pconv_dims *k, const struct io *io)
{
    const struct matmul_dims d = line_of(k);
    const int32_t more = line_spread(io->in[0], d.k, io->tmp);

    line_row(&d, io, io->tmp, io->in[1], -more, io->out[0]);
}
