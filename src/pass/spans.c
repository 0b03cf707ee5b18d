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
#include "pass/pass.h"

#include <math.h>
#include <string.h>

typedef struct Spans {
    Graph *g;
    Arena *mem;
    Chans *all; /* by Val.id */
} Spans;

static Span nothing(void)
{
    return (Span){NAN, INT64_MIN, INT64_MAX};
}

static Span number(int64_t v)
{
    return (Span){NAN, v, v};
}

bool span_fixed(const Val *v, Span s)
{
    return val_is_int(v) ? s.lo == s.hi : !isnan(s.real);
}

static Span join(Span a, Span b)
{
    return (Span){a.real == b.real ? a.real : NAN, MIN(a.lo, b.lo),
                  MAX(a.hi, b.hi)};
}

static Span sum(Span a, Span b)
{
    return (Span){(float)(a.real + b.real), sat_add(a.lo, b.lo),
                  sat_add(a.hi, b.hi)};
}

static Span product(Span a, Span b)
{
    int64_t p = sat_mul(a.lo, b.lo), q = sat_mul(a.lo, b.hi);
    int64_t r = sat_mul(a.hi, b.lo), s = sat_mul(a.hi, b.hi);

    return (Span){(float)(a.real * b.real), MIN(MIN(p, q), MIN(r, s)),
                  MAX(MAX(p, q), MAX(r, s))};
}

static Span negative(Span a)
{
    return (Span){-a.real, a.hi == INT64_MIN ? INT64_MAX : -a.hi,
                  a.lo == INT64_MIN ? INT64_MAX : -a.lo};
}

static int64_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static double clampf(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v; /* of NaN: NaN */
}

static Span clipped(const Node *n, Span a)
{
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi);

    return (Span){clampf(a.real, attr_num(n, A_flo), attr_num(n, A_fhi)),
                  clamp(a.lo, lo, hi), clamp(a.hi, lo, hi)};
}

static Span of_const(const Val *v, int64_t i)
{
    return val_is_int(v) ? number(val_int(v, i))
                         : (Span){val_num(v, i), 0, 0};
}

/* The span of place c of that axis of v; where v's channels are not that axis,
 * one for all. */
static Span span_at(const Chans *all, const Val *v, int axis, int64_t c)
{
    const Chans *k = &all[v->id];

    if (axis >= 0 && k->axis == axis)
        return k->span[k->n > 1 ? c : 0];
    return val_is_int(v) ? (Span){NAN, v->lo, v->hi} : nothing();
}

/* Of a constant that broadcasts to rank axes: all its elements at place c of
 * the axis. */
static Span const_span(const Val *v, int rank, int axis, int64_t c)
{
    int64_t inner = 1, d, i, j, n = val_count(v);
    int k, from_end = rank - 1 - axis;
    Span s;

    if (!n)
        return nothing();
    for (k = 0; k < from_end && k < v->shape.rank; k++)
        inner *= dim_from_end(v, k);
    d = dim_from_end(v, from_end);
    c = d > 1 ? c * inner : 0;
    s = of_const(v, c);
    for (i = c; i < n; i += d * inner)
        for (j = 0; j < inner; j++)
            s = join(s, of_const(v, i + j));
    return s;
}

/* Factor, addend and shift; sums below 0 may get less added (kern/kern.h). */
static Span scaled(const Node *n, Span s, Span mul, Span add, Span shift)
{
    bool round = attr_int(n, A_round) && shift.hi > ROUND_SHIFT;
    Span y;

    if (round && s.lo < 0)
        add.lo = sat_add(add.lo, -ROUND_LESS);
    if (round && s.hi < 0 && shift.lo > ROUND_SHIFT)
        add.hi = sat_add(add.hi, -ROUND_LESS);
    y = sum(product(s, mul), add);
    if (y.lo == INT64_MIN || y.hi == INT64_MAX)
        return y;
    return (Span){y.real, MIN(y.lo >> shift.lo, y.lo >> shift.hi),
                  MAX(y.hi >> shift.lo, y.hi >> shift.hi)};
}

static Span const_at(const Val *v, int64_t c)
{
    return number(val_int(v, val_count(v) > 1 ? c : 0));
}

/* The epilogue: a factor, addend and shift per channel, then the clip. */
static Span finished(const Node *n, Span s, int64_t c)
{
    const Val *mul = node_arg(n, "mul"), *add = node_arg(n, "add");
    const Val *shifts = node_arg(n, "shifts");

    if (mul && (!is_const(mul) || !is_const(add) ||
                (shifts && !is_const(shifts))))
        return clipped(n, nothing());
    if (mul)
        s = scaled(n, s, const_at(mul, c), const_at(add, c),
                   shifts ? const_at(shifts, c) : number(attr_int(n, A_shift)));
    return clipped(n, s);
}

