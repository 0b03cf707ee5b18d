/* The integer dialect: operators defined on integers that PULP's quantizers
 * write, after facts of the networks that use them. */
#include "front/onnx/import.h"

#include <math.h>

static int log2_of(const Call *c, const char *name)
{
    int64_t v = call_need(c, name);
    int k = 0;

    while (k < 62 && (int64_t)1 << k < v)
        k++;
    if (v < 1 || (int64_t)1 << k != v)
        call_err(c, "attribute '%s' is %lld; wanted a power of two", name,
                 (long long)v);
    return k;
}

static int64_t levels(const Call *c)
{
    int64_t n = call_has(c, "n_levels") ? call_int(c, "n_levels", 0)
                                        : call_int(c, "n_levels_out", 256);

    if (n < 2 || n > (int64_t)1 << 32)
        call_err(c, "%lld levels", (long long)n);
    return n;
}

static void set_range(const Call *c, Node *n, bool is_signed)
{
    int64_t k = levels(c);

    attr_set_int(c->g, n, A_lo, is_signed ? -k / 2 : 0);
    attr_set_int(c->g, n, A_hi, is_signed ? k / 2 - 1 : k - 1);
}

static void set_shift(const Call *c, Node *n, int shift)
{
    if (shift)
        attr_set_int(c->g, n, A_shift, shift);
}

static void want_int(const Call *c, int i)
{
    if (!val_is_int(c->arg[i]))
        call_err(c, "input %d ('%s') has elements that are no integers",
                 i + 1, c->arg[i]->name);
}

static void want_ints(const Call *c, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (c->arg[i])
            want_int(c, i);
}

/* Multipliers of one element, per channel (axis 1) from rank 3 on, and as
 * ONNX broadcasts below. */
static Val *channels(Call *c, const Val *x, Val *v)
{
    int rank = x->shape.rank;

    if (val_count(v) == 1)
        return to_rank(c, v, 0, 0);
    if (rank < 3)
        return v;
    if (val_count(v) != x->shape.dim[1])
        call_err(c, "'%s' has %lld elements; wanted 1 or %lld, one per "
                 "channel", v->name, (long long)val_count(v),
                 (long long)x->shape.dim[1]);
    return to_rank(c, v, rank - 1, 0);
}

void import_requantshift(Call *c)
{
    Val *x = c->arg[0], *mul, *add;
    int shift = log2_of(c, "div");
    Node *n;

    want_ints(c, 3);
    if (!call_has(c, "signed"))
        call_err(c, "attribute 'signed' is missing");
    mul = channels(c, x, c->arg[1]);
    add = channels(c, x, c->arg[2]);
    if (shift)
        add = op_num(c, OP_add, add, ldexp(1, shift - 1));
    n = node_of(c, OP_requant, 3, x, mul, add);
    set_shift(c, n, shift);
    set_range(c, n, call_int(c, "signed", 0));
    give(c, 0, done(c, n));
}

static Node *row_node(Call *c, OpCode op)
{
    want_ints(c, c->narg);
    return node_list(c, op, c->narg, c->arg);
}

void import_isoftmax(Call *c)
{
    Node *n = row_node(c, OP_isoftmax);

    attr_set_int(c->g, n, A_p0, call_need(c, "coeffA"));
    attr_set_int(c->g, n, A_p1, call_need(c, "coeffB"));
    attr_set_int(c->g, n, A_p2, call_need(c, "coeffC"));
    attr_set_int(c->g, n, A_p3, call_need(c, "log2"));
    if (call_int(c, "log2", 0) < 1)
        call_err(c, "log2 is %lld; wanted 1 or more",
                 (long long)call_int(c, "log2", 0));
    attr_set_int(c->g, n, A_hi, levels(c) - 1);
    give(c, 0, done(c, n));
}

void import_itamax(Call *c)
{
    Node *n = row_node(c, OP_itamax);

    attr_set_int(c->g, n, A_hi, levels(c) - 1);
    give(c, 0, done(c, n));
}

