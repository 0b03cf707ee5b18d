/* Operators that remember: SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM.  What they
 * remember is a state of the network (variable.c); what they compute is spelled
 * out in products, sums and look-ups. */
#include "front/tflite/import.h"

#include <math.h>

static void want_variable(const Call *c, int i)
{
    if (!need(c, i)->variable)
        call_err(c, "input %d ('%s') is no variable tensor", i + 1,
                 in(c, i)->name);
}

/* The sum of each row of a constant matrix. */
static int64_t row_sum(const Val *w, int64_t row)
{
    int64_t n = w->shape.dim[w->shape.rank - 1], s = 0, i;

    for (i = 0; i < n; i++)
        s += val_int(w, row * n + i);
    return s;
}

/* --- SVDF: each unit is a filter over time of a filter over features --- */

enum { SVDF_x, SVDF_feature, SVDF_time, SVDF_bias, SVDF_state };

typedef struct Svdf {
    int64_t batch, filters, units, rank, steps;
    Val *x, *feature, *time, *bias, *state;
} Svdf;

static void svdf_shapes(Call *c, Svdf *s)
{
    Shape x;

    s->x = plain(c, SVDF_x);
    s->feature = (known(c, SVDF_feature), plain(c, SVDF_feature));
    s->time = (known(c, SVDF_time), plain(c, SVDF_time));
    s->bias = in(c, SVDF_bias) ? plain(c, SVDF_bias) : NULL;
    want_variable(c, SVDF_state);
    s->state = plain(c, SVDF_state);
    x = s->x->shape;
    s->rank = option32(c, 0, 0);
    if (x.rank != 2 || s->feature->shape.rank != 2 ||
        s->time->shape.rank != 2 ||
        s->feature->shape.dim[1] != x.dim[1] ||
        s->feature->shape.dim[0] != s->time->shape.dim[0] || s->rank < 1 ||
        s->time->shape.dim[0] % s->rank || !val_count(s->time))
        call_err(c, "weights of shape %s and %s, rank %lld, for an input of "
                 "shape %s", shape_str(c->mem, s->feature->shape),
                 shape_str(c->mem, s->time->shape), (long long)s->rank,
                 shape_str(c->mem, x));
    s->batch = x.dim[0];
    s->filters = s->time->shape.dim[0];
    s->steps = s->time->shape.dim[1];
    s->units = s->filters / s->rank;
    if (val_count(s->state) != s->batch * s->filters * s->steps)
        call_err(c, "a state of shape %s; wanted %lld numbers",
                 shape_str(c->mem, s->state->shape),
                 (long long)(s->batch * s->filters * s->steps));
    if (s->bias && (val_count(s->bias) != s->units || !s->bias->data))
        call_err(c, "a bias of shape %s; wanted %lld constants",
                 shape_str(c->mem, s->bias->shape), (long long)s->units);
}

/* The oldest column goes, the newest comes. */
static Val *svdf_shift(Call *c, const Svdf *s, Val *newest)
{
    Shape all = SHAPE(s->batch, s->filters, s->steps);
    Shape one = SHAPE(s->batch, s->filters, 1);
    Val *v[2] = {to_shape(c, s->state, all), to_shape(c, newest, one)};

    if (s->steps == 1)
        return v[1];
    v[0] = part(c, v[0], 2, 1, s->steps - 1, 1);
    return join(c, 2, 2, v);
}

/* The filters over time, a group of channels a unit. */
static Node *svdf_conv(Call *c, const Svdf *s, Val *state, Val *bias,
                       const Epilogue *e)
{
    Shape w = SHAPE(s->units, s->rank, s->steps);
    Val *time = to_shape(c, s->time, w);
    Node *n = e ? node_of(c, OP_conv, 6, state, time, bias, e->mul, e->add,
                          e->shifts)
                : node_of(c, OP_conv, 3, state, time, bias);

    if (s->units > 1)
        attr_set_int(c->g, n, A_group, s->units);
    return n;
}

static void svdf_end(Call *c, const Svdf *s, Val *state, Val *y)
{
    Shape out_shape = SHAPE(s->batch, s->units);

    variable_set(c, need(c, SVDF_state),
                 to_shape(c, state, in(c, SVDF_state)->shape));
    give_plain(c, 0, to_shape(c, y, out_shape));
}

static double ratio(double a, double b, double by)
{
    return (double)((float)a * (float)b / (float)by);
}

/* What is new in the state: a product, to the state's scale; the sum with its
 * zero point wraps. */
