/* A core's rows of a norm.  To be included after
 *
 *     row(k, x, w, b, y)      a row of x, by factors w and addends b, into y
 */
#ifndef ROW_NORM_ROWS_H
#define ROW_NORM_ROWS_H

static void rows(const struct row_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->n;
    for (; i < end; i++, x += k->n, y += k->n)
        row(k, x, io->in[1], io->in[2], y);
}

#endif
