/* Operators that pick or place elements by index. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

static Val *by_index(Call *c, OpCode op, Val *x, Val *i, int axis)
{
    Node *n = node_of(c, op, 2, x, i);

    attr_set_int(c->g, n, A_axis, axis);
    return done(c, n);
}

void import_gather(Call *c)
{
    int axis = axis_of(c, call_int(c, "axis", 0), c->arg[0]->shape.rank);

    give(c, 0, take(c, c->arg[0], c->arg[1], axis));
}

void import_gatherelements(Call *c)
{
    int axis = axis_of(c, call_int(c, "axis", 0), c->arg[0]->shape.rank);

    give(c, 0, by_index(c, OP_gatherelem, c->arg[0], c->arg[1], axis));
}

void import_gathernd(Call *c)
{
    Node *n = node_of(c, OP_gathernd, 2, c->arg[0], c->arg[1]);
    int64_t batch = call_int(c, "batch_dims", 0);

    if (batch)
        attr_set_int(c->g, n, A_p0, batch);
    give(c, 0, done(c, n));
}

static int reduction(const Call *c)
{
    static const char *const modes[] = {"none", "add", "mul", "max", "min"};
    const char *mode = call_str(c, "reduction", "none");
    int i;

    for (i = 0; i < (int)LEN(modes); i++)
        if (!strcmp(modes[i], mode))
            return i;
    call_err(c, "reduction is '%s'", mode);
}

void import_scatter(Call *c) /* ScatterElements */
{
    int axis = axis_of(c, call_int(c, "axis", 0), c->arg[0]->shape.rank);
    Node *n = node_of(c, OP_scatterelem, 3, c->arg[0], c->arg[1], c->arg[2]);

    attr_set_int(c->g, n, A_axis, axis);
    if (reduction(c))
        attr_set_int(c->g, n, A_mode, reduction(c));
    give(c, 0, done(c, n));
}

void import_scatternd(Call *c)
{
    Node *n = node_of(c, OP_scatternd, 3, c->arg[0], c->arg[1], c->arg[2]);

    if (reduction(c))
        attr_set_int(c->g, n, A_mode, reduction(c));
    give(c, 0, done(c, n));
}

/* 0, 1, ... n-1 along an axis of a tensor of some rank. */
static Val *counting(Call *c, const Val *like, int rank, int axis, int64_t n)
{
    Shape s = {.rank = 1, .dim = {n}};
    int64_t *v, i;
    Val *y;

    room(c, n);
    v = NEWN(c->mem, int64_t, (size_t)n + 1);
    for (i = 0; i < n; i++)
        v[i] = i;
    y = ints(c, val_is_int(like) ? like->type : T_s64, s, v);
    if (!val_is_int(like))
        y = cast(c, y, T_f32);
    return to_rank(c, y, rank, axis);
}

/* Where the index, brought into 0..depth-1, equals its place on the axis. */
void import_onehot(Call *c)
{
    Val *i = c->arg[0], *values = c->arg[2], *on, *off;
    int64_t depth;
    int axis = axis_of(c, call_int(c, "axis", -1), i->shape.rank + 1), d;
    Shape s = {.rank = i->shape.rank + 1};

    if (arg_ints(c, 1, 1, &depth) != 1 || depth < 1 || depth > 1 << 24)
        call_err(c, "depth is not one positive number");
    if (s.rank > RANK || val_count(values) != 2)
        call_err(c, "wanted two values and at most %d dimensions", RANK);
    if (val_is_int(i) && type_info[i->type].bytes < 4 && !c->g->exact)
        i = cast(c, i, T_s32);
    i = op3(c, OP_where, op2(c, OP_less, i, num_like(c, i, 0)),
            op_num(c, OP_add, i, (double)depth), i);
    for (d = 0; d < s.rank; d++)
        s.dim[d] = d == axis ? 1 : i->shape.dim[d - (d > axis)];
    i = to_shape(c, i, s);
    i = op2(c, OP_equal, i, counting(c, i, s.rank, axis, depth));
    values = to_rank(c, values, 1, 0);
    off = to_rank(c, part(c, values, 0, 0, 1, 1), 0, 0);
    on = to_rank(c, part(c, values, 0, 1, 1, 1), 0, 0);
    give(c, 0, op3(c, OP_where, i, on, off));
}

