/* Factors and addends next to a product with constant weights go into it:
 *
 *     y = conv x w                    v = w times s, by output channel
 *     z = mul y s               ->    u = conv x v t
 *     u = add z t
 *
 * and likewise a factor before it, by input channel.  An addend before it
 * becomes a bias, unless the convolution pads: at the border some taps see the
 * padding, which had no addend.  Batch normalization, imported as mul and add,
 * disappears this way.  Only float weights are scaled (integer ones would grow
 * out of their type); biases are added to integer products as well, where
 * integers are exact.  Neighbouring factors, and addends, become one. */
#include "pass/pass.h"

/* The constant operand of a product, or -1 if it has none. */
static int weight_index(const Node *p)
{
    if (is_const(p->arg[1]))
        return 1;
    return p->op == OP_matmul && is_const(p->arg[0]) ? 0 : -1;
}

static bool is_product(const Node *p)
{
    return (p->op == OP_conv || p->op == OP_convt || p->op == OP_matmul) &&
           !has_epilogue(p) && !has_clip(p) && !attr_int(p, A_last) &&
           weight_index(p) >= 0;
}

/* How element i of the weights is numbered by channels: rows of outer, each
 * of n channels, each of inner elements; groups of channels for conv, convt. */
typedef struct Numbering {
    int64_t inner, n, group, per; /* channel += i / group * per */
} Numbering;

static int64_t channel(const Numbering *k, int64_t i)
{
    return i / k->inner % k->n + (k->group ? i / k->group * k->per : 0);
}

static Numbering matmul_numbering(const Node *p, bool out)
{
    int wi = weight_index(p);
    const Val *w = p->arg[wi];
    bool swapped = attr_int(p, wi ? A_transb : A_transa);
    int64_t row = dim_from_end(w, 1), col = dim_from_end(w, 0);

    if ((wi == 1) == (out != swapped))
        return (Numbering){1, col, 0, 0};
    return (Numbering){col, row, 0, 0};
}

static Numbering conv_numbering(const Node *p, bool out)
{
    const Val *w = p->arg[1];
    int64_t a = w->shape.dim[0], b = w->shape.dim[1], g = attr_int(p, A_group);
    int64_t taps = val_count(w) / MAX(a * b, 1), each = b * taps;

    if (out == (p->op == OP_conv))
        return (Numbering){each, a, 0, 0};
    return (Numbering){taps, b, each * (a / g), b};
}

/* Which output (or input) channel each weight belongs to. */
static Numbering numbering(const Node *p, bool out)
{
    return p->op == OP_matmul ? matmul_numbering(p, out)
                              : conv_numbering(p, out);
}

/* The axis of the result (or operand) that the channels are. */
static int channel_axis(const Node *p, const Val *v, bool out)
{
    if (p->op != OP_matmul)
        return 1;
    if (weight_index(p) == 1)
        return v->shape.rank - 1;
    return v->shape.rank - (out ? 2 : 1);
}

static void scale_weights(Graph *g, Node *p, const Val *s, bool out)
{
    int wi = weight_index(p);
    const Val *w = p->arg[wi];
    Numbering k = numbering(p, out);
    Val *v = graph_const(g, w->name, T_f32, w->shape, w->data);
    float *y = v->data, *f = s->data;
    int64_t i, n = val_count(v), each = val_count(s) > 1;

    for (i = 0; i < n; i++)
        y[i] *= f[channel(&k, i) * each];
    edit_arg(g, p, wi, v);
}

/* c as the bias operand of p wants it: of conv a vector of all channels, of
 * matmul something that broadcasts to its last two axes. */
static Val *as_bias(Graph *g, const Node *p, const Val *c)
{
    const Shape *y = &p->res[0]->shape;
    Shape s = {.rank = MIN(c->shape.rank, 2)};
    int64_t n = y->dim[1], i;
    Val *b;

    if (p->op == OP_matmul) {
        for (i = 0; i < s.rank; i++)
            s.dim[s.rank - 1 - i] = dim_from_end(c, (int)i);
        return const_as(g, c, s);
    }
    b = const_vector(g, c->name, n, c->type);
    for (i = 0; i < n; i++) {
        int64_t at = val_count(c) > 1 ? i : 0;

        if (c->type == T_f32)
            ((float *)b->data)[i] = ((float *)c->data)[at];
        else
            val_set(b, i, val_int(c, at));
    }
    b->lo = c->lo;
    b->hi = c->hi;
    return b;
}

static bool fits_bias(const Node *p, const Val *c)
{
    Shape s = p->res[0]->shape;
    int i;

    if (p->op != OP_matmul)
        return along_axis(c, s, 1);
    for (i = 2; i < c->shape.rank; i++)
        if (dim_from_end(c, i) != 1)
            return false;
    return fits_in(c, s);
}

/* Adds (or takes away) c; false if that does not fit 32 bits. */
static bool add_bias(Graph *g, Node *p, const Val *c, char sign)
{
    const Val *old = arg_of(p, 2);
    Val *zero = graph_const(g, c->name, c->type, shape_of(0, NULL), NULL);
    Val *b;

    if (old && !is_const(old))
        return false;
    b = as_bias(g, p, c);
    b = const_op(g, old ? old : zero, b, sign);
    if (!b || b->type == T_s64)
        return false;
    edit_arg(g, p, 2, b);
    return true;
}

