/* Parts of what goes element by element, by rows, or over axes: map, row and
 * reduce. */
#include "ir/attend.h"
#include "verify/part.h"

#include <string.h>

bool part_row(Work *w)
{
    struct row_dims d = w->s->dims.row;
    int64_t first = w->s->out_piece[0].off / w->eb, rows = d.rows;
    int64_t count = rows * d.n;
    int i;

    d.rows = w->all.row.rows;
    if (memcmp(&d, &w->all.row, sizeof d) || first % d.n || rows < 1 ||
        w->s->out_piece[0].rows != 1)
        return part_wrong(w);
    if (!part_dense_out(w, count) || !part_meets(w, 0, (Loops){
            .v = w->n->arg[0], .off = first, .rank = 1,
            .axis = {{count, 1, 1}}}))
        return false;
    for (i = 1; i < w->n->narg; i++)
        if (w->n->arg[i] && !part_meets(w, i, (Loops){
                .v = w->n->arg[i], .rank = 1,
                .axis = {{val_count(w->n->arg[i]), 1, 1}}}))
            return false;
    return true;
}

/* Of the mask the part's heads and rows, if it has those. */
static bool meets_mask(Work *w, int i, int64_t head, int64_t row)
{
    const struct attend_dims *d = &w->s->dims.attend;
    AttendMask m = attend_mask(w->n);

    return part_meets(w, i, (Loops){
        .v = w->n->arg[i], .off = head * m.head + row * m.row, .rank = 3,
        .axis = {{d->heads, d->heads > 1 ? d->mhead : 0, m.head},
                 {d->m, d->m > 1 ? d->mrow : 0, m.row}, {m.keys, 1, 1}}});
}

/* Tables whole, and of the mask, if there is one, the part's. */
static bool meets_tables(Work *w, int64_t head, int64_t row)
{
    int i;

    for (i = 3; i < w->n->narg; i++) {
        const Val *v = w->n->arg[i];

        if (v && v == node_arg(w->n, "mask") ? !meets_mask(w, i, head, row)
            : v && !part_meets(w, i, (Loops){
                  .v = v, .rank = 1, .axis = {{val_count(v), 1, 1}}}))
            return false;
    }
    return true;
}

/* Whole heads; tables and scales of all. */
static bool part_whole_heads(Work *w)
{
    struct attend_dims d = w->s->dims.attend;
    const int64_t rows = d.rows, each[3] = {
        (int64_t)d.m * d.d, rows * d.d, rows * d.e,
    };
    int64_t heads = d.heads, inner = (int64_t)d.m * d.e;
    int64_t first = w->s->out_piece[0].off / w->eb;
    int i;

    d.heads = w->all.attend.heads;
    d.mhead = w->all.attend.mhead; /* meets_mask() */
    if (memcmp(&d, &w->all.attend, sizeof d) || heads < 1 || inner < 1 ||
        first % inner || first / inner + heads > d.heads ||
        w->s->out_piece[0].rows != 1)
        return part_wrong(w);
    if (!part_dense_out(w, heads * inner))
        return false;
    for (i = 0; i < 3; i++)
        if (!part_meets(w, i, (Loops){
                .v = w->n->arg[i], .off = first / inner * each[i], .rank = 1,
                .axis = {{heads * each[i], 1, 1}}}))
            return false;
    return meets_tables(w, first / inner, 0);
}

/* Of what kernels are told, steps of rows and heads aside, all but heads and
 * rows of q is that of the node. */
static bool same_attention(const struct attend_dims *d,
                           const struct attend_dims *all)
{
    return d->n == all->n && d->d == all->d && d->e == all->e &&
           d->rows == all->rows && d->shift == all->shift &&
           d->lo == all->lo && d->hi == all->hi && d->p0 == all->p0 &&
           d->p1 == all->p1 && d->most == all->most && d->bound == all->bound &&
           d->both == all->both &&
           d->quotients == all->quotients && d->hides == all->hides &&
           d->none == all->none && d->p4 == all->p4 && d->qzero == all->qzero &&
           d->kzero == all->kzero && d->vzero == all->vzero;
}

/* Rows of q and whole heads, wherever rows and heads of operands are. */
bool part_attend(Work *w)
{
    const struct attend_dims *d = &w->s->dims.attend, *all = &w->all.attend;
    const int32_t step[3][2] = {{d->qrow, d->qhead}, {d->krow, d->khead},
                                {d->vrow, d->vhead}};
    AttendSide y = attend_side(w->n, 3);
    int64_t first = w->s->out_piece[0].off / w->eb, row, head;
    int i;

    if (!attr_int(w->n, A_p2))
        return part_whole_heads(w);
    row = first / y.row % y.rows;
    head = first / y.head % y.heads;
    if (!same_attention(d, all) || row + d->m > y.rows || d->m < 1 ||
        head + d->heads > y.heads || d->heads < 1 || first % y.width)
        return part_wrong(w);
    w->out = part_in_bytes((Loops){
        .v = w->n->res[0], .off = row * y.row + head * y.head, .rank = 3,
        .axis = {{d->m, d->yrow, y.row}, {d->heads, d->yhead, y.head},
                 {d->e, 1, 1}},
    });
    for (i = 0; i < 3; i++) {
        AttendSide s = attend_side(w->n, i);
        int64_t next = s.heads == y.heads ? s.head : 0;

        if (!part_meets(w, i, (Loops){
                .v = w->n->arg[i], .off = (i ? 0 : row * s.row) + head * next,
                .rank = 3,
                .axis = {{i ? s.rows : d->m, step[i][0], s.row},
                         {d->heads, step[i][1], next}, {s.width, 1, 1}}}))
            return false;
    }
    return meets_tables(w, head, row);
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
                      part_in_bytes((Loops){
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
            t.s[i] = part_elements(v, i - skip + 1, v->shape.rank);
    }
    walk_join(&t);
    return t;
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

bool part_map(Work *w)
{
    const struct map_dims *d = &w->s->dims.map;
    const Shape *y = &w->n->res[0]->shape;
    int i;

    if (!map_numbers(*d, &w->all.map) ||
        !part_dense_out(w, part_count(d->n, 6)))
        return part_wrong(w);
    for (i = 0; i < w->n->narg; i++) {
        const int32_t *s = map_strides(w, i);
        Walk here, there;

        if (!w->n->arg[i])
            continue;
        if (!s)
            return part_wrong(w);
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
            t.s[t.rank++] = part_elements(x, i + 1, x->shape.rank);
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
        return part_wrong(w);
    return !v || part_meets_channels(w, name,
                                     rank ? w->first[rank - 1] : 0, last,
                                     stride);
}

bool part_reduce(Work *w)
{
    const struct reduce_dims *d = &w->s->dims.reduce;
    Walk here = told_walk(d->n, d->xs, 6), gone = told_walk(d->m, d->ms, 6);
    Walk stay = axes_walk(w->n, false), go = axes_walk(w->n, true);
    int64_t count = part_count(d->m, 6), j, more;

    if (!reduce_numbers(*d, &w->all.reduce) || count != d->count ||
        !part_dense_out(w, part_count(d->n, 6)))
        return part_wrong(w);
    for (j = 0; j < count; j++)
        if (!meets_piece(w, 0, &here, &stay, walk_at(&gone, j, &more),
                         walk_at(&go, j, &more)))
            return false;
    w->count[0] = count * part_count(d->n, 6);
    return meets_last(w, "mul", d->mulc) && meets_last(w, "add", d->addc) &&
           meets_last(w, "shifts", d->mulc);
}
