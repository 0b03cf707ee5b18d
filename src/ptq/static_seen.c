/* Where the values of a decoder lie: each channel's, then all of them in units
 * of their channels. */
#include "ptq/static.h"

#include <math.h>
#include <string.h>

/* Of a channel's own size and that of all, as exponents. */
static const double OWN = 0.5;

static const char *name_of(const Decoder *d, int64_t layer, const char *name)
{
    return layer < 0
               ? name
               : arena_fmt(d->mem, "layer%lld.%s", (long long)layer, name);
}

static _Noreturn void strange(const char *name)
{
    err(ERR_MODEL, "'%s' is not as in a llama2.c checkpoint, of which "
        "activations of fixed scales are", name);
}

Val *decoder_const(const Decoder *d, int64_t layer, const char *name)
{
    Val *v = graph_find(d->g, name_of(d, layer, name));

    if (!v || !v->data || v->type != T_f32)
        strange(name_of(d, layer, name));
    return v;
}

/* What reads v as operand `at`. */
static const Node *reader(const Decoder *d, const Val *v, int at)
{
    const Node *n;

    for (n = d->g->first; n; n = n->next)
        if (n->narg > at && n->arg[at] == v)
            return n;
    strange(v->name);
}

static const Node *product(const Decoder *d, int64_t layer, const char *name)
{
    return reader(d, decoder_const(d, layer, name), 1);
}

static void place(const Decoder *d, Spot *s, const Val *v, int64_t channels)
{
    *s = (Spot){.v = v,
                .channels = channels,
                .top = NEWN(d->mem, double, (size_t)channels),
                .sum = NEWN(d->mem, double, (size_t)channels),
                .less = NEWN(d->mem, double, (size_t)channels),
                .unit = NEWN(d->mem, double, (size_t)channels)};
}

/* What is written into a cache. */
static const Node *written(const Decoder *d, int64_t layer, const char *name)
{
    const Val *v = graph_find(d->g, name_of(d, layer, name));

    if (!v)
        strange(name_of(d, layer, name));
    return reader(d, v, 0);
}

/* Rotated queries: what meets the keys. */
static const Val *queries(const Decoder *d, const Node *keys)
{
    const Val *k = keys->res[0];
    const Node *n;

    for (n = d->g->first; n; n = n->next)
        if (n->op == OP_matmul &&
            (n->arg[1] == k || (n->arg[1]->def && n->arg[1]->def->narg &&
                                n->arg[1]->def->arg[0] == k)))
            return n->arg[0];
    strange(k->name);
}

static void place_layer(Decoder *d, int64_t i)
{
    Spot *s = d->spot[i];
    const Node *keys = written(d, i, "keys"), *wo = product(d, i, "wo");
    const Node *w2 = product(d, i, "w2"), *w1 = product(d, i, "w1");
    const Node *norm1 = reader(d, decoder_const(d, i, "norm1"), 1);
    const Node *norm2 = reader(d, decoder_const(d, i, "norm2"), 1);
    int64_t dim = d->dim, kv = d->caches * d->head;

    place(d, &s[AT_X1], norm1->arg[0], dim);
    place(d, &s[AT_H1], norm1->res[0], dim);
    place(d, &s[AT_Q], queries(d, keys), d->head);
    place(d, &s[AT_K], keys->arg[2], kv);
    place(d, &s[AT_V], written(d, i, "values")->arg[2], kv);
    place(d, &s[AT_MIXED], wo->arg[0], dim);
    place(d, &s[AT_O], wo->res[0], dim);
    place(d, &s[AT_X2], norm2->arg[0], dim);
    place(d, &s[AT_H2], norm2->res[0], dim);
    place(d, &s[AT_GATE], w1->res[0], d->hidden);
    place(d, &s[AT_UP], product(d, i, "w3")->res[0], d->hidden);
    place(d, &s[AT_GATED], w2->arg[0], d->hidden);
    place(d, &s[AT_DOWN], w2->res[0], dim);
    place(d, &s[AT_X3], reader(d, w2->res[0], 1)->res[0], dim);
}

