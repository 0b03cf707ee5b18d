/* What an operator can do to its result on the way out, it does:
 *
 *     y = matmul x w
 *     z = mul y c                  m = mul times c
 *     r = requant z mul add  ->    r = matmul x w _ m add shift=8 lo=0 hi=255
 *
 * Before it joins its producer a requantization takes in constant factors and
 * addends (add + c mul): exact, because integers are.  Two requantizations are
 * never joined: the first one rounds.  A clip becomes the producer's bounds.
 * Either may first change places with what only moves elements, or with a
 * maximum (both grow with x), when that brings it to an operator that takes
 * it.  What is added to a matrix product becomes its bias, constant or not.
 *
 * A way of rounding that differs for sums below 0 alone (round=1) is dropped
 * where those are all clipped, as by every relu. */
#include "pass/pass.h"

#include <math.h>

static bool is_move(OpCode op)
{
    return op == OP_reshape || op == OP_transpose || op == OP_slice ||
           op == OP_expand;
}

static int64_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* --- factors and addends into the constants of a requantization --- */

/* The operand of p that is not the constant c; NULL if there is no such. */
static Val *split(const Node *p, Val **c)
{
    int i = is_const(p->arg[0]) ? 0 : 1;

    if (p->narg > 2 || has_clip(p) || !is_const(p->arg[i]) ||
        is_const(p->arg[1 - i]) || (p->op == OP_sub && i == 0))
        return NULL;
    *c = p->arg[i];
    return shape_same(p->arg[1 - i]->shape, p->res[0]->shape) &&
           fits_in(*c, p->res[0]->shape) ? p->arg[1 - i] : NULL;
}

static bool take_factor(Graph *g, Node *n, Node *p)
{
    Val *c, *x = split(p, &c), *mul;

    if (!x || !(mul = const_op(g, n->arg[1], c, '*')) ||
        (arg_of(n, 3) && !shape_same(mul->shape, n->arg[3]->shape)))
        return false;
    edit_arg(g, n, 1, mul);
    edit_arg(g, n, 0, x);
    return true;
}

static bool take_addend(Graph *g, Node *n, Node *p)
{
    Val *c, *x = split(p, &c), *part, *add = NULL;

    if (x && (part = const_op(g, n->arg[1], c, '*')))
        add = const_op(g, n->arg[2], part, p->op == OP_sub ? '-' : '+');
    if (!add)
        return false;
    edit_arg(g, n, 2, add);
    edit_arg(g, n, 0, x);
    return true;
}

static bool take_sign(Graph *g, Node *n, Node *p)
{
    Val *minus = graph_const_int(g, T_s32, -1);
    Val *mul = const_op(g, n->arg[1], minus, '*');

    if (!mul)
        return false;
    edit_arg(g, n, 1, mul);
    edit_arg(g, n, 0, p->arg[0]);
    return true;
}

/* What rounds by the sign of its operand wants that operand. */
static bool absorb(Graph *g, Node *n)
{
    Node *p = sole_producer(n->arg[0]);

    if (!p || attr_int(n, A_round))
        return false;
    switch (p->op) {
    case OP_mul: return take_factor(g, n, p);
    case OP_add:
    case OP_sub: return take_addend(g, n, p);
    case OP_neg: return take_sign(g, n, p);
    default: return false;
    }
}

/* --- a clip before a requantization moves behind it --- */

static bool is_const_epilogue(const Node *n)
{
    const Val *shifts = node_arg(n, "shifts");

    return is_const(node_arg(n, "mul")) && is_const(node_arg(n, "add")) &&
           (!shifts || is_const(shifts));
}

static int64_t number(const Val *v, int64_t i)
{
    return val_int(v, val_count(v) > 1 ? i : 0);
}

static int64_t shift_at(const Node *n, int64_t i)
{
    const Val *shifts = node_arg(n, "shifts");

    return shifts ? number(shifts, i) : attr_int(n, A_shift);
}

/* (mul x + add) >> shift of element i, if that can be computed in 64 bits */
static bool scaled(const Node *n, int64_t i, int64_t x, int64_t *y)
{
    int64_t add = number(node_arg(n, "add"), i), shift = shift_at(n, i);

    if (__builtin_mul_overflow(number(node_arg(n, "mul"), i), x, y) ||
        __builtin_add_overflow(*y, add, y) ||
        (attr_int(n, A_round) && x < 0 && shift > ROUND_SHIFT &&
         __builtin_sub_overflow(*y, ROUND_LESS, y)))
        return false;
    *y >>= shift;
    return true;
}

