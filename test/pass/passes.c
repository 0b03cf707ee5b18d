/* passes COUNT SEED: random small networks give the same after every pass as
 * before: integers to the bit, floats within 1e-4.  Each network is evaluated
 * as made, after each pass alone and after all; a difference prints the seed,
 * the pass and both graphs.  Some networks are of plain 32-bit integers, which
 * wrap. */
#include "pass/pass.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static int64_t below(int64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state >> 11) % n;
}

static int64_t between(int64_t lo, int64_t hi)
{
    return lo + below(hi - lo + 1);
}

static bool maybe(int percent)
{
    return below(100) < percent;
}

/* --- a random network --- */

enum { MOST = 64 };

typedef struct Net {
    Graph *g;
    bool whole;      /* integers */
    bool cnn;
    Val *val[MOST];  /* to choose from */
    int n;
} Net;

/* A constant's range, and in exact networks its least type. */
static void settle(Net *t, Val *v)
{
    if (t->g->exact)
        val_narrow(v);
    else
        const_settle(t->g, v);
}

static Val *constant(Net *t, int rank, const int64_t *dim, int64_t lo,
                     int64_t hi)
{
    Shape s = shape_of(rank, dim);
    Val *v = graph_const(t->g, "k", t->whole ? T_s32 : T_f32, s, NULL);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        if (t->whole)
            val_set(v, i, between(lo, hi));
        else
            ((float *)v->data)[i] = (float)between(-64, 64) / 64;
    if (t->whole)
        settle(t, v);
    return v;
}

/* Some rows, or columns, of the weights are zero. */
static void thin(Net *t, Val *w, int axis)
{
    int64_t i, inner = 1, d = w->shape.dim[axis];
    unsigned dead = maybe(50) ? (unsigned)below(256) : 0;
    int k;

    for (k = axis + 1; k < w->shape.rank; k++)
        inner *= w->shape.dim[k];
    for (i = 0; i < val_count(w); i++)
        if (dead >> (i / inner % d % 32) & 1) {
            if (val_is_int(w))
                val_set(w, i, 0);
            else
                ((float *)w->data)[i] = 0;
        }
    if (t->whole)
        settle(t, w);
}

static Val *node(Net *t, OpCode op, Val *x, Val *y, Val *z)
{
    Val *arg[] = {x, y, z};
    int n = z ? 3 : y ? 2 : 1;

    return graph_node(t->g, NULL, op, NULL, n, arg)->res[0];
}

static Val *infer(Net *t, Val *v)
{
    node_infer(t->g, v->def);
    return v;
}

static void lists(Net *t, Val *v, AttrCode c, int n, int64_t a, int64_t b)
{
    int64_t list[8];
    int i;

    for (i = 0; i < n; i++)
        list[i] = between(a, b);
    attr_set_list(t->g, v->def, c, n, list);
}

/* The elements of v, shifted left, and less by up to `less`. */
static Val *widened(Net *t, const Val *v, int by, int64_t less)
{
    Val *y = graph_const(t->g, "k", T_s64, v->shape, NULL);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        val_set(y, i, val_int(v, i) * (INT64_C(1) << by) - below(less + 1));
    settle(t, y);
    return y;
}

/* The operands again with a shift for each element of mul, most of them wider
 * than 31, for only there round makes a difference. */
static Val *shift_each(Net *t, Val *arg[4], int shift)
{
    int by = maybe(80) ? 24 : 0;
    Val *y;

    arg[1] = widened(t, arg[1], by, 0);
    arg[2] = widened(t, arg[2], by, by ? INT64_C(1) << 31 : 0);
    arg[3] = constant(t, arg[1]->shape.rank, arg[1]->shape.dim, shift + by,
                      shift + by + (maybe(70) ? 2 : 0));
    y = graph_node(t->g, NULL, OP_requant, NULL, 4, arg)->res[0];
    attr_set_int(t->g, y->def, A_round, maybe(70));
    return y;
}

/* Back to eight bits, or the values would outgrow 64. */
static Val *requantized(Net *t, Val *x)
{
    int64_t dim[] = {x->shape.rank == 4 ? x->shape.dim[1] : 1, 1, 1};
    bool each = x->shape.rank == 4 && maybe(50);
    int64_t top = MAX(MAX(-x->lo, x->hi), 1);
    Val *arg[4] = {x}, *y;
    int shift = 8;

    if (!t->g->exact)
        return x;
    while (shift < 40 && top * 64 >> shift > 300)
        shift++;
    arg[1] = constant(t, each ? 3 : 0, dim, maybe(20) ? -9 : 1, 64);
    arg[2] = constant(t, each && maybe(50) ? 3 : 0, dim, 0,
                      INT64_C(1) << shift);
    if (shift < 30 && maybe(30)) {
        y = shift_each(t, arg, shift);
    } else {
        y = node(t, OP_requant, x, arg[1], arg[2]);
        attr_set_int(t->g, y->def, A_shift, shift);
    }
    attr_set_int(t->g, y->def, A_lo, maybe(50) ? 0 : -128);
    attr_set_int(t->g, y->def, A_hi, 127);
    return infer(t, y);
}

