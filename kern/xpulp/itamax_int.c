/* Softmax with powers of two, four bytes at a time.
 *
 * op       itamax
 * types    x:s8|u8 -> y:s8|u8
 * isa      xpulpv2
 * when     hi > 0 && hi < 256 && n > 3 && n < 8388608
 * split    rows n
 * stack    96
 * let      team = ncore > 1
 * cycles   ncore * (fit.call + team * fit.team + ceil(rows, ncore) * (fit.row +
 *          (n % 4 > 0) * (fit.rest + n / 2) + fit.element * n / 2 + fit.result
 *          * ((n - 1) / max(1, ncore / rows) + 4) / 4))
 * code     550
 * cold     465
 */
#include "kern/xpulp/itamax.h"

void FN(const struct row_dims *k, const struct io *io)
{
    const struct rows r = rows_of(k, io);
    const X *x = (const X *)io->in[0] + (ptrdiff_t)r.row * k->n;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)r.row * k->n;
    const int32_t n = k->n, most = k->hi << 8;

    for (int32_t i = r.row; i < r.end; i++, x += n, y += n) {
        const int32_t top = rows_greatest(x, n);

        itamax_put(x, &r, top, most / halves_sum(x, n, top), y);
    }
}