static bool real(const Node *n)
{
    return n->res[0]->type == T_f32;
}

static Val *reciprocal(Graph *g, const Val *c)
{
    Val *r = graph_const(g, c->name, T_f32, c->shape, c->data);
    float *y = r->data;
    int64_t i;

    for (i = 0; i < val_count(r); i++)
        y[i] = 1 / y[i];
    return r;
}

static bool scale_after(Graph *g, Node *n, Node *p, const Val *c)
{
    const Val *b = arg_of(p, 2);

    if (!real(n) || (b && !is_const(b)) || 
        !along_axis(c, p->res[0]->shape,
                    channel_axis(p, p->res[0], true)))
        return false;
    scale_weights(g, p, c, true);
    if (b)
        edit_arg(g, p, 2, const_op(g, b, as_bias(g, p, c), '*'));
    return true;
}

/* n: an operator on the product p and the constant c. */
static bool join_after(Graph *g, Node *n, Node *p, const Val *c)
{
    switch (n->op) {
    case OP_mul:
        return scale_after(g, n, p, c);
    case OP_div:
        return real(n) && scale_after(g, n, p, reciprocal(g, c));
    case OP_add:
    case OP_sub:
        return (real(n) || g->exact) && fits_bias(p, c) &&
               add_bias(g, p, c, n->op == OP_sub ? '-' : '+');
    default:
        return false;
    }
}

/* Splits n into operand and constant; false if it is not that, or has an
 * epilogue, or broadcasts the operand. */
static bool with_const(const Node *n, Val **x, Val **c)
{
    bool either = n->op == OP_add || n->op == OP_mul;

    if ((n->op != OP_sub && n->op != OP_div && !either) || n->narg > 2 ||
        has_clip(n))
        return false;
    *x = n->arg[0];
    *c = n->arg[1];
    if (either && is_const(*x)) {
        *x = n->arg[1];
        *c = n->arg[0];
    }
    return is_const(*c) && !is_const(*x) && fits_in(*c, (*x)->shape) &&
           (*c)->type != T_none &&
           (val_is_int(*c) || ((*c)->type == T_f32 && (*x)->type == T_f32));
}

static bool after(Graph *g, Node *n)
{
    Val *x, *c;
    Node *p;

    if (!with_const(n, &x, &c))
        return false;
    p = sole_producer(x);
    if (!p || !is_product(p) || !join_after(g, n, p, c))
        return false;
    edit_take(g, p, n);
    return true;
}

/* bias += sum of weights times c, over the input channels. */
static bool shift_before(Graph *g, Node *p, const Val *c)
{
    Val *w = p->arg[1], *sum;
    Numbering in = numbering(p, false), out = numbering(p, true);
    int64_t i, n = val_count(w), each = val_count(c) > 1;
    int64_t nout = p->op == OP_matmul ? dim_from_end(p->res[0], 0)
                                      : p->res[0]->shape.dim[1];

    if (p->op == OP_convt || !nothing_padded(p) ||
        (p->op == OP_matmul && w->shape.rank != 2))
        return false;
    sum = const_vector(g, c->name, nout, T_f32);
    for (i = 0; i < n; i++)
        ((float *)sum->data)[channel(&out, i)] +=
            ((float *)w->data)[i] * ((float *)c->data)[channel(&in, i) * each];
    if (p->op != OP_matmul)
        sum = const_as(g, sum, SHAPE(nout, 1, 1));
    if (p->op != OP_matmul && p->res[0]->shape.rank == 3)
        sum = const_as(g, sum, SHAPE(nout, 1));
    return add_bias(g, p, sum, '+');
}

/* A factor or addend on what the product p reads. */
static bool before(Graph *g, Node *p)
{
    Node *n = sole_producer(p->arg[0]);
    Val *x, *c;

    if (!n || !is_product(p) || !real(p) || weight_index(p) != 1 ||
        attr_int(p, A_transa) || (n->op != OP_mul && n->op != OP_add) ||
        !with_const(n, &x, &c) ||
        !along_axis(c, x->shape, channel_axis(p, x, false)))
        return false;
    if (n->op == OP_mul)
        scale_weights(g, p, c, false);
    else if (!shift_before(g, p, c))
        return false;
    edit_arg(g, p, 0, x);
    node_infer(g, p);
    return true;
}

/* (x + b) + c, (x * b) * c: one constant. */
static bool chain(Graph *g, Node *n)
{
    Val *x, *c, *y, *b, *both;
    Node *p;

    if ((n->op != OP_add && n->op != OP_mul) || !with_const(n, &x, &c))
        return false;
    p = sole_producer(x);
    if (!p || p->op != n->op || !with_const(p, &y, &b) ||
        (!g->exact && !real(n)) || (b->type == T_f32) != (c->type == T_f32))
        return false;
    both = const_op(g, b, c, n->op == OP_add ? '+' : '*');
    if (!both || val_count(both) > MAX(val_count(b), val_count(c)))
        return false;
    edit_pair(g, n, y, both);
    node_infer(g, n);
    return true;
}

void pass_affine(Graph *g)
{
    Node *n, *next;

    for (n = g->first; n; n = next) {
        next = n->next;
        if (after(g, n) || before(g, n))
            continue;
        chain(g, n);
    }
}
