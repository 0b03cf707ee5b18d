/* A llama2.c checkpoint as a network that takes a token, or up to a chunk of
 * them, and gives the logits behind the last.
 *
 * Per layer: x += wo attention(rotate(wq h), rotate(wk h), wv h), h = norm(x);
 * x += w2 (silu(w1 h) * w3 h), h = norm(x).  Then logits = classifier norm(x).
 *
 * The keys and values of a layer are states [kv_heads][context][head].  Those
 * of the tokens are written from `position` on; of the caches only the first
 * `rows` are read, a run-time number: position + tokens.  What lies behind a
 * token is masked where there are several.
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
    Size tokens, rows;  /* of a run; of the caches behind it */
    Val *where;         /* [tokens]: positions */
    Val *turns;         /* [tokens][head]: of each cosines, then sines */
    Val *hidden;        /* [tokens][1][rows]: 0 up to the position, then
                           -infinity; NULL: one token, before which all is */
    Val *slots;         /* [tokens][kv_heads][2]: head, position */
} Decoder;

/* A shape whose first size follows the tokens: times * tokens. */
static Shape of_tokens(const Decoder *d, int64_t times, Shape s)
{
    shape_put(&s, 0, size_times(d->tokens, times));
    return s;
}

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

/* x [tokens][in] -> [tokens][out] */
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

/* Rows `token` as floats. */
static Val *row_of(Decoder *d, Weights w, Val *token)
{
    Call *c = &d->c;
    int64_t n = d->k.dim, g = d->k.group;
    Val *x = take(c, w.w, token, 0);

    if (!w.scale)
        return x;
    x = to_shape(c, cast(c, x, T_f32), of_tokens(d, 1, SHAPE(1, n / g, g)));
    x = op2(c, OP_mul, x, to_shape(c, take(c, w.scale, token, 0),
                                   of_tokens(d, 1, SHAPE(1, n / g, 1))));
    return to_shape(c, x, of_tokens(d, 1, SHAPE(1, n)));
}

static Val *norm(Decoder *d, const char *name, Val *x, const float *w)
{
    Val *by = vector(d, name, w);
    Node *n = node_of(&d->c, OP_rmsnorm, 2, x, by);

    attr_set_int(d->c.g, n, A_axis, 1);
    attr_set_num(d->c.g, n, A_eps, 1e-5);
    return done(&d->c, n);
}

/* Where row i of all layers comes from if even rows of each head stand before
 * odd ones. */
static int64_t paired_row(const Decoder *d, int64_t i)
{
    int64_t h = d->k.head, at = i % h;

    return i - at + at % (h / 2) * 2 + at / (h / 2);
}

/* Rows of n floats in that order, times `by`. */
static const float *halved_floats(Decoder *d, const float *w, int64_t rows,
                                  int64_t n, double by)
{
    float *v = NEWN(d->c.mem, float, rows * n);
    int64_t i, j;

    for (i = 0; i < rows; i++)
        for (j = 0; j < n; j++)
            v[i * n + j] = (float)(w[paired_row(d, i) * n + j] * by);
    return v;
}

