/* Parts of images: convolution and pooling. */
#include "verify/part.h"

#include <string.h>

typedef struct Image {
    int64_t n, c, h, w, sn, sc, sh, sw;
} Image;

/* A value with one spatial axis is an image of one row. */
static Image image_of(const Node *n, const Val *v)
{
    int rank = v->shape.rank, last = attr_int(n, A_last) != 0;
    int c = last ? rank - 1 : 1, x = last ? rank - 2 : rank - 1;
    const int64_t *dim = v->shape.dim;
    Image m = {dim[0], dim[c], 1, dim[x], part_elements(v, 1, rank),
               part_elements(v, c + 1, rank), 0, part_elements(v, x + 1, rank)};

    if (rank == 4) {
        m.h = dim[x - 1];
        m.sh = part_elements(v, x, rank);
    }
    return m;
}

/* The input; pixels of a vector begin `step` elements apart. */
static Image input_of(const Node *n)
{
    Image m = image_of(n, n->arg[0]);

    if (n->op != OP_pconv || !attr_has(n, A_step))
        return m;
    m.h = attr_at(n, A_kernel, 0, 1);
    m.w = attr_at(n, A_kernel, 1, 1);
    m.sw = attr_at(n, A_step, 0, 1);
    m.sh = m.w * m.sw;
    m.c -= (m.h * m.w - 1) * m.sw;
    return m;
}

/* Along one axis: windows of k taps, `step` and `reach` apart, over `in`
 * elements after `pad` of padding. */
typedef struct Window {
    int64_t out, in, k, step, reach, pad, end;
} Window;

/* Do windows of a part, the first of which is number `at` of all, meet the same
 * elements and the same padding?  *first: where the part's elements begin. */
static bool same_windows(Window part, Window all, int64_t at, int64_t *first)
{
    int64_t o, i;

    *first = at * all.step - all.pad + part.pad;
    if (at < 0 || part.out < 1 || at + part.out > all.out || *first < 0 ||
        part.in < 1 || *first + part.in > all.in || part.k != all.k ||
        part.step != all.step || part.reach != all.reach)
        return false;
    for (o = 0; o < part.out; o++)
        for (i = 0; i < part.k; i++) {
            int64_t x = o * part.step - part.pad + i * part.reach;
            int64_t y = x + *first;

            if ((x >= 0 && x < part.in) != (y >= 0 && y < all.in) ||
                (x >= -part.pad && x < part.in + part.end) !=
                (y >= -all.pad && y < all.in + all.end))
                return false;
        }
    return true;
}

/* Windows of conv_dims and pool_dims alike; no padding is told apart from what
 * lies beyond it but where it counts. */
#define ROWS(d, e) ((Window){(d)->oh, (d)->h, (d)->kh, (d)->sh, (d)->dh, \
                             (d)->ph, e})
#define COLUMNS(d, e) ((Window){(d)->ow, (d)->w, (d)->kw, (d)->sw, (d)->dw, \
                                (d)->pw, e})

static void axis_index(const Work *w, int64_t *n, int64_t *c, int64_t *y,
                       int64_t *x)
{
    int rank = w->n->res[0]->shape.rank, last = attr_int(w->n, A_last) != 0;
    int column = last ? rank - 2 : rank - 1;

    *n = w->first[0];
    *c = w->first[last ? rank - 1 : 1];
    *x = w->first[column];
    *y = rank == 4 ? w->first[column - 1] : 0;
}

static bool conv_numbers(const struct conv_dims *a, const struct conv_dims *b)
{
    return a->c == b->c && a->kh == b->kh && a->kw == b->kw &&
           a->padv == b->padv && a->shift == b->shift && a->lo == b->lo &&
           a->hi == b->hi && !memcmp(&a->flo, &b->flo, sizeof a->flo) &&
           !memcmp(&a->fhi, &b->fhi, sizeof a->fhi);
}

/* Do channels [at, at + d->g * d->m) belong to groups as the part has them? */
static bool same_groups(const struct conv_dims *d, int64_t m, int64_t at)
{
    int64_t i;

    if (d->g < 1 || d->m < 1)
        return false;
    for (i = 0; i < (int64_t)d->g * d->m; i++)
        if ((at + i) / m - at / m != i / d->m)
            return false;
    return true;
}

static bool meets_weights(Work *w, int64_t at)
{
    const struct conv_dims *d = &w->s->dims.conv;
    const Val *v = w->n->arg[1];
    Image m = image_of(w->n, v);

    return part_meets(w, 1, (Loops){
        .v = v, .off = at * m.sn, .rank = 4,
        .axis = {{(int64_t)d->g * d->m, d->wm, m.sn}, {d->kh, d->wh, m.sh},
                 {d->kw, d->ww, m.sw}, {d->c, d->wc, m.sc}},
    });
}

/* Does the unit go through all pixels, and no others?  As rows and columns stand,
 * or as rows of any length of pixels without gaps between, in which a row begins
 * where the one above has ended at the latest; rows of a second job end with the
 * last pixel, and begin no later than the first job's have ended. */
static bool meets_raster(Work *w)
{
    const struct pconv_dims *d = &w->s->dims.pconv;
    int64_t all = (int64_t)d->oh * d->ow, step, first, last;

    if (!d->again && d->rows == d->oh && d->cols == d->ow &&
        d->xrow == d->sh * d->xh && d->yrow == d->yh)
        return true;
    if (d->kh * d->kw * d->sh * d->sw != 1 || d->ph || d->pw ||
        d->h != d->oh || d->w != d->ow || d->xw < 1 || d->yw < 1 ||
        (d->h > 1 && (d->xh != d->w * d->xw || d->yh != d->w * d->yw)))
        return part_wrong(w);
    step = d->yrow / d->yw;
    first = (d->rows - 1) * step + d->cols;
    last = (int64_t)d->again * d->cols;
    if (d->rows < 1 || d->cols < 1 || step < 1 || step > d->cols ||
        d->yrow != step * d->yw || d->xrow != step * d->xw ||
        (d->again ? d->again < 0 || d->again > d->side || first > all ||
                        last > all || step != d->cols || first + last < all
                  : first != all))
        return part_wrong(w);
    return true;
}

