/* Ranges of sums and of what an epilogue makes of them: convolutions, matrix
 * products, pooling.
 *
 * Sums over constant weights use the weights themselves: the greatest sum of
 * a channel is that of its positive weights at the input's greatest value and
 * its negative ones at the least. */
#include "ir/attend.h"
#include "ir/range.h"
#include "kern/conv/words.h"
#include "kern/matmul/halves.h"
#include "kern/matmul/scales.h"

#include <string.h>

Range sum_shift(const Node *n, int64_t i)
{
    const Val *v = node_arg(n, "shifts");
    int64_t one = attr_int(n, A_shift);

    return !v ? (Range){one, one} : i < 0 ? range_val(v) : range_element(v, i);
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
        return (Scaling){range_val(mul), range_val(add), sum_shift(n, i)};
    return (Scaling){range_element(mul, i), range_element(add, i),
                     sum_shift(n, i)};
}

static Range unrounded(const Node *n, Range acc, Scaling s)
{
    Range product = range_mul(acc, s.mul), any = range_with_zero(product);

    any = range_join(any, range_add(any, s.add));
    range_seen.scaled = range_join(range_seen.scaled, any);
    return range_clip_by(n, range_shifted(range_add(product, s.add), s.shift));
}

/* Sums below 0 and others round in two ways. */
static Range requantized(const Node *n, Range acc, Scaling s)
{
    Range below = acc, above = acc, less = s.add;

    range_met(acc);
    if (!attr_int(n, A_round) || acc.lo >= 0 || s.shift.hi <= ROUND_SHIFT)
        return unrounded(n, acc, s);
    below.hi = MIN(acc.hi, -1);
    above.lo = 0;
    less.lo = sat_add(less.lo, -ROUND_LESS);
    if (s.shift.lo > ROUND_SHIFT)
        less.hi = sat_add(less.hi, -ROUND_LESS);
    below = unrounded(n, below, (Scaling){s.mul, less, s.shift});
    return acc.hi < 0 ? below : range_join(below, unrounded(n, above, s));
}

