/* Operators that go by indices or broadcast: gathers, fills, updates. */
#include "front/tflite/import.h"

static int64_t product(Shape s, int from, int to)
{
    int64_t n = 1;

    for (; from < to; from++)
        n *= s.dim[from];
    return n;
}

/* Indices of each of `groups` batches, seen among the rows of all: batch b has
 * `outer` places, each of n rows. */
static Val *among_all(Call *c, Val *i, int64_t groups, int64_t outer,
                      int64_t n)
{
    int64_t *first = NEWN(c->mem, int64_t, (size_t)(groups * outer) + 1), k;
    int64_t each = val_count(i) / MAX(1, groups);

    for (k = 0; k < groups * outer; k++)
        first[k] = k * n;
    i = to_shape(c, i, (Shape){.rank = 3, .dim = {groups, 1, each}});
    return op2(c, OP_add, i, ints(c, T_s64, (Shape){.rank = 3, .dim =
               {groups, outer, 1}}, first));
}

/* Each batch has indices of its own: rows of all are one axis. */
static Val *take_batches(Call *c, Val *x, Val *i, int axis, int batch)
{
    Shape s = x->shape, y = {0};
    int64_t groups = product(s, 0, batch), outer = product(s, batch, axis);
    int64_t rest = product(s, axis + 1, s.rank);
    int k;

    for (k = 0; k < batch; k++)
        if (i->shape.dim[k] != s.dim[k])
            call_err(c, "%d batch axes, of shape %s and %s", batch,
                     shape_str(c->mem, s), shape_str(c->mem, i->shape));
    for (k = 0; k < axis; k++)
        y.dim[y.rank++] = s.dim[k];
    for (k = batch; k < i->shape.rank && y.rank < RANK; k++)
        y.dim[y.rank++] = i->shape.dim[k];
    for (k = axis + 1; k < s.rank && y.rank < RANK; k++)
        y.dim[y.rank++] = s.dim[k];
    i = among_all(c, i, groups, outer, s.dim[axis]);
    x = to_shape(c, x, (Shape){.rank = 2, .dim =
                 {groups * outer * s.dim[axis], rest}});
    return to_shape(c, take(c, x, i, 0), y);
}

void lite_gather(Call *c)
{
    Val *x = plain(c, 0), *i = plain(c, 1);
    int axis = axis_of(c, option32(c, 0, 0), x->shape.rank);
    int64_t batch = option32(c, 1, 0);

    if (batch < 0)
        batch += i->shape.rank;
    if (batch < 0 || batch > MIN(axis, i->shape.rank) ||
        x->shape.rank + i->shape.rank - 1 - batch > RANK)
        call_err(c, "%lld batch axes of indices of shape %s; wanted at most "
                 "%d", (long long)batch, shape_str(c->mem, i->shape),
                 MIN(axis, i->shape.rank));
    give_plain(c, 0, batch ? take_batches(c, x, i, axis, (int)batch)
                           : take(c, x, i, axis));
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