static Val *clipped(Net *t, Val *x)
{
    Val *y = node(t, OP_clip, x, NULL, NULL);

    if (t->whole) {
        attr_set_int(t->g, y->def, A_lo, between(-20, 3));
        if (maybe(50))
            attr_set_int(t->g, y->def, A_hi, between(3, 60));
    } else {
        attr_set_num(t->g, y->def, A_flo, (double)between(-1, 0));
        if (maybe(50))
            attr_set_num(t->g, y->def, A_fhi, (double)between(1, 6));
    }
    return infer(t, y);
}

static Val *convolved(Net *t, Val *x)
{
    int64_t c = x->shape.dim[1], k = between(1, 3), m;
    bool depth = maybe(40);
    int64_t dim[4], one;
    Val *w, *y;

    if (x->shape.rank != 4 || MIN(x->shape.dim[2], x->shape.dim[3]) < k)
        return NULL;
    m = depth ? c * between(1, 2) : between(1, 8);
    dim[0] = m;
    dim[1] = depth ? 1 : c;
    dim[2] = dim[3] = k;
    w = constant(t, 4, dim, -8, 8);
    thin(t, w, 0);
    thin(t, w, 1);
    one = m;
    y = node(t, OP_conv, x, w, maybe(60) ? constant(t, 1, &one, -30, 30)
                                         : NULL);
    attr_set_int(t->g, y->def, A_group, depth ? c : 1);
    if (maybe(50))
        lists(t, y, A_pad, 4, 0, k - 1);
    if (maybe(30))
        lists(t, y, A_stride, 2, 1, 2);
    return infer(t, y);
}

static Val *convolved_back(Net *t, Val *x)
{
    int64_t c = x->shape.dim[1], k = between(1, 3), m = between(1, 4);
    int64_t dim[4] = {c, m, k, k};
    Val *w, *y;

    if (x->shape.rank != 4 || x->shape.dim[2] > 6)
        return NULL;
    w = constant(t, 4, dim, -8, 8);
    thin(t, w, 0);
    thin(t, w, 1);
    y = node(t, OP_convt, x, w, maybe(60) ? constant(t, 1, &m, -30, 30) : NULL);
    lists(t, y, A_stride, 2, 1, 2);
    return infer(t, y);
}

static Val *pooled(Net *t, Val *x)
{
    static const OpCode op[] = {OP_maxpool, OP_avgpool, OP_sumpool};
    Val *y = node(t, op[below(3)], x, NULL, NULL);
    int i;

    if (x->shape.rank != 4)
        return NULL;
    for (i = 2; i < 4; i++)
        if (x->shape.dim[i] < 2)
            return NULL;
    lists(t, y, A_kernel, 2, 2, 2);
    lists(t, y, A_stride, 2, 1, 2);
    if (maybe(30))
        lists(t, y, A_pad, 4, 0, 1);
    if (y->def->op == OP_avgpool && maybe(50))
        attr_set_int(t->g, y->def, A_countpad, 1);
    return infer(t, y);
}

static Val *with_constant(Net *t, Val *x)
{
    static const OpCode op[] = {OP_add, OP_sub, OP_mul, OP_max, OP_min};
    int64_t dim[RANK];
    int i, rank = x->shape.rank;
    OpCode o = op[below(LEN(op))];
    Val *k;

    for (i = 0; i < rank; i++)
        dim[i] = maybe(50) && i ? x->shape.dim[i] : 1;
    k = constant(t, maybe(20) ? 0 : rank, dim, -9, 9);
    return infer(t, maybe(50) ? node(t, o, x, k, NULL)
                              : node(t, o, k, x, NULL));
}

static Val *joined(Net *t, Val *x)
{
    static const OpCode op[] = {OP_add, OP_sub, OP_mul, OP_concat, OP_concat};
    Val *v = t->val[below(t->n)], *y;
    OpCode o = op[below(LEN(op))];

    if (!shape_same(x->shape, v->shape) || !x->shape.rank)
        return NULL;
    y = node(t, o, x, v, NULL);
    if (o == OP_concat)
        attr_set_int(t->g, y->def, A_axis, below(x->shape.rank));
    return infer(t, y);
}

static Val *turned(Net *t, Val *x)
{
    int64_t perm[RANK];
    int i, j, rank = x->shape.rank;
    Val *y = node(t, OP_transpose, x, NULL, NULL);

    if (maybe(30) && rank >= 3) {
        (maybe(50) ? perm_to_last : perm_to_first)(perm, rank);
    } else {
        for (i = 0; i < rank; i++) {
            j = (int)below(i + 1);
            perm[i] = perm[j];
            perm[j] = i;
        }
    }
    attr_set_list(t->g, y->def, A_perm, rank, perm);
    return infer(t, y);
}

