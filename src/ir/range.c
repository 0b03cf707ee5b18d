/* Ranges: bounds of every integer value, by interval arithmetic.
 *
 * Where a bound does not fit 64 bits the
 * operator may wrap, and all that is known of its result is what it clips.
 *
 * Kernels ask what is met on the way: of a sum every part, in whatever order it
 * is made. */
#include "ir/range.h"

#include <string.h>

static Range quotient(Range a, Range b)
{
    int64_t m;

    if (b.lo <= 0 && b.hi >= 0) {
        m = range_abs(a).hi;
        return (Range){sat_neg(m), m};
    }
    if (b.hi < 0)
        return quotient(range_neg(a), range_neg(b));
    return (Range){MIN(a.lo / b.lo, a.lo / b.hi),
                   MAX(a.hi / b.lo, a.hi / b.hi)};
}

/* floor(x * p0 * p1 / (y * p1 + p2) + 1/2) */
static Range range_idiv(const Node *n)
{
    int64_t eta = attr_int(n, A_p1);
    Range num = range_times(range_times(range_val(n->arg[0]),
                                        attr_int(n, A_p0)), eta);
    Range den = range_add(range_times(range_val(n->arg[1]), eta),
                          (Range){attr_int(n, A_p2), attr_int(n, A_p2)});
    Range q = quotient(num, den);

    return (Range){sat_add(q.lo, -1), sat_add(q.hi, 1)};
}

/* x * ((one + sign(x) * (one - (q + b)^2)) >> 1), q from 0 to -b */
static Range range_igelu(const Node *n)
{
    int64_t b = attr_int(n, A_p0), one = attr_int(n, A_p1);
    int64_t square = sat_mul(b, b);
    Range l = {sat_add(one, -square), one};
    Range f = range_add(range_join(l, range_neg(l)), (Range){one, one});

    return range_mul(range_val(n->arg[0]), (Range){f.lo >> 1, f.hi >> 1});
}

static Range range_ihardswish(const Node *n)
{
    int64_t three = attr_int(n, A_p1), six = attr_int(n, A_p2);
    Range x = range_val(n->arg[0]);
    Range f = range_clip(range_add(x, (Range){three, three}), 0, six);

    return range_epilogue(n, range_mul(x, range_times(f, attr_int(n, A_p0))));
}

static Range range_inonorm(const Node *n)
{
    Range acc = range_add(range_mul(range_val(n->arg[0]),
                                    range_val(n->arg[1])),
                          range_val(n->arg[2]));

    return range_clip_by(n, range_shifted(range_times(acc, attr_int(n, A_p0)),
                                          sum_shift(n, -1)));
}

/* The least 2^k - 1 that covers all magnitudes: bounds of and, or, xor. */
static Range bits(Range a)
{
    int64_t m = MAX(range_abs(a).hi, 1);
    int k = 64 - __builtin_clzll((unsigned long long)m);
    int64_t top = k >= 63 ? INT64_MAX : (INT64_C(1) << k) - 1;

    return (Range){a.lo < 0 ? -top - 1 : 0, top};
}

static Range range_shift(const Node *n, Range x, Range by)
{
    Range y = {MIN(x.lo, 0), MAX(x.hi, 0)};
    int64_t most = MIN(MAX(by.hi, 0), 63);

    if (attr_int(n, A_mode))
        return y;
    if (most == 63) {
        range_seen.overflowed = true;
        return y;
    }
    return range_times(y, INT64_C(1) << most);
}

static Range range_mod(const Node *n, Range x, Range y)
{
    int64_t m = sat_add(range_abs(y).hi, -1);

    if (attr_int(n, A_mode))
        return (Range){x.lo < 0 ? -m : 0, x.hi > 0 ? m : 0};
    return (Range){y.lo < 0 ? -m : 0, y.hi > 0 ? m : 0};
}

static Range power(Range x, Range by)
{
    Range y = {1, 1};
    int64_t i;
    int64_t m = range_abs(x).hi;

    if (m <= 1)
        return (Range){MIN(x.lo, 0), 1};
    for (i = 0; i < MIN(by.hi, 64); i++)
        y = range_times(y, m);
    return (Range){x.lo < 0 ? sat_neg(y.hi) : 0, y.hi};
}

static int64_t signum(int64_t v)
{
    return (v > 0) - (v < 0);
}

