/* Matrix product of rows of 8, 16, 28 or 32 with b transposed, columns of b in
 * registers, scaled in 32 bits.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8
 * isa      xpulpv2
 * let      group = k == 8 ? 4 : 2
 * when     nb[0] * nb[1] * nb[2] == 1 && ak == 1 && bk == 1 && bn == k &&
 *          (k == 8 || k == 16 || k == 28 || k == 32) && am % 4 == 0 && m > 0 &&
 *          n >= group && biasm == 0 && mulm == 0 && addm == 0 &&
 *          hi - lo < 256 && (lo == 0 || lo + hi == -1) && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * let      groups = ceil(ceil(n, group), ncore)
 * scratch  8 * group * groups + 8 * group
 * split    n
 * stack    256
 * let      dense = am == k && hi - lo == 255
 * let      row = k == 8 ? 26 : 3 * k / 4 + 9 + (k == 32 && !dense) * 2
 * cycles   ncore * (fit.call + groups *
 *          (fit.group + fit.scale * group + row * m))
 * code     820
 * cold     750
 *
 * The last columns are taken again where they are no multiple of a group.
 */
#include "kern/kern.h"

typedef A LEFT;
typedef B RIGHT;
typedef A X;
#include "kern/xpulp/stationary_pixels.h"

/* What sums of columns are multiplied by, and what is added then. */
static NOINLINE void take_scale(const struct matmul_dims *k,
                                const struct io *io, int32_t from, int32_t to,
                                int32_t *scale)
{
    const BIAS *bias = io->in[2];
    const MUL *mul = io->in[3];
    const ADD *add = mul ? io->in[4] : NULL;

    for (; from < to; from++, scale += 2) {
        const int32_t m = mul ? (int32_t)mul[from * k->muln] : 1;
        const int32_t b = bias ? (int32_t)bias[from * k->biasn] : 0;
        const int32_t a = add ? (int32_t)add[from * k->addn] : 0;

        scale[0] = m;
        scale[1] = (int32_t)((uint32_t)b * (uint32_t)m + (uint32_t)a);
    }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    const int32_t group = k->k == 8 ? 4 : 2, words = k->k >> 2;
    int32_t from, to, first;
    int32_t *scale = io->tmp;
    struct stationary t = {
        .shift = io->in[3] ? k->shift : 0, .range = k->hi,
        .next = k->am - 4 * (words - 1), .ystep = k->n, .words = words,
        .step = k->am, .low = k->lo,
    };

    span((k->n + group - 1) / group, io->core, io->ncore, &from, &to);
    if (from == to)
        return;
    from *= group;
    to = to * group < k->n ? to * group : k->n;
    first = from < k->n - group ? from : k->n - group;
    take_scale(k, io, first, to, scale);
    t.groups = (to - from) / group;
    t.w = (const B *)io->in[1] + from * k->k;
    t.scale = scale + 2 * (from - first);
    if (t.groups)
        stationary_pixels(&t, io->in[0], (Y *)io->out[0] + from, k->m);
    if (from + t.groups * group == to)
        return;
    from = to - group;
    t.groups = 1;
    t.w = (const B *)io->in[1] + from * k->k;
    t.scale = scale + 2 * (from - first);
    stationary_pixels(&t, io->in[0], (Y *)io->out[0] + from, k->m);
}
