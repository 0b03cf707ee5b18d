/* Random networks of integers, as quantizers write them, of sizes that do not
 * fit into a few kilobytes: convolutions of all kinds with channels that divide
 * nothing, products, pools, rows, moves; residuals, several inputs and
 * outputs.  Weights are drawn so that values keep to about a quarter of their
 * range; every result is brought back to 8 bits by a requant of its own, which
 * the passes may fuse. */
#ifndef TILES_H
#define TILES_H

#include "ir/ir.h"
#include "test/lib/rng.h"

#include <math.h>
#include <string.h>

enum { MOST_ELEMENTS = 60000, MOST_MACS = 1000000 };

typedef struct Draw {
    Graph *g;
    Rng *r;
    Val *val[64]; /* of 8 bits */
    int nval;
    int64_t macs;
    bool line;    /* each layer reads the one before, where it can */
    bool wide;    /* rows are too long for tiles of one */
} Draw;

static Val *keep_val(Draw *d, Node *n)
{
    node_infer(d->g, n);
    d->macs += node_macs(n);
    return d->val[d->nval++] = n->res[0];
}

static Node *draw_node(Draw *d, OpCode op, int n, Val *const *arg)
{
    return graph_node(d->g, NULL, op, NULL, n, arg);
}

/* A value of one of these ranks, often a recent one; NULL: none. */
static Val *some_val(Draw *d, int least, int most)
{
    int i, back = pick(d->r, 3) ? MIN(d->nval, 2) : d->nval;
    int first = d->line ? 0 : pick(d->r, back);

    for (i = 0; i < d->nval; i++) {
        Val *v = d->val[d->nval - 1 - (first + i) % d->nval];

        if (v->shape.rank >= least && v->shape.rank <= most)
            return v;
    }
    return NULL;
}

static Val *draw_const(Draw *d, Type t, Shape s, int lo, int hi)
{
    Val *v = graph_const(d->g, NULL, t, s, NULL);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        val_set(v, i, between(d->r, lo, hi));
    val_narrow(v);
    return v;
}

/* What a multiplier and an addend are given for: everything, each channel
 * (axis 1), or each column. */
static Shape per_what(Draw *d, Shape s)
{
    Shape per = {.rank = 1, .dim = {1}};

    if (s.rank < 2 || !pick(d->r, 3))
        return per;
    if (s.rank == 2) {
        per.dim[0] = s.dim[1];
        return per;
    }
    per.rank = s.rank - 1;
    per.dim[0] = s.dim[1];
    for (int i = 1; i < per.rank; i++)
        per.dim[i] = 1;
    return per;
}

/* x, whose elements are of about the magnitude `size`, to 8 bits. */
static Val *narrow(Draw *d, Val *x, double size)
{
    Shape per = per_what(d, x->shape);
    int shift = between(d->r, 10, 22);
    int mul = (int)fmax(1, fmin(1 << 22, ldexp(45 / size, shift)));
    int add = 20 << shift >> 1 << 1;
    int least = pick(d->r, 2) ? -128 : 0;
    Val *arg[3] = {x, draw_const(d, T_s32, per, mul - mul / 3, mul + mul / 3),
                   draw_const(d, T_s32, per, -add, add)};
    Node *n = draw_node(d, OP_requant, 3, arg);

    attr_set_int(d->g, n, A_shift, shift);
    attr_set_int(d->g, n, A_lo, least);
    attr_set_int(d->g, n, A_hi, least + 255);
    return keep_val(d, n);
}

/* The result of n, of which nobody knows but the requant behind it. */
static Val *inner(Draw *d, Node *n)
{
    node_infer(d->g, n);
    d->macs += node_macs(n);
    return n->res[0];
}

/* A number of channels: round, or one that divides nothing. */
static int some_channels(Draw *d)
{
    return pick(d->r, 2) ? 8 * between(d->r, 1, 8) : between(d->r, 1, 70);
}

