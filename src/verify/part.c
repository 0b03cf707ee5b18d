/* What a tile computes, by what its kernel is told.
 *
 * The part begins where the piece of the result does.  From there on the
 * node's own meaning says which element of an operand each step of the
 * kernel's loops must meet, and the memory must hold just that.  The numbers
 * that are no distances must be those of the node. */
#include "verify/verify.h"

#include <string.h>

static bool other(Work *w)
{
    return wrong(w->c, "node %s: kernel %s is told wrong dimensions",
                 w->n->name, w->s->kern->name);
}

static int bytes_of(const Val *v)
{
    return type_info[v->type].bytes;
}

static int64_t elements(const Val *v, int from, int to)
{
    int64_t p = 1;
    int i;

    for (i = from; i < to; i++)
        p *= v->shape.dim[i];
    return p;
}

/* Sets w->first from the piece. */
static bool find_first(Work *w)
{
    const Val *y = w->n->res[0];
    Piece p = w->s->out_piece[0];
    int64_t at = p.off / w->eb;
    int i;

    if (p.off < 0 || p.off % w->eb || p.row % w->eb || p.stride % w->eb ||
        p.row < 1 || p.rows < 1 || p.stride < p.row || p.rows > val_count(y) ||
        p.stride > val_bytes(y) ||
        p.off + (p.rows - 1) * p.stride + p.row > val_bytes(y))
        return wrong(w->c, "node %s: no piece of %s", w->n->name, y->name);
    for (i = y->shape.rank - 1; i >= 0; i--) {
        w->first[i] = at % y->shape.dim[i];
        at /= y->shape.dim[i];
    }
    return true;
}

/* Loops in elements become loops in bytes. */
static Loops in_bytes(Loops l)
{
    int k;

    l.off *= bytes_of(l.v);
    l.shift *= bytes_of(l.v);
    for (k = 0; k < l.rank; k++) {
        l.axis[k].here *= bytes_of(l.v);
        l.axis[k].there *= bytes_of(l.v);
    }
    return l;
}

static bool meets(Work *w, int i, Loops l)
{
    int k;

    w->count[i] = 1;
    for (k = 0; k < l.rank; k++)
        if (l.axis[k].here)
            w->count[i] *= l.axis[k].n;
    return loops_is(w, l.v->name, w->s->in[i], w->s->in_bytes[i],
                    in_bytes(l), &w->read[i]);
}

/* ---- images ---- */

typedef struct Image {
    int64_t n, c, h, w, sn, sc, sh, sw;
} Image;

/* A value with one spatial axis is an image of one row. */
static Image image_of(const Node *n, const Val *v)
{
    int rank = v->shape.rank, last = attr_int(n, A_last) != 0;
    int c = last ? rank - 1 : 1, x = last ? rank - 2 : rank - 1;
    const int64_t *dim = v->shape.dim;
    Image m = {dim[0], dim[c], 1, dim[x], elements(v, 1, rank),
               elements(v, c + 1, rank), 0, elements(v, x + 1, rank)};

    if (rank == 4) {
        m.h = dim[x - 1];
        m.sh = elements(v, x, rank);
    }
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

/* One element per channel of the part, or one for all. */
static bool meets_channels(Work *w, const char *name, int64_t first,
                           int64_t count, int64_t here)
{
    bool optional;
    int i = op_arg(w->n->op, name, &optional);
    const Val *v = i >= 0 && i < w->n->narg ? w->n->arg[i] : NULL;
    int64_t each = v && val_count(v) > 1;

    return !v || meets(w, i, (Loops){
        .v = v, .off = each * first, .rank = 1,
        .axis = {{count, here, each}},
    });
}

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

    return meets(w, 1, (Loops){
        .v = v, .off = at * m.sn, .rank = 4,
        .axis = {{(int64_t)d->g * d->m, d->wm, m.sn}, {d->kh, d->wh, m.sh},
                 {d->kw, d->ww, m.sw}, {d->c, d->wc, m.sc}},
    });
}

