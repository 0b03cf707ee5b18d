/* A layer norm of bytes on a grid:
 *
 *     q = quantize (layernorm (dequantize x) w b)   ->   q = qlayernorm x W B
 *
 * x less its mean, by the root of its variance and eps, does not change with
 * the scale of x, but for eps; W and B hold w, b and the grid of q.  float32
 * differs from whole numbers by some 1e-6 of a result (kern/ref/qlayernorm_int.c
 * has 23 places); where a result is that near to a half it may round
 * otherwise. */
#include "quant/lower.h"

#include <math.h>

enum { LONGEST = 4095, PLACES = 23, MOST_SHIFT = 24, LEAST = 32 - PLACES };

/* Element i of a factor or an addend, constant or dequantized; NAN: neither. */
static double element(const Val *v, int64_t i)
{
    Real r;
    int64_t at = val_count(v) == 1 ? 0 : i;

    if (v->data)
        return val_num(v, at);
    if (!real_of(v, &r) || !r.v->data || val_count(r.scale) > val_count(r.v))
        return NAN;
    return (float)(val_int(r.v, at) - real_zero(&r, at)) * real_scale(&r, at);
}

/* n elements of w and b by the step of the grid. */
static bool take_factors(const Node *n, const Grid *to, int64_t count,
                         double *w, double *b)
{
    const Val *by = node_arg(n, "w"), *add = node_arg(n, "b");
    int64_t i;

    for (i = 0; i < count; i++) {
        w[i] = (by ? element(by, i) : 1) / (double)to->scale;
        b[i] = (add ? element(add, i) : 0) / (double)to->scale +
               (double)to->zero + 0.5;
        if (!isfinite(w[i]) || !isfinite(b[i]))
            return false;
    }
    return true;
}

static double greatest(const double *v, int64_t n)
{
    double most = 0;
    int64_t i;

    for (i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

/* Places behind the point of factors of 31 bits, with addends of 62; less than
 * LEAST: they are too large. */
static int places_of(const double *w, const double *b, int64_t n)
{
    double by = greatest(w, n), add = greatest(b, n);
    int i;

    for (i = 30; i >= LEAST && (ldexp(by, i) > INT32_MAX - 1 ||
                                ldexp(add, i + PLACES) > ldexp(1, 61)); i--)
        ;
    return i;
}

/* eps, as the sum of squares of a row has it, 2^shift times. */
static bool take_eps(const Node *n, const Real *r, int64_t count, int *shift,
                     int64_t *eps)
{
    double s = (double)real_scale(r, 0);
    double e = attr_num(n, A_eps) * (double)count * (double)count / (s * s);

    for (*shift = MOST_SHIFT; *shift > 0 && ldexp(e, *shift) > INT32_MAX;
         *shift -= 2)
        ;
    *eps = llround(ldexp(e, *shift));
    return e >= 0 && ldexp(e, *shift) <= INT32_MAX;
}

/* A row's factors and addends as integers of so many places. */
static void put_numbers(Graph *g, Node *q, const double *w, const double *b,
                        int64_t count, int places)
{
    Val *mul = graph_const(g, "w", T_s32, SHAPE(count), NULL);
    Val *add = graph_const(g, "b", T_s64, SHAPE(count), NULL);
    int64_t i;

    for (i = 0; i < count; i++) {
        val_set(mul, i, llround(ldexp(w[i], places)));
        val_set(add, i, llround(ldexp(b[i], places + PLACES)));
    }
    val_range(mul);
    val_range(add);
    q->arg[1] = mul, q->arg[2] = add;
    q->narg = 3;
}

/* Is n a layer norm of bytes *r along their last axis, and bytes again? */
static bool is_of_bytes(const Node *q, const Node *n, Real *r)
{
    return n && n->op == OP_layernorm && real_of(n->arg[0], r) &&
           real_uniform(r) && !r->v->data && real_scale(r, 0) > 0 &&
           type_info[r->v->type].bytes == 1 &&
           type_info[attr_int(q, A_to)].bytes == 1 &&
           !shape_varies(r->v->shape) &&
           node_axis(n, r->v->shape.rank) == r->v->shape.rank - 1;
}

static void put_attributes(Graph *g, Node *q, const Grid *to, int eps_shift,
                           int64_t eps, int places)
{
    attr_drop(q, A_to);
    attr_set_int(g, q, A_p0, eps_shift);
    attr_set_int(g, q, A_p1, eps);
    attr_set_int(g, q, A_shift, places + PLACES);
    attr_set_int(g, q, A_lo, to->lo);
    attr_set_int(g, q, A_hi, to->hi);
}

bool lower_layernorm(Graph *g, Node *q, const Val *x, const Grid *to)
{
    const Node *n = x->def;
    Real r;
    int64_t count, eps;
    double *w, *b;
    int places, shift;

    if (!is_of_bytes(q, n, &r))
        return false;
    count = r.v->shape.dim[r.v->shape.rank - 1];
    w = NEWN(g->mem, double, count), b = NEWN(g->mem, double, count);
    if (count > LONGEST || !take_eps(n, &r, count, &shift, &eps) ||
        !take_factors(n, to, count, w, b))
        return false;
    places = places_of(w, b, count);
    if (places < LEAST)
        return false;
    q->op = OP_qlayernorm;
    q->arg[0] = r.v;
    q->origin = n->origin;
    put_numbers(g, q, w, b, count, places);
    put_attributes(g, q, to, shift, eps, places);
    node_infer(g, q);
    return true;
}