static Range range_wadd(const Node *n, Range x, Range y)
{
    Range xs = range_times(x, attr_int(n, A_p0));
    Range ys = range_times(y, attr_int(n, A_p1));
    Range c = range_val(n->arg[2]);

    range_met(range_add(range_add(range_with_zero(xs), range_with_zero(ys)),
                        range_with_zero(c)));
    return range_clip_by(n, range_shifted(range_add(range_add(xs, ys), c),
                                          sum_shift(n, -1)));
}

/* One operand. */
static Range range_unary(const Node *n, Range x)
{
    switch (n->op) {
    case OP_abs: return range_abs(x);
    case OP_neg: return range_neg(x);
    case OP_sign: return (Range){signum(x.lo), signum(x.hi)};
    case OP_clip: return range_clip_by(n, x);
    case OP_bitnot: return (Range){~x.hi, ~x.lo};
    case OP_igelu: return range_igelu(n);
    case OP_ihardswish: return range_ihardswish(n);
    case OP_requant: return range_epilogue(n, x);
    case OP_qsigmoid:
        return (Range){attr_int(n, A_mode) ? -32768 : 0, 32767};
    default:
        err_node(n, "has no meaning for integers; operand '%s' is %s",
                 n->arg[0]->name, type_info[n->arg[0]->type].name);
    }
}

/* Several operands. */
static Range range_map(const Node *n)
{
    Range x = range_val(n->arg[0]), y;

    if (n->narg < 2 || n->op == OP_requant || n->op == OP_ihardswish)
        return range_unary(n, x);
    y = range_val(n->arg[1]);
    switch (n->op) {
    case OP_add: return range_epilogue(n, range_add(x, y));
    case OP_sub: return range_epilogue(n, range_add(x, range_neg(y)));
    case OP_mul: return range_epilogue(n, range_mul(x, y));
    case OP_wadd: return range_wadd(n, x, y);
    case OP_div: return quotient(x, y);
    case OP_pow: return power(x, y);
    case OP_mod: return range_mod(n, x, y);
    case OP_min: return (Range){MIN(x.lo, y.lo), MIN(x.hi, y.hi)};
    case OP_max: return (Range){MAX(x.lo, y.lo), MAX(x.hi, y.hi)};
    case OP_prelu: return range_join(x, range_mul(x, y));
    case OP_bitand: case OP_bitor: case OP_bitxor:
        return bits(range_join(x, y));
    case OP_bitshift: return range_shift(n, x, y);
    case OP_where: return range_join(y, range_val(n->arg[2]));
    case OP_idiv: return range_idiv(n);
    case OP_inonorm: return range_inonorm(n);
    default: return range_unary(n, x);
    }
}

static Range range_row(const Node *n)
{
    Range x = range_val(n->arg[0]);
    int64_t len = n->arg[0]->shape.dim[node_axis(n, n->arg[0]->shape.rank)];

    switch (n->op) {
    case OP_isoftmax: case OP_itamax: case OP_itapartial:
        return (Range){0, attr_int(n, A_hi)};
    case OP_ilayernorm: case OP_irmsnorm: case OP_qsoftmax: case OP_qlpnorm:
    case OP_qlogsoftmax: case OP_qlayernorm: case OP_rootscale:
        return (Range){attr_int(n, A_lo), attr_int(n, A_hi)};
    case OP_powers:
        return range_val(n->arg[1]);
    case OP_cumsum:
        return range_join(range_with_zero(x), range_times(x, len));
    default:
        err_node(n, "has no meaning for integers; operand '%s' is %s",
                 n->arg[0]->name, type_info[n->arg[0]->type].name);
    }
}

static int64_t reduced_count(const Node *n)
{
    bool set[RANK];
    int64_t count = 1;
    int i;

    node_axes(n, set);
    for (i = 0; i < n->arg[0]->shape.rank; i++)
        if (set[i])
            count *= n->arg[0]->shape.dim[i];
    return count;
}

/* Places of elements of x; of an axis, or of all. */
static Range range_place(int64_t count)
{
    return (Range){0, MAX(count - 1, 0)};
}

static Range range_reduce(const Node *n)
{
    Range x = range_val(n->arg[0]), size = range_abs(x);
    int64_t count = reduced_count(n);

    switch (n->op) {
    case OP_sum:
        return sum_result(n, sum_any(range_times(x, count)), (Range){0, 0}, -1);
    case OP_mean: range_met(range_with_zero(range_times(x, count))); return x;
    case OP_rmax: case OP_rmin: return x;
    case OP_l1: return range_times(size, count);
    case OP_sumsquare: return range_times(range_mul(size, size), count);
    case OP_prod: return range_join(power(x, (Range){count, count}), x);
    case OP_argmax: case OP_argmin: return range_place(count);
    default:
        err_node(n, "has no meaning for integers; operand '%s' is %s",
                 n->arg[0]->name, type_info[n->arg[0]->type].name);
    }
}

