/* Rows and columns in which a unit that computes subtiles of so many pixels a
 * side goes through an image of windows of one tap.
 *
 * Its pixels, one after the other without gaps, are an image of any width.  Rows
 * may even begin before the one above has ended: what both have is computed
 * twice, and is the same.  So 128 pixels are 6 rows of 23, each 21 behind the
 * one before: 4 subtiles of 6x6, where 16x8 take 6.  Where that does not go up,
 * a second job may have the last rows: 64 pixels are 6 rows of 6, and 5 which
 * begin at pixel 34, where 16x4 take 3 subtiles.  What registers hold of them
 * follows (job.c). */
#include "ir/dims.h"

enum { MOST_SUBTILES = 512, MORE_SUBTILES = 2,
       WORTH = 8 }; /* of so many subtiles one must be saved by a second job */

static int32_t ceil_by(int32_t a, int32_t b)
{
    return (a + b - 1) / b;
}

/* Rows of `cols` pixels, each `step` behind the one before. */
typedef struct Raster {
    int32_t rows, cols, step;
} Raster;

/* Of n pixels in a by b subtiles of so many pixels a side.  false: there is
 * none. */
static bool raster_of(int32_t n, int32_t side, int32_t a, int32_t b, Raster *r)
{
    int32_t h, w;

    for (h = (a - 1) * side + 1; h <= a * side; h++)
        for (w = (b - 1) * side + 1; w <= b * side && w <= n; w++) {
            int32_t step = h > 1 ? (n - w) / (h - 1) : w;

            if (step >= 1 && step <= w && (h - 1) * step + w == n) {
                *r = (Raster){h, w, step};
                return true;
            }
        }
    return false;
}

/* The one of fewest subtiles, of fewer than *now, which becomes these. */
static bool best_raster(int32_t n, int32_t side, int32_t *now, Raster *r)
{
    int32_t least = ceil_by(n, side * side), t, a;

    for (t = least; t < *now && t <= least + MORE_SUBTILES; t++)
        for (a = 1; a <= t; a++)
            if (t % a == 0 && raster_of(n, side, a, t / a, r)) {
                *now = t;
                return true;
            }
    return false;
}

/* Rows of a subtile's width, one after the other, but that the last ones, which
 * are a second job, end with the last pixel; how many these are, if that is
 * worth it, or 0. */
static int32_t rows_again(int32_t n, int32_t side, int32_t now, Raster *r)
{
    int32_t rows = ceil_by(n, side), whole = (rows - 1) / side * side;

    if (!whole || (now - ceil_by(rows, side)) * WORTH < now)
        return 0;
    *r = (Raster){whole, side, side};
    return rows - whole;
}

static void take_raster(struct pconv_dims *d, const Raster *r)
{
    d->rows = r->rows;
    d->cols = r->cols;
    d->xrow = r->step * d->xw;
    d->yrow = r->step * d->yw;
}

static void cut_rows(struct pconv_dims *d, bool once)
{
    bool flat = d->kh * d->kw * d->sh * d->sw == 1 &&
                d->ph + d->pw == 0 && d->h == d->oh && d->w == d->ow &&
                (d->h == 1 || (d->xh == d->w * d->xw &&
                               d->yh == d->ow * d->yw));
    int32_t side = d->side, n = d->oh * d->ow, now;
    Raster r;

    d->rows = d->oh;
    d->cols = d->ow;
    d->xrow = d->sh * d->xh;
    d->yrow = d->yh;
    d->again = 0;
    if (!flat || side < 1 || n > MOST_SUBTILES * side * side)
        return;
    now = ceil_by(d->oh, side) * ceil_by(d->ow, side);
    if (best_raster(n, side, &now, &r))
        take_raster(d, &r);
    d->again = once || d->g > 1 ? 0 : rows_again(n, side, now, &r);
    if (d->again)
        take_raster(d, &r);
}

static void raster(struct pconv_dims *d, bool once)
{
    cut_rows(d, once);
    if (d->side > 0)
        job_pconv(d);
}

void raster_pconv(struct pconv_dims *d)
{
    raster(d, false);
}

void raster_once(struct pconv_dims *d)
{
    raster(d, true);
}
