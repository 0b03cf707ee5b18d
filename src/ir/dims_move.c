/* What kernels that move elements are told: copies as nests of axes; padding,
 * gathering and scattering. */
#include "ir/dims.h"

#include <string.h>

/* t walks x in walker 0 and y in walker 1. */
static void put_copy(const Node *n, Nest *t, int64_t xo, int64_t yo,
                     struct copy_dims *d)
{
    nest_collapse(t, false);
    nest_sizes(n, t, 8, d->n);
    nest_strides(n, t, 0, 8, d->xs);
    nest_strides(n, t, 1, 8, d->ys);
    d->xo = dims_32(n, xo);
    d->yo = dims_32(n, yo);
}

void fill_transpose(const Node *n, struct copy_dims *d)
{
    Shape y = n->res[0]->shape;
    Nest t = {.rank = y.rank, .nwalk = 2};
    Len xs[RANK];
    int i;

    nest_dense(n->arg[0]->shape, xs);
    nest_dense(y, t.s[1]);
    for (i = 0; i < y.rank; i++) {
        t.n[i] = len_of(y, i);
        t.s[0][i] = xs[attr_at(n, A_perm, i, y.rank - 1 - i)];
    }
    put_copy(n, &t, 0, 0, d);
}

void fill_slice(const Node *n, struct copy_dims *d)
{
    Shape y = n->res[0]->shape;
    Nest t = {.rank = y.rank, .nwalk = 2};
    int64_t xo = 0;
    Len xs[RANK];
    int i;

    nest_dense(n->arg[0]->shape, xs);
    nest_dense(y, t.s[1]);
    for (i = 0; i < y.rank; i++) {
        t.n[i] = len_of(y, i);
        t.s[0][i] = len_times(xs[i], len_const(slice_step(n, i)));
        xo += xs[i].n * attr_at(n, A_start, i, 0);
    }
    put_copy(n, &t, xo, 0, d);
}

void fill_windows(const Node *n, struct copy_dims *d)
{
    Shape y = n->res[0]->shape;
    Nest t = {.rank = y.rank, .nwalk = 2};
    Len xs[RANK];
    int i;

    nest_dense(n->arg[0]->shape, xs);
    nest_dense(y, t.s[1]);
    nest_lens(y, t.n);
    t.s[0][0] = xs[0];
    t.s[0][5] = xs[3];
    for (i = 0; i < 2; i++) {
        t.s[0][1 + i] = len_times(xs[1 + i],
                                  len_const(attr_at(n, A_stride, i, 1)));
        t.s[0][3 + i] = len_times(xs[1 + i],
                                  len_const(attr_at(n, A_dilation, i, 1)));
    }
    put_copy(n, &t, 0, 0, d);
}

void fill_expand(const Node *n, struct copy_dims *d)
{
    Shape y = n->res[0]->shape;
    Nest t = {.rank = y.rank, .nwalk = 2};

    nest_lens(y, t.n);
    nest_broadcast(&t, 0, n->arg[0]);
    nest_dense(y, t.s[1]);
    put_copy(n, &t, 0, 0, d);
}

void dims_fill_concat(const Node *n, int i, Dims *d)
{
    Shape x = n->arg[i]->shape, y = n->res[0]->shape;
    Nest t = {.rank = x.rank, .nwalk = 2};
    int k, axis = node_axis(n, y.rank);
    int64_t before = 0;

    memset(d, 0, sizeof *d);
    for (k = 0; k < i; k++)
        before += n->arg[k]->shape.dim[axis];
    nest_lens(x, t.n);
    nest_dense(x, t.s[0]);
    nest_dense(y, t.s[1]);
    put_copy(n, &t, 0, before * t.s[1][axis].n, &d->copy);
}

void dims_fill_part(const Node *n, int i, Dims *d)
{
    memset(d, 0, sizeof *d);
    if (n->op == OP_concat)
        dims_fill_concat(n, i, d);
    else
        dims_fill(n, d);
}