static Shape shape4(int64_t a, int64_t b, int64_t c, int64_t e)
{
    return (Shape){.rank = 4, .dim = {a, b, c, e}};
}

static int64_t window_end(int64_t size, int64_t k, int64_t gap, int64_t pads,
                          int64_t stride)
{
    int64_t room = size + pads - (k - 1) * gap - 1;

    return room < 0 ? 0 : room / stride + 1;
}

typedef struct Window {
    int64_t k[2], stride[2], gap[2], pad[4];
    int64_t out; /* elements of a channel */
} Window;

/* A window that fits x, [N,C,H,W]; false: none was found. */
static bool draw_window(Draw *d, const Val *x, int most, Window *w)
{
    int i, same = between(d->r, 1, most);

    w->out = 1;
    for (i = 0; i < 2; i++) {
        w->k[i] = pick(d->r, 3) ? same : between(d->r, 1, most);
        w->stride[i] = pick(d->r, 3) ? 1 : between(d->r, 1, 3);
        w->gap[i] = pick(d->r, 6) ? 1 : 2;
        w->pad[i] = pick(d->r, 3) ? w->k[i] / 2 : pick(d->r, (int)w->k[i]);
        w->pad[i + 2] = pick(d->r, 3) ? w->pad[i] : pick(d->r, (int)w->k[i]);
        w->out *= window_end(x->shape.dim[2 + i], w->k[i], w->gap[i],
                             w->pad[i] + w->pad[i + 2], w->stride[i]);
    }
    return w->out > 0;
}

static void set_window(Draw *d, Node *n, const Window *w)
{
    attr_set_list(d->g, n, A_stride, 2, w->stride);
    attr_set_list(d->g, n, A_dilation, 2, w->gap);
    attr_set_list(d->g, n, A_pad, 4, w->pad);
}

/* A divisor of c. */
static int64_t some_group(Draw *d, int64_t c)
{
    int64_t g = between(d->r, 1, (int)c);

    while (c % g)
        g--;
    return g;
}

static void draw_conv(Draw *d)
{
    static const int kernel[] = {1, 1, 3, 3, 3, 5, 7};
    Val *x = some_val(d, 4, 4), *arg[2];
    int64_t c, m = some_channels(d), group, fan;
    Window w;
    Node *n;

    if (!x || !draw_window(d, x, kernel[pick(d->r, 7)], &w))
        return;
    c = x->shape.dim[1];
    group = pick(d->r, 3) ? 1 : pick(d->r, 3) ? c : some_group(d, c);
    m = group == c && pick(d->r, 4) ? c : group * MAX(1, m / group);
    fan = c / group * w.k[0] * w.k[1];
    if (x->shape.dim[0] * m * w.out * fan > MOST_MACS ||
        m * w.out > MOST_ELEMENTS)
        return;
    arg[0] = x;
    arg[1] = draw_const(d, T_s8, shape4(m, c / group, w.k[0], w.k[1]), -127,
                        127);
    n = draw_node(d, OP_conv, 2, arg);
    set_window(d, n, &w);
    attr_set_int(d->g, n, A_group, group);
    narrow(d, inner(d, n), sqrt((double)fan) * 74 * 50);
}

static void draw_pool(Draw *d)
{
    Val *x = some_val(d, 4, 4);
    Window w;
    Node *n;

    if (!x || !draw_window(d, x, 4, &w))
        return;
    if (x->shape.dim[0] * x->shape.dim[1] * w.out > MOST_ELEMENTS)
        return;
    n = draw_node(d, pick(d->r, 2) ? OP_maxpool : OP_avgpool, 1, &x);
    w.gap[0] = w.gap[1] = 1;
    set_window(d, n, &w);
    attr_set_list(d->g, n, A_kernel, 2, w.k);
    keep_val(d, n);
}