static Range range_concat(const Node *n)
{
    Range y = range_val(n->arg[0]);
    int i;

    for (i = 1; i < n->narg; i++)
        y = range_join(y, range_val(n->arg[i]));
    return y;
}

static Range range_pad(const Node *n)
{
    Range x = range_val(n->arg[0]);
    int64_t v = attr_int(n, A_p0);

    return attr_int(n, A_mode) ? x : range_join(x, (Range){v, v});
}

/* Updates may meet any number of times at one place. */
static Range range_scatter(const Node *n)
{
    Range x = range_val(n->arg[0]), u = range_val(n->arg[2]);

    switch (attr_int(n, A_mode)) {
    case 1:
        u = range_times(u, val_count(n->arg[2]));
        return range_add(x, range_with_zero(u));
    case 2:
        range_seen.overflowed = true;
        return x;
    default:
        return range_join(x, u);
    }
}

static Range range_taps(const Node *n)
{
    Range p = range_mul(range_val(n->arg[0]), range_val(n->arg[2]));

    return range_times(p, n->arg[1]->shape.dim[1]);
}

/* Batches, classes and boxes, and -1. */
static Range range_nms(const Node *n)
{
    Shape s = n->arg[1]->shape;

    return (Range){-1, range_place(MAX(s.dim[0], MAX(s.dim[1], s.dim[2]))).hi};
}

/* Of cast and quantize: as far as the type holds it (infer.c cuts). */
static Range range_convert(const Node *n)
{
    const TypeInfo *t = &type_info[attr_int(n, A_to)];
    Range all = {t->lo, t->hi};

    if (n->op == OP_quantize || !val_is_int(n->arg[0]))
        return all;
    return attr_int(n, A_to) == T_b8 ? all : range_val(n->arg[0]);
}

static Range range_of(const Node *n)
{
    if (n->op == OP_cast || n->op == OP_quantize)
        return range_convert(n);
    switch (n->op) {
    case OP_not: case OP_isnan: case OP_isinf: case OP_and: case OP_or:
    case OP_xor: case OP_equal: case OP_less: case OP_lesseq: case OP_greater:
    case OP_greatereq:
        return (Range){0, 1};
    default:
        break;
    }
    switch (op_info[n->op].family) {
    case FAM_map: return range_map(n);
    case FAM_conv: return range_conv(n);
    case FAM_pconv: return range_pconv(n);
    case FAM_pinterleave:
        return range_join(range_pconv(n), range_val(node_arg(n, "r")));
    case FAM_convt: return range_convt(n);
    case FAM_pool: return range_pool(n);
    case FAM_matmul: return range_matmul(n);
    case FAM_row: return range_row(n);
    case FAM_reduce: return range_reduce(n);
    case FAM_concat: return range_concat(n);
    case FAM_pad: return range_pad(n);
    case FAM_scatterelem: case FAM_scatternd: return range_scatter(n);
    case FAM_taps: return range_taps(n);
    case FAM_topk:
        return range_place(n->arg[0]->shape.dim[n->arg[0]->shape.rank - 1]);
    case FAM_poolat: return range_place(val_count(n->arg[0]));
    case FAM_nms: return range_nms(n);
    case FAM_attend: return range_attend(n);
    case FAM_qattend: return range_qattend(n);
    case FAM_rotate: return range_rotate(n);
    case FAM_gate: return range_gate(n);
    case FAM_rowmatmul: return range_rowmatmul(n);
    case FAM_pack: return (Range){0, 255};
    case FAM_weigh: return range_val(n->arg[3]);
    case FAM_exchange: case FAM_shares:
        return (Range){attr_int(n, A_lo), attr_int(n, A_hi)};
    default: return range_val(n->arg[0]);
    }
}

Range range_infer(const Node *n, Range *acc, Range *scaled)
{
    Range r;

    range_seen.overflowed = false;
    range_seen.acc = range_seen.scaled = (Range){INT64_MAX, INT64_MIN};
    r = range_of(n);
    if (range_seen.acc.lo > range_seen.acc.hi)
        range_met(range_with_zero(r));
    *acc = range_seen.acc;
    *scaled = range_seen.scaled;
    return !range_seen.overflowed ? r :
           range_clip_by(n, (Range){INT64_MIN, INT64_MAX});
}
