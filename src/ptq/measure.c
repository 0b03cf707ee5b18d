/* What was lost: both graphs run on every example.
 *
 * SQNR is that of all elements of all examples, in dB: the sum of squares in
 * the float graph over that of the differences.  A layer's is measured in
 * place, with what was lost before it. */
#include "ptq/calib.h"

#include <math.h>
#include <string.h>

typedef struct Sums {
    double signal, noise, other, both, most;
    int64_t same, rows;
} Sums;

typedef struct Pair { /* a value of both graphs */
    const Val *f, *i;
    Sums s;
} Pair;

/* The real numbers that its elements stand for; themselves, if it is not known
 * which. */
static double *reals(Arena *a, const Val *v, const void *data)
{
    int64_t n = val_count(v), k;
    double *y = NEWN(a, double, (size_t)n + 1);
    double scale = v->scale > 0 ? v->scale : 1;
    Val w = *v;

    w.data = (void *)(uintptr_t)data;
    for (k = 0; v->type == T_f32 && k < n; k++)
        y[k] = (double)((const float *)data)[k];
    for (k = 0; v->type == T_s8 && k < n; k++)
        y[k] = scale * (double)(((const int8_t *)data)[k] - v->zero);
    for (k = 0; v->type != T_f32 && v->type != T_s8 && k < n; k++)
        y[k] = scale * (double)(val_int(&w, k) - v->zero);
    return y;
}

static int64_t place_of_most(const Val *v, const double *x)
{
    int64_t k, at = 0;

    for (k = 1; k < val_count(v); k++)
        if (x[k] > x[at])
            at = k;
    return at;
}

/* What both say of one example; where the greatest elements are. */
static void add(Arena *mem, Pair *p, const void *f, const void *i,
                int64_t most[2])
{
    const double *a = reals(mem, p->f, f), *b = reals(mem, p->i, i);
    Sums *s = &p->s;
    int64_t k, n = val_count(p->f);

    for (k = 0; k < n; k++) {
        double d = a[k] - b[k];

        s->signal += a[k] * a[k];
        s->other += b[k] * b[k];
        s->both += a[k] * b[k];
        s->noise += d * d;
        s->most = fabs(d) > s->most ? fabs(d) : s->most;
    }
    most[0] = place_of_most(p->f, a);
    most[1] = place_of_most(p->i, b);
    s->same += most[0] == most[1];
    s->rows++;
}

static double decibels(const Sums *s)
{
    if (!s->rows)
        return NAN;
    return s->noise > 0 ? 10 * log10(s->signal / s->noise)
           : s->signal > 0 ? INFINITY : NAN;
}

static void count_right(const Samples *s, int i, const int64_t most[2],
                        int right[2])
{
    right[0] += s->label && most[0] == s->label[i];
    right[1] += s->label && most[1] == s->label[i];
}

static void compare(Graph *g, Graph *q, const Samples *s, const PtqReport *r,
                    Pair *layer, Pair *out, int right[2])
{
    int i, k;

    for (i = 0; i < s->n; i++) {
        Arena *a = arena_new();
        Eval *f, *e;
        int64_t most[2];

        progress("comparing examples", i, s->n);
        f = graph_eval(a, g, s->in[i]);
        e = graph_eval(a, q, s->in[i]);
        for (k = 0; k < r->nlayer; k++)
            if (layer[k].i && layer[k].f)
                add(a, &layer[k], f->data[layer[k].f->id],
                    e->data[layer[k].i->id], most);
        for (k = g->nout - 1; k >= 0; k--)
            add(a, &out[k], f->data[out[k].f->id], e->data[out[k].i->id],
                most);
        count_right(s, i, most, right);
        arena_end(a);
    }
}

static Pair *outputs(Arena *mem, const Graph *g, const Graph *q)
{
    Pair *out = NEWN(mem, Pair, (size_t)g->nout + 1);
    int k;

    for (k = 0; k < g->nout; k++)
        out[k] = (Pair){.f = g->out[k], .i = q->out[k]};
    return out;
}

static void conclude(Arena *mem, const Graph *g, const Samples *s, int n,
                     const Pair *out, const int right[2], PtqReport *r)
{
    int k;

    r->nout = g->nout;
    r->out = NEWN(mem, PtqOutput, (size_t)g->nout + 1);
    for (k = 0; k < g->nout; k++) {
        const Sums *o = &out[k].s;

        r->out[k] = (PtqOutput){g->out[k]->name, decibels(o),
            o->both / sqrt(o->signal * o->other), o->most,
            (double)o->same / (double)MAX(o->rows, 1)};
    }
    r->right_float = s->label ? (double)right[0] / n : NAN;
    r->right_int = s->label ? (double)right[1] / n : NAN;
}

void measure(Arena *mem, Graph *g, Graph *q, const Samples *s, PtqReport *r,
             const Inserted *list)
{
    Pair *layer = NEWN(mem, Pair, (size_t)r->nlayer + 1);
    Pair *out = outputs(mem, g, q);
    int k, right[2] = {0};

    for (k = 0; k < r->nlayer; k++)
        layer[k] = (Pair){.f = graph_find(g, list[k].name),
                          .i = graph_find(q, list[k].integer)};
    compare(g, q, s, r, layer, out, right);
    for (k = 0; k < r->nlayer; k++)
        r->layer[k].sqnr = decibels(&layer[k].s);
    conclude(mem, g, s, s->n, out, right, r);
}

/* --- outputs alone --- */

Answers *answers_of(Arena *mem, Graph *g, const Samples *s, int most)
{
    Answers *y = NEW(mem, Answers);
    int i, k;

    *y = (Answers){.s = s, .n = MIN(most, s->n), .g = g};
    y->out = NEWN(mem, float **, (size_t)y->n + 1);
    for (i = 0; i < y->n; i++) {
        Arena *a = arena_new();
        const Eval *e = graph_eval(a, g, s->in[i]);

        y->out[i] = NEWN(mem, float *, (size_t)g->nout + 1);
        for (k = 0; k < g->nout; k++) {
            size_t bytes = (size_t)val_bytes(g->out[k]);

            y->out[i][k] = arena_get(mem, bytes + 1, 8);
            memcpy(y->out[i][k], e->data[g->out[k]->id], bytes);
        }
        arena_end(a);
    }
    return y;
}

void measure_outputs(Arena *mem, const Answers *y, Graph *q, PtqReport *r)
{
    Pair *out = outputs(mem, y->g, q);
    int i, k, right[2] = {0};

    for (i = 0; i < y->n; i++) {
        Arena *a = arena_new();
        const Eval *e = graph_eval(a, q, y->s->in[i]);
        int64_t most[2];

        for (k = q->nout - 1; k >= 0; k--)
            add(a, &out[k], y->out[i][k], e->data[out[k].i->id], most);
        count_right(y->s, i, most, right);
        arena_end(a);
    }
    conclude(mem, y->g, y->s, y->n, out, right, r);
}