/* Words of these output channels, or of the tiles of groups that they are. */
static bool meets_words(Work *w, int64_t at)
{
    const struct pconv_dims *d = &w->s->dims.pconv, *a = &w->all.pconv;
    const Val *v = w->n->arg[1];
    int64_t bytes = v->shape.dim[1], count = (int64_t)d->g * d->m;

    if (!meets_raster(w))
        return false;
    if (d->bits != a->bits || d->less != a->less || d->tile != a->tile ||
        d->word != a->word || d->mode != a->mode || d->wm != a->wm ||
        (a->g > 1 && (d->g < 2 || d->m != 1 || at % a->tile)))
        return part_wrong(w);
    if (a->g > 1) {
        at /= a->tile;
        count = (count + a->tile - 1) / a->tile;
    }
    return part_meets(w, 1, (Loops){
        .v = v, .off = at * bytes, .rank = 2,
        .axis = {{count, d->wm, bytes}, {bytes, 1, 1}},
    });
}

static bool meets_its_weights(Work *w, int64_t at)
{
    return w->n->op == OP_pconv ? meets_words(w, at) : meets_weights(w, at);
}

/* What the dims of a pconv begin with is the same. */
bool part_conv(Work *w)
{
    const struct conv_dims *d = &w->s->dims.conv, *a = &w->all.conv;
    Image x = input_of(w->n), y = image_of(w->n, w->n->res[0]);
    int64_t n, at, row, column, r, q, count = (int64_t)d->g * d->m;

    axis_index(w, &n, &at, &row, &column);
    if (!conv_numbers(d, a) || d->n < 1 || n + d->n > x.n ||
        !same_windows(ROWS(d, 0), ROWS(a, 0), row, &r) ||
        !same_windows(COLUMNS(d, 0), COLUMNS(a, 0), column, &q) ||
        at + count > y.c || !same_groups(d, a->m, at))
        return part_wrong(w);
    w->out = part_in_bytes((Loops){
        .v = w->n->res[0], .rank = 4,
        .off = n * y.sn + row * y.sh + column * y.sw + at * y.sc,
        .axis = {{d->n, d->yn, y.sn}, {d->oh, d->yh, y.sh},
                 {d->ow, d->yw, y.sw}, {count, d->yc, y.sc}},
    });
    return part_meets(w, 0, (Loops){
        .v = w->n->arg[0], .rank = 4,
        .off = n * x.sn + r * x.sh + q * x.sw + at / a->m * d->c * x.sc,
        .axis = {{d->n, d->xn, x.sn}, {d->h, d->xh, x.sh},
                 {d->w, d->xw, x.sw}, {(int64_t)d->g * d->c, d->xc, x.sc}},
    }) && meets_its_weights(w, at) &&
        part_meets_channels(w, "b", at, count, 1) &&
        part_meets_channels(w, "mul", at, count, d->mulc) &&
        part_meets_channels(w, "shifts", at, count, d->mulc) &&
        part_meets_channels(w, "add", at, count, d->addc);
}

static bool pool_numbers(const struct pool_dims *a, const struct pool_dims *b)
{
    return a->countpad == b->countpad && a->shift == b->shift &&
           a->lo == b->lo && a->hi == b->hi &&
           !memcmp(&a->flo, &b->flo, sizeof a->flo) &&
           !memcmp(&a->fhi, &b->fhi, sizeof a->fhi);
}

bool part_pool(Work *w)
{
    const struct pool_dims *d = &w->s->dims.pool, *a = &w->all.pool;
    Image x = image_of(w->n, w->n->arg[0]), y = image_of(w->n, w->n->res[0]);
    int64_t n, at, row, column, r, q, pads = a->countpad != 0;

    axis_index(w, &n, &at, &row, &column);
    if (!pool_numbers(d, a) || d->n < 1 || n + d->n > x.n || d->c < 1 ||
        at + d->c > x.c ||
        !same_windows(ROWS(d, pads * d->phe), ROWS(a, pads * a->phe), row,
                      &r) ||
        !same_windows(COLUMNS(d, pads * d->pwe), COLUMNS(a, pads * a->pwe),
                      column, &q))
        return part_wrong(w);
    w->out = part_in_bytes((Loops){
        .v = w->n->res[0], .rank = 4,
        .off = n * y.sn + row * y.sh + column * y.sw + at * y.sc,
        .axis = {{d->n, d->yn, y.sn}, {d->oh, d->yh, y.sh},
                 {d->ow, d->yw, y.sw}, {d->c, d->yc, y.sc}},
    });
    return part_meets(w, 0, (Loops){
        .v = w->n->arg[0], .rank = 4,
        .off = n * x.sn + r * x.sh + q * x.sw + at * x.sc,
        .axis = {{d->n, d->xn, x.sn}, {d->h, d->xh, x.sh},
                 {d->w, d->xw, x.sw}, {d->c, d->xc, x.sc}},
    }) && part_meets_channels(w, "mul", at, d->c, d->mulc) &&
        part_meets_channels(w, "shifts", at, d->c, d->mulc) &&
        part_meets_channels(w, "add", at, d->c, d->addc);
}
