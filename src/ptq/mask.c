/* What hides scores from a softmax bounds them, instead of being added:
 *
 *     y = add s m                         y = min s b
 *     p = softmax y                ->     p = softmax y
 *
 * where m is 0 or so far below that nothing hidden has a weight, and b is
 * beyond all scores or below them.  So does where, with such a number.  Scores
 * keep the grid of what the softmax reads, for b is one of its ends wherever it
 * is read, and a mask is bytes, whatever was added.  (Bias is no mask.) */
#include "ptq/calib.h"

#include <math.h>

#define FAR 1e6 /* beyond all scores */
#define NO_WEIGHT 6.24 /* below the greatest: 255 exp() is under 1/2 */

typedef struct Hider {
    Graph *q;
    const Graph *g;  /* the float graph, of the same names */
    Seen **seen;     /* by id of g */
    Node *at;        /* in q: what masks */
    double most;     /* of what hides */
} Hider;

static const Seen *seen_of(const Hider *h, const Val *v)
{
    const Val *of = graph_find(h->g, v->name);

    return of ? h->seen[of->id] : NULL;
}

static bool is_scalar(const Val *v)
{
    return v->data && v->type == T_f32 && val_count(v) == 1;
}

/* The bits that m is made of, as one of two numbers, of which one is 0, or by a
 * factor; *set: what they make if they are set, *clear: else.  NULL: it is made
 * of something else. */
static Val *bits_of(const Val *m, double *set, double *clear)
{
    const Node *n = m->def, *cast;
    int i;

    if (n && n->op == OP_where && is_scalar(n->arg[1]) &&
        is_scalar(n->arg[2])) {
        *set = val_num(n->arg[1], 0);
        *clear = val_num(n->arg[2], 0);
        return n->arg[0];
    }
    for (i = 0; n && n->op == OP_mul && i < 2; i++) {
        cast = n->arg[i]->def;
        if (is_scalar(n->arg[!i]) && cast && cast->op == OP_cast &&
            cast->arg[0]->type == T_b8) {
            *set = val_num(n->arg[!i], 0);
            *clear = 0;
            return cast->arg[0];
        }
    }
    return NULL;
}

/* Is each element 0, or hides? */
static bool is_hard(const Hider *h, const Val *v)
{
    double set, clear;
    const Seen *s;
    int64_t i;

    for (i = 0; v->data && i < val_count(v); i++)
        if (val_num(v, i) != 0 && !(val_num(v, i) <= h->most))
            return false;
    if (v->data)
        return v->type == T_f32;
    if (bits_of(v, &set, &clear))
        return (set == 0 && clear <= h->most) || (clear == 0 && set <= h->most);
    s = seen_of(h, v);
    return s && s->n && s->hi <= 0 && s->least_size > 0 &&
           -s->least_size <= h->most;
}

static Val *node(const Hider *h, OpCode op, int n, Val *a, Val *b, Val *c)
{
    Node *k = graph_node(h->q, h->at, op, NULL, n, (Val *[]){a, b, c});

    node_infer(h->q, k);
    return k->res[0];
}

static Val *number(const Hider *h, double v)
{
    return graph_const_f32(h->q, (float)v);
}

/* Beyond all scores but where v says so, by not being `shown`. */
static Val *bound_const(const Hider *h, const Val *v, double shown)
{
    Val *b = graph_const(h->q, "bound", T_f32, v->shape, NULL);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        ((float *)b->data)[i] = (float)(val_num(v, i) == shown ? FAR : -FAR);
    val_range(b);
    return b;
}

/* The bound that an addend stands for; the margin is for its grid. */
static Val *bound_of(const Hider *h, Val *m)
{
    const Node *n = m->def;
    double set, clear;
    Val *v, *bits;
    Node *k;

    if (m->data)
        return bound_const(h, m, 0);
    if (n && n->op == OP_add && is_hard(h, n->arg[0]) && is_hard(h, n->arg[1]))
        return node(h, OP_min, 2, bound_of(h, n->arg[0]),
                    bound_of(h, n->arg[1]), NULL);
    if ((bits = bits_of(m, &set, &clear)))
        return node(h, OP_where, 3, bits, number(h, set < 0 ? -FAR : FAR),
                    number(h, set < 0 ? FAR : -FAR));
    v = node(h, OP_mul, 2, m, number(h, -100 * FAR / h->most), NULL);
    v = node(h, OP_add, 2, v, number(h, FAR), NULL);
    k = graph_node(h->q, h->at, OP_clip, NULL, 1, &v);
    attr_set_num(h->q, k, A_flo, -FAR);
    attr_set_num(h->q, k, A_fhi, FAR);
    node_infer(h->q, k);
    return k->res[0];
}

/* That of where, whose operand i is what is shown. */
static Val *bound_where(const Hider *h, Val *c, int i)
{
    double first = i == 1 ? FAR : -FAR;

    if (c->data)
        return bound_const(h, c, i == 1);
    return node(h, OP_where, 3, c, number(h, first), number(h, -first));
}

/* Scores before an addend, or chosen by where, of so many elements; what hides
 * is less than the least of the rows' greatest by what leaves no weight. */
static bool shows(Hider *h, Val *v, const Val *y, const Seen *rows)
{
    const Seen *s = v->data ? NULL : seen_of(h, v);

    if (!s || !s->n || !shape_same(v->shape, y->shape) ||
        only_reader(h->q, v) != h->at)
        return false;
    h->most = fmin(rows->least - NO_WEIGHT - s->hi, -NO_WEIGHT);
    return true;
}

static Val *find_bound(Hider *h, const Node *n, const Seen *rows, Val **x)
{
    const Val *y = n->res[0];
    int i;

    for (i = 0; n->op == OP_add && n->narg == 2 && i < 2; i++) {
        *x = n->arg[!i];
        if (shows(h, *x, y, rows) && is_hard(h, n->arg[i]))
            return bound_of(h, n->arg[i]);
    }
    for (i = 1; n->op == OP_where && i < 3; i++) {
        *x = n->arg[i];
        if (shows(h, *x, y, rows) && is_scalar(n->arg[3 - i]) &&
            val_num(n->arg[3 - i], 0) <= h->most)
            return bound_where(h, n->arg[0], i);
    }
    return NULL;
}

static void bound_one(Hider *h, const Node *soft)
{
    const Val *y = soft->arg[0];
    const Seen *rows = seen_of(h, y);
    Val *x, *b;

    h->at = y->def;
    if (!h->at || only_reader(h->q, y) != soft || !rows || !rows->len ||
        !isfinite(rows->least) || !(b = find_bound(h, h->at, rows, &x)))
        return;
    h->at->op = OP_min;
    h->at->narg = 2;
    h->at->arg[0] = x;
    h->at->arg[1] = b;
    h->at->attr = NULL;
    node_infer(h->q, h->at);
}

void bound_scores(Graph *q, const Graph *g, Seen **seen)
{
    Hider h = {.q = q, .g = g, .seen = seen};
    const Node *n;

    for (n = q->first; n; n = n->next)
        if (n->op == OP_softmax)
            bound_one(&h, n);
    graph_sweep(q);
}
