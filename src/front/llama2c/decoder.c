/* A llama2.c checkpoint as a network that takes one token.
 *
 * Per layer: x += wo attention(rotate(wq h), rotate(wk h), wv h), h = norm(x);
 * x += w2 (silu(w1 h) * w3 h), h = norm(x).  Then logits = classifier norm(x).
 *
 * The keys and values of a layer are states [kv_heads][context][head]; the
 * token's own are written at its position, what lies behind is masked.
 *
 * Done here rather than at run time: the root in attention's scale goes into
 * wq; and rows of wq and wk are put in another order within each head, even
 * elements first, so that what rotates together are two halves. */
#include "front/build.h"
#include "front/llama2c/llama2c.h"

#include <math.h>
#include <string.h>

typedef struct Decoder {
    Call c;
    Reading r;
    Checkpoint k;
    int64_t layer;
    Val *position;
    Val *cosine, *sine; /* [1][head / 2] of the position */
    Val *hidden;        /* [context]: 0 up to the position, then -infinity */
    Val *slots;         /* [kv_heads][2]: head, position */
} Decoder;

static void name_next(Decoder *d, const char *what)
{
    d->c.name = d->layer < 0 ? what
        : arena_fmt(d->c.mem, "layer%lld.%s", (long long)d->layer, what);
}

/* A matrix of this layer in the graph. */
typedef struct Weights {
    Val *w, *scale; /* [out][in]; [out][in / group] or NULL: w is floats */
} Weights;

static Weights matrix(Decoder *d, const char *name, int64_t out, int64_t in,
                      Matrix m)
{
    int64_t at = MAX(d->layer, 0) * out * in, g = d->k.group;
    Graph *to = d->c.g;

    name_next(d, name);
    if (!g)
        return (Weights){.w = graph_const(to, d->c.name, T_f32,
                                          SHAPE(out, in), m.f + at)};
    return (Weights){
        graph_const(to, d->c.name, T_s8, SHAPE(out, in), m.q + at),
        graph_const(to, arena_fmt(d->c.mem, "%s.scale", d->c.name), T_f32,
                    SHAPE(out, in / g), m.scale + at / g)};
}

static Val *vector(Decoder *d, const char *name, const float *w)
{
    name_next(d, name);
    return graph_const(d->c.g, d->c.name, T_f32, SHAPE(d->k.dim),
                       w + MAX(d->layer, 0) * d->k.dim);
}

/* x [1][in] -> [1][out] */
static Val *product(Decoder *d, Val *x, Weights w)
{
    Node *n;

    if (!w.scale)
        return matmul(&d->c, x, w.w, NULL, false, true);
    n = node_of(&d->c, OP_groupmatmul, 3, x, w.w, w.scale);
    attr_set_int(d->c.g, n, A_p0, d->k.group);
    attr_set_int(d->c.g, n, A_mode, 1);
    return done(&d->c, n);
}

static Val *linear(Decoder *d, const char *name, Val *x, int64_t out, Matrix m)
{
    return product(d, x, matrix(d, name, out, x->shape.dim[1], m));
}

/* Row `token` as floats. */
static Val *row_of(Decoder *d, Weights w, Val *token)
{
    Call *c = &d->c;
    int64_t n = d->k.dim, g = d->k.group;
    Val *x = take(c, w.w, token, 0);

    if (!w.scale)
        return x;
    x = to_shape(c, cast(c, x, T_f32), SHAPE(n / g, g));
    x = op2(c, OP_mul, x, to_shape(c, take(c, w.scale, token, 0),
                                   SHAPE(n / g, 1)));
    return to_shape(c, x, SHAPE(1, n));
}

static Val *norm(Decoder *d, const char *name, Val *x, const float *w)
{
    Val *by = vector(d, name, w);
    Node *n = node_of(&d->c, OP_rmsnorm, 2, x, by);

    attr_set_int(d->c.g, n, A_axis, 1);
    attr_set_num(d->c.g, n, A_eps, 1e-5);
    return done(&d->c, n);
}

/* Rows of n floats of all layers, times `by`: those of each head in another
 * order, even ones first. */
static const float *halved_floats(Decoder *d, const float *w, int64_t rows,
                                  int64_t n, double by)
{
    int64_t h = d->k.head, i, j;
    float *v = NEWN(d->c.mem, float, rows * n);

    for (i = 0; i < rows; i++) {
        int64_t at = i % h, from = i - at + at % (h / 2) * 2 + at / (h / 2);

        for (j = 0; j < n; j++)
            v[i * n + j] = (float)(w[from * n + j] * by);
    }
    return v;
}

