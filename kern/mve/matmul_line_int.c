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
 *          (70 + (a.lo < 0 ? 10 : 14) * (k + 15 >> 4)))
 */
#include "kern/share.h"

typedef A X;
typedef B W;
#include "kern/mve/line.h"

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
#define LINE_STEPS(flip1, flip2, type)                                  \
    "vldrb.8 q0, [r9], #16\n" LINE_ROW("r1", "r0", "q1", flip1, type)   \
        LINE_ROW("r3", "r2", "q2", flip2, type)                         \
        LINE_ROW("r5", "r4", "q1", flip1, type)                         \
        LINE_ROW("r8", "r6", "q2", flip2, type)

static NOINLINE void line_sums(const A *a, const B *b, int32_t bn, int32_t k,
                               int32_t start, int32_t sums[4])
{
    if (PANEL_SIGNED(A)) {
        LINE_BY_FOUR("", LINE_STEPS("", "", "s8"), k, "cc");
    } else {
        LINE_BY_FOUR("mov r11, #128\nvdup.8 q3, r11\n",
                     LINE_STEPS("veor q1, q1, q3\n", "veor q2, q2, q3\n",
                                "u8"), k, "r11");
    }
}

static void one(const struct matmul_dims *k, const struct io *io, const A *a,
                const B *b, Y *y)
{
    line_row(k, io, a, b, line_less(a, k->k), y);
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