static bool part_conv(Work *w)
{
    const struct conv_dims *d = &w->s->dims.conv, *a = &w->all.conv;
    Image x = image_of(w->n, w->n->arg[0]), y = image_of(w->n, w->n->res[0]);
    int64_t n, at, row, column, r, q, count = (int64_t)d->g * d->m;

    axis_index(w, &n, &at, &row, &column);
    if (!conv_numbers(d, a) || d->n < 1 || n + d->n > x.n ||
        !same_windows(ROWS(d, 0), ROWS(a, 0), row, &r) ||
        !same_windows(COLUMNS(d, 0), COLUMNS(a, 0), column, &q) ||
        at + count > y.c || !same_groups(d, a->m, at))
        return other(w);
    w->out = in_bytes((Loops){
        .v = w->n->res[0], .rank = 4,
        .off = n * y.sn + row * y.sh + column * y.sw + at * y.sc,
        .axis = {{d->n, d->yn, y.sn}, {d->oh, d->yh, y.sh},
                 {d->ow, d->yw, y.sw}, {count, d->yc, y.sc}},
    });
    return meets(w, 0, (Loops){
        .v = w->n->arg[0], .rank = 4,
        .off = n * x.sn + r * x.sh + q * x.sw + at / a->m * d->c * x.sc,
        .axis = {{d->n, d->xn, x.sn}, {d->h, d->xh, x.sh},
                 {d->w, d->xw, x.sw}, {(int64_t)d->g * d->c, d->xc, x.sc}},
    }) && meets_weights(w, at) && meets_channels(w, "b", at, count, 1) &&
        meets_channels(w, "mul", at, count, d->mulc) &&
        meets_channels(w, "shifts", at, count, d->mulc) &&
        meets_channels(w, "add", at, count, d->addc);
}

static bool pool_numbers(const struct pool_dims *a, const struct pool_dims *b)
{
    return a->countpad == b->countpad && a->shift == b->shift &&
           a->lo == b->lo && a->hi == b->hi &&
           !memcmp(&a->flo, &b->flo, sizeof a->flo) &&
           !memcmp(&a->fhi, &b->fhi, sizeof a->fhi);
}

static bool part_pool(Work *w)
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
        return other(w);
    w->out = in_bytes((Loops){
        .v = w->n->res[0], .rank = 4,
        .off = n * y.sn + row * y.sh + column * y.sw + at * y.sc,
        .axis = {{d->n, d->yn, y.sn}, {d->oh, d->yh, y.sh},
                 {d->ow, d->yw, y.sw}, {d->c, d->yc, y.sc}},
    });
    return meets(w, 0, (Loops){
        .v = w->n->arg[0], .rank = 4,
        .off = n * x.sn + r * x.sh + q * x.sw + at * x.sc,
        .axis = {{d->n, d->xn, x.sn}, {d->h, d->xh, x.sh},
                 {d->w, d->xw, x.sw}, {d->c, d->xc, x.sc}},
    }) && meets_channels(w, "mul", at, d->c, d->mulc) &&
        meets_channels(w, "shifts", at, d->c, d->mulc) &&
        meets_channels(w, "add", at, d->c, d->addc);
}

/* ---- matrix products ---- */

/* Matrix number b of the result is made of which of v, in elements of v? */
static int64_t batch_of(const Work *w, const Val *v, int64_t b)
{
    const Shape *y = &w->n->res[0]->shape;
    int skip = y->rank - v->shape.rank, rank = v->shape.rank, i;
    int64_t at = 0;

    for (i = y->rank - 3; i >= 0; i--) {
        if (i >= skip && v->shape.dim[i - skip] > 1)
            at += b % y->dim[i] * elements(v, i - skip + 1, rank);
        b /= y->dim[i];
    }
    return at;
}

/* And where does the kernel look for its number b? */
static int64_t told_batch(const struct matmul_dims *d, const int32_t *s,
                          int64_t b)
{
    int64_t at = 0;
    int i;

    for (i = 2; i >= 0; i--) {
        at += b % d->nb[i] * s[i];
        b /= d->nb[i];
    }
    return at;
}

/* Rows of n elements of operand i, of each matrix from number `from` on;
 * those that are met anew. */
