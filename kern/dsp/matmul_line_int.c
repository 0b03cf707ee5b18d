/* Matrix product of one row by b transposed, two columns at a time.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int -> y:s8|u8
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int shifts:int -> y:s8|u8
 * round    0 1
 * isa      dsp
 * when     m == 1 && ak == 1 && bk == 1 && bn % 4 == 0 && k < 32768 && k > 7 &&
 *          has.mul && acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          (shift > 31 || (shift > 0 && !has.shifts && 2 * mul.hi < 1 << shift &&
 *          2 * mul.lo >= -(1 << shift) && scaled.hi < 1 << shift + 31 &&
 *          scaled.lo >= -(1 << shift + 31)))
 * scratch  128 + 2 * (k & -8) + 4
 * stack    320
 * cycles   nb[0] * nb[1] * nb[2] * (n * (28 + (5 * k >> 2) + 4 * (k & 7)) +
 *          2 * k)
 */
#include "kern/share.h"

typedef A LEFT;
typedef B RIGHT;
#include "kern/dsp/line.h"

enum { CHUNK = 32 };

/* The columns of a from `from` on, which are no whole step or not at words. */
static NOINLINE void rest(const A *a, const B *b, int32_t next, int32_t from,
                          int32_t to, int32_t *sums, int32_t rows)
{
    for (; rows > 0; rows--, b += next) {
        int32_t sum = 0;

        for (int32_t i = from; i < to; i++)
            sum += a[i] * b[i];
        *sums++ += sum;
    }
}

/* An addend, up to the left: quicker in halves, if it has no more than 32 bits. */
static inline int64_t line_up(ADD add, int32_t up)
{
    const uint32_t low = (uint32_t)add << up;
    const int32_t high = ((int32_t)add >> 1) >> (31 - up);

    if (sizeof(ADD) > 4 || (ADD)-1 > (ADD)0)
        return (int64_t)((uint64_t)add << up);
    return (int64_t)((uint64_t)(uint32_t)high << 32 | low);
}

/* Columns n and following, `count` of them. */
static NOINLINE void finish(const struct matmul_dims *k, const struct io *io,
                            int32_t n, const int32_t *sums, int32_t count,
                            Y *y)
{
    static const ADD none = 0;
    const BIAS *bias = (const BIAS *)io->in[2] + (ptrdiff_t)n * k->biasn;
    const MUL *mul = (const MUL *)io->in[3] + (ptrdiff_t)n * k->muln;
    const int32_t addn = io->in[4] ? k->addn : 0;
    const ADD *add = io->in[4] ? (const ADD *)io->in[4] + (ptrdiff_t)n * addn
                               : &none;
    const int32_t up = k->shift < 32 ? 32 - k->shift : 0;
#ifdef SHIFTS
    const SHIFTS *shifts = (const SHIFTS *)io->in[5] + (ptrdiff_t)n * k->muln;
#else
    const int32_t down = k->shift > 32 ? k->shift - 32 : 0;
#endif
    const int32_t lo = k->lo, hi = k->hi, muln = k->muln, biasn = k->biasn;
    const Y *end = y + count;

    for (; y != end; mul += muln, add += addn) {
        int64_t v = line_up(*add, up);
        int32_t sum = *sums++;

        if (io->in[2]) {
            sum += (int32_t)*bias;
            bias += biasn;
        }
        if (ROUND)
            v -= sum < 0 ? ROUND_LESS : 0;
        v += (int64_t)sum * (int32_t)((uint32_t)*mul << up);
#ifdef SHIFTS
        const int32_t down = (int32_t)*shifts - 32;

        shifts += muln;
#endif
        *y++ = (Y)clip((int32_t)(v >> 32) >> down, lo, hi);
    }
}

static void one(const struct matmul_dims *k, const struct io *io, const A *a,
                const B *b, Y *y)
{
    const int32_t whole = (uintptr_t)b & 3 ? 0 : k->k & -LINE_STEP;
    int32_t *sums = io->tmp;
    uint32_t *x = (uint32_t *)(sums + CHUNK);

    line_expand(a, whole, DSP_SIGNED(A), x);
    for (int32_t n = 0; n < k->n; n += CHUNK, b += CHUNK * k->bn) {
        const int32_t left = k->n - n, count = left < CHUNK ? left : CHUNK;

        for (int32_t i = 0; whole == 0 && i < count; i++)
            sums[i] = 0;
        if (whole && count > 1)
            line_sums(x, b, k->bn, whole, sums, count & -2);
        if (whole && count & 1)
            line_sums(x, b + (count - 1) * k->bn, 0, whole,
                      sums + count - 1, 2);
        if (whole != k->k)
            rest(a, b, k->bn, whole, k->k, sums, count);
        finish(k, io, n, sums, count, y + n);
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
