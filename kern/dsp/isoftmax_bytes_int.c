/* The integer softmax of bytes, its powers from a table, the greatest of a row
 * four at a time.
 *
 * op       isoftmax
 * types    x:s8|u8 -> y:s8|u8
 * isa      dsp
 * when     p0 == 1 && p2 >= 0 && p3 > 0 && hi > 0 && hi < 256 &&
 *          max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2 < 8388608 &&
 *          (max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2) * n < 2147483648
 * inplace  x
 * scratch  1024
 * stack    96
 * cycles   2000 + rows * (130 + 11 * n)
 */
#include "kern/row/lookup.h"
#include "kern/dsp/greater.h"

static int32_t powers_greatest(const X *x, int32_t n)
{
    int32_t best = *x;

    if (n >= 4) {
        const X *last = x + n - 4;
        uint32_t v = dsp_load(last);

        for (; x < last; x += 4)
            v = greater(v, dsp_load(x));
        v = greater(v, v >> 16 | v << 16);
        v = greater(v, v >> 8 | v << 24);
        return (X)v;
    }
    for (; n > 0; n--, x++)
        best = *x > best ? *x : best;
    return best;
}

void FN(const struct row_dims *k, const struct io *io)
{
    powers_rows(k, io);
}