static bool meets_matrices(Work *w, int i, const int32_t *s, int64_t from,
                           Loops l)
{
    const struct matmul_dims *d = &w->s->dims.matmul;
    int64_t b, count = (int64_t)d->nb[0] * d->nb[1] * d->nb[2];
    int64_t off = l.off, was = -1, lay = -1, lo = INT64_MAX, hi = 0;

    for (b = 0; b < count; b++) {
        l.off = off + batch_of(w, l.v, from + b);
        l.shift = told_batch(d, s, b);
        if (l.off == was && l.shift == lay)
            continue;
        if (!meets(w, i, l))
            return false;
        was = l.off;
        lay = l.shift;
        lo = MIN(lo, w->read[i].at);
        hi = MAX(hi, w->read[i].at + (w->read[i].rows - 1) *
                     w->read[i].stride + w->read[i].row);
    }
    if (count > 1)
        w->read[i] = (Region){w->read[i].space, lo, hi - lo, 1, hi - lo};
    w->count[i] *= s[0] || s[1] || s[2] ? count : 1;
    return true;
}

/* Bias, mul or add: broadcast to the matrix. */
static bool meets_beside(Work *w, const char *name, int64_t row,
                         int64_t column, int32_t rows, int32_t columns)
{
    const struct matmul_dims *d = &w->s->dims.matmul;
    bool optional;
    int i = op_arg(w->n->op, name, &optional);
    const Val *v = i >= 0 && i < w->n->narg ? w->n->arg[i] : NULL;
    int rank = v ? v->shape.rank : 0;
    int64_t sc, sr;

    sc = rank >= 1 && v->shape.dim[rank - 1] > 1;
    sr = rank >= 2 && v->shape.dim[rank - 2] > 1 ? v->shape.dim[rank - 1] : 0;
    return !v || meets(w, i, (Loops){
        .v = v, .off = row * sr + column * sc, .rank = 2,
        .axis = {{d->m, rows, sr}, {d->n, columns, sc}},
    });
}

static bool matmul_numbers(const struct matmul_dims *a,
                           const struct matmul_dims *b)
{
    return a->k == b->k && a->shift == b->shift && a->lo == b->lo &&
           a->hi == b->hi && !memcmp(&a->flo, &b->flo, sizeof a->flo) &&
           !memcmp(&a->fhi, &b->fhi, sizeof a->fhi) && a->m > 0 && a->n > 0 &&
           a->nb[0] > 0 && a->nb[1] > 0 && a->nb[2] > 0;
}

static bool part_matmul(Work *w)
{
    const struct matmul_dims *d = &w->s->dims.matmul;
    const Node *n = w->n;
    const Val *a = n->arg[0], *b = n->arg[1], *y = n->res[0];
    int rank = y->shape.rank, ta = attr_int(n, A_transa) != 0;
    int tb = attr_int(n, A_transb) != 0;
    int64_t ac = a->shape.dim[a->shape.rank - 1], rows, columns, count;
    int64_t bc = b->shape.dim[b->shape.rank - 1], row, column, from;

    rows = y->shape.dim[rank - 2];
    columns = y->shape.dim[rank - 1];
    row = w->first[rank - 2];
    column = w->first[rank - 1];
    from = w->s->out_piece[0].off / w->eb / (rows * columns);
    if (!matmul_numbers(d, &w->all.matmul) || row + d->m > rows ||
        column + d->n > columns)
        return other(w);
    count = (int64_t)d->nb[0] * d->nb[1] * d->nb[2];
    if (from + count > elements(y, 0, rank - 2))
        return other(w);
    w->out = in_bytes((Loops){
        .v = y, .rank = 3,
        .off = from * rows * columns + row * columns + column,
        .axis = {{count, (int64_t)d->m * d->n, rows * columns},
                 {d->m, d->n, columns}, {d->n, 1, 1}},
    });
    return meets_matrices(w, 0, d->ab, from, (Loops){
        .v = a, .off = row * (ta ? 1 : ac), .rank = 2,
        .axis = {{d->m, d->am, ta ? 1 : ac}, {d->k, d->ak, ta ? ac : 1}},
    }) && meets_matrices(w, 1, d->bb, from, (Loops){
        .v = b, .off = column * (tb ? bc : 1), .rank = 2,
        .axis = {{d->k, d->bk, tb ? 1 : bc}, {d->n, d->bn, tb ? bc : 1}},
    }) && meets_beside(w, "bias", row, column, d->biasm, d->biasn) &&
        meets_beside(w, "mul", row, column, d->mulm, d->muln) &&
        meets_beside(w, "shifts", row, column, d->mulm, d->muln) &&
        meets_beside(w, "add", row, column, d->addm, d->addn);
}

/* ---- results without gaps: elements in order, those of the piece ---- */

