/* What values each channel of each value can take.
 *
 * range.c bounds whole tensors; here the same interval arithmetic is done for
 * every channel by itself, so that a channel whose span is a single number is
 * known to be constant whatever the input: its weights are all zero, or it is
 * clipped to one number, or all that it is made of is constant.  Float spans
 * are a number or nothing known.
 *
 * The channels are an axis that follows from the operators: axis 1 after a
 * convolution, the last one after a matrix product, and so on along.  Where it
 * cannot be followed a value has axis -1 and one span for all.  Padding that
 * differs from what it pads widens a span: at the border the channel is not
 * constant. */
#include "pass/span.h"

#include <math.h>
#include <string.h>

/* --- sums over weights --- */
/* --- elementwise --- */

/* The channel axis of the operands, all of which agree; -1 if there is none
 * or they do not. */
static int map_axis(const Spans *p, const Node *n)
{
    int i, axis = -1, rank = n->res[0]->shape.rank;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];
        int a;

        if (!v || is_const(v) || p->all[v->id].axis < 0)
            continue;
        a = p->all[v->id].axis + rank - v->shape.rank;
        if (axis >= 0 && a != axis)
            return -1;
        axis = a;
    }
    return axis;
}

static Span map_operand(const Spans *p, const Node *n, int i, int axis,
                        int64_t c)
{
    const Val *v = arg_of(n, i);

    if (!v)
        return span_unknown();
    if (is_const(v))
        return span_const(v, n->res[0]->shape.rank, axis, c);
    return span_at(p->all, v, axis - (n->res[0]->shape.rank - v->shape.rank),
                   c);
}

/* Any operator on one number per operand, by the kernel that defines it. */
static Span evaluated(Spans *p, const Node *n, const Span *s)
{
    Node one = *n;
    Val val[NARG], *arg[NARG] = {0}, y = *n->res[0];
    int64_t room[NARG + 1] = {0};
    void *data[NARG] = {0}, *res[NRES] = {&room[NARG]};
    int i;

    for (i = 0; i < n->narg; i++) {
        if (!n->arg[i])
            continue;
        if (!span_fixed(n->arg[i], s[i]))
            return span_unknown();
        val[i] = *n->arg[i];
        val[i].shape = shape_of(0, NULL);
        val[i].data = data[i] = &room[i];
        if (val_is_int(&val[i]))
            val_set(&val[i], 0, s[i].lo);
        else
            *(float *)data[i] = (float)s[i].real;
        arg[i] = &val[i];
    }
    one.arg = arg;
    one.res[0] = &y;
    y.shape = shape_of(0, NULL);
    if (!node_can_eval(&one))
        return span_unknown();
    node_eval(p->mem, &one, data, res);
    y.data = res[0];
    return span_element(&y, 0);
}

/* The epilogue's constants follow the shape here, not the channel number. */
static Span map_finished(const Node *n, Span s, const Span *arg)
{
    int mi = op_operand(n->op, "mul");

    if (mi > 0 && arg_of(n, mi))
        s = span_scale(n, s, arg[mi], arg[mi + 1],
                       arg_of(n, mi + 2) ? arg[mi + 2]
                                     : span_number(attr_int(n, A_shift)));
    return op_takes(n->op, "lo") ? span_clip(n, s) : s;
}

/* What is evaluated has its epilogue already. */
static Span map_span(Spans *p, const Node *n, const Span *s)
{
    switch (n->op) {
    case OP_quantize: case OP_dequantize: return span_unknown();
    case OP_add: return map_finished(n, span_add(s[0], s[1]), s);
    case OP_sub: return map_finished(n, span_add(s[0], span_neg(s[1])), s);
    case OP_mul: return map_finished(n, span_mul(s[0], s[1]), s);
    case OP_neg: return map_finished(n, span_neg(s[0]), s);
    case OP_clip: case OP_requant: return map_finished(n, s[0], s);
    default: return evaluated(p, n, s);
    }
}

