/* Language models with weights of few bits.
 *
 *     y = matmul x w transb=1    ->   y = groupmatmul x w8 scale p0=group
 *
 * The rest stays as it is.  Weights of 4 bits are those of the layers; the
 * embedding, and the classifier, which most often is the same matrix, keep
 * 8, with a scale a row.  Scales are halves of floats (16 bits).
 *
 * What is lost is measured on texts: the perplexity of both, and the KL
 * divergence of the float model's next words to the other's. */
#include "ptq/static.h"

#include <math.h>
#include <string.h>

enum { CALIBRATE = 12 }; /* texts, if there are so many */

typedef struct Lm {
    Arena *mem;
    Graph *g, *q;
    const LmOpts *o;
    LmReport *r;
    Met *met;    /* of each matrix of g */
    int nmet;
} Lm;

/* --- what matrices meet --- */

static bool is_matrix(const Node *n)
{
    const Val *w = n->op == OP_matmul ? n->arg[1] : NULL;

    return w && w->data && w->type == T_f32 && w->shape.rank == 2 &&
           attr_int(n, A_transb) && n->narg < 3;
}

static Met *met_of(Lm *l, const char *name)
{
    int i;

    for (i = 0; i < l->nmet; i++)
        if (!strcmp(l->met[i].w->name, name))
            return &l->met[i];
    return NULL;
}

static void want(Lm *l)
{
    Node *n;

    for (n = l->g->first; n; n = n->next) {
        int64_t k;

        if (!is_matrix(n) || met_of(l, n->arg[1]->name))
            continue;
        GROW(l->mem, l->met, (size_t)l->nmet);
        k = n->arg[1]->shape.dim[1];
        l->met[l->nmet++] = (Met){.w = n->arg[1], .x = n->arg[0], .k = k,
            .h = NEWN(l->mem, double, (size_t)(k * k))};
    }
}

static void gather(void *arg, const Step *s)
{
    Lm *l = arg;
    int64_t i, j, k, r;
    int m;

    for (m = 0; m < l->nmet; m++) {
        const float *x = s->e->data[l->met[m].x->id];

        k = l->met[m].k;
        for (r = 0; r < val_count(l->met[m].x) / k; r++, x += k)
            for (i = 0; i < k; i++)
                for (j = 0; j <= i; j++)
                    l->met[m].h[i * k + j] += (double)x[i] * (double)x[j];
    }
}

static void mirror(Lm *l)
{
    int64_t i, j, k;
    int m;

    for (m = 0; m < l->nmet; m++)
        for (k = l->met[m].k, i = 0; i < k; i++)
            for (j = 0; j < i; j++)
                l->met[m].h[j * k + i] = l->met[m].h[i * k + j];
}

/* --- the graph --- */

typedef struct Kept {
    Val *w, *scale;
    int bits;
    int64_t group;
} Kept;

static Val *pack_rows(Graph *q, const char *name, Shape s, const int8_t *w,
                   int bits)
{
    int64_t i, n = shape_count(s);
    Val *y;

    if (bits == 8)
        return graph_const(q, name, T_s8, s, w);
    s.dim[1] /= 2;
    y = graph_const(q, name, T_u8, s, NULL);
    for (i = 0; i < n; i += 2)
        val_set(y, i / 2, (w[i] & 15) | (w[i + 1] & 15) << 4);
    val_range(y);
    return y;
}

static Kept keep(Lm *l, Val *w, bool small)
{
    int64_t m = w->shape.dim[0], k = w->shape.dim[1], groups;
    Kept y = {.bits = small && k % 2 == 0 ? l->o->bits : 8};
    const Met *met = met_of(l, w->name);
    Rounded r;

    y.group = !small || y.bits != l->o->bits ? k
              : l->o->group ? MIN(l->o->group, k) : k;
    groups = (k + y.group - 1) / y.group;
    r = round_rows(l->mem, w->data, m, k, y.bits, y.group,
                   met && !l->o->plain && small ? met->h : NULL, 0);
    y.w = pack_rows(l->q, w->name, w->shape, r.w, y.bits);
    y.scale = graph_const(l->q, arena_fmt(l->mem, "%s.scale", w->name), T_u16,
                          SHAPE(m, groups), r.scale);
    GROW(l->mem, l->r->matrix, (size_t)l->r->nmatrix);
    l->r->matrix[l->r->nmatrix++] = (LmMatrix){arena_str(l->mem, w->name),
        y.bits, (int)y.group, m, k,
        met ? rounded_sqnr(w->data, &r, m, k, met->h) : NAN};
    return y;
}