static Val *reshaped(Net *t, Val *x)
{
    Shape s = {.rank = 0};
    int i;
    Val *y = node(t, OP_reshape, x, NULL, NULL);

    for (i = 0; i < x->shape.rank; i++) {
        if (maybe(20) && s.rank < 4)
            s.dim[s.rank++] = 1;
        if (s.rank && maybe(30))
            s.dim[s.rank - 1] *= x->shape.dim[i];
        else
            s.dim[s.rank++] = x->shape.dim[i];
    }
    attr_set_list(t->g, y->def, A_shape, MIN(s.rank, 5), s.dim);
    return s.rank <= 5 ? infer(t, y) : NULL;
}

static Val *flattened(Net *t, Val *x)
{
    int64_t dim[2] = {x->shape.rank ? x->shape.dim[0] : 1, 0};
    Val *y = node(t, OP_reshape, x, NULL, NULL);

    dim[1] = val_count(x) / dim[0];
    attr_set_list(t->g, y->def, A_shape, 2, dim);
    return infer(t, y);
}

static Val *multiplied(Net *t, Val *x)
{
    int rank = x->shape.rank, swap = maybe(40);
    int64_t dim[2], n = between(1, 6);
    Val *w, *y;

    if (rank < 2)
        return NULL;
    dim[swap] = x->shape.dim[rank - 1];
    dim[!swap] = n;
    w = constant(t, 2, dim, -8, 8);
    thin(t, w, 0);
    thin(t, w, 1);
    y = node(t, OP_matmul, x, w, maybe(40) ? constant(t, 1, &n, -9, 9) : NULL);
    attr_set_int(t->g, y->def, A_transb, swap);
    return infer(t, y);
}

/* A product and what it was made from, added. */
static Val *residual(Net *t, Val *x)
{
    int rank = x->shape.rank;
    int64_t d = rank ? x->shape.dim[rank - 1] : 0, dim[2] = {d, d};
    Val *y;

    if (rank < 2)
        return NULL;
    y = infer(t, node(t, OP_matmul, x, constant(t, 2, dim, -8, 8), NULL));
    return infer(t, maybe(50) ? node(t, OP_add, y, x, NULL)
                              : node(t, OP_add, x, y, NULL));
}

static Val *squared(Net *t, Val *x)
{
    Val *v = t->val[below(t->n)], *y;
    int rank = x->shape.rank;

    if (rank < 2 || !shape_same(x->shape, v->shape))
        return NULL;
    y = node(t, OP_matmul, x, v, NULL);
    attr_set_int(t->g, y->def, maybe(50) ? A_transa : A_transb, 1);
    return infer(t, y);
}

static Val *reduced(Net *t, Val *x)
{
    static const OpCode op[] = {OP_sum, OP_mean, OP_rmax};
    OpCode o = op[below(3)];
    int64_t axes[2] = {2, 3};
    int rank = x->shape.rank;
    Val *y = node(t, o, x, NULL, NULL);

    if (rank < 2)
        return NULL;
    axes[0] = rank == 4 && maybe(60) ? 2 : below(rank);
    attr_set_list(t->g, y->def, A_axes, rank == 4 && axes[0] == 2 ? 2 : 1,
                  axes);
    attr_set_int(t->g, y->def, A_keep, below(2));
    return infer(t, y);
}

static Val *padded(Net *t, Val *x)
{
    Val *y = node(t, OP_pad, x, NULL, NULL);
    int64_t pad[2 * RANK];
    int i, rank = x->shape.rank;

    for (i = 0; i < 2 * rank; i++)
        pad[i] = i % rank < 2 && maybe(80) ? 0 : below(2);
    attr_set_list(t->g, y->def, A_pad, 2 * rank, pad);
    if (t->whole)
        attr_set_int(t->g, y->def, A_p0, maybe(50) ? 0 : between(-9, 9));
    return rank ? infer(t, y) : NULL;
}

static Val *sliced(Net *t, Val *x)
{
    Val *y = node(t, OP_slice, x, NULL, NULL);
    int64_t list[3][RANK];
    int i, rank = x->shape.rank;

    for (i = 0; i < rank; i++) {
        int64_t d = x->shape.dim[i];

        list[0][i] = maybe(60) ? 0 : below(d);
        list[1][i] = maybe(80) ? 1 : 2;
        list[2][i] = (d - list[0][i] + list[1][i] - 1) / list[1][i];
    }
    for (i = 0; i < 3; i++)
        attr_set_list(t->g, y->def, (AttrCode[]){A_start, A_step, A_count}[i],
                      rank, list[i]);
    return rank ? infer(t, y) : NULL;
}