static void spans_map(Spans *p, const Node *n)
{
    int axis = map_axis(p, n), i;
    Span s[NARG];
    Chans *k;
    int64_t c;

    if (axis < 0 || n->narg > NARG)
        return;
    k = span_channels(p, n->res[0], axis);
    for (c = 0; c < k->n; c++) {
        for (i = 0; i < n->narg; i++)
            s[i] = map_operand(p, n, i, axis, c);
        k->span[c] = map_span(p, n, s);
    }
}

/* --- windows, axes and movements --- */

static Span zero_joined(Span s)
{
    return span_join(s, (Span){0, 0, 0});
}

static void spans_pool(Spans *p, const Node *n)
{
    const Chans *in = &p->all[n->arg[0]->id];
    int64_t taps = attr_at(n, A_kernel, 0, 1) * attr_at(n, A_kernel, 1, 1), c;
    bool padded = !nothing_padded(n) || attr_int(n, A_ceil);
    Chans *k;

    if (in->axis != 1)
        return;
    k = span_channels(p, n->res[0], 1);
    for (c = 0; c < k->n; c++) {
        Span s = in->span[c];

        if (n->op == OP_sumpool)
            s = span_mul(padded ? zero_joined(s) : s,
                         (Span){(double)taps, taps, taps});
        else if (n->op == OP_avgpool && padded)
            s = zero_joined(s);
        k->span[c] = span_epilogue(n, s, c);
    }
}

static void spans_concat(Spans *p, const Node *n)
{
    int rank = n->res[0]->shape.rank, axis = map_axis(p, n);
    int along = node_axis(n, rank), i;
    int64_t c, at = 0;
    Chans *k;

    if (axis < 0)
        return;
    k = span_channels(p, n->res[0], axis);
    for (i = 0; i < n->narg; i++) {
        int64_t m = n->arg[i]->shape.dim[axis];

        for (c = 0; c < m; c++) {
            Span s = map_operand(p, n, i, axis, c);

            if (axis == along)
                k->span[at++] = s;
            else
                k->span[c] = i ? span_join(k->span[c], s) : s;
        }
    }
}

/* One to one, on the axis given; what `n` does along other axes is harmless. */
static void copy_spans(Spans *p, const Node *n, int axis)
{
    const Chans *in = &p->all[n->arg[0]->id];
    Chans *k = span_channels(p, n->res[0], axis);
    int64_t c;

    for (c = 0; c < k->n; c++)
        k->span[c] = in->span[c];
}

static void spans_pad(Spans *p, const Node *n)
{
    const Val *x = n->arg[0];
    int axis = p->all[x->id].axis, rank = x->shape.rank;
    Span pad = {attr_num(n, A_alpha), attr_int(n, A_p0), attr_int(n, A_p0)};
    int64_t c;

    if (attr_at(n, A_pad, axis, 0) || attr_at(n, A_pad, axis + rank, 0))
        return;
    copy_spans(p, n, axis);
    for (c = 0; attr_int(n, A_mode) == 0 && c < p->all[n->res[0]->id].n; c++)
        p->all[n->res[0]->id].span[c] =
            span_join(p->all[n->res[0]->id].span[c], pad);
}

static void spans_slice(Spans *p, const Node *n)
{
    int axis = p->all[n->arg[0]->id].axis;

    if (n->res[0]->shape.dim[axis] == n->arg[0]->shape.dim[axis] &&
        slice_step(n, axis) == 1)
        copy_spans(p, n, axis);
}

static void spans_transpose(Spans *p, const Node *n)
{
    int i, axis = p->all[n->arg[0]->id].axis;

    for (i = 0; i < n->res[0]->shape.rank; i++)
        if (attr_at(n, A_perm, i, n->res[0]->shape.rank - 1 - i) == axis)
            copy_spans(p, n, i);
}

/* Channels stay whole ([b,t,c] -> [bt,c]), or are cut up where the axes behind
 * them join them ([n,c,h,w] -> [n,chw]). */
