/* Reductions, softmax and sums along an axis. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

/* What nothing at all comes to. */
static Val *of_nothing(Call *c, OpCode op, int n, const int64_t *axes,
                       bool keep)
{
    Shape x = c->arg[0]->shape, s = {0};
    bool gone[RANK] = {false};
    double v = 0;
    Val *y;
    int i;

    for (i = 0; i < n; i++)
        gone[axes[i]] = true;
    for (i = 0; i < x.rank; i++)
        if (!gone[i] && n)
            s.dim[s.rank++] = x.dim[i];
        else if (keep)
            s.dim[s.rank++] = 1;
    if (op == OP_prod)
        v = 1;
    else if (op == OP_rmin)
        v = INFINITY;
    else if (op == OP_rmax || op == OP_logsum || op == OP_logsumexp)
        v = -INFINITY;
    else if (op == OP_mean)
        call_err(c, "the mean of no elements");
    if (val_is_int(c->arg[0]) && isinf(v))
        v = v < 0 ? (double)type_info[c->arg[0]->type].lo
                  : (double)type_info[c->arg[0]->type].hi;
    y = num_like(c, c->arg[0], v);
    return shape_count(s) ? spread(c, y, s)
                          : graph_const(c->g, NULL, y->type, s, NULL);
}

/* Axes as an operand or attribute; none means all, or nothing at all. */
void import_reduce(Call *c)
{
    Val *x = c->arg[0];
    int64_t axes[RANK];
    int n = list_of(c, 1, "axes", RANK, axes);

    axes_of(c, n, axes, x->shape.rank);
    if (n <= 0 && call_int(c, "noop_with_empty_axes", 0)) {
        give(c, 0, x);
        return;
    }
    if (!val_count(x)) {
        give(c, 0, of_nothing(c, op_named(c), MAX(0, n), axes,
                              call_int(c, "keepdims", 1)));
        return;
    }
    if (!x->shape.rank)
        x = to_rank(c, x, 1, 0);
    x = reduce(c, op_named(c), x, MAX(0, n), axes,
               c->arg[0]->shape.rank && call_int(c, "keepdims", 1));
    give(c, 0, x);
}

void import_integermean(Call *c)
{
    int64_t axes[RANK];
    int n = list_of(c, 1, "axes", RANK, axes);

    axes_of(c, n, axes, c->arg[0]->shape.rank);
    give(c, 0, reduce(c, OP_mean, c->arg[0], MAX(0, n), axes,
                      call_int(c, "keepdims", 1)));
}

void import_arg(Call *c) /* ArgMax, ArgMin */
{
    Val *x = c->arg[0];
    int64_t axis = axis_of(c, call_int(c, "axis", 0), x->shape.rank);
    OpCode op = strcmp(onnx(c)->row->name, "ArgMax") ? OP_argmin : OP_argmax;
    Node *n = node_of(c, op, 1, x);

    attr_set_list(c->g, n, A_axes, 1, &axis);
    attr_set_int(c->g, n, A_keep, call_int(c, "keepdims", 1));
    if (call_int(c, "select_last_index", 0))
        attr_set_int(c->g, n, A_mode, 1);
    give(c, 0, done(c, n));
}

static Val *along(Call *c, OpCode op, Val *x, int axis)
{
    Node *n = node_of(c, op, 1, x);

    attr_set_int(c->g, n, A_axis, axis);
    return done(c, n);
}

/* Before opset 13 all axes from `axis` on were one row.  Without the attribute
 * exporters of that time meant the last axis, though ONNX said 1: the second
 * is believed only where it makes a difference that can be meant, that is,
 * where all axes behind it have one element. */
static bool rows_of_many(const Call *c, const Val *x, int *axis)
{
    int i, rank = x->shape.rank;

    if (onnx(c)->opset >= 13 || !rank) {
        *axis = axis_of(c, call_int(c, "axis", -1), MAX(rank, 1));
        return false;
    }
    if (call_has(c, "axis")) {
        *axis = axis_of(c, call_int(c, "axis", 1), rank);
        return *axis != rank - 1;
    }
    for (i = 2; i < rank && x->shape.dim[i] == 1; i++)
        ;
    *axis = i >= rank && rank > 1 ? 1 : rank - 1;
    return false;
}

void import_softmax(Call *c) /* LogSoftmax, Hardmax */
{
    Val *x = c->arg[0], *y;
    int axis, i;
    Shape s = {.rank = 2, .dim = {1, 1}};

    if (!rows_of_many(c, x, &axis)) {
        y = x->shape.rank ? x : to_rank(c, x, 1, 0);
        y = along(c, op_named(c), y, axis);
        give(c, 0, to_shape(c, y, x->shape));
        return;
    }
    for (i = 0; i < x->shape.rank; i++)
        s.dim[i >= axis] *= x->shape.dim[i];
    y = along(c, op_named(c), to_shape(c, x, s), 1);
    give(c, 0, to_shape(c, y, x->shape));
}

void import_cumsum(Call *c)
{
    Val *x = c->arg[0];
    int64_t axis;
    Node *n;

    if (arg_ints(c, 1, 1, &axis) != 1)
        call_err(c, "axis is not one number");
    n = node_of(c, OP_cumsum, 1, x);
    attr_set_int(c->g, n, A_axis, axis_of(c, axis, x->shape.rank));
    if (call_int(c, "exclusive", 0))
        attr_set_int(c->g, n, A_exclusive, 1);
    if (call_int(c, "reverse", 0))
        attr_set_int(c->g, n, A_reverse, 1);
    give(c, 0, done(c, n));
}
