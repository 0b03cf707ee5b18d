/* Great channels go from values into weights (Xiao et al., SmoothQuant, 2023).
 *
 *     x = layernorm z w b              w[c] / s[c], b[c] / s[c]
 *     y = matmul x v            ->     v[c][.] * s[c]
 *
 * computes the same for any s > 0.  With s = top(x[c])^part /
 * top(v[c])^(1 - part) what is hard to round is parted between both: few great
 * channels of x no longer decide the steps of all.  Several may read x, all of
 * them products or convolutions; x is of a normalization, or of a convolution
 * or product with a relu or nothing behind. */
#include "ptq/calib.h"

#include <math.h>

typedef struct Place {
    const Graph *g;
    const Val *x;
    Node *from;      /* whose results are divided */
    int64_t n;       /* channels */
    double *s;
} Place;

static bool divides(const Graph *g, const Node *n, int64_t channels)
{
    const Val *b = n->narg > 2 ? n->arg[2] : NULL;

    if (n->narg < 2 || !n->arg[1] || (b && !b->data) || !own_weights(g, n) ||
        (b && val_count(b) != channels))
        return false;
    if (n->op == OP_layernorm || n->op == OP_rmsnorm)
        return val_count(n->arg[1]) == channels;
    return attr_num(n, A_flo) == -INFINITY && attr_num(n, A_fhi) == INFINITY &&
           ((n->op == OP_conv && !attr_int(n, A_last)) ||
            (n->op == OP_matmul && n->arg[1]->shape.rank == 2));
}

static Node *source(const Graph *g, const Val *x, int64_t channels)
{
    Node *n = x->def;

    if (n && n->op == OP_clip && attr_num(n, A_flo) == 0 &&
        attr_num(n, A_fhi) == INFINITY && only_reader(g, n->arg[0]) == n)
        n = n->arg[0]->def;
    return n && divides(g, n, channels) ? n : NULL;
}

static bool multiplies(const Graph *g, const Node *n, const Val *x)
{
    if (n->arg[0] != x || n->narg < 2 || n->arg[1] == x || !own_weights(g, n))
        return false;
    return (n->op == OP_conv && attr_int(n, A_group) == 1 &&
            !attr_int(n, A_last)) ||
           (n->op == OP_matmul && n->arg[1]->shape.rank == 2 &&
            !attr_int(n, A_transa));
}

static bool reads(const Node *n, const Val *x)
{
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] == x)
            return true;
    return false;
}

static bool all_multiply(const Graph *g, const Val *x)
{
    const Node *n;

    for (n = g->first; n; n = n->next)
        if (reads(n, x) && !multiplies(g, n, x))
            return false;
    return !val_is_output(g, x);
}

/* Which channel of its operand element k of n's weights meets. */
static int64_t channel_in(const Node *n, int64_t k)
{
    const Shape s = n->arg[1]->shape;

    if (n->op == OP_conv)
        return k / shape_product(s, 2, s.rank) % s.dim[1];
    return attr_int(n, A_transb) ? k % s.dim[1] : k / s.dim[1];
}

/* And of its result it makes. */
static int64_t channel_out(const Node *n, int64_t k)
{
    const Shape s = n->arg[1]->shape;

    if (n->op == OP_conv)
        return k / shape_product(s, 1, s.rank);
    if (n->op == OP_matmul)
        return attr_int(n, A_transb) ? k / s.dim[1] : k % s.dim[1];
    return k;
}

static void find_factors(Place *p, const double *top, double part)
{
    Arena *a = arena_new();
    double *most = NEWN(a, double, (size_t)p->n + 1);
    const Node *n;
    int64_t k;

    for (n = p->g->first; n; n = n->next)
        for (k = 0; reads(n, p->x) && k < val_count(n->arg[1]); k++) {
            double *to = &most[channel_in(n, k)];

            *to = fmax(*to, fabs(val_num(n->arg[1], k)));
        }
    for (k = 0; k < p->n; k++) {
        bool both = top[k] > 1e-20 && most[k] > 1e-20;

        p->s[k] = both ? pow(top[k], part) / pow(most[k], 1 - part) : 1;
        p->s[k] = fmin(fmax(p->s[k], 1e-4), 1e4);
    }
    arena_end(a);
}

static void scale(Val *v, int64_t k, double by)
{
    ((float *)v->data)[k] = (float)(val_num(v, k) * by);
}

static void apply(const Place *p)
{
    Val *b = p->from->narg > 2 ? p->from->arg[2] : NULL;
    Node *n;
    int64_t k;

    for (n = p->g->first; n; n = n->next)
        for (k = 0; reads(n, p->x) && k < val_count(n->arg[1]); k++)
            scale(n->arg[1], k, p->s[channel_in(n, k)]);
    for (k = 0; k < val_count(p->from->arg[1]); k++)
        scale(p->from->arg[1], k, 1 / p->s[channel_out(p->from, k)]);
    for (k = 0; b && k < p->n; k++)
        scale(b, k, 1 / p->s[k]);
}

bool smooth(Graph *g, Seen **seen, double part)
{
    Arena *a = arena_new();
    bool any = false;
    const Val *x;

    for (x = g->vals; x; x = x->next) {
        const Seen *of = x->type == T_f32 && !x->data ? seen[x->id] : NULL;
        Place p = {.g = g, .x = x};

        if (!of || !of->top || !all_multiply(g, x))
            continue;
        p.n = x->shape.dim[of->axis];
        if (!(p.from = source(g, x, p.n)))
            continue;
        p.s = NEWN(a, double, (size_t)p.n + 1);
        find_factors(&p, of->top, part);
        apply(&p);
        any = true;
    }
    arena_end(a);
    return any;
}
