/* Matrix product of one row by b transposed, two columns at a time.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int -> y:s8|u8
 * types    a:s8|u8 b:s8|u8 bias:int mul:int add:int shifts:int -> y:s8|u8
 * round    0 1
 * isa      dsp
 * when     m == 1 && ak == 1 && bk == 1 && k < 32768 && k > 7 &&
 *          has.mul && acc.lo >= -2147483648 && acc.hi < 2147483648 &&
 *          (shift > 31 || (shift > 0 && !has.shifts && 2 * mul.hi < 1 << shift &&
 *          2 * mul.lo >= -(1 << shift) && scaled.hi < 1 << shift + 31 &&
 *          scaled.lo >= -(1 << shift + 31)))
 * scratch  128 + 4 + 2 * min(k & -8, 256)
 * stack    320
 * cycles   nb[0] * nb[1] * nb[2] * (240 + n * (30 + (bn % 4 ? 7 * k : (19 * k >>
 *          4) + 4 * (k & 7) + 20 * (k - 1 >> 8))) +
 *          (5 * k * (k > 256 ? ceil(n, 32) : 1) >> 1))
 */
#include "kern/share.h"

typedef A LEFT;
typedef B RIGHT;
#include "kern/dsp/line.h"
#include "kern/dsp/line_matmul.h"

/* The columns of a from `from` on, which are no whole step or not at words. */
static NOINLINE void rest(const A *a, const B *b, int32_t next, int32_t from,
                          int32_t to, const int32_t *first, int32_t *sums,
                          int32_t rows)
{
    for (; rows > 0; rows--, b += next) {
        int32_t sum = *first++;

        for (int32_t i = from; i < to; i++)
            sum += a[i] * b[i];
        *sums++ = sum;
    }
}

/* sums[i] = from[i] + a.(row i of b), of `count` rows, PART columns at a time;
 * first: a is not expanded yet, if it is one part. */
static void chunk(const struct matmul_dims *k, const A *a, const B *b,
                         const int32_t *from, int32_t *sums, int32_t count,
                         int first)
{
    const int32_t whole = (uintptr_t)b & 3 || k->bn & 3 ? 0 : k->k & -LINE_STEP;
    uint32_t *x = (uint32_t *)(sums + CHUNK + 1);

    for (int32_t i = 0; i < whole; i += PART, from = sums) {
        const int32_t some = whole - i < PART ? whole - i : PART;
        const int32_t even = count & -2;

        if (first || whole > PART)
            line_expand(a + i, some, DSP_SIGNED(A), x);
        if (even)
            line_sums(x, b + i, k->bn, some, from, sums, even);
        if (even != count)
            line_sums(x, b + i + even * k->bn, 0, some, from + even,
                      sums + even, 2);
    }
    if (whole != k->k)
        rest(a, b, k->bn, whole, k->k, from, sums, count);
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    line_matmul(k, io);
}