static void draw_mean(Draw *d)
{
    static const int64_t space[] = {2, 3}, rows[] = {1};
    Val *x = some_val(d, 3, 4);
    Node *n;

    if (!x || d->nval < 4)
        return;
    n = draw_node(d, OP_mean, 1, &x);
    attr_set_list(d->g, n, A_axes, x->shape.rank == 4 ? 2 : 1,
                  x->shape.rank == 4 ? space : rows);
    attr_set_int(d->g, n, A_keep, pick(d->r, 2));
    keep_val(d, n);
}

static void draw_linear(Draw *d)
{
    Val *x = some_val(d, 2, 4), *arg[3];
    int64_t k, rows, m = some_channels(d);
    Node *n;

    if (!x)
        return;
    k = x->shape.dim[x->shape.rank - 1];
    rows = val_count(x) / k;
    if (k * m > 20000 || rows * k * m > MOST_MACS || rows * m > MOST_ELEMENTS)
        return;
    arg[0] = x;
    arg[1] = draw_const(d, T_s8, (Shape){.rank = 2, .dim = {k, m}}, -127, 127);
    arg[2] = draw_const(d, T_s32, (Shape){.rank = 1, .dim = {m}}, -4000, 4000);
    n = draw_node(d, OP_matmul, 2 + pick(d->r, 2), arg);
    narrow(d, inner(d, n), sqrt((double)k) * 74 * 50);
}

static Val *swapped(Draw *d, Val *x)
{
    int64_t perm[RANK];
    int i, rank = x->shape.rank;
    Node *n = draw_node(d, OP_transpose, 1, &x);

    for (i = 0; i < rank; i++)
        perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    attr_set_list(d->g, n, A_perm, rank, perm);
    return inner(d, n);
}

/* x x' or x' x, as attention has it. */
static void draw_product(Draw *d)
{
    Val *x = some_val(d, 2, 4), *arg[2];
    bool first = pick(d->r, 2);
    int64_t k, m;

    if (!x)
        return;
    k = x->shape.dim[x->shape.rank - 1 - first];
    m = x->shape.dim[x->shape.rank - 2 + first];
    if (val_count(x) * m > MOST_MACS || val_count(x) / k * m > MOST_ELEMENTS)
        return;
    arg[first] = x;
    arg[!first] = swapped(d, x);
    narrow(d, inner(d, draw_node(d, OP_matmul, 2, arg)),
           sqrt((double)k) * 50 * 50);
}

static Val *alike(Draw *d, const Val *v)
{
    int i, first = pick(d->r, d->nval);

    for (i = 0; i < d->nval; i++) {
        Val *w = d->val[(first + i) % d->nval];

        if (w != v && shape_same(w->shape, v->shape))
            return w;
    }
    return NULL;
}

/* Mostly a residual: two values brought to a common scale, or not. */
static void draw_add(Draw *d)
{
    static const OpCode op[] = {OP_add, OP_add, OP_add, OP_sub, OP_mul};
    Val *x = some_val(d, 1, 4), *y = alike(d, x), *arg[2];
    OpCode o = op[pick(d->r, LEN(op))];

    if (!y)
        y = draw_const(d, T_s8, pick(d->r, 2) ? x->shape
                       : (Shape){.rank = 1, .dim = {1}}, -100, 100);
    arg[0] = x;
    arg[1] = y;
    if (pick(d->r, 2)) {
        arg[0] = narrow(d, x, 60);
        d->nval--;
    }
    narrow(d, inner(d, draw_node(d, o, 2, arg)), o == OP_mul ? 3000 : 80);
}

static void draw_softmax(Draw *d, Val *x)
{
    Node *n = draw_node(d, OP_isoftmax, 1, &x);

    attr_set_int(d->g, n, A_p0, 1);
    attr_set_int(d->g, n, A_p1, between(d->r, 20, 200));
    attr_set_int(d->g, n, A_p2, between(d->r, 100, 9000));
    attr_set_int(d->g, n, A_p3, between(d->r, 3, 99));
    attr_set_int(d->g, n, A_hi, 255);
    keep_val(d, n);
}

