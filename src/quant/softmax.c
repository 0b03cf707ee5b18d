/* A softmax of bytes along the last axis, on the grid of all that it can be: by
 * a table of exp() of each distance from the greatest, in 31 bits,
 *
 *     y = round(t[d] levels / sum of t) + zero
 *
 * whose quotients are exact, if levels, 1 / scale, are a whole number; else
 * round(t[d] 256 / (sum of t 256 scale)).  Scores may be multiplied by a number,
 * and hidden by a mask (mask.c).  float32 differs from that by some 1e-7 of a
 * result; where a result is that near to a half it may round otherwise. */
#include "quant/lower.h"

#include <math.h>

enum { BYTES = 256, LEAST_STEPS = 100, MOST_STEPS = 1000 };
#define NO_POWER 23 /* exp(-23) is under 1/2 in 31 bits */

/* Steps from 0 to 1, if they are a whole number but for a rounding, or else
 * BYTES, of which those are 2^26 / *by; 0: they are too few or too many. */
static int64_t levels_of(const Grid *to, int64_t *by)
{
    double n = 1 / (double)to->scale, whole = rint(n);

    *by = 0;
    if (fabs(n - whole) < n * 0x1p-23 && whole >= 1 && whole <= BYTES)
        return (int64_t)whole;
    *by = llrint(BYTES / n * 0x1p26);
    return n > LEAST_STEPS && n < MOST_STEPS ? BYTES : 0;
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

/* Has what is hidden no power in 31 bits beside the least that is shown?  Where
 * all of a row may be hidden, is it known what becomes of that? */
static bool hides(const Masks *m)
{
    return mask_hidden(m) - m->least <= -NO_POWER &&
           (!m->rows || !m->finite || mask_even(m));
}

/* A row of nothing but -inf has no weights: the floats are none. */
static int64_t far_below(const Masks *m)
{
    return m->rows && m->infinite ? INT16_MIN : -INT16_MAX;
}

bool lower_softmax(Graph *g, Node *q, const Val *x, const Grid *to)
{
    const Node *n = x->def;
    const TypeInfo *y = &type_info[attr_int(q, A_to)];
    int64_t levels, by;
    double factor;
    Masks m;
    Val *v;
    Real r;

    if (!n || n->op != OP_softmax || y->bytes != 1 || to->zero != y->lo ||
        to->lo != y->lo || to->hi != y->hi || !(levels = levels_of(to, &by)) ||
        node_axis(n, x->shape.rank) != x->shape.rank - 1)
        return false;
    v = mask_strip(g, q, n->arg[0], &m);
    if (!mask_scores(g, v ? v : n->arg[0], &factor, &r) ||
        type_info[r.v->type].bytes != 1 || (v && !hides(&m)))
        return false;
    q->op = OP_qsoftmax;
    q->arg[0] = v ? mask_bound(&m, r.v, r.v->hi, far_below(&m)) : r.v;
    q->arg[1] = table(g, (double)real_scale(&r, 0) * factor);
    q->narg = 2;
    q->origin = n->origin;
    attr_drop(q, A_to);
    attr_set_int(g, q, A_p0, 8);
    attr_set_int(g, q, A_p2, levels);
    if (by)
        attr_set_int(g, q, A_p1, by);
    attr_set_int(g, q, A_lo, to->lo);
    attr_set_int(g, q, A_hi, to->hi);
    node_infer(g, q);
    return true;
}
