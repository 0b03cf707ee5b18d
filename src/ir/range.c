/* Ranges: bounds of every integer value, by interval arithmetic.
 *
 * Sums over constant weights use the weights themselves: the greatest sum of
 * a channel is that of its positive weights at the input's greatest value and
 * its negative ones at the least.  Where a bound does not fit 64 bits the
 * operator may wrap, and all that is known of its result is what it clips.
 *
 * Kernels ask what is met on the way: of a sum every part, in whatever order it
 * is made. */
#include "ir/ir.h"

#include <string.h>

/* Since range_infer began. */
static bool overflowed;
static Range met_acc, met_scaled;

static int64_t sat_add(int64_t a, int64_t b)
{
    int64_t y;

    if (!__builtin_add_overflow(a, b, &y))
        return y;
    overflowed = true;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t sat_mul(int64_t a, int64_t b)
{
    int64_t y;

    if (!__builtin_mul_overflow(a, b, &y))
        return y;
    overflowed = true;
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

static int64_t sat_neg(int64_t a)
{
    return sat_mul(a, -1);
}

static Range of(const Val *v)
{
    return (Range){v->lo, v->hi};
}

static Range join(Range a, Range b)
{
    return (Range){MIN(a.lo, b.lo), MAX(a.hi, b.hi)};
}

static Range sum(Range a, Range b)
{
    return (Range){sat_add(a.lo, b.lo), sat_add(a.hi, b.hi)};
}

static Range minus(Range a)
{
    return (Range){sat_neg(a.hi), sat_neg(a.lo)};
}

static Range times(Range a, Range b)
{
    int64_t p = sat_mul(a.lo, b.lo), q = sat_mul(a.lo, b.hi);
    int64_t r = sat_mul(a.hi, b.lo), s = sat_mul(a.hi, b.hi);

    return (Range){MIN(MIN(p, q), MIN(r, s)), MAX(MAX(p, q), MAX(r, s))};
}

static Range scaled(Range a, int64_t k)
{
    return times(a, (Range){k, k});
}

static Range absolute(Range a)
{
    int64_t m = MAX(sat_neg(a.lo), a.hi);

    return (Range){a.lo > 0 ? a.lo : a.hi < 0 ? sat_neg(a.hi) : 0, m};
}

static Range clipped(Range a, int64_t lo, int64_t hi)
{
    return (Range){MIN(MAX(a.lo, lo), hi), MIN(MAX(a.hi, lo), hi)};
}

static Range clipped_by(const Node *n, Range a)
{
    return clipped(a, attr_int(n, A_lo), attr_int(n, A_hi));
}

/* Element i of a constant epilogue operand that has one per channel or one
 * for all; the range of one that is not constant. */
static Range element(const Val *v, int64_t i)
{
    int64_t x;

    if (!v->data)
        return of(v);
    x = val_int(v, val_count(v) == 1 ? 0 : i);
    return (Range){x, x};
}

static Range shifted(Range a, Range by)
{
    Range least = {a.lo >> by.lo, a.hi >> by.lo};

    return join(least, (Range){a.lo >> by.hi, a.hi >> by.hi});
}

/* Element i of the shifts, or the one there is; of no one element: i < 0. */
static Range shift_of(const Node *n, int64_t i)
{
    const Val *v = node_arg(n, "shifts");
    int64_t one = attr_int(n, A_shift);

    return !v ? (Range){one, one} : i < 0 ? of(v) : element(v, i);
}

static Range with_zero(Range a)
{
    return join(a, (Range){0, 0});
}

static Range met(Range acc)
{
    met_acc = join(met_acc, acc);
    met_scaled = join(met_scaled, acc);
    return acc;
}

/* The elements of an epilogue's operands that meet. */
typedef struct Scaling {
    Range mul, add, shift;
} Scaling;

/* Element i of all operands; of no one element: i < 0. */
static Scaling scaling(const Node *n, int64_t i)
{
    const Val *mul = node_arg(n, "mul"), *add = node_arg(n, "add");

    if (i < 0)
        return (Scaling){of(mul), of(add), shift_of(n, i)};
    return (Scaling){element(mul, i), element(add, i), shift_of(n, i)};
}

static Range unrounded(const Node *n, Range acc, Scaling s)
{
    Range product = times(acc, s.mul), any = with_zero(product);

    met_scaled = join(met_scaled, join(any, sum(any, s.add)));
    return clipped_by(n, shifted(sum(product, s.add), s.shift));
}

/* Sums below 0 and others round in two ways. */
static Range requantized(const Node *n, Range acc, Scaling s)
{
    Range below = acc, above = acc, less = s.add;

    met(acc);
    if (!attr_int(n, A_round) || acc.lo >= 0 || s.shift.hi <= ROUND_SHIFT)
        return unrounded(n, acc, s);
    below.hi = MIN(acc.hi, -1);
    above.lo = 0;
    less.lo = sat_add(less.lo, -ROUND_LESS);
    if (s.shift.lo > ROUND_SHIFT)
        less.hi = sat_add(less.hi, -ROUND_LESS);
    below = unrounded(n, below, (Scaling){s.mul, less, s.shift});
    return acc.hi < 0 ? below : join(below, unrounded(n, above, s));
}

/* The epilogue of a sum of channel c; of no one channel: c < 0. */
static Range epilogue(const Node *n, Range acc, int64_t c)
{
    if (!node_arg(n, "mul"))
        return clipped_by(n, met(acc));
    return requantized(n, acc, scaling(n, c));
}

/* Weights of one sum: what is positive and what is negative. */
typedef struct Parts {
    int64_t plus, minus;
} Parts;

static void take(Parts *p, int64_t w)
{
    if (w > 0)
        p->plus = sat_add(p->plus, w);
    else
        p->minus = sat_add(p->minus, w);
}

enum { BLOCK = 64 };

/* n weights from number `at` on, each into the next sum. */
#define TAKE_EACH(ctype)                                               \
    for (i = 0; i < n; i++)                                            \
        take(&p[i], (int64_t)((const ctype *)w->data)[at + i])

/* All into one sum; short ones by blocks, whose sums fit 32 bits: compilers
 * turn those into vector code. */
#define TAKE_ALL(ctype, bytes)                                         \
    do {                                                               \
        const ctype *x = (const ctype *)w->data + at;                  \
                                                                       \
        for (; (bytes) <= 2 && n >= BLOCK; n -= BLOCK, x += BLOCK) {   \
            int32_t plus = 0, all = 0;                                 \
                                                                       \
            for (i = 0; i < BLOCK; i++) {                              \
                plus += x[i] > 0 ? (int32_t)x[i] : 0;                  \
                all += (int32_t)x[i];                                  \
            }                                                          \
            p->plus = sat_add(p->plus, plus);                          \
            p->minus = sat_add(p->minus, all - plus);                  \
        }                                                              \
        for (i = 0; i < n; i++)                                        \
            take(p, (int64_t)x[i]);                                    \
    } while (0)

static void take_run(Parts *p, bool each, const Val *w, int64_t at, int64_t n)
{
    int64_t i;

    switch (w->type) {
#define TYPE(name, ctype, bytes, kind, npy, onnx)                      \
    case T_##name:                                                     \
        if (each)                                                      \
            TAKE_EACH(ctype);                                          \
        else                                                           \
            TAKE_ALL(ctype, bytes);                                    \
        break;
#include "ir/type.def"
    default: die("weight '%s' has no type", w->name);
    }
}

/* Of products: their sum, and every part of it in whatever order it is made. */
typedef struct Sum {
    Range all, any;
} Sum;

static Sum sum_of(Parts p, Range x)
{
    Range z = with_zero(x);

    return (Sum){sum(scaled(x, p.plus), scaled(x, p.minus)),
                 sum(scaled(z, p.plus), scaled(z, p.minus))};
}

static Sum any_of(Range all)
{
    return (Sum){all, with_zero(all)};
}

/* The result of a sum that begins with a bias, of channel c: what is too large
 * of its parts alone does not matter to it. */
static Range summed(const Node *n, Sum s, Range bias, int64_t c)
{
    bool before = overflowed;

    epilogue(n, sum(s.any, with_zero(bias)), c);
    overflowed = before;
    return epilogue(n, sum(s.all, bias), c);
}

/* The bias of channel c; of no one channel: c < 0. */
static Range bias_of(const Val *b, int64_t c)
{
    return !b ? (Range){0, 0} : c < 0 ? of(b) : element(b, c);
}

static Range conv_input(const Node *n)
{
    Range x = of(n->arg[0]);
    const int64_t *pad;
    int i, len = attr_list(n, A_pad, &pad);
    int64_t v = attr_int(n, A_padvalue);

    for (i = 0; i < len; i++)
        if (pad[i])
            return join(x, (Range){v, v});
    return x;
}

static Range range_conv(const Node *n)
{
    const Val *w = n->arg[1], *b = node_arg(n, "b");
    Range x = conv_input(n), y = {INT64_MAX, INT64_MIN};
    int64_t m = w->shape.dim[0], k = m ? val_count(w) / m : 0, c;

    if (!w->data || !m)
        return summed(n, any_of(scaled(times(x, of(w)), k)), bias_of(b, -1),
                      -1);
    for (c = 0; c < m; c++) {
        Parts p = {0, 0};

        take_run(&p, false, w, c * k, k);
        y = join(y, summed(n, sum_of(p, x), bias_of(b, c), c));
    }
    return y;
}

/* Any number of the c/g * k products of an output may meet there. */
static Range range_convt(const Node *n)
{
    const Val *w = n->arg[1];
    Range zero = {0, 0}, x = join(of(n->arg[0]), zero), acc;
    int64_t m = attr_int(n, A_last) ? w->shape.dim[w->shape.rank - 1]
                                    : w->shape.dim[1];

    acc = scaled(times(x, of(w)), val_count(w) / MAX(m, 1) /
                                      attr_int(n, A_group));
    return summed(n, any_of(join(acc, zero)), bias_of(node_arg(n, "b"), -1),
                  -1);
}

/* Is v one row, an element per column of the matrix y (or a single one)? */
static bool by_column(const Val *v, int64_t columns)
{
    return !v || val_count(v) == 1 ||
           (val_count(v) == columns &&
            v->shape.dim[v->shape.rank - 1] == columns);
}

/* The parts of every column of matrix number `at` of b. */
static void take_columns(Parts *p, const Node *n, int64_t at, int64_t depth,
                         int64_t columns)
{
    bool transposed = attr_int(n, A_transb);
    int64_t i, rows = transposed ? columns : depth;
    int64_t len = transposed ? depth : columns;

    for (i = 0; i < rows; i++)
        take_run(transposed ? p + i : p, !transposed, n->arg[1],
                 (at * rows + i) * len, len);
}

/* The sums of every column of b, in all its batches. */
static void column_sums(const Node *n, int64_t depth, int64_t columns, Sum *y)
{
    int64_t i, c, batches = val_count(n->arg[1]) / (depth * columns);
    Arena *a = arena_new();
    Parts *p = NEWN(a, Parts, (size_t)columns);

    for (c = 0; c < columns; c++)
        y[c] = (Sum){{INT64_MAX, INT64_MIN}, {0, 0}};
    for (i = 0; i < batches; i++) {
        memset(p, 0, (size_t)columns * sizeof *p);
        take_columns(p, n, i, depth, columns);
        for (c = 0; c < columns; c++) {
            Sum s = sum_of(p[c], of(n->arg[0]));

            y[c] = (Sum){join(y[c].all, s.all), join(y[c].any, s.any)};
        }
    }
    arena_end(a);
}

/* b is constant: every column by itself. */
static Range range_columns(const Node *n, int64_t depth, int64_t columns)
{
    const Val *bias = node_arg(n, "bias");
    Range y = {INT64_MAX, INT64_MIN};
    Arena *a = arena_new();
    Sum *sums = NEWN(a, Sum, (size_t)columns);
    bool simple = by_column(bias, columns) &&
                  by_column(node_arg(n, "mul"), columns) &&
                  by_column(node_arg(n, "add"), columns);
    int64_t c, at;

    column_sums(n, depth, columns, sums);
    for (c = 0; c < columns; c++) {
        at = simple ? c : -1;
        y = join(y, summed(n, sums[c], bias_of(bias, at), at));
    }
    arena_end(a);
    return y;
}

static Range range_matmul(const Node *n)
{
    const Val *a = n->arg[0], *b = n->arg[1], *bias = node_arg(n, "bias");
    bool tb = attr_int(n, A_transb);
    int64_t some = product_rows(n).n, row = b->shape.dim[b->shape.rank - 1];
    int64_t depth = tb ? row : some, columns = tb ? some : row;

    /* Of a part of b's rows nothing is known by column. */
    if (b->data && val_count(b) && some == b->shape.dim[b->shape.rank - 2])
        return range_columns(n, depth, columns);
    return summed(n, any_of(scaled(times(of(a), of(b)), depth)),
                  bias_of(bias, -1), -1);
}

static Range range_pool(const Node *n)
{
    Range x = of(n->arg[0]), acc = x;
    const int64_t *k;
    int64_t count = 1;
    int i, len = attr_list(n, A_kernel, &k);

    for (i = 0; i < len; i++)
        count = sat_mul(count, k[i]);
    if (n->op == OP_sumpool)
        acc = join(scaled(x, count), with_zero(x));
    else if (n->op == OP_avgpool && attr_int(n, A_countpad))
        acc = with_zero(x);
    if (n->op == OP_avgpool)
        met(with_zero(scaled(x, count)));
    return epilogue(n, acc, -1);
}

/* Elements of mul and add that meet; whole ranges where they do not match. */
static Range range_epilogue(const Node *n, Range x)
{
    const Val *mul = node_arg(n, "mul"), *add = node_arg(n, "add");
    Range y = {INT64_MAX, INT64_MIN};
    int64_t i, count;

    if (!mul)
        return clipped_by(n, met(x));
    count = MAX(val_count(mul), val_count(add));
    if (!mul->data || !add->data || !count ||
        !(val_count(mul) == 1 || val_count(add) == 1 ||
          shape_same(mul->shape, add->shape)))
        return requantized(n, x, scaling(n, -1));
    for (i = 0; i < count; i++)
        y = join(y, requantized(n, x, scaling(n, i)));
    return y;
}

static Range quotient(Range a, Range b)
{
    int64_t m;

    if (b.lo <= 0 && b.hi >= 0) {
        m = absolute(a).hi;
        return (Range){sat_neg(m), m};
    }
    if (b.hi < 0)
        return quotient(minus(a), minus(b));
    return (Range){MIN(a.lo / b.lo, a.lo / b.hi),
                   MAX(a.hi / b.lo, a.hi / b.hi)};
}

/* floor(x * p0 * p1 / (y * p1 + p2) + 1/2) */
static Range range_idiv(const Node *n)
{
    int64_t eta = attr_int(n, A_p1);
    Range num = scaled(scaled(of(n->arg[0]), attr_int(n, A_p0)), eta);
    Range den = sum(scaled(of(n->arg[1]), eta),
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
    Range f = sum(join(l, minus(l)), (Range){one, one});

    return times(of(n->arg[0]), (Range){f.lo >> 1, f.hi >> 1});
}

static Range range_ihardswish(const Node *n)
{
    int64_t three = attr_int(n, A_p1), six = attr_int(n, A_p2);
    Range x = of(n->arg[0]);
    Range f = clipped(sum(x, (Range){three, three}), 0, six);

    return range_epilogue(n, times(x, scaled(f, attr_int(n, A_p0))));
}

static Range range_inonorm(const Node *n)
{
    Range acc = sum(times(of(n->arg[0]), of(n->arg[1])), of(n->arg[2]));

    return clipped_by(n, shifted(scaled(acc, attr_int(n, A_p0)),
                                 shift_of(n, -1)));
}

/* The least 2^k - 1 that covers all magnitudes: bounds of and, or, xor. */
static Range bits(Range a)
{
    int64_t m = MAX(absolute(a).hi, 1);
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
        overflowed = true;
        return y;
    }
    return scaled(y, INT64_C(1) << most);
}

static Range range_mod(const Node *n, Range x, Range y)
{
    int64_t m = sat_add(absolute(y).hi, -1);

    if (attr_int(n, A_mode))
        return (Range){x.lo < 0 ? -m : 0, x.hi > 0 ? m : 0};
    return (Range){y.lo < 0 ? -m : 0, y.hi > 0 ? m : 0};
}

static Range power(Range x, Range by)
{
    Range y = {1, 1};
    int64_t i;
    int64_t m = absolute(x).hi;

    if (m <= 1)
        return (Range){MIN(x.lo, 0), 1};
    for (i = 0; i < MIN(by.hi, 64); i++)
        y = scaled(y, m);
    return (Range){x.lo < 0 ? sat_neg(y.hi) : 0, y.hi};
}

static int64_t signum(int64_t v)
{
    return (v > 0) - (v < 0);
}

static Range range_wadd(const Node *n, Range x, Range y)
{
    Range xs = scaled(x, attr_int(n, A_p0)), ys = scaled(y, attr_int(n, A_p1));
    Range c = of(n->arg[2]);

    met(sum(sum(with_zero(xs), with_zero(ys)), with_zero(c)));
    return clipped_by(n, shifted(sum(sum(xs, ys), c), shift_of(n, -1)));
}

/* One operand. */
static Range range_unary(const Node *n, Range x)
{
    switch (n->op) {
    case OP_abs: return absolute(x);
    case OP_neg: return minus(x);
    case OP_sign: return (Range){signum(x.lo), signum(x.hi)};
    case OP_clip: return clipped_by(n, x);
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
    Range x = of(n->arg[0]), y;

    if (n->narg < 2 || n->op == OP_requant || n->op == OP_ihardswish)
        return range_unary(n, x);
    y = of(n->arg[1]);
    switch (n->op) {
    case OP_add: return range_epilogue(n, sum(x, y));
    case OP_sub: return range_epilogue(n, sum(x, minus(y)));
    case OP_mul: return range_epilogue(n, times(x, y));
    case OP_wadd: return range_wadd(n, x, y);
    case OP_div: return quotient(x, y);
    case OP_pow: return power(x, y);
    case OP_mod: return range_mod(n, x, y);
    case OP_min: return (Range){MIN(x.lo, y.lo), MIN(x.hi, y.hi)};
    case OP_max: return (Range){MAX(x.lo, y.lo), MAX(x.hi, y.hi)};
    case OP_prelu: return join(x, times(x, y));
    case OP_bitand: case OP_bitor: case OP_bitxor: return bits(join(x, y));
    case OP_bitshift: return range_shift(n, x, y);
    case OP_where: return join(y, of(n->arg[2]));
    case OP_idiv: return range_idiv(n);
    case OP_inonorm: return range_inonorm(n);
    default: return range_unary(n, x);
    }
}

static Range range_row(const Node *n)
{
    Range x = of(n->arg[0]);
    int64_t len = n->arg[0]->shape.dim[node_axis(n, n->arg[0]->shape.rank)];

    switch (n->op) {
    case OP_isoftmax: case OP_itamax: case OP_itapartial:
        return (Range){0, attr_int(n, A_hi)};
    case OP_ilayernorm: case OP_irmsnorm: case OP_qsoftmax: case OP_qlpnorm:
        return (Range){attr_int(n, A_lo), attr_int(n, A_hi)};
    case OP_cumsum:
        return join(with_zero(x), scaled(x, len));
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
    Range x = of(n->arg[0]), size = absolute(x);
    int64_t count = reduced_count(n);

    switch (n->op) {
    case OP_sum: return summed(n, any_of(scaled(x, count)), (Range){0, 0}, -1);
    case OP_mean: met(with_zero(scaled(x, count))); return x;
    case OP_rmax: case OP_rmin: return x;
    case OP_l1: return scaled(size, count);
    case OP_sumsquare: return scaled(times(size, size), count);
    case OP_prod: return join(power(x, (Range){count, count}), x);
    case OP_argmax: case OP_argmin: return range_place(count);
    default:
        err_node(n, "has no meaning for integers; operand '%s' is %s",
                 n->arg[0]->name, type_info[n->arg[0]->type].name);
    }
}

static Range range_concat(const Node *n)
{
    Range y = of(n->arg[0]);
    int i;

    for (i = 1; i < n->narg; i++)
        y = join(y, of(n->arg[i]));
    return y;
}

static Range range_pad(const Node *n)
{
    Range x = of(n->arg[0]);
    int64_t v = attr_int(n, A_p0);

    return attr_int(n, A_mode) ? x : join(x, (Range){v, v});
}

/* Updates may meet any number of times at one place. */
static Range range_scatter(const Node *n)
{
    Range x = of(n->arg[0]), u = of(n->arg[2]);

    switch (attr_int(n, A_mode)) {
    case 1:
        u = scaled(u, val_count(n->arg[2]));
        return sum(x, with_zero(u));
    case 2:
        overflowed = true;
        return x;
    default:
        return join(x, u);
    }
}

static Range range_taps(const Node *n)
{
    Range p = times(of(n->arg[0]), of(n->arg[2]));

    return scaled(p, n->arg[1]->shape.dim[1]);
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
    return attr_int(n, A_to) == T_b8 ? all : of(n->arg[0]);
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
    case FAM_pack: return (Range){0, 255};
    default: return of(n->arg[0]);
    }
}

Range range_infer(const Node *n, Range *acc, Range *scaled)
{
    Range r;

    overflowed = false;
    met_acc = met_scaled = (Range){INT64_MAX, INT64_MIN};
    r = range_of(n);
    if (met_acc.lo > met_acc.hi)
        met(with_zero(r));
    *acc = met_acc;
    *scaled = met_scaled;
    return overflowed ? clipped_by(n, (Range){INT64_MIN, INT64_MAX}) : r;
}