static bool dense_out(Work *w, int64_t count)
{
    Piece p = w->s->out_piece[0];
    const Val *y = w->n->res[0];

    if (p.row / w->eb * p.rows != count)
        return other(w);
    w->out = (Loops){
        .v = y, .off = p.off, .rank = 2,
        .axis = {{p.rows, p.row, p.stride}, {p.row / w->eb, w->eb, w->eb}},
    };
    return w->s->out_packed[0] || p.rows == 1 ||
           wrong(w->c, "node %s: its kernel leaves no gaps", w->n->name);
}

static bool part_row(Work *w)
{
    struct row_dims d = w->s->dims.row;
    int64_t first = w->s->out_piece[0].off / w->eb, rows = d.rows;
    int64_t count = rows * d.n;
    int i;

    d.rows = w->all.row.rows;
    if (memcmp(&d, &w->all.row, sizeof d) || first % d.n || rows < 1 ||
        w->s->out_piece[0].rows != 1)
        return other(w);
    if (!dense_out(w, count) || !meets(w, 0, (Loops){
            .v = w->n->arg[0], .off = first, .rank = 1,
            .axis = {{count, 1, 1}}}))
        return false;
    for (i = 1; i < w->n->narg; i++)
        if (w->n->arg[i] && !meets(w, i, (Loops){
                .v = w->n->arg[i], .rank = 1, .axis = {{d.n, 1, 1}}}))
            return false;
    return true;
}

/* Two nests of loops over the same elements in the same order, one of them the
 * kernel's in memory, the other of the value, each with axes of its own. */
typedef struct Walk {
    int rank;
    int64_t n[RANK + 1], s[RANK + 1];
} Walk;

/* As few axes as can be. */
static void walk_join(Walk *t)
{
    int i, k = 0;

    for (i = 0; i < t->rank; i++) {
        if (t->n[i] == 1)
            continue;
        if (k && t->s[k - 1] == t->s[i] * t->n[i]) {
            t->n[k - 1] *= t->n[i];
            t->s[k - 1] = t->s[i];
            continue;
        }
        t->n[k] = t->n[i];
        t->s[k++] = t->s[i];
    }
    t->rank = k;
}

/* Where element i is, and for how many more the last axis goes on. */
static int64_t walk_at(const Walk *t, int64_t i, int64_t *more)
{
    int64_t at = 0;
    int k;

    *more = INT64_MAX;
    for (k = t->rank - 1; k >= 0; k--) {
        at += i % t->n[k] * t->s[k];
        if (k == t->rank - 1)
            *more = t->n[k] - i % t->n[k];
        i /= t->n[k];
    }
    return at;
}

static int64_t walk_step(const Walk *t)
{
    return t->rank ? t->s[t->rank - 1] : 0;
}

/* Elements [from, from + n) of a walk over the value, in order, are those of
 * the kernel's loops from number `at` on. */
static bool meets_run(Work *w, int i, const Walk *here, const Walk *there,
                      int64_t shift, int64_t off, int64_t at, int64_t from,
                      int64_t n)
{
    Region all = w->read[i], r;

    while (n) {
        int64_t a, b, x = walk_at(here, at, &a), y = walk_at(there, from, &b);
        int64_t run = MIN(n, MIN(a, b));

        if (!loops_is(w, w->n->arg[i]->name, w->s->in[i], w->s->in_bytes[i],
                      in_bytes((Loops){
                .v = w->n->arg[i], .off = off + y, .shift = shift + x,
                .rank = 1, .axis = {{run, walk_step(here), walk_step(there)}},
            }), &r))
            return false;
        if (all.rows) {
            int64_t end = MAX(all.at + all.row, r.at + r.row);

            r.at = MIN(all.at, r.at);
            r.row = end - r.at;
        }
        all = (Region){r.space, r.at, r.row, 1, r.row};
        at += run;
        from += run;
        n -= run;
    }
    w->read[i] = all;
    return true;
}

/* The elements of the piece, row by row. */
static bool meets_piece(Work *w, int i, const Walk *here, const Walk *there,
                        int64_t shift, int64_t off)
{
    Piece p = w->s->out_piece[0];
    int64_t row = p.row / w->eb, r;

    for (r = 0; r < p.rows; r++)
        if (!meets_run(w, i, here, there, shift, off, r * row,
                       (p.off + r * p.stride) / w->eb, row))
            return false;
    return true;
}