/* The triangle is a mask that is known. */
void import_trilu(Call *c)
{
    Val *x = c->arg[0], *mask;
    int rank = x->shape.rank;
    int64_t k = 0, rows, cols, i, j;
    bool upper = call_int(c, "upper", 1);
    Shape s = {.rank = 2};

    if (rank < 2)
        call_err(c, "input has %d dimensions; wanted 2 or more", rank);
    arg_ints(c, 1, 1, &k);
    rows = s.dim[0] = x->shape.dim[rank - 2];
    cols = s.dim[1] = x->shape.dim[rank - 1];
    k = MAX(-rows - 1, MIN(cols + 1, k));
    mask = blank(c, T_b8, s);
    for (i = 0; i < rows; i++)
        for (j = 0; j < cols; j++)
            val_set(mask, i * cols + j, upper ? j - i >= k : j - i <= k);
    mask->hi = 1;
    give(c, 0, op3(c, OP_where, mask, x, num_like(c, x, 0)));
}

/* The condition must be known: then it is a gather. */
void import_compress(Call *c)
{
    Val *x = c->arg[0], *cond = arg_known(c, 1);
    int64_t *at = NEWN(c->mem, int64_t, (size_t)val_count(cond) + 1), i;
    Shape s = {.rank = 1};
    bool flat = !call_has(c, "axis");
    int axis = flat ? 0 : axis_of(c, call_int(c, "axis", 0), x->shape.rank);

    if (flat)
        x = to_rank(c, x, 1, 0);
    for (i = 0; i < MIN(val_count(cond), x->shape.dim[axis]); i++)
        if (val_num(cond, i) != 0)
            at[s.dim[0]++] = i;
    if (!s.dim[0])
        call_err(c, "nothing is left of the input");
    give(c, 0, take(c, x, ints(c, T_s64, s, at), axis));
}

void import_nonzero(Call *c)
{
    const Val *x = arg_known(c, 0);
    int rank = x->shape.rank, d;
    int64_t n = val_count(x), i, rest, count = 0, *at;
    Shape s = {.rank = 2};

    for (i = 0; i < n; i++)
        count += val_num(x, i) != 0;
    s.dim[0] = rank;
    s.dim[1] = count;
    at = NEWN(c->mem, int64_t, (size_t)(rank * count) + 1);
    for (i = 0, count = 0; i < n; i++) {
        if (val_num(x, i) == 0)
            continue;
        for (d = rank, rest = i; d-- > 0; rest /= x->shape.dim[d])
            at[d * s.dim[1] + count] = rest % x->shape.dim[d];
        count++;
    }
    give(c, 0, ints(c, T_s64, s, at));
}

/* For every place of the first n axes of s: where it is, on each of the first
 * n - 1 of them. */
static Val *coordinates(Call *c, Type t, Shape s, int n)
{
    int64_t *v, i, rest, count;
    int k, rank = n - 1;

    s.rank = n;
    count = shape_count(s);
    room(c, count * rank);
    v = NEWN(c->mem, int64_t, (size_t)(count * rank) + 1);
    for (i = 0; i < count; i++)
        for (k = rank, rest = i / s.dim[n - 1]; k-- > 0; rest /= s.dim[k])
            v[i * rank + k] = rest % s.dim[k];
    s.dim[s.rank++] = rank;
    return ints(c, t, s, v);
}

/* Where the steps of an update go along its axis of n elements: those of each
 * batch from its own number on. */
static Val *steps(Call *c, Val *from, Shape update, int axis, int64_t n)
{
    Val *at = counting(c, from, axis + 2, axis, update.dim[axis]);

    at = op2(c, OP_add, at, to_rank(c, from, axis + 2, 0));
    if (!strcmp(call_str(c, "mode", "linear"), "circular"))
        at = op_num(c, OP_mod, at, (double)n);
    update.rank = axis + 1;
    update.dim[update.rank++] = 1;
    return spread(c, at, update);
}