static const signed char *halved_bytes(Decoder *d, const signed char *w,
                                       int64_t rows, int64_t n)
{
    int64_t h = d->k.head, i;
    signed char *v = NEWN(d->c.mem, signed char, rows * n);

    for (i = 0; i < rows; i++) {
        int64_t at = i % h, from = i - at + at % (h / 2) * 2 + at / (h / 2);

        memcpy(v + i * n, w + from * n, (size_t)n);
    }
    return v;
}

/* wq or wk, times `by`. */
static Matrix halved(Decoder *d, Matrix m, int64_t rows, double by)
{
    int64_t n = d->k.dim, all = d->k.layers * rows;

    if (!d->k.group)
        return (Matrix){.f = halved_floats(d, m.f, all, n, by)};
    return (Matrix){.q = halved_bytes(d, m.q, all, n),
                    .scale = halved_floats(d, m.scale, all, n / d->k.group,
                                           by)};
}

/* x [1][heads * head] -> [heads][head], rotated by the position */
static Val *rotate(Decoder *d, Val *x)
{
    int64_t half = d->k.head / 2;
    Call *c = &d->c;
    Val *a, *b, *two[2];

    x = to_shape(c, x, SHAPE(val_count(x) / d->k.head, d->k.head));
    a = part(c, x, 1, 0, half, 1);
    b = part(c, x, 1, half, half, 1);
    two[0] = op2(c, OP_sub, op2(c, OP_mul, a, d->cosine),
                 op2(c, OP_mul, b, d->sine));
    two[1] = op2(c, OP_add, op2(c, OP_mul, a, d->sine),
                 op2(c, OP_mul, b, d->cosine));
    return join(c, 1, 2, two);
}

/* A state of all positions with x [kv_heads * head] at this one. */
static Val *cached(Decoder *d, const char *name, Val *x)
{
    const Checkpoint *k = &d->k;
    Graph *g = d->c.g;
    Val *state, *next;
    Node *n;

    name_next(d, name);
    state = graph_val(g, d->c.name, T_f32,
                      SHAPE(k->kv_heads, k->context, k->head));
    graph_input(g, state);
    x = to_shape(&d->c, x, SHAPE(k->kv_heads, k->head));
    n = node_of(&d->c, OP_scatternd, 3, state, d->slots, x);
    next = done(&d->c, n);
    val_rename(g, next, arena_fmt(d->c.mem, "%s.next", d->c.name));
    graph_output(g, next);
    next->state = state;
    return next;
}

static Val *attention(Decoder *d, Val *h)
{
    const Checkpoint *k = &d->k;
    int64_t each = k->heads / k->kv_heads;
    Shape heads = SHAPE(k->kv_heads, each, k->head);
    Val *q, *keys, *values, *y;
    Call *c = &d->c;

    q = rotate(d, linear(d, "wq", h, k->dim, k->wq));
    y = linear(d, "wk", h, k->kv, k->wk);
    keys = cached(d, "keys", rotate(d, y));
    values = cached(d, "values", linear(d, "wv", h, k->kv, k->wv));
    name_next(d, "attention");
    y = matmul(c, to_shape(c, q, heads), keys, NULL, false, true);
    y = softmax(c, op2(c, OP_add, y, d->hidden), 2);
    y = matmul(c, y, values, NULL, false, false);
    y = to_shape(c, y, SHAPE(1, k->dim));
    return linear(d, "wo", y, k->dim, k->wo);
}

static Val *feed_forward(Decoder *d, Val *h)
{
    Val *gate = linear(d, "w1", h, d->k.hidden, d->k.w1);
    Val *up = linear(d, "w3", h, d->k.hidden, d->k.w3);
    Node *n = node_of(&d->c, OP_swish, 1, gate);

    attr_set_num(d->c.g, n, A_alpha, 1);
    up = op2(&d->c, OP_mul, done(&d->c, n), up);
    return linear(d, "w2", up, d->k.dim, d->k.w2);
}

/* Row `position` of the cosines or sines: angle position * 10000^(-2i / head).
 * run.c has powf() of float32; so have we. */
static Val *turned(Decoder *d, const char *name, double (*of)(double))
{
    int64_t half = d->k.head / 2, p, i;
    float *v = NEWN(d->c.mem, float, d->k.context * half);
    Val *table;

    for (p = 0; p < d->k.context; p++)
        for (i = 0; i < half; i++) {
            float by = 1.0f / powf(10000.0f,
                                   2 * (float)i / (float)d->k.head);
            v[p * half + i] = (float)of((double)((float)p * by));
        }
    name_next(d, name);
    table = graph_const(d->c.g, name, T_f32, SHAPE(d->k.context, half),
                        v);
    return take(&d->c, table, d->position, 0);
}