void import_itapartialmax(Call *c)
{
    Node *n = row_node(c, OP_itapartial);
    const Shape *s = &c->arg[0]->shape;
    int64_t width = call_need(c, "group_width");

    if (width < 1 || !s->rank || s->dim[s->rank - 1] % width)
        call_err(c, "group_width %lld does not divide the last axis",
                 (long long)width);
    if (c->arg[0]->lo < -128 || c->arg[0]->hi > 255)
        call_err(c, "input '%s' has values of %lld to %lld; wanted 8 bits",
                 c->arg[0]->name, (long long)c->arg[0]->lo,
                 (long long)c->arg[0]->hi);
    attr_set_int(c->g, n, A_p0, width);
    attr_set_int(c->g, n, A_hi, levels(c) / 2 - 1);
    give(c, 0, done(c, n));
}

/* Parameters are rows of the last axis. */
static void flat_rows(Call *c)
{
    int i;

    for (i = 1; i < c->narg; i++)
        if (c->arg[i])
            c->arg[i] = to_rank(c, c->arg[i], 1, 0);
}

void import_inorm(Call *c) /* iLayerNorm, iRMSNorm */
{
    Node *n;

    flat_rows(c);
    n = row_node(c, onnx(c)->row->min == 3 ? OP_ilayernorm : OP_irmsnorm);
    set_shift(c, n, log2_of(c, "D"));
    set_range(c, n, true);
    give(c, 0, done(c, n));
}

void import_inonorm(Call *c)
{
    Node *n;

    want_ints(c, 3);
    n = node_of(c, OP_inonorm, 3, c->arg[0], c->arg[1], c->arg[2]);
    attr_set_int(c->g, n, A_p0, call_need(c, "mul"));
    set_shift(c, n, log2_of(c, "D"));
    give(c, 0, done(c, n));
}

void import_igelu(Call *c)
{
    Node *n;

    want_ints(c, 1);
    n = node_of(c, OP_igelu, 1, c->arg[0]);
    attr_set_int(c->g, n, A_p0, call_need(c, "b"));
    attr_set_int(c->g, n, A_p1, call_need(c, "one"));
    give(c, 0, done(c, n));
}

void import_ihardswish(Call *c)
{
    Node *n;

    want_ints(c, 1);
    n = node_of(c, OP_ihardswish, 1, c->arg[0]);
    attr_set_int(c->g, n, A_p0, call_need(c, "one_over_six"));
    attr_set_int(c->g, n, A_p1, call_need(c, "three"));
    attr_set_int(c->g, n, A_p2, call_need(c, "six"));
    give(c, 0, done(c, n));
}

/* x * floor(Delta eta / (y eta + eps)), by one factor */
void import_trueintegerdiv(Call *c)
{
    int64_t delta = call_need(c, "Delta"), eta = call_int(c, "eta", 1);
    int64_t eps = call_int(c, "eps", 0), y = call_need(c, "y"), num, den, q;

    want_ints(c, 1);
    if (__builtin_mul_overflow(delta, eta, &num) ||
        __builtin_mul_overflow(y, eta, &den) ||
        __builtin_add_overflow(den, eps, &den) || den < 1)
        call_err(c, "divides by %lld * %lld + %lld", (long long)y,
                 (long long)eta, (long long)eps);
    q = num / den - (num % den < 0);
    give(c, 0, op_num(c, OP_mul, c->arg[0], (double)q));
}

void import_integerdiv(Call *c)
{
    Node *n;

    want_ints(c, 2);
    n = node_of(c, OP_idiv, 2, c->arg[0], c->arg[1]);
    attr_set_int(c->g, n, A_p0, call_need(c, "Delta"));
    attr_set_int(c->g, n, A_p1, call_int(c, "eta", 1));
    attr_set_int(c->g, n, A_p2, call_int(c, "eps", 0));
    give(c, 0, done(c, n));
}
