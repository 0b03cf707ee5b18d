/* Padding with a constant, a row of the last axis at a time, or, where rows are
 * few, a stretch of each.  The including file defines pad_value(k),
 * pad_copy(x, y, n) and pad_fill(y, value, n). */
#ifndef PAD_ROWS_H
#define PAD_ROWS_H

#include "kern/copy/pad.h"
#include "kern/share.h"

enum { PAD_STEP = 4, PAD_FIND = 50 }; /* elements; what a row takes, in steps */

/* Elements [s.lo, s.hi) of a row of y; x: the row's in x, NULL: there is none. */
static inline void pad_stretch(const struct pad_dims *k, const X *x, Y *y,
                               struct span s)
{
    const int32_t left = k->before[7], inner = x ? k->xn[7] : 0;
    const int32_t from = clip(left, s.lo, s.hi);
    const int32_t to = clip(left + inner, s.lo, s.hi);
    const Y value = pad_value(k);

    pad_fill(y + s.lo, value, from - s.lo);
    if (to > from)
        pad_copy(x + from - left, y + from, to - from);
    pad_fill(y + to, value, s.hi - to);
}

static inline void pad_rows(const struct pad_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i[8] = {0}, rows = 1, rest;
    struct share s;

    for (int axis = 0; axis < 7; axis++)
        rows *= k->n[axis];
    if (!rows || !k->n[7])
        return;
    s = share_of(io, rows, k->n[7], PAD_STEP, PAD_FIND);
    rest = s.rows.lo;
    for (int axis = 6; axis >= 0 && rest; axis--) {
        i[axis] = rest % k->n[axis];
        rest /= k->n[axis];
    }
    for (y += (ptrdiff_t)s.rows.lo * k->n[7]; s.rows.lo < s.rows.hi;
         s.rows.lo++, y += k->n[7]) {
        ptrdiff_t from;

        i[7] = k->before[7];
        from = k->xn[7] ? pad_place(k, i) : -1;
        pad_stretch(k, from < 0 ? NULL : x + from, y, s.channels);
        i[7] = k->n[7] - 1;
        pad_next(k->n, i);
    }
}

#endif
