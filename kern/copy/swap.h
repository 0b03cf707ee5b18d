/* Strided copies that swap their two innermost axes.  The including file defines
 * swap(n, xs, ys, x, y): the axes 6 and 7 of one such matrix, whose columns are
 * runs of x, xs apart, and whose rows are runs of y, ys apart. */
#ifndef SWAP_H
#define SWAP_H

#include "kern/copy/copy.h"

static void swap(const int32_t n[8], ptrdiff_t xs, ptrdiff_t ys, const X *x,
                 Y *y);

static inline void swap_all(const struct copy_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[6] = {0};
    int32_t n[8];
    ptrdiff_t from, to;

    if (!copy_begin(k, io, 7, n, &from, &to))
        return;
    do
        swap(n, k->xs[7], k->ys[6], x + from, y + to);
    while (copy_next(k, n, i, 6, &from, &to));
}

#endif
