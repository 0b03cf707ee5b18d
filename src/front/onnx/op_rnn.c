/* Recurrent networks, unrolled: a copy of the cell per step.
 *
 * What the inputs contribute is one product for all steps; what the state
 * contributes is one per step.  Gates lie one behind the other in a row of
 * `gates * hidden` (LSTM: i o f c, GRU: z r h), as ONNX stores the weights.
 * com.microsoft::DynamicQuantizeLSTM has weights of bytes and makes bytes of
 * inputs and state before each product, by their own range. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { LONG = 4096 };

/* One layer in one direction. */
typedef struct Cell {
    int gates, dir;
    bool bytes;    /* products of bytes */
    int64_t steps, batch, hidden;
    bool back;
    double clip;
    Val *x;        /* [steps, batch, inputs] */
    Val *w, *r;    /* [gates * hidden, inputs or hidden] */
    Val *wb, *rb;  /* [gates * hidden] or NULL */
    Val *p;        /* LSTM: [3 * hidden] or NULL */
    Val *h, *c;    /* the state: [batch, hidden]; NULL: zeros */
    const char *act[3];
    double alpha[3], beta[3];
} Cell;

static Val *with(Call *c, OpCode op, Val *x, double alpha, double beta)
{
    Node *n = node_of(c, op, 1, x);

    attr_set_num(c->g, n, A_alpha, alpha);
    if (beta != 0)
        attr_set_num(c->g, n, A_beta, beta);
    return done(c, n);
}

static double or(double v, double none)
{
    return isnan(v) ? none : v;
}

static Val *activate(Call *c, const Cell *k, int i, Val *x)
{
    const char *f = k->act[i];
    double alpha = k->alpha[i], beta = k->beta[i];

    if (!strcasecmp(f, "Sigmoid"))
        return op1(c, OP_sigmoid, x);
    if (!strcasecmp(f, "Tanh"))
        return op1(c, OP_tanh, x);
    if (!strcasecmp(f, "Relu"))
        return clamp(c, x, 0, INFINITY);
    if (!strcasecmp(f, "Softsign"))
        return op1(c, OP_softsign, x);
    if (!strcasecmp(f, "Softplus"))
        return op1(c, OP_softplus, x);
    if (!strcasecmp(f, "HardSigmoid"))
        return with(c, OP_hardsigmoid, x, or(alpha, 0.2f), or(beta, 0.5));
    if (!strcasecmp(f, "LeakyRelu"))
        return with(c, OP_leakyrelu, x, or(alpha, 0.01f), 0);
    if (!strcasecmp(f, "Elu"))
        return with(c, OP_elu, x, or(alpha, 1), 0);
    if (!strcasecmp(f, "ThresholdedRelu"))
        return with(c, OP_threlu, x, or(alpha, 1), 0);
    if (!strcasecmp(f, "Affine"))
        return op_num(c, OP_add, op_num(c, OP_mul, x, or(alpha, 1)),
                      or(beta, 0));
    if (!strcasecmp(f, "ScaledTanh"))
        return op_num(c, OP_mul, op1(c, OP_tanh, op_num(c, OP_mul, x,
                                                        or(beta, 1))),
                      or(alpha, 1));
    call_err(c, "activation '%s' is not supported", f);
}

/* A gate: what the cell clips is the sums of gates, never its state, as
 * onnxruntime does. */
static Val *gate(Call *c, const Cell *k, int i, Val *x)
{
    return activate(c, k, i, k->clip > 0 ? clamp(c, x, -k->clip, k->clip) : x);
}

/* Gates from..from+n of a row of them. */
static Val *gates(Call *c, const Cell *k, Val *row, int from, int n)
{
    return part(c, row, row->shape.rank - 1, from * k->hidden, n * k->hidden,
                1);
}

static Val *plus(Call *c, Val *a, Val *b)
{
    return a && b ? op2(c, OP_add, a, b) : a ? a : b;
}

static Val *factor(Call *c, const Cell *k, Val *x)
{
    return k->bytes ? as_bytes(c, x) : x;
}

/* h R' for gates from..from+n; NULL while the state is zeros. */
static Val *recur(Call *c, const Cell *k, Val *h, int from, int n)
{
    Val *r = part(c, k->r, 0, from * k->hidden, n * k->hidden, 1);

    return h ? matmul(c, factor(c, k, h), r, NULL, false, true) : NULL;
}

static Val *peep(Call *c, const Cell *k, Val *row, Val *state, int i)
{
    if (!k->p || !state)
        return row;
    return op2(c, OP_add, row, op2(c, OP_mul, state, gates(c, k, k->p, i, 1)));
}

