/* A softmax of bytes along the last axis, on the grid of all that it can be: by
 * a table of exp() of each distance from the greatest, in 31 bits,
 *
 *     y = round(t[d] levels / sum of t) + zero
 *
 * whose quotients are exact.  float32 differs from that by some 1e-7 of a
 * result; where a result is that near to a half it may round otherwise. */
#include "quant/lower.h"

#include <math.h>

enum { BYTES = 256 };

/* Steps from 0 to 1, if they are a whole number but for a rounding; else 0. */
static int64_t levels_of(const Grid *to)
{
    double n = 1 / (double)to->scale, whole = rint(n);

    return fabs(n - whole) < n * 0x1p-23 && whole >= 1 && whole <= BYTES
           ? (int64_t)whole : 0;
}

static Val *table(Graph *g, double step)
{
    Val *t = graph_const(g, "exp", T_s32, SHAPE(BYTES), NULL);
    int64_t d;

    for (d = 0; d < BYTES; d++)
        val_set(t, d, (int64_t)fmin(rint(exp(-(double)d * step) * 0x1p31),
                                    INT32_MAX));
    val_range(t);
    return t;
}

bool lower_softmax(Graph *g, Node *q, const Val *x, const Grid *to)
{
    const Node *n = x->def;
    const TypeInfo *y = &type_info[attr_int(q, A_to)];
    Real r;

    if (!n || n->op != OP_softmax || y->bytes != 1 || to->zero != y->lo ||
        to->lo != y->lo || to->hi != y->hi || !levels_of(to) ||
        !real_of(n->arg[0], &r) || !real_uniform(&r) || r.v->data ||
        type_info[r.v->type].bytes != 1 || !(real_scale(&r, 0) > 0) ||
        node_axis(n, r.v->shape.rank) != r.v->shape.rank - 1)
        return false;
    q->op = OP_qsoftmax;
    q->arg[0] = r.v;
    q->arg[1] = table(g, (double)real_scale(&r, 0));
    q->narg = 2;
    q->origin = n->origin;
    attr_drop(q, A_to);
    attr_set_int(g, q, A_p0, 8);
    attr_set_int(g, q, A_p2, levels_of(to));
    attr_set_int(g, q, A_lo, to->lo);
    attr_set_int(g, q, A_hi, to->hi);
    node_infer(g, q);
    return true;
}