static Val *expanded(Net *t, Val *x)
{
    Val *y = node(t, OP_expand, x, NULL, NULL);
    Shape s = x->shape;
    int i;

    for (i = 0; i < s.rank; i++)
        if (s.dim[i] == 1)
            s.dim[i] = between(1, 4);
    attr_set_list(t->g, y->def, A_shape, s.rank, s.dim);
    return infer(t, y);
}

/* Bytes looked up in a table. */
static Val *looked_up(Net *t, Val *x)
{
    int64_t n = 256;
    Val *y;

    if (!t->g->exact || x->lo < -128 || x->hi > 127)
        return NULL;
    y = node(t, OP_gather, constant(t, 1, &n, -128, 127), x, NULL);
    attr_set_int(t->g, y->def, A_axis, 0);
    return infer(t, y);
}

/* Steps on single elements of many bytes. */
static Val *chained(Net *t, Val *x)
{
    Val *y = node(t, OP_igelu, x, NULL, NULL);

    if (!t->g->exact || x->lo < -128 || x->hi > 255)
        return NULL;
    attr_set_int(t->g, y->def, A_p0, between(-60, -1));
    attr_set_int(t->g, y->def, A_p1, between(0, 300));
    return requantized(t, infer(t, y));
}

static Val *mapped(Net *t, Val *x)
{
    static const OpCode whole[] = {OP_abs, OP_neg, OP_sign};
    static const OpCode real[] = {OP_sigmoid, OP_tanh, OP_neg, OP_hardswish};

    return infer(t, node(t, t->whole ? whole[below(3)] : real[below(4)], x,
                         NULL, NULL));
}

/* Rows enough for a table of roots, by weights that are mostly equal. */
static Val *normed(Net *t, Val *x)
{
    int64_t n = val_count(x), dim[2] = {1, n};
    Val *w, *y = node(t, OP_reshape, x, NULL, NULL);
    int64_t i, by = between(1, 90) << between(0, 14);

    if (!t->g->exact || (x->type != T_s8 && x->type != T_u8) || !n || n > 200)
        return NULL;
    attr_set_list(t->g, y->def, A_shape, 2, dim);
    y = node(t, OP_expand, infer(t, y), NULL, NULL);
    dim[0] = (1023 + n) / n;
    attr_set_list(t->g, y->def, A_shape, 2, dim);
    w = graph_const(t->g, "w", T_s64, shape_of(1, &n), NULL);
    for (i = 0; i < n; i++)
        val_set(w, i, by + (!i && maybe(20)));
    settle(t, w);
    y = node(t, OP_irmsnorm, infer(t, y), w, NULL);
    attr_set_int(t->g, y->def, A_shift, between(0, 16));
    attr_set_int(t->g, y->def, A_lo, -128);
    attr_set_int(t->g, y->def, A_hi, 127);
    return infer(t, y);
}

static Val *rowed(Net *t, Val *x)
{
    static const OpCode real[] = {OP_softmax, OP_logsoftmax, OP_cumsum};
    Val *y = node(t, t->whole ? OP_cumsum : real[below(3)], x, NULL, NULL);

    if (!x->shape.rank)
        return NULL;
    if (t->g->exact && maybe(50))
        return normed(t, x);
    attr_set_int(t->g, y->def, A_axis, below(x->shape.rank));
    return infer(t, y);
}

/* A constant that is computed from two others. */
static Val *with_computed(Net *t, Val *x)
{
    int64_t dim[] = {x->shape.rank ? dim_from_end(x, 0) : 1};
    Val *k = infer(t, node(t, OP_mul, constant(t, 1, dim, -3, 3),
                           constant(t, 0, NULL, -3, 3), NULL));

    return infer(t, node(t, OP_add, x, k, NULL));
}

static Val *gathered(Net *t, Val *x)
{
    int64_t i, n = between(1, 3), step = between(-1, 2), axis, d;
    Val *k = graph_const(t->g, "i", T_s64, shape_of(maybe(70), &n), NULL);

    if (!x->shape.rank)
        return NULL;
    axis = below(x->shape.rank);
    d = x->shape.dim[axis];
    for (i = 0; i < val_count(k); i++)
        val_set(k, i, (i * step % d + d) % d - (maybe(50) ? d : 0));
    val_narrow(k);
    k = node(t, OP_gather, x, k, NULL);
    attr_set_int(t->g, k->def, A_axis, axis);
    return infer(t, k);
}

/* [n,k] by a product to [n,c,h,w] */
static Val *unflattened(Net *t, Val *x)
{
    int64_t dim[4] = {1, between(1, 4), between(1, 4), between(1, 4)};
    int64_t wide[2], n = dim[1] * dim[2] * dim[3];
    Val *y;

    if (x->shape.rank != 2)
        return NULL;
    wide[0] = x->shape.dim[1];
    wide[1] = n;
    dim[0] = x->shape.dim[0];
    y = infer(t, node(t, OP_matmul, x, constant(t, 2, wide, -4, 4),
                      maybe(50) ? constant(t, 1, &n, -9, 9) : NULL));
    y = node(t, OP_reshape, requantized(t, y), NULL, NULL);
    attr_set_list(t->g, y->def, A_shape, 4, dim);
    return infer(t, y);
}