static Node *put(Graph *q, Node *at, OpCode op, int narg, Val *a, Val *b,
                 Val *c)
{
    Val *arg[3] = {a, b, c};

    return graph_node(q, at, op, NULL, narg, arg);
}

static Val *end(Graph *q, Node *n)
{
    node_infer(q, n);
    return n->res[0];
}

/* Half floats as floats: a table of all that occur would be larger than they
 * are, so the rows of a table are kept as floats. */
static Val *float_scales(Lm *l, const Kept *y)
{
    Val *f = graph_const(l->q, y->scale->name, T_f32, y->scale->shape, NULL);
    int64_t i;

    for (i = 0; i < val_count(f); i++)
        ((float *)f->data)[i] = half_value((uint16_t)val_int(y->scale, i));
    return f;
}

/* Rows of a table of 8 bits. */
static void put_rows(Lm *l, Node *n, const Kept *y, Val *scale)
{
    Graph *q = l->q;
    Node *a = put(q, n, OP_gather, 2, y->w, n->arg[1], NULL), *b, *c;
    Shape s;

    attr_set_int(q, a, A_axis, 0);
    a = put(q, n, OP_cast, 1, end(q, a), NULL, NULL);
    attr_set_int(q, a, A_to, T_f32);
    b = put(q, n, OP_gather, 2, scale, n->arg[1], NULL);
    attr_set_int(q, b, A_axis, 0);
    c = put(q, n, OP_mul, 2, end(q, a), end(q, b), NULL);
    s = n->res[0]->shape;
    graph_replace(q, n->res[0], end(q, c));
    if (!shape_same(s, c->res[0]->shape))
        die("rows of '%s' have another shape", y->w->name);
}

static void put_product(Lm *l, Node *n, const Kept *y)
{
    Graph *q = l->q;
    Node *p = put(q, n, OP_groupmatmul, 3, n->arg[0], y->w, y->scale);

    attr_set_int(q, p, A_p0, y->group);
    attr_set_int(q, p, A_mode, (y->bits == 4 ? 2 : 0) | l->o->dynamic);
    p->origin = n->origin;
    graph_replace(q, n->res[0], end(q, p));
}

static bool is_table(const Node *n, const Val *w)
{
    return n->op == OP_gather && n->arg[0] == w;
}

/* Everything that reads w. */
static void replace(Lm *l, Val *w)
{
    Node *n;
    bool table = false, last = !strcmp(w->name, "classifier");
    Val *scale;
    Kept y;

    for (n = l->q->first; n; n = n->next)
        table |= is_table(n, w);
    y = keep(l, w, !table && !last);
    scale = table ? float_scales(l, &y) : NULL;
    if (table)
        y.scale = scale;
    for (n = l->q->first; n; n = n->next)
        if (is_table(n, w))
            put_rows(l, n, &y, scale);
        else if (is_matrix(n) && n->arg[1] == w)
            put_product(l, n, &y);
}

/* Rows of cosines and sines as 16 bits, 32767 being 1. */
static Val *narrow_turns(Lm *l, const Val *w)
{
    Val *y = graph_const(l->q, w->name, T_s16, w->shape, NULL);
    int64_t i;

    for (i = 0; i < val_count(w); i++)
        val_set(y, i, lrint(32767 * (double)((const float *)w->data)[i]));
    val_range(y);
    return y;
}

/* Do rotations read v, and nothing else? */
static bool turns_only(const Lm *l, const Val *v)
{
    bool any = false;
    const Node *n;
    int i;

    for (n = l->q->first; n; n = n->next)
        for (i = 0; i < n->narg; i++) {
            if (n->arg[i] == v && (n->op != OP_rotate || i != 1))
                return false;
            any |= n->arg[i] == v;
        }
    return any && !val_is_output(l->q, v);
}

static bool are_turns(const Lm *l, const Node *n)
{
    const Val *w = n->op == OP_gather ? n->arg[0] : NULL;
    int64_t i;

    if (!w || !w->data || w->type != T_f32 || !turns_only(l, n->res[0]))
        return false;
    for (i = 0; i < val_count(w); i++)
        if (fabsf(((const float *)w->data)[i]) > 1)
            return false;
    return true;
}

static void narrow_all_turns(Lm *l)
{
    Node *n, *y;

    for (n = l->q->first; n; n = n->next)
        if (are_turns(l, n)) {
            y = put(l->q, n, OP_gather, 2, narrow_turns(l, n->arg[0]),
                    n->arg[1], NULL);
            attr_set_int(l->q, y, A_axis, attr_int(n, A_axis));
            graph_replace(l->q, n->res[0], end(l->q, y));
        }
}