static Walk told_walk(const int32_t *n, const int32_t *s, int len)
{
    Walk t = {.rank = len};
    int i;

    for (i = 0; i < len; i++) {
        t.n[i] = n[i];
        t.s[i] = s[i];
    }
    walk_join(&t);
    return t;
}

static Walk broadcast_walk(const Val *v, const Shape *y)
{
    Walk t = {.rank = y->rank};
    int i, skip = y->rank - v->shape.rank;

    for (i = 0; i < y->rank; i++) {
        t.n[i] = y->dim[i];
        if (i >= skip && v->shape.dim[i - skip] > 1)
            t.s[i] = elements(v, i - skip + 1, v->shape.rank);
    }
    walk_join(&t);
    return t;
}

static int64_t count_of(const int32_t *n, int len)
{
    int64_t p = 1;
    int i;

    for (i = 0; i < len; i++) {
        if (n[i] < 1 || p > INT32_MAX)
            return -1;
        p *= n[i];
    }
    return p;
}

/* Elements that loops with these distances meet. */
static int64_t met(const int32_t *n, const int32_t *s, int len)
{
    int64_t p = 1;
    int i;

    for (i = 0; i < len; i++)
        p *= s[i] ? n[i] : 1;
    return p;
}

/* The distances of operand i: those of mul, which shifts shares, and of add
 * are told apart. */
static const int32_t *map_strides(const Work *w, int i)
{
    const struct map_dims *d = &w->s->dims.map;
    const int32_t *s[] = {d->s0, d->s1, d->s2};
    bool optional;
    int mul = op_arg(w->n->op, "mul", &optional);

    if (mul >= 0 && (i == mul || i == mul + 2))
        return d->sm;
    if (mul >= 0 && i > mul)
        return d->sa;
    return i < 3 ? s[i] : NULL;
}

static bool map_numbers(struct map_dims d, const struct map_dims *all)
{
    memcpy(d.n, all->n, sizeof d.n);
    memcpy(d.s0, all->s0, sizeof d.s0);
    memcpy(d.s1, all->s1, sizeof d.s1);
    memcpy(d.s2, all->s2, sizeof d.s2);
    memcpy(d.sm, all->sm, sizeof d.sm);
    memcpy(d.sa, all->sa, sizeof d.sa);
    return !memcmp(&d, all, sizeof d);
}

static bool part_map(Work *w)
{
    const struct map_dims *d = &w->s->dims.map;
    const Shape *y = &w->n->res[0]->shape;
    int i;

    if (!map_numbers(*d, &w->all.map) || !dense_out(w, count_of(d->n, 6)))
        return other(w);
    for (i = 0; i < w->n->narg; i++) {
        const int32_t *s = map_strides(w, i);
        Walk here, there;

        if (!w->n->arg[i])
            continue;
        if (!s)
            return other(w);
        here = told_walk(d->n, s, 6);
        there = broadcast_walk(w->n->arg[i], y);
        if (!meets_piece(w, i, &here, &there, 0, 0))
            return false;
        w->count[i] = met(d->n, s, 6);
    }
    return true;
}

/* Axes of x that stay, or that go, with their distances. */
static Walk axes_walk(const Node *n, bool go)
{
    const Val *x = n->arg[0];
    Walk t = {.rank = 0};
    bool set[RANK];
    int i;

    node_axes(n, set);
    for (i = 0; i < x->shape.rank; i++)
        if (set[i] == go) {
            t.n[t.rank] = x->shape.dim[i];
            t.s[t.rank++] = elements(x, i + 1, x->shape.rank);
        }
    walk_join(&t);
    return t;
}

static bool reduce_numbers(struct reduce_dims d, const struct reduce_dims *all)
{
    memcpy(d.n, all->n, sizeof d.n);
    memcpy(d.xs, all->xs, sizeof d.xs);
    memcpy(d.m, all->m, sizeof d.m);
    memcpy(d.ms, all->ms, sizeof d.ms);
    d.mulc = all->mulc;
    d.addc = all->addc;
    return !memcmp(&d, all, sizeof d);
}

/* Element k of the result, in order, takes number k modulo the last axis, which
 * must then be whole rows of the result or the same part of each. */
