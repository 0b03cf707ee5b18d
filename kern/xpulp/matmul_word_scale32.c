/* Rows of four bytes by four columns, which stay in registers: a rotation of
 * each head of an attention.
 *
 * op       matmul
 * types    a:s8 b:s8 bias:none mul:s8|u8|s16|u16|s32 add:s8|u8|s16|u16|s32 ->
 *          y:s8
 * isa      xpulpv2
 * when     nb[0] * nb[1] * nb[2] == 1 && k == 4 && n == 4 && ak == 1 && am == 4
 *          && bn == 1 && mulm == 0 && muln == 0 && addm == 0 && addn == 0 &&
 *          lo > -129 && hi < 128 && shift < 32 && max(-scaled.lo, scaled.hi) <
 *          2147483648
 * split    m
 * stack    96
 * cycles   ncore * (fit.call + fit.row * ceil(m, ncore))
 * code     300
 */
#include "kern/xpulp/scale.h"

#define X B
#include "kern/xpulp/transpose.h"

#ifdef XPULPV2
#define WORD_DOT(a, b) xp_dot4(a, b)
#else
static int32_t word_dot(int32_t a, int32_t b)
{
    int8_t x[4], y[4];
    int32_t sum = 0;

    memcpy(x, &a, 4);
    memcpy(y, &b, 4);
    for (int i = 0; i < 4; i++)
        sum += x[i] * y[i];
    return sum;
}
#define WORD_DOT(a, b) word_dot(a, b)
#endif

void FN(const struct matmul_dims *k, const struct io *io)
{
    const MUL *mul = io->in[3];
    const ADD *add = io->in[4];
    const int32_t by = mul ? (int32_t)*mul : 1, more = add ? (int32_t)*add : 0;
    const int32_t shift = mul ? k->shift : 0, lo = k->lo, hi = k->hi;
    const A *a;
    B column[16], *y;
    int32_t from, to, c[4];

    transpose4x4(io->in[1], k->bk, column, 4);
    for (int i = 0; i < 4; i++)
        c[i] = transpose_load(column + 4 * i);
    span(k->m, io->core, io->ncore, &from, &to);
    a = (const A *)io->in[0] + 4 * (ptrdiff_t)from;
    y = (B *)io->out[0] + 4 * (ptrdiff_t)from;
    for (; from < to; from++, a += 4, y += 4) {
        const int32_t row = transpose_load(a);
        int32_t r[4];

        for (int i = 0; i < 4; i++)
            r[i] = scale_clip(scale32(WORD_DOT(row, c[i]), by, more, shift),
                              lo, hi);
        for (int i = 0; i < 4; i++)
            y[i] = (B)r[i];
    }
}
