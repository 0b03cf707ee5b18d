/* Rows that are multiplied by a table's values, in 32 bits (kern/ref/gate_int.c).
 *
 * op       gate
 * types    x:s8|u8 table:s8|u8|s16 -> y:s8|u8|s16
 * isa      any
 * when     max(-scaled.lo, scaled.hi) < 2147483648 && shift < 32 && n > 0
 * split    rows n
 * stack    96
 * cycles   ncore * (120 + 16 * ceil(rows * n, ncore))
 * code     240
 */
#include "kern/kern.h"

void FN(const struct gate_dims *k, const struct io *io)
{
    const TABLE *table = io->in[1];
    const int32_t n = k->n, mul = k->mul, shift = k->shift;
    const int32_t half = 1 << (shift - 1), lo = k->lo, hi = k->hi;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, to, at;

    span(k->rows * n, io->core, io->ncore, &i, &to);
    at = i % n;
    x += i + i / n * n;
    for (y += i; i < to; i++, x++) {
        const int32_t v = table[(uint8_t)*x] * x[n];

        *y++ = (Y)clip((v * mul + half) >> shift, lo, hi);
        if (++at == n)
            at = 0, x += n;
    }
}