/* The operator on v with a factor, an addend and bounds, mostly of a byte. */
static Val *bytes_of(Net *t, OpCode op, Val *x, Val *y, int64_t most, int shift)
{
    Val *mul = constant(t, 0, NULL, 1, most);
    Val *add = constant(t, 0, NULL, 0, 1 << shift);
    Val *arg[] = {x, y, NULL, mul, add}, *one[] = {x, mul, add}, *r;

    r = graph_node(t->g, NULL, op, NULL, y ? 5 : 3, y ? arg : one)->res[0];
    attr_set_int(t->g, r->def, A_shift, shift);
    attr_set_int(t->g, r->def, A_lo, maybe(80) ? -128 : -200);
    attr_set_int(t->g, r->def, A_hi, maybe(80) ? 127 : between(1, 100));
    return r;
}

/* x as rows of heads becomes heads of rows, or back. */
static Val *heads_turned(Net *t, Val *x)
{
    static const int64_t perm[4] = {0, 2, 1, 3};
    Val *y = node(t, OP_transpose, x, NULL, NULL);

    attr_set_list(t->g, y->def, A_perm, 4, perm);
    return infer(t, y);
}

/* The first row of x of each head. */
static Val *first_row(Net *t, Val *x)
{
    int64_t none[4] = {0}, one[4] = {1, 1, 1, 1}, count[4];
    Val *q = node(t, OP_slice, x, NULL, NULL);
    int i;

    for (i = 0; i < 4; i++)
        count[i] = i == 2 ? 1 : x->shape.dim[i];
    attr_set_list(t->g, q->def, A_start, 4, none);
    attr_set_list(t->g, q->def, A_step, 4, one);
    attr_set_list(t->g, q->def, A_count, 4, count);
    return infer(t, q);
}

/* Elements [from, from + n) of an axis. */
static Val *cut_out(Net *t, Val *x, int axis, int64_t from, int64_t n)
{
    Val *y = node(t, OP_slice, x, NULL, NULL);
    Shape count = x->shape, start = {.rank = count.rank};

    count.dim[axis] = n;
    start.dim[axis] = from;
    attr_set_list(t->g, y->def, A_start, start.rank, start.dim);
    attr_set_list(t->g, y->def, A_count, count.rank, count.dim);
    return infer(t, y);
}

/* Scores with a mask, the same for all heads, perhaps for all rows. */
static Val *masked(Net *t, Val *y)
{
    int64_t dim[2] = {maybe(70) ? y->shape.dim[2] : 1, y->shape.dim[3]};

    y = node(t, OP_add, y, constant(t, 2, dim, -128, maybe(50) ? 0 : 90), NULL);
    attr_set_int(t->g, y->def, A_lo, -128);
    attr_set_int(t->g, y->def, A_hi, 127);
    return infer(t, y);
}

/* Weights of scores y are powers; rows of v, weighted, are divided by their
 * sum. */
static Val *divided(Net *t, Val *y, Val *v)
{
    int shift = between(26, 31);
    Val *w = infer(t, node(t, OP_powers, y, constant(t, 1, (int64_t[]){256}, 0,
                                                     255), NULL));
    Val *sum = node(t, OP_sum, w, NULL, NULL), *p, *r, *arg[4];

    attr_set_list(t->g, sum->def, A_axes, 1, (int64_t[]){3});
    attr_set_int(t->g, sum->def, A_keep, 1);
    r = infer(t, node(t, OP_div, graph_const_int(t->g, T_s32, 1 << 29),
                      infer(t, sum), NULL));
    p = infer(t, node(t, OP_matmul, w, v, NULL));
    arg[0] = p, arg[1] = r;
    arg[2] = graph_const_int(t->g, T_s32, 1);
    arg[3] = graph_const_int(t->g, T_s64, (2 * between(-9, 9) + 1) *
                                          (INT64_C(1) << (shift - 1)));
    y = graph_node(t->g, NULL, OP_mul, NULL, 4, arg)->res[0];
    attr_set_int(t->g, y->def, A_shift, shift);
    attr_set_int(t->g, y->def, A_lo, -128);
    attr_set_int(t->g, y->def, A_hi, 127);
    return infer(t, y);
}

/* The attention of one row of x, of two or of all, over all of them, or over those
 * of its first head. */
