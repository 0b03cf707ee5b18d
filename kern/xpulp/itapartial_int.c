/* Softmax with powers of two over groups, four bytes at a time.
 *
 * op       itapartial
 * types    x:s8|u8 -> y:s8|u8
 * isa      xpulpv2
 * when     hi > 0 && hi < 256 && p0 > 3 && n < 8388608
 * split    rows n
 * stack    128
 * let      team = ncore > 1
 * cycles   ncore * (fit.call + team * fit.team + ceil(rows, ncore) * (fit.row +
 *          (n / p0) * (fit.group + (p0 % 4 > 0) * fit.rest) + fit.element * n /
 *          2 + fit.result * ((n - 1) / max(1, ncore / rows) + 4) / 4))
 * code     620
 */
#include "kern/xpulp/itamax.h"

void FN(const struct row_dims *k, const struct io *io)
{
    const struct rows r = rows_of(k, io);
    const X *x = (const X *)io->in[0] + (ptrdiff_t)r.row * k->n;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)r.row * k->n;
    const int32_t n = k->n, group = k->p0, most = k->hi << 8;

    for (int32_t i = r.row; i < r.end; i++, x += n, y += n) {
        int32_t top = -128, sum = 0;

        for (int32_t at = 0; at < n; at += group) {
            const int32_t best = rows_greatest(x + at, group);

            if (best > top) {
                sum >>= (best - top + 16) >> 5;
                top = best;
            }
            sum += halves_sum(x + at, group, top);
        }
        itamax_put(x, &r, top, most / sum, y);
    }
}
