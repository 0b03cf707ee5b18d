/* Parts of matrix products. */
#include "verify/part.h"

#include <string.h>

/* Matrix number b of the result is made of which of v, in elements of v? */
static int64_t batch_of(const Work *w, const Val *v, int64_t b)
{
    const Shape *y = &w->n->res[0]->shape;
    int skip = y->rank - v->shape.rank, rank = v->shape.rank, i;
    int64_t at = 0;

    for (i = y->rank - 3; i >= 0; i--) {
        if (i >= skip && v->shape.dim[i - skip] > 1)
            at += b % y->dim[i] * part_elements(v, i - skip + 1, rank);
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
        if (!part_meets(w, i, l))
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
    return !v || part_meets(w, i, (Loops){
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

bool part_matmul(Work *w)
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
        return part_wrong(w);
    count = (int64_t)d->nb[0] * d->nb[1] * d->nb[2];
    if (from + count > part_elements(y, 0, rank - 2))
        return part_wrong(w);
    w->out = part_in_bytes((Loops){
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

bool part_rowmatmul(Work *w)
{
    struct rowmatmul_dims d = w->s->dims.rowmatmul;
    const Val *a = w->n->arg[0], *v = w->n->arg[1], *r = node_arg(w->n, "r");
    int64_t first = w->s->out_piece[0].off / w->eb, n = d.n;
    int64_t row = v->shape.dim[1];

    d.n = w->all.rowmatmul.n;
    if (memcmp(&d, &w->all.rowmatmul, sizeof d) || n < 1 || first + n > d.n ||
        w->s->out_piece[0].rows != 1)
        return part_wrong(w);
    return part_dense_out(w, n) &&
           part_meets(w, 0, (Loops){
               .v = a, .rank = 1, .axis = {{val_count(a), 1, 1}}}) &&
           part_meets(w, 1, (Loops){
               .v = v, .off = first * row, .rank = 1,
               .axis = {{n * row, 1, 1}}}) &&
           (!r || part_meets(w, 2, (Loops){
               .v = r, .off = first, .rank = 1, .axis = {{n, 1, 1}}}));
}
