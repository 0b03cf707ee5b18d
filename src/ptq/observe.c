/* Where the values of a float graph lie, over all examples. */
#include "ptq/calib.h"

#include <math.h>
#include <string.h>

enum { HIDDEN = -1000 }; /* no score is so small: a mask hides a whole row */

static void start(Seen *s, double x)
{
    int e;

    frexp(x, &e);
    s->reach = ldexp(1, e);
}

/* Bins i and i + 1 of the lower half join above, of the upper half below. */
static void widen(Seen *s)
{
    int64_t bin[BINS] = {0};
    int i;

    for (i = 0; i < BINS; i++)
        bin[BINS / 4 + i / 2] += s->bin[i];
    memcpy(s->bin, bin, sizeof bin);
    s->reach *= 2;
}

static void add(Seen *s, double x)
{
    if (!s->reach && x != 0)
        start(s, fabs(x));
    while (fabs(x) > s->reach)
        widen(s);
    s->lo = s->n ? fmin(s->lo, x) : x;
    s->hi = s->n ? fmax(s->hi, x) : x;
    if (x != 0 && (!s->least_size || fabs(x) < s->least_size))
        s->least_size = fabs(x);
    s->n++;
    if (s->reach)
        s->bin[MIN(BINS - 1, (int)((x / s->reach + 1) * (BINS / 2)))]++;
    else
        s->bin[BINS / 2]++;
}

void seen_add(Seen *s, const float *x, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++)
        if (isfinite(x[i]))
            add(s, (double)x[i]);
}

double seen_outside(const Seen *s, double lo, double hi)
{
    int64_t out = 0;
    int i;

    for (i = 0; s->n && i < BINS; i++) {
        double x = ((double)i + 0.5 - BINS / 2) * s->reach / (BINS / 2);

        out += x < lo || x > hi ? s->bin[i] : 0;
    }
    return s->n ? (double)out / (double)s->n : 0;
}

/* Means and greatest of the channels of what meets constant weights. */
static void want_means(Arena *mem, const Graph *g, Seen **seen)
{
    const Node *n;
    const Val *x;
    size_t c;

    for (n = g->first; n; n = n->next) {
        if ((n->op != OP_conv && n->op != OP_matmul) || !n->arg[1]->data ||
            attr_int(n, A_last) || attr_int(n, A_transa))
            continue;
        x = n->arg[0];
        if (!seen[x->id] || seen[x->id]->sum)
            continue;
        seen[x->id]->axis = n->op == OP_conv ? 1 : x->shape.rank - 1;
        c = (size_t)MAX(x->shape.dim[seen[x->id]->axis], 1);
        seen[x->id]->sum = NEWN(mem, double, c);
        seen[x->id]->top = NEWN(mem, double, c);
    }
}

static void add_means(Seen *s, const Val *v, const float *x)
{
    int64_t inner = shape_product(v->shape, s->axis + 1, v->shape.rank), i;
    int64_t count = v->shape.dim[s->axis], n = val_count(v);

    for (i = 0; i < n; i++) {
        int64_t c = i / inner % count;

        s->sum[c] += (double)x[i];
        s->top[c] = fmax(s->top[c], fabs((double)x[i]));
    }
    s->rows += n / MAX(count, 1);
}

/* Rows along the last axis that a softmax reads. */
static void want_rows(const Graph *g, Seen **seen)
{
    const Node *n;

    for (n = g->first; n; n = n->next) {
        Shape s = n->arg[0]->shape;
        Seen *x = seen[n->arg[0]->id];

        if (n->op != OP_softmax || !x || node_axis(n, s.rank) != s.rank - 1)
            continue;
        x->len = row_length(s);
        x->least = INFINITY;
    }
}

static void add_rows(Seen *s, const float *x, int64_t n)
{
    int64_t i, k;
    double top;

    for (i = 0; i < n; i += s->len) {
        top = (double)x[i];
        for (k = 1; k < s->len; k++)
            top = fmax(top, (double)x[i + k]);
        if (top > HIDDEN)
            s->least = fmin(s->least, top);
    }
}

static void look(Graph *g, const Eval *e, Seen **seen)
{
    const Val *v;

    for (v = g->vals; v; v = v->next)
        if (seen[v->id]) {
            seen_add(seen[v->id], e->data[v->id], val_count(v));
            if (seen[v->id]->sum)
                add_means(seen[v->id], v, e->data[v->id]);
            if (seen[v->id]->len)
                add_rows(seen[v->id], e->data[v->id], val_count(v));
        }
}

Seen **observe(Arena *mem, Graph *g, const Samples *s, Met *met)
{
    Seen **seen;
    Eval *e;
    const Val *v;
    int i;

    graph_number(g);
    seen = NEWN(mem, Seen *, (size_t)graph_nval(g) + 1);
    for (v = g->vals; v; v = v->next)
        if (v->type == T_f32 && !v->data)
            seen[v->id] = NEW(mem, Seen);
    want_means(mem, g, seen);
    want_rows(g, seen);
    for (i = 0; i < s->n; i++) {
        Arena *a = arena_new();

        progress("looking at examples", i, s->n);
        e = graph_eval(a, g, s->in[i]);
        look(g, e, seen);
        meets_add(met, e, s->n);
        arena_end(a);
    }
    meets_end(met);
    return seen;
}