static Val *attended(Net *t, Val *x)
{
    bool many = maybe(60), turn = many && maybe(50);
    Val *q, *k, *y;

    if (!t->g->exact || x->shape.rank != 4 || x->type != T_s8 ||
        !val_count(x))
        return NULL;
    if (turn)
        x = heads_turned(t, x);
    q = !many ? first_row(t, x)
        : x->shape.dim[2] > 3 && maybe(20) ? cut_out(t, x, 2, 0, 2) : x;
    k = maybe(30) ? cut_out(t, x, 1, 0, 1) : x;
    y = bytes_of(t, OP_matmul, q, k, 60, 8);
    attr_set_int(t->g, y->def, A_transb, 1);
    y = infer(t, y);
    if (maybe(50))
        y = infer(t, bytes_of(t, OP_requant, y, NULL, 300, 8));
    if (many && maybe(50) && y->type == T_s8)
        y = masked(t, y);
    if (y->type == T_s8 && maybe(30)) {
        y = divided(t, y, k);
        return turn ? heads_turned(t, y) : y;
    }
    y = node(t, OP_isoftmax, y, NULL, NULL);
    attr_set_int(t->g, y->def, A_p0, 1);
    attr_set_int(t->g, y->def, A_p1, between(1, 90));
    attr_set_int(t->g, y->def, A_p2, between(0, 4000));
    attr_set_int(t->g, y->def, A_p3, between(2, 64));
    attr_set_int(t->g, y->def, A_hi, maybe(70) ? 255 : 127);
    y = infer(t, y);
    if (maybe(70))
        y = infer(t, bytes_of(t, OP_requant, y, NULL, 300, 8));
    if (y->type != T_s8 && y->type != T_u8)
        return y;
    y = infer(t, bytes_of(t, OP_matmul, y, k, 60, 8));
    return turn ? heads_turned(t, y) : y;
}

/* A row by several matrices, mostly scaled alike. */
static Val *siblings(Net *t, Val *x)
{
    int64_t row[2] = {1, val_count(x)}, dim[2] = {between(1, 5), row[1]};
    Val *y = NULL, *one;
    int i;

    if (!t->g->exact || x->type != T_s8 || !row[1] || row[1] > 200)
        return NULL;
    x = node(t, OP_reshape, x, NULL, NULL);
    attr_set_list(t->g, x->def, A_shape, 2, row);
    x = infer(t, x);
    for (i = 0; i < 3; i++) {
        one = bytes_of(t, OP_matmul, x, constant(t, 2, dim, -8, 8), 9, 6);
        if (maybe(70)) {
            attr_set_int(t->g, one->def, A_lo, -128);
            attr_set_int(t->g, one->def, A_hi, 127);
        }
        attr_set_int(t->g, one->def, A_transb, 1);
        one = infer(t, one);
        y = y ? infer(t, node(t, OP_add, y, one, NULL)) : one;
    }
    return y;
}

/* The value as rows of heads, or of elements where `heads` is 0. */
static Val *as_rows(Net *t, Val *x, int64_t rows, int64_t heads)
{
    int64_t n = val_count(x) / rows;
    int64_t dim[4] = {1, rows, heads ? heads : n, heads ? n / heads : 1};

    x = node(t, OP_reshape, x, NULL, NULL);
    attr_set_list(t->g, x->def, A_shape, heads ? 4 : 3, dim);
    return infer(t, x);
}

/* x as rows, 2 to 40, of its last axis; NULL: they are more, or fewer. */
static Val *rows_of(Net *t, Val *x)
{
    int64_t n = x->shape.rank ? x->shape.dim[x->shape.rank - 1] : 0;

    if (n < 1 || val_count(x) < 2 * n || val_count(x) > 40 * n)
        return NULL;
    return as_rows(t, x, val_count(x) / n, 0);
}

/* Bytes of so many columns: the product of rows by weights. */
static Val *projected(Net *t, Val *x, int64_t columns)
{
    int64_t dim[2] = {columns, x->shape.dim[2]};
    Val *y = bytes_of(t, OP_matmul, x, constant(t, 2, dim, -8, 8), 60, 6);

    attr_set_int(t->g, y->def, A_transb, 1);
    attr_set_int(t->g, y->def, A_lo, -128);
    attr_set_int(t->g, y->def, A_hi, 127);
    return infer(t, y);
}

/* Attention as one operator, of heads of projections, perhaps with one head of
 * keys. */
