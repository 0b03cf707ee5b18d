/* Attention over the rows of a cache: the shape of iattend's result, and what
 * its kernels are told (kern/dims.def). */
#include "ir/dims.h"

enum { TABLE = 256 };

static void wants_elements(const Node *n, const char *name, int64_t count)
{
    const Val *v = node_arg(n, name);

    if (val_count(v) != count)
        err_node(n, "operand %s has shape %s: %lld elements were wanted", name,
                 shape_text(v->shape), (long long)count);
}

static void wants_within(const Node *n, const char *name, int64_t lo,
                         int64_t hi)
{
    const Val *v = node_arg(n, name);

    if (v->lo < lo || v->hi > hi)
        err_node(n, "operand %s has values of %lld to %lld, %lld to %lld were "
                 "wanted", name, (long long)v->lo, (long long)v->hi,
                 (long long)lo, (long long)hi);
}

static void check_tables(const Node *n)
{
    int64_t shift = attr_int(n, A_p0), most = attr_int(n, A_p1);

    wants_elements(n, "scale", 4);
    wants_elements(n, "scores", TABLE);
    wants_elements(n, "powers", TABLE);
    wants_elements(n, "parts", TABLE);
    wants_within(n, "scores", INT8_MIN, INT8_MAX);
    wants_within(n, "powers", 0, INT32_MAX);
    if (shift < 0 || shift > 62 || most < 1 || most >= TABLE)
        err_node(n, "p0 %lld, p1 %lld: a shift of at most 62 and a weight of 1 "
                 "to %d were wanted", (long long)shift, (long long)most,
                 TABLE - 1);
    if (!attr_has(n, A_lo) || !attr_has(n, A_hi))
        err_node(n, "lo and hi are wanted");
}

/* Do q, k and v have the same axes, but for the last two? */
static bool same_heads(Shape a, Shape b)
{
    int i;

    if (a.rank != b.rank || a.rank < 2)
        return false;
    for (i = 0; i < a.rank - 2; i++)
        if (!size_same(size_at(a, i), size_at(b, i)))
            return false;
    return true;
}

Shape shape_attend(const Node *n)
{
    Shape q = n->arg[0]->shape, k = n->arg[1]->shape, v = n->arg[2]->shape;
    Size some;

    if (!same_heads(q, k) || !same_heads(q, v) ||
        q.dim[q.rank - 1] != k.dim[q.rank - 1] ||
        !size_same(size_at(k, q.rank - 2), size_at(v, q.rank - 2)))
        err_node(n, "q has shape %s, k %s, v %s", shape_text(q), shape_text(k),
                 shape_text(v));
    some = product_rows(n);
    if (some.n < 0 || some.n > k.dim[q.rank - 2])
        err_node(n, "count is %lld of %lld rows", (long long)some.n,
                 (long long)k.dim[q.rank - 2]);
    check_tables(n);
    shape_put(&q, q.rank - 1, size_at(v, q.rank - 1));
    return q;
}

void fill_attend(const Node *n, struct attend_dims *d)
{
    Shape q = n->arg[0]->shape, v = n->arg[2]->shape;

    d->heads = dims_32(n, shape_product(q, 0, q.rank - 2));
    d->m = dims_32(n, q.dim[q.rank - 2]);
    d->d = dims_32(n, q.dim[q.rank - 1]);
    d->e = dims_32(n, v.dim[q.rank - 1]);
    d->n = dims_32(n, product_rows(n).n);
    d->rows = dims_32(n, v.dim[q.rank - 2]);
    d->shift = (int32_t)attr_int(n, A_shift);
    d->lo = dims_32(n, attr_int(n, A_lo));
    d->hi = dims_32(n, attr_int(n, A_hi));
    d->p0 = dims_32(n, attr_int(n, A_p0));
    d->p1 = dims_32(n, attr_int(n, A_p1));
    d->most = dims_32(n, node_arg(n, "powers")->hi);
}

int64_t macs_attend(const Node *n)
{
    struct attend_dims d;

    fill_attend(n, &d);
    return (int64_t)d.heads * d.m * d.n * ((int64_t)d.d + d.e);
}
