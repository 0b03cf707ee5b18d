/* The float graph is observed, a copy of it gets grids, room quant makes
 * integers of it, and both are compared. */
#include "ptq/calib.h"

#include "quant/quant.h"

#include <math.h>

static Graph *copy(Arena *mem, Graph *g)
{
    Arena *a = arena_new();
    Str text = {.mem = a};
    Graph *q;

    graph_print(g, &text);
    q = graph_parse(mem, g->file, text.s);
    q->exact = q->settled = false;
    arena_end(a);
    return q;
}

static void describe(Arena *mem, Graph *g, Seen **seen, const Inserted *list,
                     int n, PtqReport *r)
{
    int i;

    r->nlayer = n;
    r->layer = NEWN(mem, PtqLayer, (size_t)n + 1);
    for (i = 0; i < n; i++) {
        const Steps *s = &list[i].steps;
        const TypeInfo *t = &type_info[s->type];
        const Val *v = graph_find(g, list[i].name);
        const Seen *of = v ? seen[v->id] : NULL;
        double half = 0.5 * (double)s->scale;

        r->layer[i] = (PtqLayer){.name = list[i].name, .op = list[i].op,
            .type = s->type, .scale = (double)s->scale, .zero = s->zero,
            .sqnr = NAN};
        if (!of)
            continue;
        r->layer[i].lo = of->lo;
        r->layer[i].hi = of->hi;
        r->layer[i].clipped = seen_outside(of,
            (double)s->scale * (double)(t->lo - s->zero) - half,
            (double)s->scale * (double)(t->hi - s->zero) + half);
    }
}

/* Operators that compute in floats after all. */
static void count_floats(Arena *mem, const Graph *q, PtqReport *r)
{
    const Node *n;

    for (n = q->first; n; n = n->next) {
        if (n->op == OP_quantize || n->op == OP_dequantize ||
            n->res[0]->type != T_f32)
            continue;
        if (r->nfloat < (int)LEN(r->left))
            r->left[r->nfloat] = arena_fmt(mem, "%s (%s)", n->name,
                n->origin ? n->origin : op_info[n->op].name);
        r->nfloat++;
    }
}

/* One way to do it; f computes what the network does. */
static Graph *attempt(Arena *mem, Graph *f, const Samples *s,
                      const PtqOpts *o, PtqReport *r)
{
    Graph *q = copy(mem, f);
    Seen **seen = observe(mem, f, s);
    Inserted *list = NULL;
    int n = insert_grids(q, f, seen, o, &list);

    *r = (PtqReport){.nsample = s->n};
    describe(mem, f, seen, list, n, r);
    graph_sweep(q);
    r->grids = copy(mem, q);
    quant_lower(q);
    lower_rows(q);
    q->settled = true;
    graph_check(q, "quantize");
    count_floats(mem, q, r);
    measure(mem, f, q, s, r, list);
    return q;
}

/* Is b better, by the mean of the outputs' SQNR? */
static bool better(const PtqReport *a, const PtqReport *b)
{
    double sum = 0;
    int i;

    for (i = 0; i < a->nout; i++)
        sum += b->out[i].sqnr - a->out[i].sqnr;
    return sum > 0;
}

Graph *ptq_quantize(Arena *mem, Graph *g, const Samples *s, const PtqOpts *o,
                    PtqReport *r)
{
    Graph *f = copy(mem, g), *q = attempt(mem, g, s, o, r), *e;
    PtqReport second;

    f->exact = g->exact;
    if (!equalize(f))
        return q;
    e = attempt(mem, f, s, o, &second);
    if (!better(r, &second))
        return q;
    *r = second;
    r->equalized = true;
    return e;
}
