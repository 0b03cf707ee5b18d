/* Language models of integers throughout: activations int8, of scales that
 * calibration finds, the residual stream int16.
 *
 *     h = rmsnorm x g          ->  h8 = irmsnorm x16 g16
 *     q, k, v = products of h  ->  one product, int16; irotate turns q and k
 *                                  and makes all int8
 *     softmax(q k') v          ->  qattend over int8 caches, one state a layer
 *     x = x + wo y             ->  wadd of int16
 *     silu(w1 h) * (w3 h)      ->  one product, int8; gate, by a table
 *
 * Channels have scales of their own wherever a product follows, into whose
 * columns they go (Xiao et al., SmoothQuant, 2023), and so have the values in
 * the cache. From keys their mean is subtracted, which changes no softmax.
 * irmsnorm rounds down: what that takes from a sum on the mean is in the sum's
 * addend. */
#include "ptq/static.h"

#include <math.h>
#include <string.h>

enum { TURN = 14, FINE = 6, OCTAVE = 64, OCTAVES = 9, GREATEST = 255 };
static const double ROOM = 1.25; /* of int16: more than was seen */

/* --- scales --- */

static double scale_of(const Spot *s)
{
    return (double)steps_of(&s->seen, T_s8, true, BY_MSE).scale;
}

static double top_of(const Spot *s)
{
    double top = 1e-6;
    int64_t i;

    for (i = 0; i < s->channels; i++)
        top = fmax(top, s->top[i]);
    return top;
}

static double wide_scale(const Spot *s)
{
    return top_of(s) * ROOM / INT16_MAX;
}

static double *channel_scales(Make *m, const Spot *s, double by)
{
    double *y = make_doubles(m, s->channels);
    int64_t i;

    for (i = 0; i < s->channels; i++)
        y[i] = by * s->unit[i];
    return y;
}

static double *same(Make *m, int64_t n, double v)
{
    double *y = make_doubles(m, n);

    while (n--)
        y[n] = v;
    return y;
}

/* --- parts of a layer --- */

/* -> int8, half a step below the mean of what they are; *unit: its channels' */
static Val *norm(Make *m, const char *name, const Spot *to, double **unit)
{
    const float *by = decoder_const(&m->d, m->layer, name)->data;
    double *w = make_doubles(m, m->d.dim), top = 0;
    int shift = 20;
    int64_t i;
    Node *n;

    *unit = channel_scales(m, to, scale_of(to));
    for (i = 0; i < m->d.dim; i++)
        top = fmax(top, fabs((double)by[i] / (*unit)[i]));
    while (shift > 1 && ldexp(top, shift) > INT16_MAX)
        shift--;
    for (i = 0; i < m->d.dim; i++)
        w[i] = ldexp((double)by[i] / (*unit)[i], shift);
    n = make_node(m, OP_irmsnorm, 2, m->x,
                  make_numbers(m, name, T_s16, SHAPE(m->d.dim), w), NULL, NULL);
    make_bounds(m, n, shift, T_s8);
    return make_end(m, n);
}

/* x += y, of integers of y_scale */
static void add(Make *m, Val *y, double y_scale, const Spot *to)
{
    double scale = wide_scale(to), a = m->x_scale / scale, b = y_scale / scale;
    int shift = 14;
    Node *n;

    while (ldexp(a + b, shift) * 32768 + ldexp(0.5, shift) >= 2147483648.0)
        shift--;
    n = make_node(m, OP_wadd, 3, m->x, y,
                  graph_const_int(m->q, T_s32, INT64_C(1) << (shift - 1)),
                  NULL);
    attr_set_int(m->q, n, A_p0, (int64_t)rint(ldexp(a, shift)));
    attr_set_int(m->q, n, A_p1, (int64_t)rint(ldexp(b, shift)));
    make_bounds(m, n, shift, T_s16);
    m->x = make_end(m, n);
    m->x_scale = scale;
}

/* q, k and v as int8, [tokens][heads + 2 caches][head] */
static Val *rotated(Make *m, Val *x, const Spot *k, double s_k)
{
    Decoder *d = &m->d;
    int64_t heads = d->heads + 2 * d->caches, turned = d->heads + d->caches, i;
    double *add = same(m, heads * d->head, ldexp(0.5, TURN + FINE));
    Node *n;

    x = make_shaped(m, x, SHAPE(1, heads, d->head));
    for (i = 0; i < d->caches * d->head; i++)
        add[d->heads * d->head + i] -= ldexp(k->less[i] / s_k, TURN + FINE);
    n = make_node(
        m, OP_irotate, 3, x, m->turn,
        make_numbers(m, "turn.bias", T_s32, SHAPE(heads, d->head), add), NULL);
    attr_set_list(m->q, n, A_count, 1, &turned);
    attr_set_int(m->q, n, A_p0, 1 << TURN);
    make_bounds(m, n, TURN + FINE, T_s8);
    return make_end(m, n);
}