/* The epilogue of a sum of channel c; of no one channel: c < 0. */
static Range epilogue(const Node *n, Range acc, int64_t c)
{
    if (!node_arg(n, "mul"))
        return range_clip_by(n, range_met(acc));
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

static Sum sum_of(Parts p, Range x)
{
    Range z = range_with_zero(x);

    return (Sum){range_add(range_times(x, p.plus), range_times(x, p.minus)),
                 range_add(range_times(z, p.plus), range_times(z, p.minus))};
}

Sum sum_any(Range all)
{
    return (Sum){all, range_with_zero(all)};
}

/* Of n products that lie within. */
static Sum sum_of_products(Range each, int64_t n)
{
    return sum_any(range_times(each, n));
}

/* The result of a sum that begins with a bias, of channel c: what is too large
 * of its parts alone does not matter to it. */
Range sum_result(const Node *n, Sum s, Range bias, int64_t c)
{
    bool before = range_seen.overflowed;

    epilogue(n, range_add(s.any, range_with_zero(bias)), c);
    range_seen.overflowed = before;
    return epilogue(n, range_add(s.all, bias), c);
}

/* The bias of channel c; of no one channel: c < 0. */
static Range bias_of(const Val *b, int64_t c)
{
    return !b ? (Range){0, 0} : c < 0 ? range_val(b) : range_element(b, c);
}

static Range conv_input(const Node *n)
{
    Range x = range_val(n->arg[0]);
    const int64_t *pad;
    int i, len = attr_list(n, A_pad, &pad);
    int64_t v = attr_int(n, A_padvalue);

    for (i = 0; i < len; i++)
        if (pad[i])
            return range_join(x, (Range){v, v});
    return x;
}

Range range_conv(const Node *n)
{
    const Val *w = n->arg[1], *b = node_arg(n, "b");
    Range x = conv_input(n), y = {INT64_MAX, INT64_MIN};
    int64_t m = w->shape.dim[0], k = m ? val_count(w) / m : 0, c;

    if (!w->data || !m)
        return sum_result(n, sum_of_products(range_mul(x, range_val(w)), k),
                          bias_of(b, -1), -1);
    for (c = 0; c < m; c++) {
        Parts p = {0, 0};

        take_run(&p, false, w, c * k, k);
        y = range_join(y, sum_result(n, sum_of(p, x), bias_of(b, c), c));
    }
    return y;
}

/* The weights of output channel o. */
static Parts packed_parts(const struct pconv_dims *k, const Val *w, int32_t o)
{
    Parts p = {0, 0};
    int32_t tap, c;

    for (tap = 0; tap < k->kh * k->kw; tap++)
        for (c = 0; c < k->c; c++)
            take(&p, word_weight(k, w->data, o, tap, c));
    return p;
}

/* Products of a sum whose weights are made: of blocks on a diagonal, those of a
 * row of its own; all rows have as many elements. */
static int64_t packed_terms(const Node *n, const struct pconv_dims *k)
{
    const Node *pack = n->arg[1]->def;

    if (pack && pack->op == OP_slice)
        pack = pack->arg[0]->def;
    if (!pack || pack->op != OP_pack || !attr_has(pack, A_p2))
        return (int64_t)k->c * k->kh * k->kw;
    return val_count(pack->arg[0]) / MAX(1, pack->res[0]->shape.dim[0]);
}

Range range_pconv(const Node *n)
{
    Range x = conv_input(n), y = {INT64_MAX, INT64_MIN};
    const Val *b = node_arg(n, "b");
    struct pconv_dims *k;
    Dims d;
    int32_t o;

    dims_fill_wide(n, &d);
    k = &d.pconv; /* with which those of a pinterleave begin */
    if (!n->arg[1]->data) {
        Range w = {-k->less, (1 << k->bits) - 1 - k->less};

        return sum_result(n, sum_of_products(range_mul(x, w),
                                             packed_terms(n, k)),
                          bias_of(b, -1), -1);
    }
    for (o = 0; o < k->g * k->m; o++)
        y = range_join(y, sum_result(n, sum_of(packed_parts(k, n->arg[1], o),
                                               x), bias_of(b, o), o));
    return y;
}

/* Any number of the c/g * k products of an output may meet there. */
Range range_convt(const Node *n)
{
    const Val *w = n->arg[1];
    Range zero = {0, 0}, x = range_join(range_val(n->arg[0]), zero), acc;
    int64_t m = attr_int(n, A_last) ? w->shape.dim[w->shape.rank - 1]
                                    : w->shape.dim[1];

    acc = range_times(range_mul(x, range_val(w)), val_count(w) / MAX(m, 1) /
                                      attr_int(n, A_group));
    return sum_result(n, sum_any(range_join(acc, zero)),
                      bias_of(node_arg(n, "b"), -1),
                      -1);
}

/* Is v one row, an element per column of the matrix y (or a single one)? */
static bool by_column(const Val *v, int64_t columns)
{
    return !v || val_count(v) == 1 ||
           (val_count(v) == columns &&
            v->shape.dim[v->shape.rank - 1] == columns);
}

/* The parts of n weights of a row, which with its neighbour begins at `at`. */
static void take_halves(Parts *p, const Val *w, int64_t at, int64_t row,
                        int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++) {
        int64_t low = at + half_at((int32_t)i);

        take(p, half_weight((int32_t)val_int(w, low),
                            (int32_t)val_int(w, low + 1), (int32_t)row));
    }
}

/* The parts of every column of matrix number `at` of b. */
static void take_columns(Parts *p, const Node *n, int64_t at, int64_t depth,
                         int64_t columns)
{
    bool transposed = attr_int(n, A_transb);
    int64_t i, rows = transposed ? columns : depth;
    int64_t len = transposed ? depth : columns;

    for (i = 0; i < rows && n->op == OP_pmatmul; i++)
        take_halves(p + i, n->arg[1], (at * rows + (i & -2)) * len, i, len);
    for (i = 0; i < rows && n->op != OP_pmatmul; i++)
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
            Sum s = sum_of(p[c], range_val(n->arg[0]));

            y[c] = (Sum){range_join(y[c].all, s.all),
                         range_join(y[c].any, s.any)};
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
        y = range_join(y, sum_result(n, sums[c], bias_of(bias, at), at));
    }
    arena_end(a);
    return y;
}