static Val *headed(Net *t, Val *x)
{
    int64_t heads = between(1, 6), width = between(1, 4), rows, n[1] = {256};
    bool one = maybe(30);
    Val *arg[7];

    if (!t->g->exact || x->type != T_s8 || !(x = rows_of(t, x)))
        return NULL;
    rows = x->shape.dim[1];
    width = one ? x->shape.dim[2] : width;
    arg[0] = as_rows(t, projected(t, x, heads * width), rows, heads);
    arg[1] = one ? as_rows(t, x, rows, 1)
                 : as_rows(t, projected(t, x, heads * width), rows, heads);
    arg[2] = as_rows(t, projected(t, x, heads * 3), rows, heads);
    arg[3] = constant(t, 1, (int64_t[]){4}, 1, 300);
    arg[4] = constant(t, 1, n, -128, 127);
    arg[5] = constant(t, 1, n, 0, 4000);
    arg[6] = constant(t, 1, n, -128, 127);
    x = graph_node(t->g, NULL, OP_iattend, NULL, 7, arg)->res[0];
    attr_set_int(t->g, x->def, A_lo, -128);
    attr_set_int(t->g, x->def, A_hi, 127);
    attr_set_int(t->g, x->def, A_shift, 8);
    attr_set_int(t->g, x->def, A_p0, 8);
    attr_set_int(t->g, x->def, A_p1, 255);
    attr_set_int(t->g, x->def, A_p2, 7);
    return infer(t, x);
}

/* The sum of two or three parts of a product, as packed weights make them. */
static Val *in_parts(Net *t, Val *x)
{
    int64_t parts = between(2, 3), width = between(1, 4), n, i;
    int axis = 2;
    bool turn = maybe(70);
    Val *y = NULL, *part;

    if (!t->g->exact || x->type != T_s8 || !(x = rows_of(t, x)))
        return NULL;
    x = projected(t, x, parts * width * between(1, 3));
    x = maybe(50) ? x : as_rows(t, x, x->shape.dim[1], parts);
    if (turn && x->shape.rank == 4) {
        x = node(t, OP_transpose, x, NULL, NULL);
        attr_set_list(t->g, x->def, A_perm, 4, (int64_t[]){2, 0, 1, 3});
        x = infer(t, x);
        axis = 0;
    }
    n = x->shape.dim[axis] / parts;
    for (i = 0; i < parts; i++) {
        part = cut_out(t, x, axis, i * n, n);
        y = y ? infer(t, node(t, OP_add, y, part, NULL)) : part;
    }
    return y;
}

/* A side of scores: heads of the product of rows by weights, perhaps with a
 * bias, transposed. */
static Val *real_side(Net *t, Val *x, int64_t heads, int64_t width,
                      const int64_t perm[4])
{
    int64_t dim[2] = {x->shape.dim[2], heads * width};
    Val *y = node(t, OP_matmul, x, constant(t, 2, dim, 0, 0),
                  maybe(60) ? constant(t, 1, dim + 1, 0, 0) : NULL);

    y = as_rows(t, infer(t, y), x->shape.dim[1], heads);
    y = node(t, OP_transpose, y, NULL, NULL);
    attr_set_list(t->g, y->def, A_perm, 4, perm);
    return infer(t, y);
}

/* Softmax of scores of heads of floats. */
static Val *scored(Net *t, Val *x)
{
    int64_t heads = between(1, 3), width = between(1, 9);
    Val *y;

    if (t->whole || x->type != T_f32 || !(x = rows_of(t, x)))
        return NULL;
    y = real_side(t, x, heads, width, (int64_t[]){0, 2, 1, 3});
    y = infer(t, node(t, OP_matmul, y,
                      real_side(t, x, heads, width, (int64_t[]){0, 2, 3, 1}),
                      NULL));
    y = infer(t, node(t, OP_mul, y, graph_const_f32(t->g, 0.0625f), NULL));
    y = node(t, OP_softmax, y, NULL, NULL);
    attr_set_int(t->g, y->def, A_axis, 3);
    return infer(t, y);
}

/* The first dozen make convolutional networks. */
static Val *(*const makers[])(Net *, Val *) = {
    convolved, convolved, convolved, pooled, requantized, requantized, clipped,
    with_constant, looked_up, joined, joined, joined,
    convolved_back, with_computed, gathered, unflattened,
    residual, chained, looked_up, attended,
    siblings, headed, scored, in_parts,
    turned, turned, reshaped, flattened, multiplied, multiplied, squared,
    reduced, padded, sliced, expanded, mapped, rowed,
};

/* Mostly a chain, so that there are channels to follow. */
static void grow(Net *t)
{
    Val *x = t->val[maybe(75) ? t->n - 1 : below(t->n)];
    Val *y = makers[below(t->cnn ? 12 : LEN(makers))](t, x);

    if (y && y->type != T_none && t->whole &&
        (y->lo < -(1 << 20) || y->hi > 1 << 20))
        y = requantized(t, y);
    if (y && y->type != T_none && val_count(y) <= 4096 && val_count(y) &&
        y->lo > -(INT64_C(1) << 40) && y->hi < INT64_C(1) << 40)
        t->val[t->n++] = y;
}