static void draw_norm(Draw *d, Val *x, bool centred)
{
    Shape row = {.rank = 1, .dim = {x->shape.dim[x->shape.rank - 1]}};
    Val *arg[3] = {x, draw_const(d, T_s8, row, -127, 127),
                   draw_const(d, T_s32, row, -2000, 2000)};
    Node *n = draw_node(d, centred ? OP_ilayernorm : OP_irmsnorm, 2 + centred,
                        arg);

    attr_set_int(d->g, n, A_shift, between(d->r, 1, 4));
    attr_set_int(d->g, n, A_lo, -128);
    attr_set_int(d->g, n, A_hi, 127);
    keep_val(d, n);
}

static void draw_gelu(Draw *d, Val *x)
{
    Node *n = draw_node(d, OP_igelu, 1, &x);

    attr_set_int(d->g, n, A_p0, -between(d->r, 20, 127));
    attr_set_int(d->g, n, A_p1, between(d->r, 2000, 16000));
    narrow(d, inner(d, n), 60 * 8000);
}

static void draw_itamax(Draw *d, Val *x)
{
    Node *n;

    if (x->lo < -128 || x->hi > 127)
        return;
    n = draw_node(d, OP_itamax, 1, &x);
    attr_set_int(d->g, n, A_hi, 255);
    keep_val(d, n);
}

static void draw_row(Draw *d)
{
    Val *x = some_val(d, 2, 4);

    if (!x)
        return;
    switch (pick(d->r, 5)) {
    case 0: draw_softmax(d, x); break;
    case 1: draw_norm(d, x, true); break;
    case 2: draw_norm(d, x, false); break;
    case 3: draw_gelu(d, x); break;
    default: draw_itamax(d, x);
    }
}

static void draw_transpose(Draw *d)
{
    Val *x = some_val(d, 2, 4);
    int64_t perm[RANK];
    int i, j;
    Node *n;

    if (!x)
        return;
    for (i = 0; i < x->shape.rank; i++) {
        j = pick(d->r, i + 1);
        perm[i] = perm[j];
        perm[j] = i;
    }
    n = draw_node(d, OP_transpose, 1, &x);
    attr_set_list(d->g, n, A_perm, x->shape.rank, perm);
    keep_val(d, n);
}

/* Pixels to a sequence, or all of a sample to a row. */
static void draw_reshape(Draw *d)
{
    Val *x = some_val(d, 3, 4);
    int64_t dim[3];
    Node *n;

    if (!x)
        return;
    dim[0] = x->shape.dim[0];
    dim[1] = x->shape.dim[1];
    dim[2] = val_count(x) / dim[0] / dim[1];
    n = draw_node(d, OP_reshape, 1, &x);
    if (pick(d->r, 3) || dim[1] * dim[2] > 2000) {
        attr_set_list(d->g, n, A_shape, 3, dim);
    } else {
        dim[1] *= dim[2];
        attr_set_list(d->g, n, A_shape, 2, dim);
    }
    keep_val(d, n);
}

static void draw_slice(Draw *d)
{
    Val *x = some_val(d, 2, 4);
    int64_t start[RANK] = {0}, step[RANK], count[RANK];
    int axis, size, i;
    Node *n;

    if (!x)
        return;
    for (i = 0; i < x->shape.rank; i++) {
        step[i] = 1;
        count[i] = x->shape.dim[i];
    }
    axis = pick(d->r, x->shape.rank);
    size = (int)x->shape.dim[axis];
    start[axis] = pick(d->r, (size + 1) / 2);
    step[axis] = pick(d->r, 4) ? 1 : 2;
    count[axis] = MAX(1, (size - start[axis]) / step[axis]);
    n = draw_node(d, OP_slice, 1, &x);
    attr_set_list(d->g, n, A_start, x->shape.rank, start);
    attr_set_list(d->g, n, A_step, x->shape.rank, step);
    attr_set_list(d->g, n, A_count, x->shape.rank, count);
    keep_val(d, n);
}

