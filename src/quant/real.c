/* Reals as scaled integers: reading them off the graph, writing them back. */
#include "quant/lower.h"

#include <math.h>
#include <string.h>

bool real_of(const Val *x, Real *r)
{
    const Node *n = x ? x->def : NULL;

    if (!n || n->op != OP_dequantize || !n->arg[1]->data)
        return false;
    *r = (Real){n->arg[0], n->arg[1], n->narg > 2 ? n->arg[2] : NULL};
    return !r->zero || r->zero->data;
}

bool real_uniform(const Real *r)
{
    return val_count(r->scale) == 1 &&
           (!r->zero || val_count(r->zero) == 1);
}

float real_scale(const Real *r, int64_t i)
{
    return (float)val_num(r->scale, val_count(r->scale) == 1 ? 0 : i);
}

int64_t real_zero(const Real *r, int64_t i)
{
    if (!r->zero)
        return 0;
    return val_int(r->zero, val_count(r->zero) == 1 ? 0 : i);
}

bool grid_of(const Node *q, Grid *to)
{
    const Val *scale = q->arg[1], *zero = q->narg > 2 ? q->arg[2] : NULL;
    Type t = (Type)attr_int(q, A_to);

    if (!scale->data || val_count(scale) != 1 || !(val_num(scale, 0) > 0) ||
        (zero && (!zero->data || val_count(zero) != 1)) ||
        type_info[t].bytes > 2)
        return false;
    *to = (Grid){(float)val_num(scale, 0), zero ? val_int(zero, 0) : 0,
                 type_info[t].lo, type_info[t].hi};
    return true;
}

/* As the kernel of quantize does it. */
int64_t grid_round(const Grid *to, float x)
{
    float v = x / to->scale;
    int64_t q = to->zero;

    if (v == v)
        q += (int64_t)rintf(fminf(fmaxf(v, -2147483648.f), 2147483648.f));
    return MIN(MAX(q, to->lo), to->hi);
}

Val *real_result(Graph *g, Node *n, Val *scale, Val *zero)
{
    Val *arg[3] = {NULL, scale, zero}, *y = n->res[0];
    Node *d;

    node_infer(g, n);
    d = graph_node(g, n->next, OP_dequantize, NULL, zero ? 3 : 2, arg);
    graph_replace(g, y, d->res[0]);
    d->arg[0] = y;
    node_infer(g, d);
    if (val_count(scale) == 1) {
        y->scale = val_num(scale, 0);
        y->zero = zero ? val_int(zero, 0) : 0;
    }
    return d->res[0];
}

Val *real_constant(Graph *g, Val *x)
{
    Real r;
    Val *y;
    int64_t i;

    if (x->data)
        return x;
    if (!real_of(x, &r) || !r.v->data ||
        (!real_uniform(&r) && val_count(r.v) != val_count(r.scale)))
        return NULL;
    y = const_f32s(g, r.v->shape);
    for (i = 0; i < val_count(y); i++)
        ((float *)y->data)[i] = (float)(val_int(r.v, i) - real_zero(&r, i)) *
                                real_scale(&r, i);
    return y;
}

Val *const_f32s(Graph *g, Shape s)
{
    return graph_const(g, "scale", T_f32, s, NULL);
}

Val *const_ints(Graph *g, const char *name, Shape s)
{
    return graph_const(g, name, T_s64, s, NULL);
}

Val *const_like(Graph *g, const Val *scale)
{
    return const_ints(g, "zero", scale->shape);
}

bool fold_const(Graph *g, Node *n)
{
    Val *y = n->res[0];
    void *arg[NARG] = {NULL}, *res[NRES] = {NULL};
    int i;

    if (n->narg > NARG || n->nres != 1)
        return false;
    for (i = 0; i < n->narg; i++) {
        if (n->arg[i] && !n->arg[i]->data)
            return false;
        arg[i] = n->arg[i] ? n->arg[i]->data : NULL;
    }
    if (!node_can_eval(n))
        return false;
    node_eval(g->mem, n, arg, res);
    graph_replace(g, y, graph_const(g, y->name, y->type, y->shape, res[0]));
    return true;
}