static Val *svdf_newest(Call *c, const Svdf *s)
{
    const Tensor *tx = in(c, SVDF_x), *ts = in(c, SVDF_state);
    const TypeInfo *t = &type_info[type_of(ts->type)];
    Factor f = factor(c, ratio(scale_of(c, tx),
                               scale_of(c, in(c, SVDF_feature)),
                               scale_of(c, ts)));
    int64_t *b = NEWN(c->mem, int64_t, (size_t)s->filters), i;
    Shape row = SHAPE(s->filters);
    Val *v;

    for (i = 0; i < s->filters; i++)
        b[i] = -zero_of(tx) * row_sum(s->feature, i);
    v = matmul(c, s->x, s->feature, ints(c, T_s64, row, b), false, true);
    v = rescale_to(c, v, f, t->lo, t->hi);
    if (zero_of(ts))
        v = op_num(c, OP_add, v, (double)zero_of(ts));
    return cast(c, v, type_of(ts->type));
}

static void svdf_whole(Call *c, const Svdf *s)
{
    const Tensor *ts = in(c, SVDF_state), *y = out(c, 0);
    Factor f = factor(c, ratio(scale_of(c, ts), scale_of(c, in(c, SVDF_time)),
                               scale_of(c, y)));
    Epilogue e = epilogue(c, &f, 1, y, ACT_none);
    int64_t *b = NEWN(c->mem, int64_t, (size_t)s->units), i;
    Shape row = SHAPE(s->units);
    Val *state = svdf_shift(c, s, svdf_newest(c, s));
    Shape w = SHAPE(s->units, s->rank * s->steps);
    Val *time = to_shape(c, s->time, w);

    for (i = 0; i < s->units; i++)
        b[i] = (s->bias ? val_int(s->bias, i) : 0) -
               zero_of(ts) * row_sum(time, i);
    svdf_end(c, s, state,
             finish(c, svdf_conv(c, s, state, ints(c, T_s64, row, b), &e),
                    &e));
}

void lite_svdf(Call *c)
{
    Svdf s;
    Val *state, *y;

    svdf_shapes(c, &s);
    if (!is_float(in(c, SVDF_x))) {
        want_quantized(c, in(c, SVDF_x));
        want_quantized(c, in(c, SVDF_state));
        want_quantized(c, out(c, 0));
        svdf_whole(c, &s);
        return;
    }
    if (s.feature->type != T_f32 || s.time->type != T_f32)
        call_err(c, "an input of type float32 with weights of type %s",
                 type_name(in(c, SVDF_feature)->type));
    state = svdf_shift(c, &s, matmul(c, s.x, s.feature, NULL, false, true));
    y = done(c, svdf_conv(c, &s, state, s.bias, NULL));
    svdf_end(c, &s, state, float_act(c, y, act_of(c, 1)));
}

/* --- LSTM --- */

enum { /* operands; of each four the input, forget, cell and output gate's */
    LSTM_x = 0, LSTM_w = 1, LSTM_r = 5, LSTM_peephole = 9, LSTM_bias = 12,
    LSTM_projection = 16, LSTM_hidden = 18, LSTM_cell = 19, LSTM_norm = 20
};

/* The three that use the logistic function lie side by side. */
static const int gates[4] = {0, 1, 3, 2};

typedef struct Lstm {
    bool whole, time_major;
    int64_t batch, steps, features, units;
    double clip; /* of the cell; 0: none */
    Val *w, *r;  /* of all gates, rows */
    Val *xw;     /* products of all steps */
    Val *h, *cell;
} Lstm;

static void lstm_check(Call *c, Lstm *l)
{
    Shape x = plain(c, LSTM_x)->shape;
    int i;

    for (i = LSTM_peephole; i < c->narg; i++)
        if (in(c, i) && (i < LSTM_bias || i == LSTM_projection ||
                         i == LSTM_projection + 1 || i >= LSTM_norm))
            call_err(c, "input %d is given; peephole, projection and layer "
                     "normalization are not supported", i + 1);
    for (i = 0; i < 4; i++) {
        known(c, LSTM_w + i);
        known(c, LSTM_r + i);
    }
    want_variable(c, LSTM_hidden);
    want_variable(c, LSTM_cell);
    l->whole = !is_float(need(c, LSTM_x));
    l->time_major = option8(c, 3, 0);
    l->clip = option_f32(c, 1, 0);
    l->h = plain(c, LSTM_hidden);
    l->cell = plain(c, LSTM_cell);
    if (x.rank != 3 || l->h->shape.rank != 2)
        call_err(c, "an input of shape %s, a state of shape %s",
                 shape_str(c->mem, x), shape_str(c->mem, l->h->shape));
    l->batch = x.dim[l->time_major];
    l->steps = x.dim[!l->time_major];
    l->features = x.dim[2];
    l->units = l->h->shape.dim[1];
    if (l->h->shape.dim[0] != l->batch ||
        !shape_same(l->h->shape, l->cell->shape) || l->steps > 1 << 12)
        call_err(c, "states of shape %s and %s for %lld batches of %lld steps",
                 shape_str(c->mem, l->h->shape),
                 shape_str(c->mem, l->cell->shape), (long long)l->batch,
                 (long long)l->steps);
    if (option8(c, 0, ACT_tanh) != ACT_tanh)
        call_err(c, "its activation is not tanh");
}

