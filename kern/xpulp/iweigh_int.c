/* Weights of attention of its scores, four at a time (kern/xpulp/attend.h).
 *
 * op       iweigh
 * types    x:s8 scores:s8 powers:s32 parts:s8|u8 mask:s8 -> y:=parts
 * isa      xpulpv2
 * when     n > 3 && n < 4096 && most < 65536 && p1 < 256 &&
 *          most * n < 2147483648 && most * most * n < 68719476736
 * inplace  x
 * let      line = 4 * ceil(n, 4)
 * scratch  3 * line
 * split    rows
 * stack    240
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + line / 4 *
 *          (fit.four + has.mask * 8)))
 * code     1350
 * asks     50
 */
#include "kern/xpulp/weigh.h"

/* Of a row, the last four again where it is no words, and behind it the
 * greatest, which is returned. */
static NOINLINE int32_t look_up(const struct weigh *a, const int8_t *x,
                                int32_t n, const MASK *mask)
{
    int32_t most, top;

    if (mask) {
        most = masked(x, n >> 2, LEAST_4, a->scores, mask, a->t);
        if (n & 3)
            most = masked(x + n - 4, 1, most, a->scores, mask + n - 4,
                          a->t + n - 4);
    } else {
        most = plain(x, n >> 2, LEAST_4, a->scores, mask, a->t);
        if (n & 3)
            most = plain(x + n - 4, 1, most, a->scores, mask, a->t + n - 4);
    }
    top = attend_most(most);
    for (int32_t i = n; i & 3; i++)
        a->t[i] = (int8_t)top;
    return top;
}

/* Of scores in a->t below `top`. */
static NOINLINE void put_weights(const struct weigh_dims *k,
                                 const struct weigh *a, int32_t top, Y *y)
{
    const int32_t n = k->n, words = n >> 2, more = -n & 3;
    uint32_t sum = attend_powers((uintptr_t)(a->powers - top), a->t,
                                 (n + 3) >> 2, a->v);
    char last[4];

    for (int32_t i = n; i < n + more; i++)
        sum -= a->v[i];
    attend_parts(a->v, words, sum, a->bits, (uint32_t)k->p1, a->same, a->parts,
                 (char *)y);
    if (!more)
        return;
    attend_parts(a->v + 4 * words, 1, sum, a->bits, (uint32_t)k->p1, a->same,
                 a->parts, last);
    for (int32_t i = 4 * words; i < n; i++)
        y[i] = (Y)last[i & 3];
}

void FN(const struct weigh_dims *k, const struct io *io)
{
    const int8_t *x = io->in[0];
    const MASK *mask = io->in[4];
    const int32_t n = k->n;
    Y *y = io->out[0];
    struct weigh a = weigh_begin(k, io);
    int32_t i, end;

    a.t = io->tmp;
    a.v = (uint16_t *)(void *)((char *)io->tmp + ((n + 3) & ~3));
    span(k->rows, io->core, io->ncore, &i, &end);
    for (; i < end; i++)
        put_weights(k, &a,
                    look_up(&a, x + (ptrdiff_t)i * n, n,
                            mask ? mask + (ptrdiff_t)(i / k->each) * k->mrow
                                 : NULL),
                    y + (ptrdiff_t)i * n);
}