static bool meets_last(Work *w, const char *name, int32_t stride)
{
    const Val *y = w->n->res[0];
    int32_t last = w->s->dims.reduce.n[5];
    int rank = y->shape.rank;
    int64_t all = rank ? y->shape.dim[rank - 1] : 1;
    const Val *v = node_arg(w->n, name);
    Piece p = w->s->out_piece[0];

    if (v && val_count(v) > 1 &&
        ((last != all && last != p.row / w->eb) ||
         (p.rows > 1 && p.stride / w->eb % all)))
        return other(w);
    return !v || meets_channels(w, name, rank ? w->first[rank - 1] : 0, last,
                                stride);
}

static bool part_reduce(Work *w)
{
    const struct reduce_dims *d = &w->s->dims.reduce;
    Walk here = told_walk(d->n, d->xs, 6), gone = told_walk(d->m, d->ms, 6);
    Walk stay = axes_walk(w->n, false), go = axes_walk(w->n, true);
    int64_t count = count_of(d->m, 6), j, more;

    if (!reduce_numbers(*d, &w->all.reduce) || count != d->count ||
        !dense_out(w, count_of(d->n, 6)))
        return other(w);
    for (j = 0; j < count; j++)
        if (!meets_piece(w, 0, &here, &stay, walk_at(&gone, j, &more),
                         walk_at(&go, j, &more)))
            return false;
    w->count[0] = count * count_of(d->n, 6);
    return meets_last(w, "mul", d->mulc) && meets_last(w, "add", d->addc) &&
           meets_last(w, "shifts", d->mulc);
}

/* ---- moved data ---- */

/* Byte of the value that lies so many bytes behind the result's place. */
static int64_t value_byte(const Work *w, int64_t at)
{
    Piece p = w->s->out_piece[0];
    int64_t step = w->s->out_packed[0] ? p.row : p.stride;

    return at < 0 || at / step >= p.rows || at % step >= p.row
               ? -1 : p.off + at / step * p.stride + at % step;
}

static bool out_by_piece(Work *w)
{
    Piece p = w->s->out_piece[0];

    w->out = (Loops){
        .v = w->n->res[0], .off = p.off, .rank = 2,
        .axis = {{p.rows, w->s->out_packed[0] ? p.row : p.stride, p.stride},
                 {p.row / w->eb, w->eb, w->eb}},
    };
    return true;
}

/* Do loops with these distances meet no element twice? */
static bool all_apart(const int32_t *n, const int32_t *s, int len)
{
    int64_t reach = 1;
    bool used[8] = {false};
    int i, k, least;

    for (i = 0; i < len; i++) {
        for (least = -1, k = 0; k < len; k++)
            if (!used[k] && n[k] > 1 && (least < 0 || s[k] < s[least]))
                least = k;
        if (least < 0)
            return true;
        used[least] = true;
        if (s[least] < reach)
            return false;
        reach += (int64_t)(n[least] - 1) * s[least];
    }
    return true;
}

/* An element of operand 0 is that byte of a value, which may be another: what
 * is moved keeps its number. */
static bool element_is(Work *w, int64_t at, const Val *v, int64_t off)
{
    const Step *s = w->s;
    Ref r = s->in[0];
    const Space *m = &w->c->space[space_of(w->c->p, r.buf)];
    int eb = bytes_of(v);

    return at >= 0 && at + eb <= s->in_bytes[0] && off >= 0 &&
           space_is(m, addr_of(w->c->p, r) + at, w->c->name[v->id], off, eb);
}

static void read_operand(Work *w)
{
    Ref r = w->s->in[0];
    int64_t n = w->s->in_bytes[0];

    w->read[0] = (Region){space_of(w->c->p, r.buf), addr_of(w->c->p, r), n, 1,
                          n};
    w->count[0] = n / bytes_of(w->n->arg[0]);
}

static bool part_copy(Work *w)
{
    const struct copy_dims *d = &w->s->dims.copy;
    Walk x = {.rank = 8}, y = {.rank = 8};
    int64_t count = count_of(d->n, 8), i, more;
    Piece p = w->s->out_piece[0];
    int k;

    for (k = 0; k < 8; k++) {
        x.n[k] = y.n[k] = d->n[k];
        x.s[k] = d->xs[k];
        y.s[k] = d->ys[k];
    }
    if (count < 0 || p.row / w->eb * p.rows != count ||
        !all_apart(d->n, d->ys, 8))
        return other(w);
    read_operand(w);
    for (i = 0; i < count; i++)
        if (!element_is(w, (d->xo + walk_at(&x, i, &more)) * w->eb,
                        w->n->res[0],
                        value_byte(w, (d->yo + walk_at(&y, i, &more)) *
                                      w->eb)))
            return other(w);
    return out_by_piece(w);
}