/* An axis that is not padded joins the one before. */
void fill_pad(const Node *n, struct pad_dims *d)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int64_t before[RANK], inner;
    int i, k, rank = x.rank;
    bool constant = !attr_int(n, A_mode);

    for (i = 0; i < rank; i++)
        before[i] = attr_at(n, A_pad, i, 0);
    for (i = rank - 2; i >= 0; i--) {
        if (x.dim[i + 1] != y.dim[i + 1] ||
            (!constant && x.dim[i] != y.dim[i]))
            continue;
        inner = x.dim[i + 1];
        x.dim[i] *= inner;
        y.dim[i] *= inner;
        before[i] *= inner;
        for (k = i + 1; k + 1 < rank; k++) {
            x.dim[k] = x.dim[k + 1];
            y.dim[k] = y.dim[k + 1];
            before[k] = before[k + 1];
        }
        rank--;
    }
    for (i = 0; i < 8; i++) {
        k = i - 8 + rank;
        d->n[i] = k < 0 ? 1 : dims_32(n, y.dim[k]);
        d->xn[i] = k < 0 ? 1 : dims_32(n, x.dim[k]);
        d->before[i] = k < 0 ? 0 : dims_32(n, before[k]);
    }
    d->p0 = dims_32(n, attr_int(n, A_p0));
    d->alpha = (float)attr_num(n, A_alpha);
    d->mode = (int32_t)attr_int(n, A_mode);
}

bool node_is_far(const Node *n)
{
    return n->op == OP_gather && attr_int(n, A_mode) == 1;
}

void fill_gather(const Node *n, struct gather_dims *d)
{
    Shape x = n->arg[0]->shape;
    int axis = node_axis(n, x.rank);

    d->outer = dims_32(n, shape_product(x, 0, axis));
    d->n = dims_32(n, val_count(n->arg[1]));
    d->inner = dims_32(n, shape_product(x, axis + 1, x.rank));
    d->len = dims_32(n, x.dim[axis]);
    d->mode = dims_32(n, attr_int(n, A_mode));
}

void fill_elements(const Node *n, struct elements_dims *d)
{
    Shape x = n->arg[0]->shape, i = n->arg[1]->shape;
    int64_t stride[RANK];
    int k, at;

    dims_dense(x, stride);
    for (k = 0; k < 8; k++) {
        at = k - 8 + x.rank;
        d->n[k] = at < 0 ? 1 : dims_32(n, i.dim[at]);
        d->xn[k] = at < 0 ? 1 : dims_32(n, x.dim[at]);
        d->xs[k] = at < 0 ? 0 : dims_32(n, stride[at]);
    }
    d->axis = node_axis(n, x.rank) + 8 - x.rank;
    d->mode = dims_32(n, attr_int(n, A_mode));
}

void fill_nd(const Node *n, struct nd_dims *d)
{
    Shape x = n->arg[0]->shape, i = n->arg[1]->shape;
    int batch = (int)attr_int(n, A_p0), k = (int)i.dim[i.rank - 1], j;
    int64_t stride[RANK];

    dims_dense(x, stride);
    d->batch = dims_32(n, shape_product(x, 0, batch));
    d->count = dims_32(n, shape_product(i, batch, i.rank - 1));
    d->k = k;
    d->inner = dims_32(n, shape_product(x, batch + k, x.rank));
    for (j = 0; j < k; j++) {
        d->len[j] = dims_32(n, x.dim[batch + j]);
        d->stride[j] = dims_32(n, stride[batch + j]);
    }
    d->xbatch = dims_32(n, shape_product(x, batch, x.rank));
    d->mode = dims_32(n, attr_int(n, A_mode));
}

void fill_taps(const Node *n, struct taps_dims *d)
{
    Shape x = n->arg[0]->shape, i = n->arg[1]->shape;
    int axis = node_axis(n, x.rank);

    d->outer = dims_32(n, shape_product(x, 0, axis));
    d->n = dims_32(n, i.dim[0]);
    d->inner = dims_32(n, shape_product(x, axis + 1, x.rank));
    d->len = dims_32(n, x.dim[axis]);
    d->taps = dims_32(n, i.dim[1]);
}
