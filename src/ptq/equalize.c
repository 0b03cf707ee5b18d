/* Channels of like size (cross-layer equalization, Nagel et al., 2019).
 *
 *     y = relu(conv x w b)             w[c] / s[c], b[c] / s[c]
 *     z = conv y v             ->      v[.][c] * s[c]
 *
 * computes the same for any s > 0.  With s = sqrt(r1 r2) / r2, r1 and r2 being
 * the greatest of w[c] and of v[.][c], both become alike, and so do the
 * channels of y, which have one scale among them.  Pairs are done in order, and
 * all again, until they settle; a depthwise convolution is in two of them. */
#include "ptq/calib.h"

#include <math.h>

enum { SWEEPS = 20, MOST_PAIRS = 256 };

typedef struct Pair {
    Node *a, *b;
    int64_t channels;
} Pair;

bool own_weights(const Graph *g, const Node *n)
{
    const Node *k;
    int i, readers = 0;

    for (k = g->first; k; k = k->next)
        for (i = 0; i < k->narg; i++)
            readers += k->arg[i] == n->arg[1];
    return readers == 1 && n->arg[1]->data && n->arg[1]->type == T_f32;
}

/* conv, or a product of a row by constant weights as they lie [out][in]. */
static bool is_layer(const Graph *g, const Node *n)
{
    if (n->op != OP_conv && !(n->op == OP_matmul && attr_int(n, A_transb) &&
                              n->arg[1]->shape.rank == 2 &&
                              !attr_int(n, A_transa)))
        return false;
    return own_weights(g, n) && !attr_int(n, A_last) &&
           attr_num(n, A_flo) == -INFINITY && attr_num(n, A_fhi) == INFINITY &&
           (n->narg < 3 || !n->arg[2] || (n->arg[2]->data &&
            val_count(n->arg[2]) == n->arg[1]->shape.dim[0]));
}

Node *only_reader(const Graph *g, const Val *v)
{
    Node *n, *found = NULL;
    int i, count = 0;

    for (n = g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i] == v) {
                found = n;
                count++;
            }
    return count == 1 && !val_is_output(g, v) ? found : NULL;
}

static bool is_depthwise(const Node *n)
{
    return n->op == OP_conv && attr_int(n, A_group) > 1 &&
           n->arg[1]->shape.dim[1] == 1 &&
           n->arg[1]->shape.dim[0] == attr_int(n, A_group);
}

static bool find_pair(const Graph *g, Node *a, Pair *p)
{
    Node *b = only_reader(g, a->res[0]);

    if (b && b->op == OP_clip && attr_num(b, A_flo) == 0 &&
        attr_num(b, A_fhi) == INFINITY)
        b = only_reader(g, b->res[0]);
    if (!b || b->op != a->op || !is_layer(g, b) || b->arg[0] == NULL ||
        (b->op == OP_conv && attr_int(b, A_group) > 1 && !is_depthwise(b)))
        return false;
    *p = (Pair){a, b, a->arg[1]->shape.dim[0]};
    return b->arg[1]->shape.dim[is_depthwise(b) ? 0 : 1] == p->channels;
}

/* Elements of b's weights that read channel c: calls with each. */
static double through(const Node *b, int64_t c, double by)
{
    const Shape s = b->arg[1]->shape;
    float *w = b->arg[1]->data;
    int64_t inner = shape_product(s, 2, s.rank), n = val_count(b->arg[1]), i;
    double top = 0;

    for (i = 0; i < n; i++) {
        if ((is_depthwise(b) ? i / (inner * s.dim[1]) : i / inner % s.dim[1])
            != c)
            continue;
        w[i] = (float)((double)w[i] * by);
        top = fmax(top, fabs((double)w[i]));
    }
    return top;
}

static double out_of(const Node *a, int64_t c, double by)
{
    float *w = a->arg[1]->data, *b = a->narg > 2 && a->arg[2] ?
                                     a->arg[2]->data : NULL;
    int64_t n = val_count(a->arg[1]) / a->arg[1]->shape.dim[0], i;
    double top = 0;

    for (i = c * n; i < (c + 1) * n; i++) {
        w[i] = (float)((double)w[i] * by);
        top = fmax(top, fabs((double)w[i]));
    }
    if (b)
        b[c] = (float)((double)b[c] * by);
    return top;
}

/* The greatest factor, as its distance from 1. */
static double settle(const Pair *p)
{
    double far = 0, r1, r2, s;
    int64_t c;

    for (c = 0; c < p->channels; c++) {
        r1 = out_of(p->a, c, 1);
        r2 = through(p->b, c, 1);
        if (!(r1 > 1e-20 && r2 > 1e-20))
            continue;
        s = sqrt(r1 / r2);
        s = fmin(fmax(s, 1e-4), 1e4);
        out_of(p->a, c, 1 / s);
        through(p->b, c, s);
        far = fmax(far, fabs(log(s)));
    }
    return far;
}

bool equalize(Graph *g)
{
    Pair pair[MOST_PAIRS];
    int n = 0, i, sweep;
    double far = 1;
    Node *a;

    for (a = g->first; a && n < MOST_PAIRS; a = a->next)
        if (is_layer(g, a) && find_pair(g, a, &pair[n]))
            n++;
    for (sweep = 0; sweep < SWEEPS && far > 1e-3; sweep++)
        for (far = 0, i = 0; i < n; i++)
            far = fmax(far, settle(&pair[i]));
    return n > 0;
}