static void step_lstm(Call *c, Cell *k, Val *row)
{
    Val *i, *f, *o, *g;

    row = plus(c, row, recur(c, k, k->h, 0, 4));
    i = gate(c, k, 0, peep(c, k, gates(c, k, row, 0, 1), k->c, 0));
    if (call_int(c, "input_forget", 0))
        f = op2(c, OP_sub, num_like(c, i, 1), i);
    else
        f = gate(c, k, 0, peep(c, k, gates(c, k, row, 2, 1), k->c, 2));
    g = op2(c, OP_mul, i, gate(c, k, 1, gates(c, k, row, 3, 1)));
    k->c = k->c ? op2(c, OP_add, op2(c, OP_mul, f, k->c), g) : g;
    o = gate(c, k, 0, peep(c, k, gates(c, k, row, 1, 1), k->c, 1));
    k->h = op2(c, OP_mul, o, activate(c, k, 2, k->c));
}

static void step_gru(Call *c, Cell *k, Val *row)
{
    bool before = call_int(c, "linear_before_reset", 0);
    Val *zr = plus(c, gates(c, k, row, 0, 2), recur(c, k, k->h, 0, 2));
    Val *rb = k->rb ? gates(c, k, k->rb, 2, 1) : NULL, *z, *r, *g, *old;

    zr = gate(c, k, 0, zr);
    z = gates(c, k, zr, 0, 1);
    r = gates(c, k, zr, 1, 1);
    if (before) {
        old = plus(c, recur(c, k, k->h, 2, 1), rb);
        old = old ? op2(c, OP_mul, r, old) : NULL;
    } else {
        old = k->h ? recur(c, k, op2(c, OP_mul, r, k->h), 2, 1) : NULL;
        old = plus(c, old, rb);
    }
    g = gate(c, k, 1, plus(c, gates(c, k, row, 2, 1), old));
    old = k->h ? op2(c, OP_mul, z, k->h) : NULL;
    z = op2(c, OP_sub, num_like(c, z, 1), z);
    k->h = plus(c, op2(c, OP_mul, z, g), old);
}

static void step_rnn(Call *c, Cell *k, Val *row)
{
    k->h = gate(c, k, 0, plus(c, row, recur(c, k, k->h, 0, 1)));
}

static void step(Call *c, Cell *k, Val *row)
{
    if (k->gates == 4)
        step_lstm(c, k, row);
    else if (k->gates == 3)
        step_gru(c, k, row);
    else
        step_rnn(c, k, row);
}

/* x W' and all biases that no reset gate stands before, for every step. */
static Val *inputs(Call *c, const Cell *k)
{
    Val *b = k->wb, *rb = k->rb;

    if (rb && k->gates == 3)
        rb = join(c, 0, 2, (Val *[]){
            gates(c, k, rb, 0, 2),
            nums(c, SHAPE(k->hidden),
                 NEWN(c->mem, float, (size_t)k->hidden))});
    return matmul(c, factor(c, k, k->x), k->w, plus(c, b, rb), false, true);
}

static Val *state_out(Call *c, const Cell *k, Val *h)
{
    return to_shape(c, h, SHAPE(1, k->batch, k->hidden));
}

/* All steps; gives the outputs [steps, 1, batch, hidden] of this direction. */
static Val *run(Call *c, Cell *k)
{
    Val **y = NEWN(c->mem, Val *, (size_t)k->steps), *rows, *row;
    int64_t t, at;

    rows = inputs(c, k);
    for (t = 0; t < k->steps; t++) {
        at = k->back ? k->steps - 1 - t : t;
        row = part(c, rows, 0, at, 1, 1);
        row = to_shape(c, row, SHAPE(k->batch, k->gates * k->hidden));
        step(c, k, row);
        y[at] = to_shape(c, k->h, SHAPE(1, 1, k->batch, k->hidden));
    }
    return join(c, 0, (int)k->steps, y);
}

/* Direction d of an operand [dirs, ...], without that axis. */
static Val *of_dir(Call *c, Val *v, int d, int rank)
{
    Shape s;

    if (!v)
        return NULL;
    if (v->shape.rank != rank + 1)
        call_err(c, "'%s' has %d dimensions; wanted %d", v->name,
                 v->shape.rank, rank + 1);
    if (d >= v->shape.dim[0])
        call_err(c, "'%s' has no direction %d", v->name, d);
    s = shape_of(rank, v->shape.dim + 1);
    return to_shape(c, part(c, v, 0, d, 1, 1), s);
}

static Val *batch_first(Call *c, Val *v)
{
    int64_t order[] = {1, 0, 2};

    return v && v->shape.rank == 3 ? perm(c, v, order) : v;
}

static const char *name_at(const Call *c, int i, const char *none)
{
    const OnnxAttr *a = call_attr(c, "activations");

    if (!a || !a->n_strings)
        return none;
    if (i >= (int)a->n_strings)
        call_err(c, "%zu activations; wanted more", a->n_strings);
    return arena_fmt(c->mem, "%.*s", (int)MIN(a->strings[i].len, 99),
                     (char *)a->strings[i].data);
}