static void draw_concat(Draw *d)
{
    Val *x = some_val(d, 2, 4), *arg[3];
    int i, n;
    Node *made;

    if (!x)
        return;
    n = between(d->r, 2, 3);
    if (n * val_count(x) > MOST_ELEMENTS)
        return;
    for (i = 0; i < n; i++)
        arg[i] = alike(d, x);
    arg[pick(d->r, n)] = x;
    for (i = 0; i < n; i++)
        arg[i] = arg[i] ? arg[i] : x;
    made = draw_node(d, OP_concat, n, arg);
    attr_set_int(d->g, made, A_axis, pick(d->r, 2) ? 1
                                     : pick(d->r, x->shape.rank));
    keep_val(d, made);
}

static void draw_pad(Draw *d)
{
    Val *x = some_val(d, 3, 4);
    int64_t pad[2 * RANK] = {0};
    int i, rank;
    Node *n;

    if (!x || val_count(x) > MOST_ELEMENTS / 4)
        return;
    rank = x->shape.rank;
    for (i = 1; i < rank; i++) {
        pad[i] = pick(d->r, 3);
        pad[rank + i] = pick(d->r, 3);
    }
    n = draw_node(d, OP_pad, 1, &x);
    attr_set_list(d->g, n, A_pad, 2 * rank, pad);
    attr_set_int(d->g, n, A_p0, between(d->r, -9, 9));
    keep_val(d, n);
}

static void draw_inputs(Draw *d)
{
    int i, n = between(d->r, 1, 3);

    for (i = 0; i < n; i++) {
        int c = between(d->r, 1, 48), h = between(d->r, 4, 40);
        int w = between(d->r, 4, MIN(40, 4 + 30000 / c / h));
        Shape s;
        Val *v;

        if (d->wide) {
            c = 1 + c % 16;
            h = 3 + h % 3;
            w = MIN(1600, MOST_ELEMENTS / c / h);
        }
        s = shape4(1, c, h, w);
        if (i && pick(d->r, 2))
            s = d->val[0]->shape;
        else if (!pick(d->r, 4))
            s = (Shape){.rank = 3, .dim = {1 + pick(d->r, 2), h, w}};
        v = graph_val(d->g, NULL, pick(d->r, 2) ? T_s8 : T_u8, s);
        graph_input(d->g, v);
        d->val[d->nval++] = v;
    }
}

/* What nobody reads, and now and then what somebody does. */
static void draw_outputs(Draw *d)
{
    int i;

    graph_uses(d->g);
    for (i = 0; i < d->nval; i++)
        if (d->val[i]->def && (!d->val[i]->nuse || !pick(d->r, 12)))
            graph_output(d->g, d->val[i]);
    graph_sweep(d->g);
}

/* A network of about `size` layers; NULL: nothing came of it. */
static Graph *draw_network(Arena *a, Rng *r, int size)
{
    static void (*const draw[])(Draw *) = {
        draw_conv, draw_conv, draw_conv, draw_conv, draw_conv, draw_conv,
        draw_pool, draw_mean,
        draw_linear, draw_linear, draw_product, draw_add, draw_add, draw_row,
        draw_transpose, draw_reshape, draw_slice, draw_concat, draw_pad,
    };
    Draw d = {.g = graph_new(a, "drawn"), .r = r, .wide = r->s % 7 == 1};
    int tries;

    d.g->exact = true;
    d.line = !pick(r, 2);
    draw_inputs(&d);
    for (tries = 0; d.nval < size + d.g->nin && tries < 4 * size; tries++)
        if (d.macs < 3 * MOST_MACS)
            draw[pick(r, LEN(draw))](&d);
    draw_outputs(&d);
    if (!d.g->nout)
        return NULL;
    graph_check(d.g, "draw");
    return d.g;
}

#endif