static bool is_weight(const Lm *l, const Val *w)
{
    const Node *n;

    for (n = l->q->first; n; n = n->next)
        if (is_matrix(n) && n->arg[1] == w)
            return true;
    return false;
}

static void replace_all(Lm *l)
{
    Val **w = NULL;
    Node *n;
    int i, count = 0;

    for (n = l->q->first; n; n = n->next)
        for (i = 0; i < n->narg; i++) {
            int k = 0;

            if (!n->arg[i] || !n->arg[i]->data || !is_weight(l, n->arg[i]))
                continue;
            while (k < count && w[k] != n->arg[i])
                k++;
            if (k < count)
                continue;
            GROW(l->mem, w, (size_t)count);
            w[count++] = n->arg[i];
        }
    for (i = 0; i < count; i++)
        replace(l, w[i]);
    narrow_all_turns(l);
    graph_sweep(l->q);
    graph_check(l->q, "quantize");
}

/* --- what was lost --- */

typedef struct Judge {
    const Graph *g;
    Arena *mem;
    int64_t n, at;
    float **logits;    /* of the float model, at each step */
    double nll_f, nll_i, kl;
    int64_t same;
} Judge;

static void remember(void *arg, const Step *s)
{
    Judge *j = arg;
    size_t bytes = (size_t)val_bytes(j->g->out[0]);

    GROW(j->mem, j->logits, (size_t)j->n);
    j->logits[j->n] = arena_get(j->mem, bytes, 1);
    memcpy(j->logits[j->n++], s->e->data[j->g->out[0]->id], bytes);
}

/* The logarithm of the sum of exponentials; *top: of the greatest. */
static double log_sum(const float *x, int64_t n, int64_t *top)
{
    double sum = 0;
    int64_t i;

    for (*top = 0, i = 1; i < n; i++)
        if (x[i] > x[*top])
            *top = i;
    for (i = 0; i < n; i++)
        sum += exp((double)x[i] - (double)x[*top]);
    return (double)x[*top] + log(sum);
}

static void judge(void *arg, const Step *s)
{
    Judge *j = arg;
    const float *f = j->logits[j->at++], *x = s->e->data[j->g->out[0]->id];
    int64_t i, n = val_count(j->g->out[0]), top_f, top_i;
    double sum_f = log_sum(f, n, &top_f), sum_i = log_sum(x, n, &top_i);

    for (i = 0; i < n; i++) {
        double p = (double)f[i] - sum_f;

        j->kl += exp(p) * (p - ((double)x[i] - sum_i));
    }
    j->same += top_f == top_i;
    if (s->next >= 0) {
        j->nll_f += sum_f - (double)f[s->next];
        j->nll_i += sum_i - (double)x[s->next];
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

static void measure_texts(Lm *l, const Tokens *t, int texts)
{
    Judge j = {.g = l->g, .mem = arena_new()};
    double n;

    read_texts(l->g, t, 0, texts, remember, &j);
    j.g = l->q;
    read_texts(l->q, t, 0, texts, judge, &j);
    n = (double)MAX(j.n, 1);
    l->r->tokens = j.n;
    l->r->ppl_float = exp(j.nll_f / n);
    l->r->ppl_int = exp(j.nll_i / n);
    l->r->kl = j.kl / n;
    l->r->same = (double)j.same / n;
    l->r->bytes_float = constants(l->g);
    l->r->bytes_int = constants(l->q);
    arena_end(j.mem);
}

static Graph *copy(Arena *mem, Graph *g)
{
    Arena *a = arena_new();
    Str text = {.mem = a};
    Graph *q;

    graph_print(g, &text);
    q = graph_parse(mem, g->file, text.s);
    graph_number(q);
    arena_end(a);
    return q;
}

Graph *lm_quantize(Arena *mem, Graph *g, const Tokens *t, const LmOpts *o,
                   LmReport *r)
{
    Lm l = {.mem = mem, .g = g, .o = o, .r = r};
    int texts = o->texts < 0 ? 0 : o->texts ? MIN(o->texts, t->n) : t->n;
    int from = t->n > texts ? texts : 0;

    graph_number(g);
    want(&l);
    if (!l.nmet)
        err(ERR_MODEL, "no products with float weights: the model is "
            "quantized already");
    read_texts(g, t, from, MIN(t->n, from + CALIBRATE), gather, &l);
    mirror(&l);
    if (o->fixed) {
        l.q = static_decoder(mem, g, t, from, MIN(t->n, from + CALIBRATE),
                             l.met, l.nmet, r);
    } else {
        l.q = copy(mem, g);
        replace_all(&l);
    }
    l.q->settled = true;
    if (o->texts >= 0)
        measure_texts(&l, t, texts);
    return l.q;
}
