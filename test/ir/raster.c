/* Of every number of pixels up to 600, in subtiles of 3 and of 6 a side: rows of
 * one job or two go through each pixel, through none beyond, and take no more
 * subtiles than rows of any one length would (src/ir/raster.c). */
#include "ir/dims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 600 };

static int up(int a, int b)
{
    return (a + b - 1) / b;
}

static void mark(char *seen, const struct pconv_dims *d, int at, int rows)
{
    int i, k;

    for (i = 0; i < rows; i++)
        for (k = 0; k < d->cols; k++) {
            int pixel = at + i * d->xrow / d->xw + k;

            if (pixel < 0 || pixel >= d->h) {
                printf("pixel %d of %d\n", pixel, d->h);
                exit(1);
            }
            seen[pixel] = 1;
        }
}

/* Subtiles of n pixels as rows of the best length that leaves none out. */
static int fewest(int n, int side)
{
    int best = up(n, side), w;

    for (w = 1; w <= n; w++)
        if (n % w == 0 && up(w, side) * up(n / w, side) < best)
            best = up(w, side) * up(n / w, side);
    return best;
}

static int check(int n, int side)
{
    struct pconv_dims d = {.h = n, .w = 1, .oh = n, .ow = 1, .kh = 1, .kw = 1,
                           .sh = 1, .sw = 1, .g = 1, .m = 32, .c = 32,
                           .tile = 32, .xw = 7, .xh = 7, .yw = 5,
                           .yh = 5, .side = side};
    char seen[MOST] = {0};
    int took;

    raster_pconv(&d);
    mark(seen, &d, 0, d.rows);
    mark(seen, &d, n - d.again * d.cols, d.again);
    took = up(d.rows, side) * up(d.cols, side) + (d.again > 0);
    if (memchr(seen, 0, (size_t)n) || took > fewest(n, side) ||
        d.again > side || d.yrow * d.xw != d.xrow * d.yw) {
        printf("%d pixels, subtiles of %d: %d rows of %d, %d again\n", n, side,
               (int)d.rows, (int)d.cols, (int)d.again);
        exit(1);
    }
    return d.again > 0;
}

int main(void)
{
    int n, again = 0;

    for (n = 1; n <= MOST; n++)
        again += check(n, 3) + check(n, 6);
    if (!again)
        return printf("no second job\n"), 1;
    return 0;
}