/* The caches of keys, then of values, with those of the run: up to the last. */
static Val *cached(Make *m, Val *kv)
{
    Decoder *d = &m->d;
    Val *state = graph_val(m->q, make_name(m, "cache"), T_s8,
                           SHAPE(2 * d->caches, d->context, d->head)),
        *next;

    graph_input(m->q, state);
    next = make_end(m,
                    make_node(m, OP_scatternd, 3, state, m->slots, kv, NULL));
    val_rename(m->q, next, make_name(m, "cache.next"));
    graph_output(m->q, next);
    next->state = state;
    return next;
}

/* Of the first heads of x.  Scores are times `real` what they stand for;
 * results are times gain. */
static Val *attend(Make *m, Val *x, Val *cache, double real, double gain)
{
    Decoder *d = &m->d;
    double by = real * OCTAVE / log(2);
    int shift = 0, up = 29;
    Node *n;

    while (ldexp(by, shift + 1) * (double)d->head * 32768 < 2147483648.0)
        shift++;
    while (ldexp(gain, up) >= 2147483648.0)
        up--;
    n = make_node(m, OP_qattend, 4, x, make_some(m, cache, 0, 0, d->caches),
                  make_some(m, cache, 0, d->caches, d->caches), m->powers);
    attr_set_int(m->q, n, A_p0, (int64_t)rint(ldexp(by, shift)));
    attr_set_int(m->q, n, A_p1, shift);
    attr_set_int(m->q, n, A_p2, (int64_t)floor(ldexp(gain, up)));
    attr_set_int(m->q, n, A_p3, d->heads);
    attr_set_shape(
        m->q, n, A_count,
        (Shape){.rank = 1, .dim = {m->rows.n}, .vary = {m->rows.vary}});
    make_bounds(m, n, up, T_s8);
    return make_end(m, n);
}

static void attention(Make *m)
{
    Decoder *d = &m->d;
    const Spot *s = d->spot[m->layer];
    double s_q = scale_of(&s[AT_Q]), s_k = scale_of(&s[AT_K]), *unit;
    double *s_v = channel_scales(m, &s[AT_V], scale_of(&s[AT_V]));
    double s_y = scale_of(&s[AT_MIXED]), fine = ldexp(1, -FINE);
    int64_t i, kv = d->caches * d->head;
    double *v = make_doubles(m, kv), o = wide_scale(&s[AT_O]);
    Part p[3] = {{"wq", same(m, d->dim, s_q * fine)},
                 {"wk", same(m, kv, s_k * fine)},
                 {"wv", v}};
    Part out = {"wo", same(m, d->dim, o)};
    Val *x = norm(m, "norm1", &s[AT_H1], &unit), *cache;

    for (i = 0; i < kv; i++)
        v[i] = s_v[i] * fine;
    x = make_products(m, "qkv", x, unit, 0.5, p, 3, T_s16);
    x = rotated(m, x, &s[AT_K], s_k);
    cache = cached(m, make_some(m, x, 1, d->heads, 2 * d->caches));
    x = attend(m, x, cache, s_q * s_k, s_v[0] / s[AT_V].unit[0] / s_y);
    x = make_shaped(m, x, SHAPE(1, d->dim));
    x = make_products(m, "wo", x, channel_scales(m, &s[AT_MIXED], s_y), 0, &out,
                      1, T_s16);
    add(m, x, o, &s[AT_X2]);
}

/* silu of each int8, as `most` for the greatest; *scale: of that. */
static Val *silu_table(Make *m, double s_gate, double most, double *scale)
{
    double v[256], top = 1e-6;
    int i;

    for (i = 0; i < 256; i++) {
        double x = (i < 128 ? i : i - 256) * s_gate;

        v[i] = x / (1 + exp(-x));
        top = fmax(top, fabs(v[i]));
    }
    *scale = top / most;
    for (i = 0; i < 256; i++)
        v[i] /= *scale;
    return make_numbers(m, "silu", T_s16, SHAPE(256), v);
}

/* So that a product of `most` at most, times gain, leaves no 32 bits. */
static int shift_below(double most, double gain)
{
    int shift = 22;

    while (shift > 1 && ldexp(most * gain + 1, shift) >= 2147483648.0)
        shift--;
    return shift;
}