static Chans *channels(Spans *p, const Val *v, int axis)
{
    Chans *k = &p->all[v->id];

    k->axis = axis;
    k->n = v->shape.dim[axis];
    k->span = NEWN(p->mem, Span, (size_t)MAX(k->n, 1));
    return k;
}

/* --- sums over weights --- */

/* The weights between one channel and another, added up by sign. */
typedef struct Taps {
    bool any; /* one is not zero */
    int64_t pos, neg;
    double real;
} Taps;

static void add_tap(Taps *t, int64_t v)
{
    t->pos += v > 0 ? v : 0;
    t->neg += v > 0 ? 0 : v;
    t->any |= v != 0;
}

static void add_real(Taps *t, double v)
{
    t->real += v;
    t->any |= v != 0;
}

/* Of n channels: `taps` weights each, from number `at` on, `step` on from one
 * channel to the next. */
static void taps_of(const Val *w, int64_t at, int64_t n, int64_t step,
                    int64_t taps, Taps *to)
{
    int64_t i, j;

    memset(to, 0, (size_t)n * sizeof *to);
#define EACH(type, add)                                                \
    for (i = 0; i < n; i++, at += step)                                \
        for (j = 0; j < taps; j++)                                     \
            add(&to[i], ((const type *)w->data)[at + j])
    switch (w->type) {
    case T_f32: EACH(float, add_real); break;
    case T_s8: EACH(int8_t, add_tap); break;
    default:
        for (i = 0; i < n; i++, at += step)
            for (j = 0; j < taps; j++)
                add_tap(&to[i], val_int(w, at + j));
    }
}

#undef EACH

/* The taps times a channel that may also read as `pad` at the border. */
static Span term(Span x, Taps t, bool padded, int64_t pad)
{
    Span edge = {0, pad, pad};

    if (!t.any)
        return (Span){0, 0, 0};
    if (padded)
        x = join(x, edge);
    return (Span){(float)(x.real * t.real),
                  sat_add(sat_mul(x.lo, t.pos), sat_mul(x.hi, t.neg)),
                  sat_add(sat_mul(x.hi, t.pos), sat_mul(x.lo, t.neg))};
}

static Span bias(const Val *b, int64_t c)
{
    if (!b)
        return (Span){0, 0, 0};
    if (!is_const(b))
        return nothing();
    return of_const(b, val_count(b) > 1 ? c : 0);
}

static Taps *room_for_taps(Spans *p, int64_t n)
{
    return NEWN(p->mem, Taps, (size_t)MAX(n, 1));
}

static void spans_conv(Spans *p, const Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    int64_t each = w->shape.dim[1], m, i, pad = attr_int(n, A_padvalue);
    int64_t taps = val_count(w) / MAX(w->shape.dim[0] * each, 1);
    int64_t per = w->shape.dim[0] / attr_int(n, A_group);
    bool padded = !nothing_padded(n);
    Chans *k = channels(p, n->res[0], 1);
    Taps *t = room_for_taps(p, each);

    for (m = 0; m < k->n; m++) {
        Span s = bias(arg_of(n, 2), m);

        taps_of(w, m * each * taps, each, taps, taps, t);
        for (i = 0; i < each; i++)
            s = sum(s, term(span_at(p->all, x, 1, m / per * each + i), t[i],
                            padded, pad));
        k->span[m] = finished(n, s, m);
    }
}

/* Taps that reach no element give nothing, so everything counts as padded. */
static void spans_convt(Spans *p, const Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    int64_t per = w->shape.dim[1], c = w->shape.dim[0];
    int64_t taps = val_count(w) / MAX(c * per, 1), m, i, first;
    int64_t each = c / attr_int(n, A_group);
    Chans *k = channels(p, n->res[0], 1);
    Taps *t = room_for_taps(p, each);

    for (m = 0; m < k->n; m++) {
        Span s = bias(arg_of(n, 2), m);

        first = m / per * each;
        taps_of(w, (first * per + m % per) * taps, each, per * taps, taps, t);
        for (i = 0; i < each; i++) {
            /* of the taps any part may count */
            t[i].real = NAN;
            s = sum(s, term(span_at(p->all, x, 1, first + i), t[i], true, 0));
        }
        k->span[m] = finished(n, s, m);
    }
}

