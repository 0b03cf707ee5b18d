/* Padding with a constant, a row of the last axis at a time.  The including
 * file defines pad_value(k), pad_copy(x, y, n) and pad_fill(y, value, n). */
#ifndef PAD_ROWS_H
#define PAD_ROWS_H

#include "kern/copy/pad.h"

static inline void pad_rows(const struct pad_dims *k, const struct io *io)
{
    const int32_t left = k->before[7], inner = k->xn[7];
    const Y value = pad_value(k);
    const X *x = io->in[0];
    int32_t i[8] = {0}, rows = 1, lo, hi, rest;
    Y *y = io->out[0];

    for (int axis = 0; axis < 7; axis++)
        rows *= k->n[axis];
    span(rows, io->core, io->ncore, &lo, &hi);
    rest = lo;
    for (int axis = 6; axis >= 0 && rest; axis--) {
        i[axis] = rest % k->n[axis];
        rest /= k->n[axis];
    }
    for (y += (ptrdiff_t)lo * k->n[7]; lo < hi; lo++, y += k->n[7]) {
        ptrdiff_t from;

        i[7] = left;
        from = inner ? pad_place(k, i) : -1;
        if (from < 0) {
            pad_fill(y, value, k->n[7]);
        } else {
            pad_fill(y, value, left);
            pad_copy(x + from, y + left, inner);
            pad_fill(y + left + inner, value, k->n[7] - left - inner);
        }
        i[7] = k->n[7] - 1;
        pad_next(k->n, i);
    }
}

#endif