void decoder_find(Arena *mem, Graph *g, Decoder *d)
{
    const Val *e, *keys;
    const Node *norm;
    int64_t i;

    *d = (Decoder){.mem = mem, .g = g, .context = g->context};
    graph_number(g);
    e = decoder_const(d, -1, "embedding");
    d->vocab = e->shape.dim[0];
    d->dim = e->shape.dim[1];
    while (graph_find(g, name_of(d, d->layers, "wq")))
        d->layers++;
    d->hidden = decoder_const(d, 0, "w1")->shape.dim[0];
    keys = written(d, 0, "keys")->arg[0];
    d->caches = keys->shape.dim[0];
    d->head = keys->shape.dim[2];
    d->heads = d->dim / d->head;
    d->spot = arena_get(mem, (size_t)d->layers, sizeof *d->spot);
    for (i = 0; i < d->layers; i++)
        place_layer(d, i);
    norm = reader(d, decoder_const(d, -1, "norm"), 1);
    place(d, &d->last, norm->res[0], d->dim);
    place(d, &d->logits, g->out[0], 1);
}

static void each(Decoder *d, void (*visit)(Spot *s, const Eval *e),
                 const Eval *e)
{
    int64_t i;
    int k;

    for (i = 0; i < d->layers; i++)
        for (k = 0; k < NSPOT; k++)
            visit(&d->spot[i][k], e);
    visit(&d->last, e);
    visit(&d->logits, e);
}

static void look(Spot *s, const Eval *e)
{
    const float *x = e->data[s->v->id];
    int64_t i, n = val_count(s->v);

    for (i = 0; i < n; i++) {
        s->top[i % s->channels] = fmax(s->top[i % s->channels],
                                       fabs((double)x[i]));
        s->sum[i % s->channels] += (double)x[i];
    }
    s->rows += n / s->channels;
}

static void count(Spot *s, const Eval *e)
{
    const float *x = e->data[s->v->id];
    int64_t i, n = val_count(s->v);
    float y;

    for (i = 0; i < n; i++) {
        int64_t c = i % s->channels;

        y = (float)(((double)x[i] - s->less[c]) / s->unit[c]);
        seen_add(&s->seen, &y, 1);
    }
}

static void look_all(void *arg, const Step *s)
{
    each(arg, look, s->e);
}

static void count_all(void *arg, const Step *s)
{
    each(arg, count, s->e);
}

static void ones(Spot *s, const Eval *e)
{
    int64_t i;

    (void)e;
    for (i = 0; i < s->channels; i++)
        s->unit[i] = 1;
}

/* Units between a channel's own size and that of all. */
static void between(Spot *s)
{
    double mean = 0;
    int64_t i;

    for (i = 0; i < s->channels; i++)
        mean += log(fmax(s->top[i], 1e-6)) / (double)s->channels;
    for (i = 0; i < s->channels; i++)
        s->unit[i] = exp(OWN * log(fmax(s->top[i], 1e-6)) + (1 - OWN) * mean);
}

static void set_units(Decoder *d)
{
    int64_t i, c, each_cache = d->heads / d->caches;

    each(d, ones, NULL);
    for (i = 0; i < d->layers; i++) {
        Spot *s = d->spot[i];

        /* What all keys have in common adds the same to all scores. */
        for (c = 0; c < s[AT_K].channels; c++)
            s[AT_K].less[c] = s[AT_K].sum[c] / (double)MAX(s[AT_K].rows, 1);
        between(&s[AT_H1]);
        between(&s[AT_V]);
        between(&s[AT_H2]);
        between(&s[AT_UP]);
        for (c = 0; c < d->dim; c++)
            s[AT_MIXED].unit[c] =
                s[AT_V].unit[c / d->head / each_cache * d->head + c % d->head];
        memcpy(s[AT_GATED].unit, s[AT_UP].unit,
               (size_t)d->hidden * sizeof *s->unit);
    }
    between(&d->last);
}

void decoder_observe(Decoder *d, const Tokens *t, int from, int to)
{
    read_texts(d->g, t, from, to, look_all, d);
    set_units(d);
    read_texts(d->g, t, from, to, count_all, d);
}
