/* Transpose of a matrix that may lie on its operand.
 *
 * op       transpose
 * types    x:any -> y:=x
 * isa      any
 * when     n[0] * n[1] * n[2] * n[3] * n[4] * n[5] == 1 && xo == 0 &&
 *          yo == 0 && xs[6] == 1 && xs[7] == n[6] && ys[6] == n[7] &&
 *          ys[7] == 1
 * inplace  x
 * scratch  (y.n + 7) / 8
 * stack    192
 * cycles   60 * y.n
 *
 * On its operand, each element goes where it belongs, and the one that lay
 * there goes on, until the circle is closed; a bit of scratch tells of each
 * place whether it has been served.
 */
#include <string.h>
#include "kern/kern.h"

static void apart(const struct copy_dims *k, const X *x, Y *y)
{
    for (int32_t i = 0; i < k->n[6]; i++)
        for (int32_t j = 0; j < k->n[7]; j++)
            *y++ = x[i + (ptrdiff_t)j * k->n[6]];
}

/* Serves place `first` and all that its element's leaving concerns. */
static void circle(const struct copy_dims *k, Y *y, int32_t first,
                   unsigned char *served)
{
    const Y kept = y[first];
    int32_t to = first, from;

    for (;; to = from) {
        from = to / k->n[7] + to % k->n[7] * k->n[6];
        served[to / 8] |= (unsigned char)(1u << to % 8);
        if (from == first)
            break;
        y[to] = y[from];
    }
    y[to] = kept;
}

void FN(const struct copy_dims *k, const struct io *io)
{
    const int32_t n = k->n[6] * k->n[7];
    unsigned char *served = io->tmp;

    if (io->in[0] != io->out[0]) {
        apart(k, io->in[0], io->out[0]);
        return;
    }
    memset(served, 0, ((size_t)n + 7) / 8);
    for (int32_t i = 0; i < n; i++)
        if (!(served[i / 8] >> i % 8 & 1))
            circle(k, io->out[0], i, served);
}
