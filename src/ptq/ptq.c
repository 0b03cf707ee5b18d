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

Graph *ptq_quantize(Arena *mem, Graph *g, const Samples *s, const PtqOpts *o,
                    PtqReport *r)
{
    Graph *q = copy(mem, g);
    Seen **seen = observe(mem, g, s);
    Inserted *list = NULL;
    int n = insert_grids(q, g, seen, o, &list);

    r->nsample = s->n;
    describe(mem, g, seen, list, n, r);
    quant_lower(q);
    lower_rows(q);
    q->settled = true;
    graph_check(q, "quantize");
    count_floats(mem, q, r);
    measure(mem, g, q, s, r, list);
    return q;
}