/* An update of a cache, by tuples of indices up to the axis of its steps. */
void import_tensorscatter(Call *c)
{
    Val *x = c->arg[0], *u = c->arg[1], *from = arg_at(c, 2), *at[2];
    int axis = axis_of(c, call_int(c, "axis", -2), x->shape.rank);
    Shape want = x->shape;

    if (u->shape.rank == want.rank)
        want.dim[axis] = MIN(u->shape.dim[axis], want.dim[axis]);
    if (!axis || !shape_same(u->shape, want) ||
        (from && val_count(from) != want.dim[0]))
        call_err(c, "an update of shape %s for a cache of %s along axis %d; "
                 "wanted the same but for that axis, which is not the first, "
                 "and a write index for each batch",
                 shape_str(c->mem, u->shape),
                 shape_str(c->mem, x->shape), axis);
    if (!from)
        from = blank(c, T_s64, SHAPE(want.dim[0]));
    at[0] = coordinates(c, from->type, want, axis + 1);
    at[1] = steps(c, from, want, axis, x->shape.dim[axis]);
    give(c, 0, done(c, node_of(c, OP_scatternd, 3, x,
                               join(c, axis + 1, 2, at), u)));
}

/* x with an axis and the last in each other's place. */
static Val *axis_last(Call *c, Val *x, int axis)
{
    int64_t order[RANK];
    int i, last = x->shape.rank - 1;

    for (i = 0; i < x->shape.rank; i++)
        order[i] = i == axis ? last : i == last ? axis : i;
    return perm(c, x, order);
}

void import_topk(Call *c)
{
    Val *x = c->arg[0], *at;
    int64_t k = call_int(c, "k", 0);
    int axis = axis_of(c, call_int(c, "axis", -1), x->shape.rank);
    int last = x->shape.rank - 1;
    Node *n;

    if (!call_has(c, "k"))
        arg_ints(c, 1, 1, &k);
    if (k < 1 || k > x->shape.dim[axis])
        call_err(c, "the best %lld of %lld", (long long)k,
                 (long long)x->shape.dim[axis]);
    x = axis_last(c, x, axis);
    n = node_of(c, OP_topk, 1, x);
    attr_set_int(c->g, n, A_p0, k);
    if (!call_int(c, "largest", 1))
        attr_set_int(c->g, n, A_mode, 1);
    at = done(c, n);
    give(c, 0, axis_last(c, by_index(c, OP_gatherelem, x, at, last), axis));
    give(c, 1, axis_last(c, at, axis));
}

/* Each batch has its own known length; what lies behind stays. */
void import_reversesequence(Call *c)
{
    Val *x = c->arg[0], *lens = arg_known(c, 1);
    int batch = axis_of(c, call_int(c, "batch_axis", 1), x->shape.rank);
    int time = axis_of(c, call_int(c, "time_axis", 0), x->shape.rank);
    int64_t n = x->shape.dim[batch], t = x->shape.dim[time], i, len;
    Val **parts = NEWN(c->mem, Val *, (size_t)n + 1), *two[2], *v;

    if (val_count(lens) != n)
        call_err(c, "%lld lengths for %lld sequences",
                 (long long)val_count(lens), (long long)n);
    for (i = 0; i < n; i++) {
        if (!(val_num(lens, i) >= 0 && val_num(lens, i) <= (double)t))
            call_err(c, "a length of %g in %lld steps", val_num(lens, i),
                     (long long)t);
        len = (int64_t)val_num(lens, i);
        v = part(c, x, batch, i, 1, 1);
        parts[i] = v;
        if (len < 2)
            continue;
        two[0] = part(c, v, time, len - 1, len, -1);
        two[1] = len < t ? part(c, v, time, len, t - len, 1) : NULL;
        parts[i] = join(c, time, two[1] ? 2 : 1, two);
    }
    give(c, 0, join(c, batch, (int)n, parts));
}