/* Element i of a shape: its place in what was padded to it; -1: padding. */
static int64_t unpadded(int rank, const int64_t *n, const int64_t *xn,
                        const int64_t *before, int64_t i)
{
    int64_t at = 0, size = 1, k;
    int a;

    for (a = rank - 1; a >= 0; a--) {
        k = i % n[a] - before[a];
        i /= n[a];
        if (k < 0 || k >= xn[a])
            return -1;
        at += k * size;
        size *= xn[a];
    }
    return at;
}

static bool pad_numbers(struct pad_dims d, const struct pad_dims *all)
{
    memcpy(d.n, all->n, sizeof d.n);
    memcpy(d.xn, all->xn, sizeof d.xn);
    memcpy(d.before, all->before, sizeof d.before);
    return !memcmp(&d, all, sizeof d) && !d.mode;
}

static bool part_pad(Work *w)
{
    const struct pad_dims *d = &w->s->dims.pad;
    const Val *x = w->n->arg[0], *y = w->n->res[0];
    int64_t n[8], xn[8], before[8], from[RANK], i, at, want;
    int64_t count = count_of(d->n, 8);
    int a;

    if (count_of(d->xn, 8) < 0 || !pad_numbers(*d, &w->all.pad) ||
        !dense_out(w, count))
        return other(w);
    for (a = 0; a < 8; a++) {
        n[a] = d->n[a];
        xn[a] = d->xn[a];
        before[a] = d->before[a];
    }
    for (a = 0; a < x->shape.rank; a++)
        from[a] = attr_at(w->n, A_pad, a, 0);
    read_operand(w);
    for (i = 0; i < count; i++) {
        at = unpadded(8, n, xn, before, i);
        want = unpadded(y->shape.rank, y->shape.dim, x->shape.dim, from,
                        value_byte(w, i * w->eb) / w->eb);
        if ((at < 0) != (want < 0) ||
            (at >= 0 && !element_is(w, at * bytes_of(x), x,
                                    want * bytes_of(x))))
            return other(w);
    }
    return true;
}

/* Rows of a table: some of the indices, or some of several tables. */
static bool part_gather(Work *w)
{
    const struct gather_dims *d = &w->s->dims.gather, *a = &w->all.gather;
    int64_t first = w->s->out_piece[0].off / w->eb / MAX(a->inner, 1), outer;
    bool some = d->n != a->n;

    if (d->inner != a->inner || d->len != a->len || d->outer < 1 || d->n < 1 ||
        w->s->out_piece[0].off / w->eb % a->inner ||
        w->s->out_piece[0].rows != 1 || (some && d->outer != 1) ||
        (!some && first % a->n) || first % a->n + d->n > a->n ||
        !dense_out(w, (int64_t)d->outer * d->n * d->inner))
        return other(w);
    outer = (int64_t)a->len * a->inner;
    return meets(w, 0, (Loops){
        .v = w->n->arg[0], .off = first / a->n * outer, .rank = 1,
        .axis = {{d->outer * outer, 1, 1}},
    }) && meets(w, 1, (Loops){
        .v = w->n->arg[1], .off = first % a->n, .rank = 1,
        .axis = {{d->n, 1, 1}},
    });
}

bool part_check(Work *w)
{
    if (!find_first(w))
        return false;
    switch (op_info[w->n->op].family) {
    case FAM_conv:
        return part_conv(w);
    case FAM_pool:
        return part_pool(w);
    case FAM_matmul:
        return part_matmul(w);
    case FAM_map:
        return part_map(w);
    case FAM_row:
        return part_row(w);
    case FAM_reduce:
        return part_reduce(w);
    case FAM_transpose: case FAM_slice: case FAM_expand: case FAM_concat:
        return part_copy(w);
    case FAM_pad:
        return part_pad(w);
    case FAM_gather:
        return part_gather(w);
    default:
        return other(w);
    }
}
