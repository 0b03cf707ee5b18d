/* Operators that go by indices or broadcast: gathers, fills, updates. */
#include "front/tflite/import.h"

void lite_gather(Call *c)
{
    Val *x = plain(c, 0), *i = plain(c, 1);
    int axis = axis_of(c, option32(c, 0, 0), x->shape.rank);

    if (option32(c, 1, 0))
        call_err(c, "%lld batch axes; wanted none",
                 (long long)option32(c, 1, 0));
    give_plain(c, 0, take(c, x, i, axis));
}

void lite_gather_nd(Call *c)
{
    give_plain(c, 0, op2(c, OP_gathernd, plain(c, 0), plain(c, 1)));
}

/* Rows of a table; of bytes, as the reals they stand for. */
void lite_embedding_lookup(Call *c)
{
    Val *x = plain(c, 1);
    const Tensor *t = need(c, 1);
    Node *n;

    if (val_is_int(x) && is_float(out(c, 0))) {
        if (zero_of(t))
            call_err(c, "'%s' has a zero point other than 0", t->name);
        x = take(c, x, plain(c, 0), 0);
        n = node_of(c, OP_dequantize, 2, x,
                    nums(c, (Shape){0}, &(float){(float)scale_of(c, t)}));
        give_plain(c, 0, done(c, n));
        return;
    }
    give_plain(c, 0, take(c, x, plain(c, 0), 0));
}

void lite_fill(Call *c)
{
    const Val *x = known(c, 1);
    int64_t list[RANK], n = list_at(c, 0, RANK, list);

    if (val_count(x) != 1)
        call_err(c, "%lld values; wanted one", (long long)val_count(x));
    give_plain(c, 0, spread(c, to_shape(c, plain(c, 1), (Shape){0}),
                            shape_told(c, x, n, list)));
}

void lite_broadcast_to(Call *c)
{
    int64_t list[RANK], n = list_at(c, 1, RANK, list);

    give_plain(c, 0, spread(c, plain(c, 0),
                            shape_told(c, plain(c, 0), n, list)));
}

static Shape listed(const Call *c, int i)
{
    Shape s = {0};

    s.rank = (int)list_at(c, i, RANK, s.dim);
    return s;
}

void lite_broadcast_args(Call *c)
{
    Shape y = broadcast(c, listed(c, 0), listed(c, 1));
    Shape s = {.rank = 1, .dim = {y.rank}};

    give_plain(c, 0, ints(c, T_s64, s, y.dim));
}

/* x with u at a place that is known: along each axis what is before, u's part,
 * and what is behind. */
static Val *replaced(Call *c, Val *x, Val *u, const int64_t *at, int axis)
{
    int64_t len, size;
    Val *v[3];
    int n = 0;

    if (axis == x->shape.rank)
        return u;
    size = x->shape.dim[axis];
    len = u->shape.dim[axis];
    if (at[axis] > 0)
        v[n++] = part(c, x, axis, 0, at[axis], 1);
    v[n++] = replaced(c, part(c, x, axis, at[axis], len, 1), u, at, axis + 1);
    if (at[axis] + len < size)
        v[n++] = part(c, x, axis, at[axis] + len, size - at[axis] - len, 1);
    return join(c, axis, n, v);
}

void lite_dynamic_update_slice(Call *c)
{
    Val *x = plain(c, 0), *u = plain(c, 1);
    int64_t at[RANK];
    int i, rank = x->shape.rank;

    if (list_at(c, 2, RANK, at) != rank || u->shape.rank != rank)
        call_err(c, "wanted %d places", rank);
    for (i = 0; i < rank; i++) {
        if (u->shape.dim[i] > x->shape.dim[i])
            call_err(c, "an update of shape %s of shape %s",
                     shape_str(c->mem, u->shape),
                     shape_str(c->mem, x->shape));
        at[i] = clamp64(at[i], 0, x->shape.dim[i] - u->shape.dim[i]);
    }
    give_plain(c, 0, replaced(c, x, u, at, 0));
}