/* The table's values for the first half of x, times the others, times gain. */
static Val *gated(Make *m, Val *x, Val *table, double most, double gain)
{
    int shift = shift_below(most * 128, gain);
    Node *n = make_node(m, OP_gate, 2, x, table, NULL, NULL);

    attr_set_int(m->q, n, A_p0, (int64_t)rint(ldexp(gain, shift)));
    make_bounds(m, n, shift, T_s8);
    return make_end(m, n);
}

static void feed_forward(Make *m)
{
    enum { MOST = 2047 };
    Decoder *d = &m->d;
    const Spot *s = d->spot[m->layer];
    double s_gate = scale_of(&s[AT_GATE]), s_up = scale_of(&s[AT_UP]), *unit;
    double s_y = scale_of(&s[AT_GATED]), s_table;
    double o = wide_scale(&s[AT_DOWN]);
    Part p[2] = {{"w1", same(m, d->hidden, s_gate)},
                 {"w3", channel_scales(m, &s[AT_UP], s_up)}};
    Part down = {"w2", same(m, d->dim, o)};
    Val *x = norm(m, "norm2", &s[AT_H2], &unit);
    Val *table = silu_table(m, s_gate, MOST, &s_table);

    x = make_products(m, "gate", x, unit, 0.5, p, 2, T_s8);
    x = gated(m, x, table, MOST, s_table * s_up / s_y);
    x = make_products(m, "w2", x, channel_scales(m, &s[AT_GATED], s_y), 0,
                      &down, 1, T_s16);
    add(m, x, o, &s[AT_X3]);
}

/* --- the whole --- */

static Val *input(Make *m, const char *name)
{
    const Val *from = graph_find(m->d.g, name);
    Val *v;
    Shape s = {.rank = 1};

    shape_put(&s, 0, from->shape.dim[0] > 1 ? m->tokens : size_const(1));
    v = graph_val(m->q, arena_str(m->q->mem, name), T_s32, s);
    v->lo = from->lo;
    v->hi = from->hi;
    graph_input(m->q, v);
    return v;
}

static Size number(Make *m, const char *name)
{
    const Number *of = graph_number_find(m->d.g, name), *k;

    if (!of)
        return size_const(1);
    k = graph_number_new(m->q, of->name, of->lo, of->hi);
    return (Size){of->hi, {k, 1}};
}

/* 0, 1, 2 and so on, as many as there are tokens, plus the first. */
static Val *positions(Make *m, Val *first)
{
    double *v = make_doubles(m, m->tokens.n);
    int64_t i;
    Node *n;
    Val *y;

    if (!m->tokens.vary.num)
        return first;
    for (i = 0; i < m->tokens.n; i++)
        v[i] = (double)i;
    y = make_part(m, make_numbers(m, "count", T_s32, SHAPE(m->tokens.n), v), 0,
                  size_const(0), m->tokens);
    n = make_node(m, OP_clip, 1,
                  make_end(m, make_node(m, OP_add, 2, y, first, NULL, NULL)),
                  NULL, NULL, NULL);
    attr_set_int(m->q, n, A_lo, 0);
    attr_set_int(m->q, n, A_hi, m->d.context - 1);
    return make_end(m, n);
}

/* Cosines, then sines, of each position. */
static Val *turns(Make *m)
{
    const Val *t = decoder_const(&m->d, -1, "turns");
    int64_t n = val_count(t), i;
    double *v = make_doubles(m, n);

    for (i = 0; i < n; i++)
        v[i] = ldexp(val_num(t, i), TURN);
    return make_rows(m, make_numbers(m, "turns", T_s16, t->shape, v), m->where);
}

/* Where the caches are written: for each token and cache, it and the place. */
static Val *slots(Make *m)
{
    int64_t n = 2 * m->d.caches, i;
    double *v = make_doubles(m, 2 * n), unit[] = {0, 1};
    Val *at = make_shaped(m, m->where, SHAPE(1, 1, 1)), *along;

    for (i = 0; i < n; i++)
        v[2 * i] = (double)i;
    along = make_end(m,
                     make_node(m, OP_mul, 2,
                               make_numbers(m, "along", T_s32, SHAPE(2), unit),
                               at, NULL, NULL));
    return make_end(m,
                    make_node(m, OP_add, 2,
                              make_numbers(m, "caches", T_s32, SHAPE(n, 2), v),
                              along, NULL, NULL));
}