/* What lies behind k weights of row o. */
static Scaling row_scaling(const Node *n, int64_t o, int64_t k)
{
    const int8_t *p = (const int8_t *)n->arg[1]->data + o * (k + ROW_SCALES);
    int32_t mul, add;

    p += k;
    mul = row_scale(p[0], p[1], p[2], p[3]);
    add = row_scale(p[4], p[5], p[6], p[7]);
    return (Scaling){{mul, mul}, {add, add}, sum_shift(n, -1)};
}

/* The sum of a row and its scales: what is too large of its parts alone does not
 * matter to it. */
static Range row_result(const Node *n, Sum sum, Scaling s)
{
    bool before = range_seen.overflowed;

    requantized(n, sum.any, s);
    range_seen.overflowed = before;
    return requantized(n, sum.all, s);
}

/* Of weights that are not constant nothing is known. */
static Range row_products(const Node *n)
{
    const Val *w = n->arg[1];
    Range all = {INT32_MIN, INT32_MAX}, y = {INT64_MAX, INT64_MIN};
    int64_t k = w->shape.dim[1] - ROW_SCALES, o;

    if (!w->data || !w->shape.dim[0])
        return requantized(n, range_times(range_mul(range_val(n->arg[0]),
                                                    range_val(w)), k),
                           (Scaling){all, all, sum_shift(n, -1)});
    for (o = 0; o < w->shape.dim[0]; o++) {
        Parts p = {0, 0};

        take_run(&p, false, w, o * (k + ROW_SCALES), k);
        y = range_join(y, row_result(n, sum_of(p, range_val(n->arg[0])),
                                     row_scaling(n, o, k)));
    }
    return y;
}

Range range_rowmatmul(const Node *n)
{
    int64_t shift = attr_int(n, A_p2), c = attr_int(n, A_p3);
    const Val *r = node_arg(n, "r");
    Range y = row_products(n), x, any;

    if (!r)
        return y;
    x = range_times(range_val(r), attr_int(n, A_p0));
    y = range_times(y, attr_int(n, A_p1));
    any = range_add(range_with_zero(x), range_with_zero(y));
    any = range_add(any, range_with_zero((Range){c, c}));
    range_seen.scaled = range_join(range_seen.scaled, any);
    y = range_add(range_add(x, y), (Range){c, c});
    return range_clip_by(n, range_shifted(y, (Range){shift, shift}));
}

Range range_matmul(const Node *n)
{
    const Val *a = n->arg[0], *b = n->arg[1], *bias = node_arg(n, "bias");
    Range w = n->op == OP_pmatmul ? (Range){-128, 128} : range_val(b);
    bool tb = attr_int(n, A_transb);
    int64_t some = product_rows(n).n, row = b->shape.dim[b->shape.rank - 1];
    int64_t depth = tb ? row : some, columns = tb ? some : row;

    /* Of a part of b's rows nothing is known by column. */
    if (b->data && val_count(b) && some == b->shape.dim[b->shape.rank - 2])
        return range_columns(n, depth, columns);
    return sum_result(n, sum_of_products(range_mul(range_val(a), w), depth),
                      bias_of(bias, -1), -1);
}

Range range_pool(const Node *n)
{
    Range x = range_val(n->arg[0]), acc = x;
    const int64_t *k;
    int64_t count = 1;
    int i, len = attr_list(n, A_kernel, &k);

    for (i = 0; i < len; i++)
        count = sat_mul(count, k[i]);
    if (n->op == OP_sumpool)
        acc = range_join(range_times(x, count), range_with_zero(x));
    else if (n->op == OP_avgpool && attr_int(n, A_countpad))
        acc = range_with_zero(x);
    if (n->op == OP_avgpool)
        range_met(range_with_zero(range_times(x, count)));
    return epilogue(n, acc, -1);
}