/* 0 for positions up to this one, -infinity for those behind. */
static Val *hidden(Decoder *d)
{
    int64_t n = d->k.context, i, *v = NEWN(d->c.mem, int64_t, n);
    Val *seen;

    for (i = 0; i < n; i++)
        v[i] = i;
    name_next(d, "hidden");
    seen = op2(&d->c, OP_lesseq, ints(&d->c, T_s32, SHAPE(n), v),
               d->position);
    return op3(&d->c, OP_where, seen, graph_const_f32(d->c.g, 0),
               graph_const_f32(d->c.g, -INFINITY));
}

/* Where the caches are written: for each head, it and the position. */
static Val *slots(Decoder *d)
{
    int64_t n = d->k.kv_heads, i;
    int64_t *v = NEWN(d->c.mem, int64_t, 2 * n), unit[] = {0, 1};
    Val *base, *along;

    for (i = 0; i < n; i++)
        v[2 * i] = i;
    name_next(d, "slots");
    base = ints(&d->c, T_s32, SHAPE(n, 2), v);
    along = ints(&d->c, T_s32, SHAPE(2), unit);
    return op2(&d->c, OP_add, base, op2(&d->c, OP_mul, along, d->position));
}

/* An input from 0 to n - 1. */
static Val *number(Decoder *d, const char *name, int64_t n)
{
    Val *v = graph_val(d->c.g, name, T_s32, SHAPE(1));

    v->lo = 0;
    v->hi = n - 1;
    graph_input(d->c.g, v);
    return v;
}

/* The last output becomes the first. */
static void put_first(Graph *g)
{
    Val *v = g->out[g->nout - 1];

    memmove(g->out + 1, g->out, (size_t)(g->nout - 1) * sizeof *g->out);
    g->out[0] = v;
}

static void decoder(Decoder *d)
{
    const Checkpoint *k = &d->k;
    Call *c = &d->c;
    Val *token = number(d, "token", k->vocab), *x;
    Weights last;

    d->layer = -1;
    d->position = number(d, "position", k->context);
    d->cosine = turned(d, "cosines", cos);
    d->sine = turned(d, "sines", sin);
    d->hidden = hidden(d);
    d->slots = slots(d);
    last = matrix(d, "embedding", k->vocab, k->dim, k->embedding);
    x = row_of(d, last, token);
    for (d->layer = 0; d->layer < k->layers; d->layer++) {
        x = op2(c, OP_add, x, attention(d, norm(d, "norm1", x,
                                                k->norm_attention)));
        x = op2(c, OP_add, x, feed_forward(d, norm(d, "norm2", x,
                                                   k->norm_ffn)));
    }
    d->layer = -1;
    x = norm(d, "norm", x, k->norm_last);
    if (!k->shared)
        last = matrix(d, "classifier", k->vocab, k->dim, k->classifier);
    name_next(d, "logits");
    x = product(d, x, last);
    x = to_shape(c, x, SHAPE(k->vocab));
    val_rename(c->g, x, "logits");
    graph_output(c->g, x);
    put_first(c->g);
}

static void take_context(Checkpoint *k, const FrontOpts *o)
{
    if (o->context > k->context)
        err(ERR_USAGE, "--context %lld; the model has %lld positions",
            (long long)o->context, (long long)k->context);
    if (o->context)
        k->context = o->context;
}

Graph *llama2c_graph(Arena *mem, const char *path, const void *p, size_t n,
                     const FrontOpts *o)
{
    Decoder *d = NEW(mem, Decoder);
    Arena *tmp = arena_new();

    llama2c_read(tmp, p, n, &d->k);
    take_context(&d->k, o);
    d->r = (Reading){.g = graph_new(mem, "decoder"), .mem = tmp, .o = o,
                     .bad = {.mem = tmp}};
    d->r.g->file = arena_str(mem, path);
    d->r.g->context = d->k.context;
    d->r.g->hash = hash_mem(p, n);
    d->c = (Call){.model = &d->r, .g = d->r.g, .mem = tmp, .op = "llama2.c",
                  .name = "decoder"};
    d->k.wq = halved(d, d->k.wq, d->k.dim, 1 / sqrt((double)d->k.head));
    d->k.wk = halved(d, d->k.wk, d->k.kv, 1);
    decoder(d);
    graph_sweep(d->r.g);
    graph_number(d->r.g);
    arena_end(tmp);
    return d->r.g;
}
