/* A core's rows of x and y, which have n elements each, one after another. */
#ifndef ROW_OWN_ROWS_H
#define ROW_OWN_ROWS_H

#include "kern/kern.h"

/* At a row; left: so many from it on. */
struct own_rows {
    const X *x;
    Y *y;
    int32_t n, left;
};

static inline struct own_rows own_rows(const struct row_dims *k,
                                       const struct io *io)
{
    int32_t from, to;

    span(k->rows, io->core, io->ncore, &from, &to);
    return (struct own_rows){(const X *)io->in[0] + (ptrdiff_t)from * k->n,
                             (Y *)io->out[0] + (ptrdiff_t)from * k->n, k->n,
                             to - from};
}

static inline void next_row(struct own_rows *r)
{
    r->x += r->n;
    r->y += r->n;
    r->left--;
}

#endif