/* What the requantization makes of x, if of all channels the same. */
static bool image(const Node *n, int64_t x, int64_t *y)
{
    const Val *mul = n->arg[1], *add = n->arg[2];
    int64_t i, k = MAX(val_count(mul), val_count(add)), r;

    if (MIN(val_count(mul), val_count(add)) != 1 &&
        !shape_same(mul->shape, add->shape))
        return false;
    for (i = 0; i < k; i++) {
        if (!scaled(n, i, x, &r))
            return false;
        r = clamp(r, attr_int(n, A_lo), attr_int(n, A_hi));
        if (i && r != *y)
            return false;
        *y = r;
    }
    return true;
}

/* requant(clip(x)) is clip(requant(x)) where mul is not negative. */
static bool take_bounds(Graph *g, Node *n, Node *p)
{
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi);

    if (!val_is_int(p->res[0]) || n->arg[1]->lo < 0 ||
        !is_const_epilogue(n) ||
        (attr_has(p, A_lo) && !image(n, attr_int(p, A_lo), &lo)) ||
        (attr_has(p, A_hi) && !image(n, attr_int(p, A_hi), &hi)) || lo > hi)
        return false;
    attr_set_int(g, n, A_lo, lo);
    attr_set_int(g, n, A_hi, hi);
    attr_drop(p, A_lo);
    attr_drop(p, A_hi);
    if (p->op == OP_clip)
        edit_arg(g, n, 0, p->arg[0]);
    else
        node_infer(g, p);
    return true;
}

static bool unclip(Graph *g, Node *n)
{
    Node *p = sole_producer(n->arg[0]);

    return p && (p->op == OP_clip || !has_epilogue(p)) && has_clip(p) &&
           op_takes(p->op, "lo") &&
           (p->op == OP_clip || op_operand(p->op, "mul") >= 0) &&
           take_bounds(g, n, p);
}

/* --- a requantization into its producer --- */

/* The axis of the result along which mul and add of an operator may differ. */
static bool fits_epilogue(const Node *p, const Val *c)
{
    Shape s = p->res[0]->shape;
    int i;

    switch (op_info[p->op].family) {
    case FAM_conv:
    case FAM_convt:
    case FAM_pool:
        return along_axis(c, s, attr_int(p, A_last) ? s.rank - 1 : 1);
    case FAM_matmul:
        for (i = 2; i < c->shape.rank; i++)
            if (dim_from_end(c, i) != 1)
                return false;
        return fits_in(c, s);
    case FAM_map:
        return fits_in(c, s);
    default:
        return val_count(c) == 1;
    }
}

/* c with the rank that the operator's epilogue wants. */
static Val *epilogue_const(Graph *g, const Node *p, Val *c)
{
    Shape s = {.rank = 1, .dim = {val_count(c)}};
    int i;

    if (op_info[p->op].family == FAM_map)
        return c;
    if (op_info[p->op].family == FAM_matmul) {
        s.rank = MIN(c->shape.rank, 2);
        for (i = 0; i < s.rank; i++)
            s.dim[s.rank - 1 - i] = dim_from_end(c, i);
    }
    return shape_same(s, c->shape) ? c : const_as(g, c, s);
}

/* add + bias mul, so that there is no bias; kept where that needs more bits
 * than 32 or the shapes do not agree. */
static void fold_bias(Graph *g, Node *p)
{
    int bi = op_operand(p->op, p->op == OP_matmul ? "bias" : "b");
    int mi = op_operand(p->op, "mul");
    Val *b = bi >= 0 ? arg_of(p, bi) : NULL, *add;

    if (!is_const(b))
        return;
    add = const_op(g, p->arg[mi], b, '*');
    if (add)
        add = const_op(g, p->arg[mi + 1], add, '+');
    if (!add || add->type == T_s64)
        return;
    edit_arg(g, p, mi + 1, add);
    edit_arg(g, p, bi, NULL);
}

static bool takes_epilogue(const Node *p)
{
    return op_operand(p->op, "mul") >= 0 && p->op != OP_requant &&
           val_is_int(p->res[0]) && !has_epilogue(p) && !has_clip(p);
}

/* Shifts always have the same type, lest kernels are compiled for several. */
static Val *bytes_of(Graph *g, const Val *v)
{
    Val *y = graph_const(g, v->name, T_s8, v->shape, NULL);
    int64_t i;

    for (i = 0; i < val_count(v); i++)
        val_set(y, i, val_int(v, i));
    val_range(y);
    return y;
}