static void set_activations(const Call *c, Cell *k)
{
    double alpha[8], beta[8];
    int per = k->gates == 4 ? 3 : k->gates == 3 ? 2 : 1, i, at;
    int na = call_nums(c, "activation_alpha", 8, alpha);
    int nb = call_nums(c, "activation_beta", 8, beta);

    for (i = 0; i < per; i++) {
        at = k->dir * per + i;
        k->act[i] = name_at(c, at, per > 1 && !i ? "Sigmoid" : "Tanh");
        k->alpha[i] = at < na ? alpha[at] : NAN;
        k->beta[i] = at < nb ? beta[at] : NAN;
    }
}

static void check_lengths(Call *c, int64_t steps)
{
    const Val *v = arg_known(c, 4);
    int64_t i;

    for (i = 0; v && i < val_count(v); i++)
        if (val_num(v, i) != (double)steps)
            call_err(c, "a sequence of %g steps in a tensor of %lld; wanted "
                     "all of full length", val_num(v, i), (long long)steps);
}

/* Weights of bytes at operand i, [dirs, inputs, rows], as [rows, inputs]; the
 * scales at `scale` and the zero points behind are one or one per row. */
static Val *byte_weights(Call *c, int dir, int i, int scale)
{
    Val *w = of_dir(c, must(c, i), dir, 2);
    Val *s = must(c, scale), *z = arg_at(c, scale + 1);

    s = of_dir(c, s, dir, s->shape.rank - 1);
    z = z ? of_dir(c, z, dir, z->shape.rank - 1) : NULL;
    return dequantize(c, perm(c, w, (int64_t[]){1, 0}), s, z, 0);
}

static Cell cell_of(Call *c, int gate_count, int dir, bool back, bool layout)
{
    bool bytes = onnx(c)->row->import == import_dynamicquantizelstm;
    Cell k = {.gates = gate_count, .dir = dir, .back = back, .bytes = bytes};
    Val *x = layout ? batch_first(c, c->arg[0]) : c->arg[0], *b;
    Val *h = arg_at(c, 5), *cc = arg_at(c, 6);

    if (x->shape.rank != 3)
        call_err(c, "input has %d dimensions; wanted 3", x->shape.rank);
    k.x = x;
    k.steps = x->shape.dim[0];
    k.batch = x->shape.dim[1];
    k.w = bytes ? byte_weights(c, dir, 1, 8) : of_dir(c, c->arg[1], dir, 2);
    k.r = bytes ? byte_weights(c, dir, 2, 10) : of_dir(c, c->arg[2], dir, 2);
    k.hidden = k.r->shape.dim[1];
    if (call_int(c, "hidden_size", k.hidden) != k.hidden)
        call_err(c, "hidden_size is %lld; the recurrence weights have %lld",
                 (long long)call_int(c, "hidden_size", 0),
                 (long long)k.hidden);
    if (k.steps > LONG || k.r->shape.dim[0] != gate_count * k.hidden ||
        k.w->shape.dim[0] != gate_count * k.hidden)
        call_err(c, "weights of shape %s and %s for %lld steps",
                 shape_str(c->mem, c->arg[1]->shape),
                 shape_str(c->mem, c->arg[2]->shape), (long long)k.steps);
    b = of_dir(c, arg_at(c, 3), dir, 1);
    k.wb = b ? gates(c, &k, b, 0, gate_count) : NULL;
    k.rb = b ? gates(c, &k, b, gate_count, gate_count) : NULL;
    k.h = of_dir(c, layout ? batch_first(c, h) : h, dir, 2);
    k.c = gate_count == 4
        ? of_dir(c, layout ? batch_first(c, cc) : cc, dir, 2) : NULL;
    k.p = gate_count == 4 ? of_dir(c, arg_at(c, 7), dir, 1) : NULL;
    k.clip = call_num(c, "clip", 0);
    set_activations(c, &k);
    check_lengths(c, k.steps);
    return k;
}

static void recurrent(Call *c, int gate_count)
{
    const char *how = call_str(c, "direction", "forward");
    bool layout = call_int(c, "layout", 0);
    int dirs = !strcmp(how, "bidirectional") ? 2 : 1, d;
    int64_t y_order[] = {2, 0, 1, 3};
    Val *y[2], *h[2], *state[2];

    for (d = 0; d < dirs; d++) {
        Cell k = cell_of(c, gate_count, d, d || !strcmp(how, "reverse"),
                         layout);
        y[d] = run(c, &k);
        h[d] = state_out(c, &k, k.h);
        state[d] = gate_count == 4 ? state_out(c, &k, k.c) : NULL;
    }
    y[0] = join(c, 1, dirs, y);
    h[0] = join(c, 0, dirs, h);
    give(c, 0, layout ? perm(c, y[0], y_order) : y[0]);
    give(c, 1, layout ? batch_first(c, h[0]) : h[0]);
    if (gate_count < 4)
        return;
    state[0] = join(c, 0, dirs, state);
    give(c, 2, layout ? batch_first(c, state[0]) : state[0]);
}

void import_lstm(Call *c)
{
    recurrent(c, 4);
}

void import_dynamicquantizelstm(Call *c)
{
    recurrent(c, 4);
}

void import_gru(Call *c)
{
    recurrent(c, 3);
}

void import_rnn(Call *c)
{
    recurrent(c, 1);
}
