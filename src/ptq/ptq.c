/* The float graph is observed, a copy of it gets grids, room quant makes
 * integers of it, and both are compared. */
#include "ptq/calib.h"

#include "quant/quant.h"

#include <math.h>

enum { TRIED = 32 }; /* examples that say which form loses less */

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

/* A product whose addend is no list of channels has it behind: a bias of
 * integers has one of each. */
static void split_biases(Graph *f)
{
    Node *n, *add;

    for (n = f->first; n; n = n->next) {
        Val *y = n->res[0], *arg[2];

        if (n->op != OP_matmul || n->narg < 3 || !n->arg[2] ||
            y->type != T_f32 || val_count(n->arg[2]) ==
            y->shape.dim[y->shape.rank - 1])
            continue;
        arg[0] = y;
        arg[1] = n->arg[2];
        add = graph_node(f, n->next, OP_add, NULL, 2, arg);
        graph_replace(f, y, add->res[0]);
        add->arg[0] = y;
        n->narg = 2;
        node_infer(f, add);
    }
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
            .sqnr = NAN, .share = NAN};
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

    r->nfloat = 0;
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

static int64_t constants(const Graph *g)
{
    const Val *v;
    int64_t n = 0;

    for (v = g->vals; v; v = v->next)
        n += v->data ? val_bytes(v) : 0;
    return n;
}

/* Two weights of 4 bits count one byte. */
static int64_t halved(const PtqReport *r)
{
    int64_t n = 0;
    int i;

    for (i = 0; i < r->nweights; i++)
        n += r->weights[i].bits == 4 ? r->weights[i].count / 2 : 0;
    return n;
}

Graph *make_integer(Arena *mem, Graph *f, Seen **seen, const Met *met,
                    const PtqOpts *o, PtqReport *r, Inserted **list)
{
    Graph *q = copy(mem, f);
    int n;

    *list = NULL;
    bound_scores(q, f, seen);
    n = insert_grids(q, f, seen, o, list);
    describe(mem, f, seen, *list, n, r);
    r->nweights = insert_weights(q, f, seen, met, o, &r->weights);
    graph_sweep(q);
    if (o->mix.only) {
        r->grids = q;
        return q;
    }
    r->grids = o->given ? NULL : copy(mem, q);
    quant_lower(q);
    if (!o->given) {
        lower_rows(q);
        lower_attention(q);
    }
    q->settled = true;
    graph_check(q, "quantize");
    count_floats(mem, q, r);
    r->bytes_float = constants(o->given ? o->given : f);
    r->bytes_int = constants(q) - halved(r);
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

typedef struct Form { /* a float graph that computes what g does */
    Graph *f;
    Seen **seen;
    bool equalized;
    double smoothed;
    PtqReport r;
} Form;

static void try(Arena *mem, Form *form, const Answers *a, const PtqOpts *o)
{
    Samples few = *a->s;
    Inserted *list;
    Graph *q;
    Met *met = o->nearest ? NULL : meets_new(mem, form->f);

    few.n = a->n;
    form->seen = observe(mem, form->f, &few, met);
    q = make_integer(mem, form->f, form->seen, met, o, &form->r, &list);
    measure_outputs(mem, a, q, &form->r);
}

/* The form of f that loses least of few examples; f changes. */
static Form best_form(Arena *mem, Graph *f, const Answers *a,
                      const PtqOpts *o)
{
    static const double parts[] = {0.5, 0.75};
    Form best = {.f = f}, next;
    size_t i;

    if (o->as_is)
        return best;
    try(mem, &best, a, o);
    next = (Form){.f = copy(mem, f), .equalized = true};
    if (equalize(next.f)) {
        try(mem, &next, a, o);
        if (better(&best.r, &next.r))
            best = next;
    }
    f = best.f;
    for (i = 0; i < LEN(parts); i++) {
        Seen **seen;
        Samples few = *a->s;

        few.n = a->n;
        next = (Form){.f = copy(mem, f), .equalized = best.equalized,
                      .smoothed = parts[i]};
        seen = observe(mem, next.f, &few, NULL);
        if (!smooth(next.f, seen, parts[i]))
            break;
        try(mem, &next, a, o);
        if (better(&best.r, &next.r))
            best = next;
    }
    return best;
}

Graph *ptq_quantize(Arena *mem, Graph *g, const Samples *s,
                    const Samples *test, const PtqOpts *o, PtqReport *r)
{
    PtqOpts opts = *o;
    Form best;
    Inserted *list;
    Met *met;
    Graph *f = copy(mem, g), *q;
    bool mixes = o->bytes || o->drop >= 0;

    f->exact = g->exact;
    split_biases(f);
    best = best_form(mem, f, answers_of(mem, g, s, TRIED), o);
    f = best.f;
    met = o->nearest ? NULL : meets_new(mem, f);
    best.seen = observe(mem, f, s, met);
    *r = (PtqReport){0};
    q = make_integer(mem, f, best.seen, met, &opts, r, &list);
    if (mixes) {
        find_mix(mem, f, best.seen, met, answers_of(mem, g, s, s->n), &opts,
                 r);
        q = make_integer(mem, f, best.seen, met, &opts, r, &list);
    }
    if (o->shares)
        find_shares(mem, f, best.seen, met, answers_of(mem, g, s, TRIED),
                    &opts, r);
    measure(mem, f, q, test, r, list);
    if (o->given)
        measure_outputs(mem, answers_of(mem, o->given, test, test->n), q, r);
    r->nsample = s->n;
    r->nmeasured = test->n;
    r->equalized = best.equalized;
    r->smoothed = best.smoothed;
    return q;
}