/* The operands of requantization n to p's epilogue, and its numbers. */
static void give_epilogue(Graph *g, Node *p, const Node *n)
{
    int mi = op_operand(p->op, "mul");
    Val *shifts = node_arg(n, "shifts");

    edit_arg(g, p, mi, const_settle(g, epilogue_const(g, p, n->arg[1])));
    edit_arg(g, p, mi + 1, const_settle(g, epilogue_const(g, p, n->arg[2])));
    if (shifts)
        edit_arg(g, p, mi + 2, bytes_of(g, epilogue_const(g, p, shifts)));
    else
        attr_set_int(g, p, A_shift, attr_int(n, A_shift));
    if (attr_int(n, A_round))
        attr_set_int(g, p, A_round, attr_int(n, A_round));
    attr_set_int(g, p, A_lo, attr_int(n, A_lo));
    attr_set_int(g, p, A_hi, attr_int(n, A_hi));
}

static bool join_requant(Graph *g, Node *n)
{
    Node *p = sole_producer(n->arg[0]);

    if (!p || !takes_epilogue(p) || !is_const_epilogue(n) ||
        !shape_same(n->res[0]->shape, p->res[0]->shape) ||
        !fits_epilogue(p, n->arg[1]) || !fits_epilogue(p, n->arg[2]))
        return false;
    give_epilogue(g, p, n);
    if (!attr_int(p, A_round))
        fold_bias(g, p);
    edit_take(g, p, n);
    return true;
}

/* May the requantization n change places with p? */
static bool may_pass(const Node *n, const Node *p)
{
    bool one = val_count(n->arg[1]) == 1 && val_count(n->arg[2]) == 1;

    if (has_clip(p) || p->narg != 1)
        return false;
    if (p->op == OP_maxpool)
        return n->arg[1]->lo >= 0 && fits_epilogue(p, n->arg[1]) &&
               fits_epilogue(p, n->arg[2]);
    return is_move(p->op) && one;
}

/* One element broadcasts to every rank if it has none. */
static Val *single(Graph *g, Val *c)
{
    return val_count(c) == 1 ? const_as(g, c, shape_of(0, NULL)) : c;
}

/* Changes places with maxima and movements behind what takes it. */
static void hoist_requant(Graph *g, Node *n)
{
    Node *p = sole_producer(n->arg[0]), *q;

    for (q = p; q && may_pass(n, q); q = sole_producer(q->arg[0]))
        ;
    if (!q || op_operand(q->op, "mul") < 0 || has_epilogue(q))
        return;
    if (p != q) {
        edit_arg(g, n, 1, single(g, n->arg[1]));
        edit_arg(g, n, 2, single(g, n->arg[2]));
        if (arg_of(n, 3))
            edit_arg(g, n, 3, single(g, n->arg[3]));
    }
    for (; p != q; p = sole_producer(n->arg[0]))
        edit_hoist(g, n);
}

/* --- rounding as it comes, and one shift, where that is the same --- */

/* One attribute instead of equal shifts. */
static void settle_shifts(Graph *g, Node *n)
{
    const Val *shifts = node_arg(n, "shifts");
    int64_t shift = shifts ? val_int(shifts, 0) : 0;

    if (!shifts || !all_equal(shifts, (double)shift))
        return;
    edit_arg(g, n, op_operand(n->op, "shifts"), NULL);
    n->narg = op_operand(n->op, "shifts");
    attr_set_int(g, n, A_shift, shift);
}

/* Are all sums below 0 of channel i clipped, even without round, which makes
 * them less?  The greatest is that of -1. */
static bool clips_below(const Node *n, int64_t i)
{
    int64_t mul = number(node_arg(n, "mul"), i);
    int64_t add = number(node_arg(n, "add"), i), most;

    return mul >= 0 && !__builtin_sub_overflow(add, mul, &most) &&
           most >> shift_at(n, i) <= attr_int(n, A_lo);
}

/* Do all sums below 0 come out as they would without round? */
static bool round_is_idle(const Node *n)
{
    const Val *mul = node_arg(n, "mul"), *add = node_arg(n, "add");
    int64_t i, k = MAX(val_count(mul), val_count(add));

    if (n->acc.lo >= 0)
        return true;
    if (val_count(mul) > 1 && val_count(add) > 1 &&
        !shape_same(mul->shape, add->shape))
        return false;
    for (i = 0; i < k; i++)
        if (shift_at(n, i) > ROUND_SHIFT && !clips_below(n, i))
            return false;
    return true;
}

