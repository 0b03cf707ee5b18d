/* Padding with a constant, a row of the last axis at a time, or, where rows are
 * few, a stretch of each.  The including file defines pad_value(k),
 * pad_copy(x, y, n) and pad_fill(y, value, n). */
#ifndef PAD_ROWS_H
#define PAD_ROWS_H

#include "kern/copy/pad.h"
#include "kern/share.h"

enum { PAD_STEP = 4, PAD_FIND = 50 }; /* elements; what a row takes, in steps */

/* Of each row of y the elements [lo, hi), of which x has those [from, to). */
static inline void pad_rows(const struct pad_dims *k, const struct io *io)
{
    const int32_t left = k->before[7], inner = k->xn[7];
    const Y value = pad_value(k);
    int32_t i[8] = {0}, rows = 1, lo, hi, from, to, rest;
    const X *x = io->in[0];
    Y *y = io->out[0];
    struct share s = {{0, 0}, {0, k->n[7]}};

    for (int axis = 0; axis < 7; axis++)
        rows *= k->n[axis];
    if (!rows || !k->n[7])
        return;
    if (rows > 2 * io->ncore)
        span(rows, io->core, io->ncore, &s.rows.lo, &s.rows.hi);
    else
        s = share_of(io, rows, k->n[7], PAD_STEP, PAD_FIND);
    lo = s.channels.lo, hi = s.channels.hi;
    from = clip(left, lo, hi);
    to = clip(left + inner, from, hi);
    rest = s.rows.lo;
    for (int axis = 6; axis >= 0 && rest; axis--) {
        i[axis] = rest % k->n[axis];
        rest /= k->n[axis];
    }
    y += (ptrdiff_t)s.rows.lo * k->n[7];
    for (int32_t r = s.rows.lo; r < s.rows.hi; r++, y += k->n[7]) {
        ptrdiff_t place;

        i[7] = left;
        place = to > from ? pad_place(k, i) : -1;
        if (place < 0) {
            pad_fill(y + lo, value, hi - lo);
        } else {
            pad_fill(y + lo, value, from - lo);
            pad_copy(x + place + from - left, y + from, to - from);
            pad_fill(y + to, value, hi - to);
        }
        i[7] = k->n[7] - 1;
        pad_next(k->n, i);
    }
}

#endif