/* The weights of all gates, one below the other. */
static Val *lstm_rows(Call *c, const Lstm *l, int first, int64_t columns)
{
    Shape want = SHAPE(l->units, columns);
    Val *v[4];
    int i;

    for (i = 0; i < 4; i++) {
        v[i] = plain(c, first + gates[i]);
        if (!shape_same(v[i]->shape, want) ||
            val_is_int(v[i]) != l->whole)
            call_err(c, "weights '%s' of shape %s; wanted %s", v[i]->name,
                     shape_str(c->mem, v[i]->shape),
                     shape_str(c->mem, want));
    }
    return join(c, 0, 4, v);
}

/* What the zero point of the other operand gives, and the bias. */
static Val *lstm_bias(Call *c, const Lstm *l, int first, int64_t zero,
                      bool biased)
{
    int64_t n = 4 * l->units, *b = NEWN(c->mem, int64_t, (size_t)n), i;
    Shape s = SHAPE(n);

    for (i = 0; i < n; i++) {
        int gate = gates[i / l->units];
        Val *given = biased && in(c, LSTM_bias + gate)
                         ? plain(c, LSTM_bias + gate) : NULL;

        if (given && (!given->data || val_count(given) != l->units))
            call_err(c, "the bias '%s' is not %lld constants", given->name,
                     (long long)l->units);
        b[i] = (given ? val_int(given, i % l->units) : 0) -
               zero * row_sum(plain(c, first + gate), i % l->units);
    }
    return ints(c, T_s64, s, b);
}

/* A product with the weights of all gates, to 16 bits with 12 behind the
 * point; of int16 by sums of 64 bits. */
static Val *lstm_product(Call *c, const Lstm *l, Val *x, const Tensor *t,
                         Val *w, int first, bool biased)
{
    int64_t n = 4 * l->units, i;
    Factor *f = NEWN(c->mem, Factor, (size_t)n);
    Tensor y = {.name = "gates", .type = TF_s16};
    Epilogue e;
    Node *m;

    for (i = 0; i < n; i++)
        f[i] = factor(c, scale_of(c, t) * 4096 *
                             scale_of(c, in(c, first + gates[i / l->units])));
    e = is_int16(t) ? epilogue64(c, f, n, &y, ACT_none)
                    : epilogue(c, f, n, &y, ACT_none);
    m = node_of(c, OP_matmul, 6, x, w,
                lstm_bias(c, l, first, zero_of(t), biased), e.mul, e.add,
                e.shifts);
    attr_set_int(c->g, m, A_transb, 1);
    return finish(c, m, &e);
}

static Val *clipped(Call *c, OpCode op, Val *x, Val *y, int64_t lo, int64_t hi)
{
    Node *n = node_of(c, op, 2, x, y);

    attr_set_int(c->g, n, A_lo, lo);
    attr_set_int(c->g, n, A_hi, hi);
    return done(c, n);
}

static Val *scaled_product(Call *c, Val *x, Val *y, double d)
{
    return rescale_to(c, op2(c, OP_mul, x, y), factor(c, d), -32768, 32767);
}

/* tanh of the cell, whose scale is a power of two. */
static Val *lstm_tanh(Call *c, const Lstm *l, double scale)
{
    int k = 15 - 3 + (int)clamp64(whole(log2(scale)), -30, 0);

    return k < 0 ? qsigmoid(c, l->cell, true, 3, -k)
                 : qsigmoid(c, l->cell, true, 3LL << k, 0);
}

