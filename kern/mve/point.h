/* pair_put() of mve/pair.h for windows of one tap. */
#ifndef MVE_POINT_H
#define MVE_POINT_H

#include "kern/mve/put.h"

static void pair_put(const struct conv_dims *k, const X *x, int32_t first,
                     int32_t n, uint8_t *to, int32_t columns)
{
    x += (ptrdiff_t)first * k->xw;
    if (k->xw == k->c && columns == k->c)
        put_rows(to, 0, x, 0, n * columns, 1);
    else
        put_rows(to, columns, x, k->xw, k->c, n);
}

#endif