static const signed char *halved_bytes(Decoder *d, const signed char *w,
                                       int64_t rows, int64_t n)
{
    signed char *v = NEWN(d->c.mem, signed char, rows * n);
    int64_t i;

    for (i = 0; i < rows; i++)
        memcpy(v + i * n, w + paired_row(d, i) * n, (size_t)n);
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

/* x [tokens][heads * head] -> [tokens][heads][head], rotated by the
 * positions */
static Val *rotate(Decoder *d, Val *x)
{
    x = to_shape(&d->c, x, of_tokens(d, 1, SHAPE(1, x->shape.dim[1] / d->k.head,
                                                 d->k.head)));
    return done(&d->c, node_of(&d->c, OP_rotate, 2, x, d->turns));
}

/* A state of all positions with x [tokens][kv_heads * head] at those of the
 * run: the rows up to the last. */
static Val *cached(Decoder *d, const char *name, Val *x)
{
    const Checkpoint *k = &d->k;
    Graph *g = d->c.g;
    Val *state, *next;
    Node *n;

    name_next(d, name);
    state = graph_val(g, d->c.name, T_f32,
                      SHAPE(k->kv_heads, d->rows.n, k->head));
    graph_input(g, state);
    x = to_shape(&d->c, x, of_tokens(d, 1, SHAPE(1, k->kv_heads, k->head)));
    n = node_of(&d->c, OP_scatternd, 3, state, d->slots, x);
    next = done(&d->c, n);
    val_rename(g, next, arena_fmt(d->c.mem, "%s.next", d->c.name));
    graph_output(g, next);
    next->state = state;
    return part_sized(&d->c, next, 1, size_const(0), d->rows, 1);
}

/* q [tokens][heads][head] -> [kv_heads][each * tokens][head]: those that read
 * the same keys. */
static Val *by_keys(Decoder *d, Val *q, int64_t each)
{
    static const int64_t order[] = {1, 0, 2, 3};
    const Checkpoint *k = &d->k;
    Shape s = SHAPE(k->kv_heads, each, k->head);

    q = to_shape(&d->c, q, of_tokens(d, 1, SHAPE(1, k->kv_heads, each,
                                                 k->head)));
    shape_put(&s, 1, size_times(d->tokens, each));
    return to_shape(&d->c, perm(&d->c, q, order), s);
}

/* Weights [kv_heads][each * tokens][rows] of scores. */
static Val *weigh(Decoder *d, Val *y, int64_t each)
{
    Shape whole = y->shape, s = SHAPE(whole.dim[0], 1, each, 1);
    Call *c = &d->c;

    if (!d->hidden)
        return softmax(c, y, 2);
    shape_put(&s, 1, d->tokens);
    shape_put(&s, 3, d->rows);
    y = op2(c, OP_add, to_shape(c, y, s), d->hidden);
    return to_shape(c, softmax(c, y, 3), whole);
}

static Val *attention(Decoder *d, Val *h)
{
    static const int64_t order[] = {1, 0, 2, 3};
    const Checkpoint *k = &d->k;
    int64_t each = k->heads / k->kv_heads;
    Shape s = SHAPE(k->kv_heads, 1, each, k->head);
    Val *q, *keys, *values, *y;
    Call *c = &d->c;

    q = rotate(d, linear(d, "wq", h, k->dim, k->wq));
    y = linear(d, "wk", h, k->kv, k->wk);
    keys = cached(d, "keys", rotate(d, y));
    values = cached(d, "values", linear(d, "wv", h, k->kv, k->wv));
    name_next(d, "attention");
    y = matmul(c, by_keys(d, q, each), keys, NULL, false, true);
    y = matmul(c, weigh(d, y, each), values, NULL, false, false);
    shape_put(&s, 1, d->tokens);
    y = perm(c, to_shape(c, y, s), order);
    y = to_shape(c, y, of_tokens(d, 1, SHAPE(1, k->dim)));
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

/* Cosines, then sines, of the tokens: angle position * 10000^(-2i / head).
 * run.c has powf() of float32; so have we. */
static Val *turns(Decoder *d)
{
    int64_t half = d->k.head / 2, p, i;
    float *v = NEWN(d->c.mem, float, d->k.context * 2 * half);

    for (p = 0; p < d->k.context; p++)
        for (i = 0; i < half; i++) {
            float by = 1.0f / powf(10000.0f,
                                   2 * (float)i / (float)d->k.head);

            v[p * 2 * half + i] = (float)cos((double)((float)p * by));
            v[p * 2 * half + half + i] = (float)sin((double)((float)p * by));
        }
    name_next(d, "turns");
    return take(&d->c, graph_const(d->c.g, d->c.name, T_f32,
                                   SHAPE(d->k.context, 2 * half), v),
                d->where, 0);
}

/* 0, 1, 2 and so on: the first n of them. */
static Val *counted(Decoder *d, Size n)
{
    int64_t i, *v = NEWN(d->c.mem, int64_t, n.n);

    for (i = 0; i < n.n; i++)
        v[i] = i;
    return part_sized(&d->c, ints(&d->c, T_s32, SHAPE(n.n), v), 0,
                      size_const(0), n, 1);
}

/* Positions of the tokens. */
static Val *positions(Decoder *d, Val *first)
{
    Call *c = &d->c;

    name_next(d, "positions");
    if (!d->tokens.vary.num)
        return first;
    return clamp(c, op2(c, OP_add, counted(d, d->tokens), first), 0,
                 (double)(d->k.context - 1));
}

/* 0 for positions up to that of the token, -infinity for those behind. */
static Val *hidden(Decoder *d)
{
    Call *c = &d->c;
    Val *seen;

    if (!d->tokens.vary.num)
        return NULL;
    name_next(d, "hidden");
    seen = op2(c, OP_lesseq, counted(d, d->rows),
               to_shape(c, d->where, of_tokens(d, 1, SHAPE(1, 1, 1))));
    return op3(c, OP_where, seen, graph_const_f32(d->c.g, 0),
               graph_const_f32(d->c.g, -INFINITY));
}

/* Where the caches are written: for each token and head, it and the
 * position. */
static Val *slots(Decoder *d)
{
    int64_t n = d->k.kv_heads, i;
    int64_t *v = NEWN(d->c.mem, int64_t, 2 * n), unit[] = {0, 1};
    Val *base, *along, *at;
    Call *c = &d->c;

    for (i = 0; i < n; i++)
        v[2 * i] = i;
    name_next(d, "slots");
    base = ints(c, T_s32, SHAPE(n, 2), v);
    along = ints(c, T_s32, SHAPE(2), unit);
    at = to_shape(c, d->where, of_tokens(d, 1, SHAPE(1, 1, 1)));
    return op2(c, OP_add, base, op2(c, OP_mul, along, at));
}

/* An input of numbers from 0 to n - 1. */
static Val *numbers(Decoder *d, const char *name, Size count, int64_t n)
{
    Shape s = {.rank = 1};
    Val *v;

    shape_put(&s, 0, count);
    v = graph_val(d->c.g, name, T_s32, s);
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

/* A run-time number from 1 on; of one token it is no number. */
static Size number(Decoder *d, const char *name, int64_t most)
{
    const Number *k;

    if (most < 2)
        return size_const(1);
    k = graph_number_new(d->c.g, name, 1, most);
    return (Size){most, {k, 1}};
}

/* The last row of x. */
static Val *last_row(Decoder *d, Val *x)
{
    Size last = d->tokens;

    last.n--;
    return part_sized(&d->c, x, 0, last, size_const(1), 1);
}

/* -> the input `token` */
static Val *begin(Decoder *d)
{
    Val *token, *position;

    d->layer = -1;
    d->rows = number(d, "rows", MAX(d->k.context, 2));
    d->tokens = number(d, "tokens", MIN(d->r.o->chunk, d->k.context));
    token = numbers(d, "token", d->tokens, d->k.vocab);
    position = numbers(d, "position", size_const(1), d->k.context);
    d->where = positions(d, position);
    d->turns = turns(d);
    d->hidden = hidden(d);
    d->slots = slots(d);
    return token;
}

static void decoder(Decoder *d)
{
    const Checkpoint *k = &d->k;
    Call *c = &d->c;
    Val *token = begin(d), *x;
    Weights last;

    last = matrix(d, "embedding", k->vocab, k->dim, k->embedding);
    x = row_of(d, last, token);
    for (d->layer = 0; d->layer < k->layers; d->layer++) {
        x = op2(c, OP_add, x, attention(d, norm(d, "norm1", x,
                                                k->norm_attention)));
        if (d->layer + 1 == k->layers)
            x = last_row(d, x);
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
    if (k->context > NUMBER_MOST)
        err(ERR_MODEL, "the model has %lld positions, at most %d are "
            "supported: --context %d", (long long)k->context, NUMBER_MOST,
            NUMBER_MOST);
}

/* n weights in groups as floats. */
static void widen(Decoder *d, Matrix *m, int64_t n)
{
    float *f = NEWN(d->c.mem, float, n);
    int64_t i;

    for (i = 0; i < n; i++)
        f[i] = (float)m->q[i] * m->scale[i / d->k.group];
    *m = (Matrix){.f = f};
}

static void widen_all(Decoder *d)
{
    Checkpoint *k = &d->k;
    int64_t n = k->layers * k->dim;

    if (!k->group)
        return;
    widen(d, &k->embedding, k->vocab * k->dim);
    widen(d, &k->wq, n * k->dim);
    widen(d, &k->wk, n * k->kv);
    widen(d, &k->wv, n * k->kv);
    widen(d, &k->wo, n * k->dim);
    widen(d, &k->w1, n * k->hidden);
    widen(d, &k->w2, n * k->hidden);
    widen(d, &k->w3, n * k->hidden);
    if (k->shared)
        k->classifier = k->embedding;
    else
        widen(d, &k->classifier, k->vocab * k->dim);
    k->group = 0;
}

Graph *llama2c_graph(Arena *mem, const char *path, const void *p, size_t n,
                     const FrontOpts *o)
{
    Decoder *d = NEW(mem, Decoder);
    Arena *tmp = arena_new();

    llama2c_read(tmp, p, n, &d->k);
    take_context(&d->k, o);
    d->c.mem = tmp;
    if (o->floats)
        widen_all(d);
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