static Graph *random_net(Arena *a, uint64_t seed)
{
    Net t = {.g = graph_new(a, "random")};
    int64_t dim[4];
    Val *x;
    int i, size;

    state = seed * 0x9e3779b97f4a7c15u + 1;
    below(1);
    t.whole = maybe(70);
    t.g->exact = t.whole && maybe(80);
    t.cnn = maybe(40);
    dim[0] = maybe(80) ? 1 : 2;
    dim[1] = between(1, 4);
    dim[2] = between(1, 7);
    dim[3] = between(1, 7);
    for (i = 0; i < 2; i++) {
        x = graph_val(t.g, "x",
                      t.g->exact ? T_s8 : t.whole ? T_s32 : T_f32,
                      shape_of(4, dim));
        graph_input(t.g, x);
        t.val[t.n++] = x;
    }
    size = (int)between(3, 24);
    for (i = 0; i < 4 * size && t.n < size; i++)
        grow(&t);
    graph_output(t.g, t.val[t.n - 1]);
    if (maybe(40) && t.n > 3) {
        x = t.val[between(2, t.n - 1)];
        if (!val_is_output(t.g, x))
            graph_output(t.g, x);
    }
    graph_sweep(t.g);
    graph_infer(t.g);
    return t.g;
}

/* --- comparing --- */

static Eval *evaluate(Arena *a, Graph *g, uint64_t seed)
{
    void *in[2];
    int64_t i;
    int k;

    state = seed * 77 + 5;
    below(1);
    for (k = 0; k < g->nin; k++) {
        Val v = *g->in[k];

        v.data = in[k] = arena_get(a, (size_t)val_count(&v), 4);
        for (i = 0; i < val_count(&v); i++)
            if (v.type == T_f32)
                ((float *)v.data)[i] = (float)between(-256, 256) / 64;
            else
                val_set(&v, i, v.type == T_s8
                                   ? between(-128, 127)
                                   : between(-3, 3) * (1 << below(29)));
    }
    graph_number(g);
    return graph_eval(a, g, in);
}

static const char *differ(Graph *g, Eval *e, Graph *h, Eval *f)
{
    int64_t i;
    int k;

    for (k = 0; k < g->nout; k++) {
        Val u = *g->out[k], v = *h->out[k];

        u.data = e->data[u.id];
        v.data = f->data[v.id];
        if (!shape_same(u.shape, v.shape) || val_is_int(&u) != val_is_int(&v))
            return "shapes or kinds";
        for (i = 0; i < val_count(&u); i++) {
            double x = val_num(&u, i), y = val_num(&v, i);

            if (val_is_int(&u) ? x != y
                               : !(fabs(x - y) <= 1e-4 * fmax(1, fabs(x))) &&
                                     !(isnan(x) && isnan(y)))
                return "values";
        }
    }
    return NULL;
}

static char *text(Arena *a, Graph *g)
{
    Str s = {.mem = a};

    graph_print(g, &s);
    return s.s;
}

static int changed[32]; /* networks that each pass changed; the last: all */
static const char *here = "reading";
static uint64_t now;

static void say_where(const Trouble *t)
{
    printf("seed %llu, pass %s: %s\n", (unsigned long long)now, here,
           t->message);
    fflush(stdout);
    exit(1);
}

static void say_aborted(int sig)
{
    (void)sig;
    printf("seed %llu, pass %s: aborted\n", (unsigned long long)now, here);
    fflush(stdout);
    _Exit(1);
}

static bool same_after(uint64_t seed, int pass)
{
    Arena *a = arena_new();
    Graph *g = random_net(a, seed), *h = random_net(a, seed);
    const char *why, *before = text(a, g);

    if (getenv("SHOW"))
        puts(before);
    here = pass < npass ? passes[pass].name : "all";
    if (pass < npass)
        pass_one(h, here);
    else
        pass_all(h, NULL, NULL);
    why = differ(g, evaluate(a, g, seed), h, evaluate(a, h, seed));
    if (why) {
        printf("seed %llu: pass %s changes %s\n", (unsigned long long)seed,
               here, why);
        printf("%s%s", before, text(a, h));
    }
    changed[pass] += strcmp(before, text(a, h)) != 0;
    arena_end(a);
    return !why;
}

int main(int argc, char **argv)
{
    uint64_t i, count = argc > 1 ? strtoull(argv[1], NULL, 0) : 200;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    int bad = 0, idle = 0, p;

    err_hook = say_where;
    signal(SIGABRT, say_aborted);
    signal(SIGSEGV, say_aborted);
    for (i = seed; i < seed + count && bad < 3; i++) {
        now = i;
        for (p = 0; p <= npass && bad < 3; p++)
            bad += !same_after(i, p);
    }
    for (p = 0; p <= npass; p++) {
        printf("%s changed %d\n", p < npass ? passes[p].name : "all",
               changed[p]);
        idle += !changed[p];
    }
    printf("%llu networks from seed %llu, each of %d passes and all of them: "
           "%s\n", (unsigned long long)count, (unsigned long long)seed, npass,
           bad ? "results differ" : idle ? "some did nothing" : "same results");
    return bad || idle;
}
