/* What was lost: both graphs run on every example.
 *
 * SQNR is that of all elements of all examples, in dB: the sum of squares in
 * the float graph over that of the differences.  A layer's is measured in
 * place, with what was lost before it. */
#include "ptq/calib.h"

#include <math.h>

typedef struct Sums {
    double signal, noise, other, both, most;
    int64_t same, rows;
} Sums;

typedef struct Pair { /* a value of both graphs */
    const Val *f, *i;
    Sums s;
} Pair;

/* Real number that element k stands for. */
static double real(const Val *v, const void *data, int64_t k)
{
    Val w = *v;

    w.data = (void *)(uintptr_t)data;
    if (v->type == T_f32)
        return (double)((const float *)data)[k];
    return v->scale * (double)(val_int(&w, k) - v->zero);
}

static void add(Pair *p, const void *f, const void *i)
{
    int64_t k, n = val_count(p->f), top_f = 0, top_i = 0;
    double a, b, best_f = -INFINITY, best_i = -INFINITY;

    for (k = 0; k < n; k++) {
        a = real(p->f, f, k);
        b = real(p->i, i, k);
        p->s.signal += a * a;
        p->s.other += b * b;
        p->s.both += a * b;
        p->s.noise += (a - b) * (a - b);
        p->s.most = fmax(p->s.most, fabs(a - b));
        if (a > best_f) {
            best_f = a;
            top_f = k;
        }
        if (b > best_i) {
            best_i = b;
            top_i = k;
        }
    }
    p->s.same += top_f == top_i;
    p->s.rows++;
}

static double decibels(const Sums *s)
{
    if (!s->rows)
        return NAN;
    return s->noise > 0 ? 10 * log10(s->signal / s->noise)
           : s->signal > 0 ? INFINITY : NAN;
}

static int64_t place_of_most(const Val *v, const void *data)
{
    int64_t k, at = 0;

    for (k = 1; k < val_count(v); k++)
        if (real(v, data, k) > real(v, data, at))
            at = k;
    return at;
}

static int64_t constants(const Graph *g)
{
    const Val *v;
    int64_t n = 0;

    for (v = g->vals; v; v = v->next)
        n += v->data ? val_bytes(v) : 0;
    return n;
}

static void compare(Arena *mem, Graph *g, Graph *q, const Samples *s,
                    PtqReport *r, Pair *layer, Pair *out)
{
    int i, k, right_f = 0, right_i = 0;

    for (i = 0; i < s->n; i++) {
        Arena *a = arena_new();
        Eval *f, *e;

        progress("comparing examples", i, s->n);
        f = graph_eval(a, g, s->in[i]);
        e = graph_eval(a, q, s->in[i]);
        for (k = 0; k < r->nlayer; k++)
            if (layer[k].i && layer[k].f)
                add(&layer[k], f->data[layer[k].f->id],
                    e->data[layer[k].i->id]);
        for (k = 0; k < g->nout; k++)
            add(&out[k], f->data[out[k].f->id], e->data[out[k].i->id]);
        if (s->label) {
            right_f += place_of_most(out->f, f->data[out->f->id]) ==
                       s->label[i];
            right_i += place_of_most(out->i, e->data[out->i->id]) ==
                       s->label[i];
        }
        arena_end(a);
    }
    r->right_float = s->label ? (double)right_f / s->n : NAN;
    r->right_int = s->label ? (double)right_i / s->n : NAN;
    (void)mem;
}

void measure(Arena *mem, Graph *g, Graph *q, const Samples *s, PtqReport *r,
             const Inserted *list)
{
    Pair *layer = NEWN(mem, Pair, (size_t)r->nlayer + 1);
    Pair *out = NEWN(mem, Pair, (size_t)g->nout + 1);
    int k;

    for (k = 0; k < r->nlayer; k++)
        layer[k] = (Pair){.f = graph_find(g, list[k].name),
                          .i = graph_find(q, list[k].integer)};
    for (k = 0; k < g->nout; k++)
        out[k] = (Pair){.f = g->out[k], .i = q->out[k]};
    compare(mem, g, q, s, r, layer, out);
    for (k = 0; k < r->nlayer; k++)
        r->layer[k].sqnr = decibels(&layer[k].s);
    r->nout = g->nout;
    r->out = NEWN(mem, PtqOutput, (size_t)g->nout + 1);
    for (k = 0; k < g->nout; k++) {
        const Sums *o = &out[k].s;

        r->out[k] = (PtqOutput){g->out[k]->name, decibels(o),
            o->both / sqrt(o->signal * o->other), o->most,
            (double)o->same / (double)MAX(o->rows, 1)};
    }
    r->bytes_float = constants(g);
    r->bytes_int = constants(q);
}