/* Elements of mul and add that meet; whole ranges where they do not match. */
Range range_epilogue(const Node *n, Range x)
{
    const Val *mul = node_arg(n, "mul"), *add = node_arg(n, "add");
    Range y = {INT64_MAX, INT64_MIN};
    int64_t i, count;

    if (!mul)
        return range_clip_by(n, range_met(x));
    count = MAX(val_count(mul), val_count(add));
    if (!mul->data || !add->data || !count ||
        !(val_count(mul) == 1 || val_count(add) == 1 ||
          shape_same(mul->shape, add->shape)))
        return requantized(n, x, scaling(n, -1));
    for (i = 0; i < count; i++)
        y = range_join(y, requantized(n, x, scaling(n, i)));
    return y;
}

/* Of q, k or v, operand i, less its zero point. */
static Range without_zero(const Node *n, int i)
{
    int64_t zero = attr_at(n, A_zero, i, 0);

    return range_add(range_val(n->arg[i]), (Range){-zero, -zero});
}

/* What is scaled is the scores: results are, in 64 bits. */
Range range_attend(const Node *n)
{
    const Val *s = node_arg(n, "scale"), *parts = node_arg(n, "parts");
    const Val *w = parts ? parts : node_arg(n, "powers");
    const Shape *q = &n->arg[0]->shape;
    AttendSide k = attend_side(n, 1);
    Size some = attr_size(n, A_count, 0, size_const(k.rows));
    Range score, sum, weight = range_val(w);

    if (attend_has_quotients(n))
        weight = (Range){0, MAX(attr_int(n, A_p3),
                                MIN(attr_int(n, A_p1), UINT8_MAX))};
    score = range_mul(without_zero(n, 0), without_zero(n, 1));
    score = range_with_zero(range_times(score, q->dim[q->rank - 1]));
    sum = range_mul(weight, without_zero(n, 2));
    sum = range_with_zero(range_times(sum, some.n));
    range_met(range_join(score, sum));
    score = range_with_zero(range_mul(score, range_element(s, 0)));
    score = range_join(score, range_add(score, range_element(s, 1)));
    range_seen.scaled = range_join(range_seen.scaled, score);
    return range_clip_by(n, (Range){INT64_MIN, INT64_MAX});
}

/* The greatest difference of two scores is what is scaled. */
Range range_qattend(const Node *n)
{
    const Shape *q = &n->arg[0]->shape;
    Range score = range_mul(range_val(n->arg[0]), range_val(n->arg[1])), sum;

    score = range_with_zero(range_times(score, q->dim[q->rank - 1]));
    sum = range_mul(range_val(n->arg[3]), range_val(n->arg[2]));
    sum = range_with_zero(range_times(sum, product_rows(n).n));
    range_met(range_join(score, sum));
    score = (Range){0, range_add(score, range_times(score, -1)).hi};
    score = range_times(score, attr_int(n, A_p0));
    range_seen.scaled = range_join(range_seen.scaled, score);
    return range_clip_by(n, (Range){INT64_MIN, INT64_MAX});
}

/* A pair's products, then the addend. */
Range range_rotate(const Node *n)
{
    Range x = range_val(n->arg[0]), t = range_val(n->arg[1]), pair, y;
    int64_t one = attr_int(n, A_p0), shift = attr_int(n, A_shift);

    pair = range_with_zero(range_mul(x, t));
    pair = range_add(pair, range_join(pair, range_times(pair, -1)));
    pair = range_join(pair, range_mul(x, (Range){one, one}));
    y = range_add(pair, range_val(n->arg[2]));
    range_met(range_join(pair, y));
    return range_clip_by(n, range_shifted(y, (Range){shift, shift}));
}

/* Of both factors, then of what they are scaled by. */
Range range_gate(const Node *n)
{
    int64_t shift = attr_int(n, A_shift);
    Range y = range_mul(range_val(n->arg[0]), range_val(n->arg[1]));
    Range half = {INT64_C(1) << (shift - 1), INT64_C(1) << (shift - 1)};

    range_met(range_with_zero(y));
    y = range_add(range_times(y, attr_int(n, A_p0)), half);
    range_seen.scaled = range_join(range_seen.scaled, range_with_zero(y));
    return range_clip_by(n, range_shifted(y, (Range){shift, shift}));
}
