/* Codes of some bits, each bit at a place of its own.
 *
 * op       pack
 * types    x:s8|u8|s16|u16 -> y:u8
 * isa      any
 * stack    192
 * cycles   2 * size + x.n * (60 + 12 * bits)
 */
#include "kern/kern.h"

/* Bit i . ys + parts of the last axis . ps of element i, and so on. */
static int64_t place(const struct pack_dims *k, const int32_t *i)
{
    const int32_t last = i[7], rest = last % k->part[0];
    int64_t at = (int64_t)(last / k->part[0]) * k->ps[0] +
                 (int64_t)(rest / k->part[1]) * k->ps[1] +
                 (int64_t)(rest % k->part[1]) * k->ps[2];

    for (int a = 0; a < 7; a++)
        at += (int64_t)i[a] * k->ys[a];
    return at;
}

static void put(const struct pack_dims *k, uint32_t code, int64_t at, Y *y)
{
    for (int32_t b = 0; b < k->bits; b++, at += k->by) {
        const int bit = 1 << (at & 7);

        y[at >> 3] = (Y)(code >> b & 1 ? y[at >> 3] | bit : y[at >> 3] & ~bit);
    }
}

void FN(const struct pack_dims *k, const struct io *io)
{
    const int32_t turn = k->p3 > 1 ? k->p3 : 1;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[8] = {0};
    int a;

    for (int32_t j = 0; j < k->size; j++)
        y[j] = (Y)((j >> 2) % turn == turn - 1
                       ? (uint32_t)k->p2 >> 8 * (j & 3) & 0xff : 0);
    for (a = 0; a < 8; a++)
        if (!k->n[a])
            return;
    do {
        put(k, (uint32_t)((ACC)*x++ + k->p0), place(k, i), y);
        for (a = 7; a >= 0 && ++i[a] == k->n[a]; a--)
            i[a] = 0;
    } while (a >= 0);
}