static void spans_matmul(Spans *p, const Node *n)
{
    const Val *a = n->arg[0], *b = n->arg[1], *c = arg_of(n, 2);
    int rank = n->res[0]->shape.rank, depth_axis = a->shape.rank - 1;
    Chans *k = channels(p, n->res[0], rank - 1);
    bool swapped = attr_int(n, A_transb);
    int64_t depth = b->shape.dim[swapped], i, m;
    Taps *t = room_for_taps(p, depth);

    for (m = 0; m < k->n; m++) {
        Span s = !c ? (Span){0, 0, 0}
                 : is_const(c) ? const_span(c, rank, rank - 1, m) : nothing();

        taps_of(b, swapped ? m * depth : m, depth, swapped ? 1 : k->n, 1, t);
        for (i = 0; i < depth; i++)
            s = sum(s, term(span_at(p->all, a, depth_axis, i), t[i], false,
                            0));
        k->span[m] = clipped(n, has_epilogue(n) ? nothing() : s);
    }
}

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
        return nothing();
    if (is_const(v))
        return const_span(v, n->res[0]->shape.rank, axis, c);
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
            return nothing();
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
        return nothing();
    node_eval(p->mem, &one, data, res);
    y.data = res[0];
    return of_const(&y, 0);
}

/* The epilogue's constants follow the shape here, not the channel number. */
static Span map_finished(const Node *n, Span s, const Span *arg)
{
    int mi = op_operand(n->op, "mul");

    if (mi > 0 && arg_of(n, mi))
        s = scaled(n, s, arg[mi], arg[mi + 1],
                   arg_of(n, mi + 2) ? arg[mi + 2]
                                     : number(attr_int(n, A_shift)));
    return op_takes(n->op, "lo") ? clipped(n, s) : s;
}

/* What is evaluated has its epilogue already. */
static Span map_span(Spans *p, const Node *n, const Span *s)
{
    switch (n->op) {
    case OP_quantize: case OP_dequantize: return nothing();
    case OP_add: return map_finished(n, sum(s[0], s[1]), s);
    case OP_sub: return map_finished(n, sum(s[0], negative(s[1])), s);
    case OP_mul: return map_finished(n, product(s[0], s[1]), s);
    case OP_neg: return map_finished(n, negative(s[0]), s);
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
    k = channels(p, n->res[0], axis);
    for (c = 0; c < k->n; c++) {
        for (i = 0; i < n->narg; i++)
            s[i] = map_operand(p, n, i, axis, c);
        k->span[c] = map_span(p, n, s);
    }
}

/* --- windows, axes and movements --- */

static Span zero_joined(Span s)
{
    return join(s, (Span){0, 0, 0});
}

static void spans_pool(Spans *p, const Node *n)
{
    const Chans *in = &p->all[n->arg[0]->id];
    int64_t taps = attr_at(n, A_kernel, 0, 1) * attr_at(n, A_kernel, 1, 1), c;
    bool padded = !nothing_padded(n) || attr_int(n, A_ceil);
    Chans *k;

    if (in->axis != 1)
        return;
    k = channels(p, n->res[0], 1);
    for (c = 0; c < k->n; c++) {
        Span s = in->span[c];

        if (n->op == OP_sumpool)
            s = product(padded ? zero_joined(s) : s,
                        (Span){(double)taps, taps, taps});
        else if (n->op == OP_avgpool && padded)
            s = zero_joined(s);
        k->span[c] = finished(n, s, c);
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
    k = channels(p, n->res[0], axis);
    for (i = 0; i < n->narg; i++) {
        int64_t m = n->arg[i]->shape.dim[axis];

        for (c = 0; c < m; c++) {
            Span s = map_operand(p, n, i, axis, c);

            if (axis == along)
                k->span[at++] = s;
            else
                k->span[c] = i ? join(k->span[c], s) : s;
        }
    }
}

/* One to one, on the axis given; what `n` does along other axes is harmless. */
static void copy_spans(Spans *p, const Node *n, int axis)
{
    const Chans *in = &p->all[n->arg[0]->id];
    Chans *k = channels(p, n->res[0], axis);
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
            join(p->all[n->res[0]->id].span[c], pad);
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
    k = channels(p, n->res[0], i);
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
    k = channels(p, n->res[0], axis);
    for (c = 0; c < k->n; c++)
        k->span[c] = n->op == OP_sum
                         ? finished(n, product(in->span[c],
                                               (Span){(double)count, count,
                                                      count}), 0)
                         : in->span[c];
}

static void spans_row(Spans *p, const Node *n)
{
    const Chans *in = &p->all[n->arg[0]->id];
    Chans *k;
    int64_t c;

    if (in->axis == node_axis(n, n->arg[0]->shape.rank))
        return;
    k = channels(p, n->res[0], in->axis);
    for (c = 0; c < k->n; c++)
        k->span[c] = nothing();
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
        k->span[c].lo = clamp(k->span[c].lo, v->lo, v->hi);
        k->span[c].hi = clamp(k->span[c].hi, v->lo, v->hi);
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