/* Drops a way of rounding that makes no difference: no sum is below 0, no shift
 * is wide enough, or all that differs is clipped. */
static bool settle_round(Graph *g, Node *n)
{
    if (!attr_int(n, A_round) || !is_const_epilogue(n))
        return false;
    if (!round_is_idle(n))
        return false;
    attr_drop(n, A_round);
    node_infer(g, n);
    return true;
}

static void fuse_requant(Graph *g, Node *n)
{
    if (!g->exact || !is_const_epilogue(n))
        return;
    settle_shifts(g, n);
    settle_round(g, n);
    while (absorb(g, n) || unclip(g, n))
        ;
    hoist_requant(g, n);
    while (absorb(g, n) || unclip(g, n))
        ;
    node_infer(g, n);
    join_requant(g, n);
}

/* --- a clip into its producer --- */

static bool takes_clip(const Node *p, bool whole)
{
    return op_takes(p->op, whole ? "lo" : "flo");
}

static void narrow_int(Graph *g, Node *p, const Node *n)
{
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi);
    int64_t plo = attr_int(p, A_lo), phi = attr_int(p, A_hi);

    plo = clamp(plo, lo, hi);
    phi = clamp(phi, lo, hi);
    if (plo != INT64_MIN)
        attr_set_int(g, p, A_lo, plo);
    if (phi != INT64_MAX)
        attr_set_int(g, p, A_hi, phi);
}

static void narrow_real(Graph *g, Node *p, const Node *n)
{
    double lo = attr_num(n, A_flo), hi = attr_num(n, A_fhi);
    double plo = attr_num(p, A_flo), phi = attr_num(p, A_fhi);

    plo = fmin(fmax(plo, lo), hi);
    phi = fmin(fmax(phi, lo), hi);
    if (plo != -INFINITY)
        attr_set_num(g, p, A_flo, plo);
    if (phi != INFINITY)
        attr_set_num(g, p, A_fhi, phi);
}

static void hoist_clip(Graph *g, Node *n, bool whole)
{
    Node *p = sole_producer(n->arg[0]), *q = p;

    while (q && !has_clip(q) && (is_move(q->op) || q->op == OP_maxpool))
        q = sole_producer(q->arg[0]);
    if (!q || !takes_clip(q, whole))
        return;
    for (; p != q; p = sole_producer(n->arg[0]))
        edit_hoist(g, n);
}

static void fuse_clip(Graph *g, Node *n)
{
    bool whole = val_is_int(n->res[0]);
    Node *p;

    if (whole && !g->exact)
        return;
    hoist_clip(g, n, whole);
    p = sole_producer(n->arg[0]);
    if (!p || !takes_clip(p, whole) || val_is_int(p->res[0]) != whole)
        return;
    if (whole)
        narrow_int(g, p, n);
    else
        narrow_real(g, p, n);
    edit_take(g, p, n);
}

/* --- a sum into the product that makes one of its operands --- */

static bool is_matrix_in(const Val *v, Shape y)
{
    int i;

    for (i = 2; i < v->shape.rank; i++)
        if (dim_from_end(v, i) != 1)
            return false;
    return fits_in(v, y);
}

/* p makes operand i of the addition n and does it all. */
static bool add_in_product(Graph *g, Node *n, int i)
{
    Node *p = sole_producer(n->arg[i]);
    Val *v = n->arg[1 - i];

    if (!p || p->op != OP_matmul || has_epilogue(p) || has_clip(p) ||
        arg_of(p, 2) || !shape_same(p->res[0]->shape, n->res[0]->shape) ||
        !is_matrix_in(v, p->res[0]->shape))
        return false;
    node_move(g, p, n); /* v may be made after p */
    edit_arg(g, p, 2, v);
    attr_copy(g, p, n);
    edit_take(g, p, n);
    return true;
}

static void fuse_add(Graph *g, Node *n)
{
    if (has_epilogue(n) || (val_is_int(n->res[0]) && !g->exact))
        return;
    if (!add_in_product(g, n, 0))
        add_in_product(g, n, 1);
}

void pass_fuse(Graph *g)
{
    Node *n, *next;

    for (n = g->first; n; n = next) {
        next = n->next;
        if (n->op == OP_requant)
            fuse_requant(g, n);
        else if (n->op == OP_clip)
            fuse_clip(g, n);
        else if (n->op == OP_add)
            fuse_add(g, n);
    }
    for (n = g->first; n; n = n->next)
        if (has_epilogue(n) && settle_round(g, n))
            fold_bias(g, n);
}