/* 255, and what is left of it a step of 1 / OCTAVE of an octave later. */
static Val *powers(Make *m)
{
    double v[OCTAVE * OCTAVES + 1];
    int i;

    for (i = 0; i <= OCTAVE * OCTAVES; i++)
        v[i] = GREATEST * exp2(-(double)i / OCTAVE);
    return make_numbers(m, "powers", T_u8, SHAPE(OCTAVE * OCTAVES + 1), v);
}

/* x y times gain, |x y| being at most `most` */
static Val *times(Make *m, Val *x, Val *y, double gain, double most)
{
    int shift = shift_below(most, gain);
    Val *arg[4] = {x, y};
    Node *n;

    arg[2] = graph_const_int(m->q, T_s32, (int64_t)rint(ldexp(gain, shift)));
    arg[3] = graph_const_int(m->q, T_s32, INT64_C(1) << (shift - 1));
    n = graph_node(m->q, NULL, OP_mul, NULL, 4, arg);
    make_bounds(m, n, shift, T_s16);
    return make_end(m, n);
}

/* Rows of the embedding: 8 bits, times a number of 12 bits of each row. */
static void embed(Make *m)
{
    enum { MOST = 4095 };
    const Val *e = decoder_const(&m->d, -1, "embedding");
    int64_t rows = e->shape.dim[0], k = e->shape.dim[1], i;
    Rounded r = round_rows(m->d.mem, e->data, rows, k, 8, k, NULL, 0);
    double *scale = make_doubles(m, rows), top = 1e-9;
    Val *x, *by;

    for (i = 0; i < rows; i++)
        top = fmax(top, (double)half_value(r.scale[i]));
    for (i = 0; i < rows; i++)
        scale[i] = (double)half_value(r.scale[i]) * MOST / top;
    x = make_rows(m, graph_const(m->q, "embedding", T_s8, e->shape, r.w),
                  m->token);
    by = make_rows(
        m, make_numbers(m, "embedding.scale", T_s16, SHAPE(rows, 1), scale),
        m->token);
    m->x_scale = wide_scale(&m->d.spot[0][AT_X1]);
    m->x = times(m, x, by, top / MOST / m->x_scale, MOST * 128.0);
}

static void finish(Make *m)
{
    Decoder *d = &m->d;
    double *unit, scale = wide_scale(&d->logits);
    const char *name = graph_find(d->g, "classifier") ? "classifier"
                                                      : "embedding";
    Part p = {name, same(m, d->vocab, scale)};
    Val *x = norm(m, "norm", &d->last, &unit);
    Node *n;
    Shape s = SHAPE(d->vocab);

    x = make_products(m, "head", x, unit, 0.5, &p, 1, T_s16);
    n = make_node(m, OP_dequantize, 2, x, graph_const_f32(m->q, (float)scale),
                  NULL, NULL);
    x = make_end(m, n);
    n = make_node(m, OP_reshape, 1, x, NULL, NULL, NULL);
    attr_set_shape(m->q, n, A_shape, s);
    x = make_end(m, n);
    val_rename(m->q, x, "logits");
    graph_output(m->q, x);
}

/* The last output becomes the first. */
static void put_first(Graph *g)
{
    Val *v = g->out[g->nout - 1];

    memmove(g->out + 1, g->out, (size_t)(g->nout - 1) * sizeof *g->out);
    g->out[0] = v;
}

static void make(Make *m)
{
    Val *position;
    Size last;

    m->layer = -1;
    m->rows = number(m, "rows");
    m->tokens = number(m, "tokens");
    m->token = input(m, "token");
    position = input(m, "position");
    m->where = positions(m, position);
    m->turn = turns(m);
    m->slots = slots(m);
    m->powers = powers(m);
    embed(m);
    last = m->tokens;
    last.n--;
    for (m->layer = 0; m->layer < m->d.layers; m->layer++) {
        attention(m);
        if (m->layer + 1 == m->d.layers && m->tokens.vary.num) {
            m->x = make_part(m, m->x, 0, last, size_const(1));
            m->tokens = size_const(1);
        }
        feed_forward(m);
    }
    m->layer = -1;
    finish(m);
    put_first(m->q);
}

Graph *static_decoder(Arena *mem, Graph *g, const Tokens *t, int from, int to,
                      const Met *met, int nmet, LmReport *r)
{
    Make m = {.met = met, .nmet = nmet, .r = r};

    decoder_find(mem, g, &m.d);
    decoder_observe(&m.d, t, from, to);
    m.q = graph_new(mem, g->name);
    m.q->file = g->file;
    m.q->context = g->context;
    m.q->hash = g->hash;
    m.q->exact = true;
    make(&m);
    graph_sweep(m.q);
    graph_number(m.q);
    graph_check(m.q, "quantize");
    return m.q;
}