static void spans_reshape(Spans *p, const Node *n)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    const Chans *in = &p->all[n->arg[0]->id];
    int64_t before = 1, got = 1, c;
    int i, each;
    Chans *k;

    for (i = 0; i < in->axis; i++)
        before *= x.dim[i];
    for (i = 0; i < y.rank && (got < before || y.dim[i] == 1) &&
                !(got == before && y.dim[i] == in->n); i++)
        got *= y.dim[i];
    if (i == y.rank || got != before || in->n < 1 || y.dim[i] % in->n ||
        !y.dim[i])
        return;
    each = (int)(y.dim[i] / in->n);
    k = span_channels(p, n->res[0], i);
    for (c = 0; c < k->n; c++)
        k->span[c] = in->span[c / each];
}

static void spans_reduce(Spans *p, const Node *n)
{
    const Chans *in = &p->all[n->arg[0]->id];
    int64_t count = val_count(n->arg[0]) / MAX(val_count(n->res[0]), 1), c;
    bool set[RANK];
    int i, axis = in->axis;
    Chans *k;

    node_axes(n, set);
    if (set[axis] || (n->op != OP_sum && n->op != OP_mean &&
                      n->op != OP_rmax && n->op != OP_rmin) ||
        (has_epilogue(n) && val_count(n->arg[1]) + val_count(n->arg[2]) > 2))
        return;
    for (i = 0; i < in->axis && !attr_int(n, A_keep); i++)
        axis -= set[i];
    k = span_channels(p, n->res[0], axis);
    for (c = 0; c < k->n; c++) {
        Span all = {(double)count, count, count};

        k->span[c] = in->span[c];
        if (n->op == OP_sum)
            k->span[c] = span_epilogue(n, span_mul(in->span[c], all), 0);
    }
}

static void spans_row(Spans *p, const Node *n)
{
    const Chans *in = &p->all[n->arg[0]->id];
    Chans *k;
    int64_t c;

    if (in->axis == node_axis(n, n->arg[0]->shape.rank))
        return;
    k = span_channels(p, n->res[0], in->axis);
    for (c = 0; c < k->n; c++)
        k->span[c] = span_unknown();
}

/* --- all --- */

static void spans_node(Spans *p, const Node *n)
{
    const Val *x = n->arg[0];
    bool known = x && p->all[x->id].axis >= 0;

    switch (op_info[n->op].family) {
    case FAM_conv:
    case FAM_convt:
        if (is_const(n->arg[1]) && !attr_int(n, A_last))
            (n->op == OP_conv ? spans_conv : spans_convt)(p, n);
        break;
    case FAM_matmul:
        if (is_const(n->arg[1]) && n->arg[1]->shape.rank == 2 &&
            !attr_int(n, A_transa))
            spans_matmul(p, n);
        break;
    case FAM_map: spans_map(p, n); break;
    case FAM_concat: spans_concat(p, n); break;
    case FAM_pool:
        if (known && !attr_int(n, A_last))
            spans_pool(p, n);
        break;
    case FAM_pad: if (known) spans_pad(p, n); break;
    case FAM_slice: if (known) spans_slice(p, n); break;
    case FAM_transpose: if (known) spans_transpose(p, n); break;
    case FAM_reshape: if (known) spans_reshape(p, n); break;
    case FAM_reduce: if (known) spans_reduce(p, n); break;
    case FAM_row: if (known) spans_row(p, n); break;
    default: break;
    }
}

/* What range.c knows of the whole holds for each part. */
static void narrow(Chans *k, const Val *v)
{
    int64_t c;

    if (k->axis < 0)
        return;
    for (c = 0; c < k->n; c++) {
        k->span[c].lo = span_clamp(k->span[c].lo, v->lo, v->hi);
        k->span[c].hi = span_clamp(k->span[c].hi, v->lo, v->hi);
        if (isinf(k->span[c].real))
            k->span[c].real = NAN;
    }
}

/* By Val.id, which must be valid. */
Chans *spans_of(Arena *mem, Graph *g)
{
    int i, nval = graph_nval(g);
    Spans p = {g, mem, NEWN(mem, Chans, (size_t)nval + 1)};
    Node *n;

    for (i = 0; i < nval; i++)
        p.all[i].axis = -1;
    for (n = g->first; n; n = n->next) {
        if (n->nres != 1 || (!g->exact && val_is_int(n->res[0])))
            continue;
        spans_node(&p, n);
        narrow(&p.all[n->res[0]->id], n->res[0]);
    }
    return p.all;
}