static void lstm_whole_step(Call *c, Lstm *l, Val *x)
{
    const Tensor *th = in(c, LSTM_hidden);
    double sc = scale_of(c, in(c, LSTM_cell));
    int64_t n = l->units, lo = -32768, hi = 32767;
    Val *g = lstm_product(c, l, l->h, th, l->r, LSTM_r, false);
    Val *s, *t;

    if (l->clip > 0) {
        hi = MIN(hi, whole(floor(l->clip / sc)));
        lo = -hi;
    }
    g = clipped(c, OP_add, x, g, -32768, 32767);
    s = qsigmoid(c, part(c, g, 1, 0, 3 * n, 1), false, 3, 0);
    t = qsigmoid(c, part(c, g, 1, 3 * n, n, 1), true, 3, 0);
    l->cell = clipped(c, OP_add,
                      scaled_product(c, part(c, s, 1, n, n, 1), l->cell,
                                     0x1p-15),
                      scaled_product(c, part(c, s, 1, 0, n, 1), t,
                                     0x1p-30 / sc), lo, hi);
    t = op2(c, OP_mul, lstm_tanh(c, l, sc), part(c, s, 1, 2 * n, n, 1));
    l->h = rescale(c, t, 0x1p-30 / scale_of(c, th), th, ACT_none);
}

static void lstm_real_step(Call *c, Lstm *l, Val *x)
{
    int64_t n = l->units;
    Val *g = op2(c, OP_add, x, matmul(c, l->h, l->r, NULL, false, true));
    Val *s = op1(c, OP_sigmoid, part(c, g, 1, 0, 3 * n, 1));
    Val *t = op1(c, OP_tanh, part(c, g, 1, 3 * n, n, 1));

    l->cell = op2(c, OP_add, op2(c, OP_mul, part(c, s, 1, n, n, 1), l->cell),
                  op2(c, OP_mul, part(c, s, 1, 0, n, 1), t));
    if (l->clip > 0)
        l->cell = clamp(c, l->cell, -l->clip, l->clip);
    l->h = op2(c, OP_mul, op1(c, OP_tanh, l->cell),
               part(c, s, 1, 2 * n, n, 1));
}

/* Biases of floats, of all gates. */
static Val *real_bias(Call *c)
{
    Val *v[4];
    int i;

    for (i = 0; i < 4; i++) {
        if (!in(c, LSTM_bias + gates[i]))
            call_err(c, "a bias is missing");
        v[i] = plain(c, LSTM_bias + gates[i]);
    }
    return join(c, 0, 4, v);
}

static void lstm_begin(Call *c, Lstm *l)
{
    const Tensor *tx = in(c, LSTM_x);
    Val *x = plain(c, LSTM_x);

    l->w = lstm_rows(c, l, LSTM_w, l->features);
    l->r = lstm_rows(c, l, LSTM_r, l->units);
    if (!l->whole) {
        l->xw = matmul(c, x, l->w, real_bias(c), false, true);
        return;
    }
    want_quantized(c, tx);
    if ((!is_int8(tx) && !is_int16(tx)) || !is_int16(in(c, LSTM_cell)))
        call_err(c, "an input of type %s, cells of type %s; wanted int8 or "
                 "int16 and int16", type_name(tx->type),
                 type_name(in(c, LSTM_cell)->type));
    if (in(c, LSTM_hidden)->type != tx->type)
        call_err(c, "an input of type %s, a state of type %s; wanted the same",
                 type_name(tx->type),
                 type_name(in(c, LSTM_hidden)->type));
    l->xw = lstm_product(c, l, x, tx, l->w, LSTM_w, true);
}

void lite_unidirectional_sequence_lstm(Call *c)
{
    Lstm l = {0};
    Val **y;
    int64_t t;
    int axis;

    lstm_check(c, &l);
    lstm_begin(c, &l);
    axis = !l.time_major;
    y = NEWN(c->mem, Val *, (size_t)l.steps + 1);
    for (t = 0; t < l.steps; t++) {
        Shape s = SHAPE(l.batch, 4 * l.units);
        Shape one = SHAPE(l.batch, l.batch, l.units);
        Val *x = to_shape(c, part(c, l.xw, axis, t, 1, 1), s);

        if (l.whole)
            lstm_whole_step(c, &l, x);
        else
            lstm_real_step(c, &l, x);
        one.dim[axis] = 1;
        y[t] = to_shape(c, l.h, one);
    }
    variable_set(c, in(c, LSTM_hidden), l.h);
    variable_set(c, in(c, LSTM_cell), l.cell);
    give_plain(c, 0, join(c, axis, (int)l.steps, y));
}
