/* Matrix product of rows of 1 to 4 with b transposed, scaled in 32 bits, all
 * results alike: each column as a word of halves of 16 bits, or two.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8
 * isa      dsp
 * when     ak == 1 && bk == 1 && k < 5 && has.mul && biasm == 0 && mulm == 0 &&
 *          addm == 0 && biasn == 0 && muln == 0 && addn == 0 && hi - lo == 255
 *          && shift < 32 && max(-scaled.lo, scaled.hi) < 2147483648
 * scratch  k > 2 ? 8 * n : 4 * n
 * split    m n
 * stack    224
 * cycles   nb[0] * nb[1] * nb[2] * (40 + n * (k > 2 ? 14 : 9) + m * (30 + n *
 *          (k > 2 ? 9 : 7)))
 */
#include "kern/dsp/dsp.h"

#define MATMUL_STEP 4
#include "kern/matmul/matmul.h"

/* Results are ((sum * mul + add) >> shift), saturated to Y. */
struct small_k {
    int32_t mul, add, shift;
};

static inline uint32_t halves(int32_t low, int32_t high)
{
    return (uint32_t)high << 16 | (uint16_t)low;
}

/* Elements 0 and 1, and 2 and 3 of a row of k; those that it has not are 0. */
static inline uint32_t first_of(const B *b, int32_t k)
{
    return halves(b[0], k > 1 ? b[1] : 0);
}

static inline uint32_t second_of(const B *b, int32_t k)
{
    return halves(b[2], k > 3 ? b[3] : 0);
}

static inline Y small_k_result(const struct small_k *s, int32_t sum)
{
    const int32_t v = (int32_t)((uint32_t)sum * (uint32_t)s->mul +
                                (uint32_t)s->add) >> s->shift;
#ifdef DSP
    return (Y)(DSP_SIGNED(Y) ? __ssat(v, 8) : (int32_t)__usat(v, 8));
#else
    const int32_t lo = DSP_SIGNED(Y) ? -128 : 0;

    return (Y)clip(v, lo, lo + 255);
#endif
}

/* A row of words x by n columns of a word. */
static NOINLINE void row_of_two(const struct small_k *s, uint32_t x,
                                const uint32_t *w, int32_t n, Y *y)
{
    const struct small_k same = *s;

    for (; n > 3; n -= 4, w += 4, y += 4) {
        const int32_t a = dsp_mac(x, w[0], 0), b = dsp_mac(x, w[1], 0);
        const int32_t c = dsp_mac(x, w[2], 0), d = dsp_mac(x, w[3], 0);

        y[0] = small_k_result(&same, a);
        y[1] = small_k_result(&same, b);
        y[2] = small_k_result(&same, c);
        y[3] = small_k_result(&same, d);
    }
    for (; n > 0; n--)
        *y++ = small_k_result(&same, dsp_mac(x, *w++, 0));
}

/* The same of two words. */
static NOINLINE void row_of_four(const struct small_k *s, uint32_t x,
                                 uint32_t z, const uint32_t *w, int32_t n,
                                 Y *y)
{
    const struct small_k same = *s;

    for (; n > 1; n -= 2, w += 4, y += 2) {
        const int32_t a = dsp_mac(z, w[1], dsp_mac(x, w[0], 0));
        const int32_t b = dsp_mac(z, w[3], dsp_mac(x, w[2], 0));

        y[0] = small_k_result(&same, a);
        y[1] = small_k_result(&same, b);
    }
    if (n > 0)
        *y = small_k_result(&same, dsp_mac(z, w[1], dsp_mac(x, w[0], 0)));
}

static void expand(const struct matmul_dims *k, const B *b, int32_t n,
                   uint32_t *w)
{
    for (; n > 0; n--, b += k->bn) {
        *w++ = first_of(b, k->k);
        if (k->k > 2)
            *w++ = second_of(b, k->k);
    }
}

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    const int32_t mul = (int32_t)*(const MUL *)io->in[3];
    const ADD *add = io->in[4];
    const struct small_k s = {
        mul, (int32_t)((uint32_t)bias_at(k, io, 0, 0) * (uint32_t)mul +
                       (add ? (uint32_t)*add : 0)), k->shift};
    const int32_t from = of->channels.lo, n = of->channels.hi - from;
    uint32_t *w = io->tmp;

    expand(k, b + (ptrdiff_t)from * k->bn, n, w);
    for (int32_t m = of->rows.lo; m < of->rows.hi; m++) {
        const A *x = a + (ptrdiff_t)m * k->am;
        const uint32_t first = halves(x[0], k->k > 1 ? x[1] : 0);
        Y *to = y + (ptrdiff_t)m * k->n + from;

        if (k->k > 2)
            row_of_four(&s, first, halves(x[2], k->k > 3 ? x[3] : 0), w, n,
                        to);
        else
            row_of_two(&s, first, w, n, to);
    }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
