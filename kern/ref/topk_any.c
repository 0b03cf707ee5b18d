/* Where the first elements of each row stand, in order of their values.
 *
 * op       topk
 * types    x:f32 -> y:int
 * types    x:int -> y:int
 * isa      any
 * split    rows
 * stack    256
 * cycles   rows * (20 + 12 * n + 120 * k)
 *
 * mode 0: the greatest first, 1: the least; of equals the one in front.
 */
#include "kern/kern.h"

#define PLACE Y

/* Does place a come behind place b?  mode 0: the greater come first, 1: the
 * lesser; of equals the one that stands first. */
static inline int above(const X *x, Y a, Y b, int mode)
{
    const X p = x[(ptrdiff_t)a], q = x[(ptrdiff_t)b];

    if (p == q)
        return a > b;
    return mode ? p > q : p < q;
}

#include "kern/row/heap.h"

/* A heap of the best so far, the last of them at its root, is taken apart from
 * the end (heapsort). */
static NOINLINE void topk_row(const struct topk_dims *k, const X *x, Y *y)
{
    for (int32_t i = 0; i < k->k; i++)
        y[i] = (Y)i;
    heap_make(x, y, k->k, k->mode);
    for (int32_t i = k->k; i < k->n; i++)
        if (above(x, y[0], (Y)i, k->mode)) {
            y[0] = (Y)i;
            heap_sift(x, y, k->k, 0, k->mode);
        }
    for (int32_t i = k->k - 1; i > 0; i--) {
        const Y last = y[0];

        y[0] = y[i];
        y[i] = last;
        heap_sift(x, y, i, 0, k->mode);
    }
}

void FN(const struct topk_dims *k, const struct io *io)
{
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    for (; i < end; i++)
        topk_row(k, (const X *)io->in[0] + (ptrdiff_t)i * k->n,
                 (Y *)io->out[0] + (ptrdiff_t)i * k->k);
}
