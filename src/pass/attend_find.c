/* Finds attention among products, softmaxes and what is between (attend.c). */
#include "pass/attention.h"

/* Is the operand absent, or a single constant number? */
static bool is_number(const Val *v)
{
    return !v || (is_const(v) && val_count(v) == 1);
}

bool attention_is_transposed(const Node *n)
{
    return attr_int(n, A_transb) != 0;
}

bool attention_divides(const Attention *a)
{
    return a->soft->op == OP_powers;
}

/* Are weights rounded quotients? */
bool attention_rounds(const Attention *a)
{
    return a->soft->op == OP_qsoftmax;
}

Val *attention_reshaped(Graph *g, const Attention *a, Val *v, Shape s)
{
    Node *n = edit_node(g, a->end, OP_reshape, a->score, 1, &v);

    attr_set_shape(g, n, A_shape, s);
    node_infer(g, n);
    return n->res[0];
}

/* What is added to results that are rounded to a multiple of 2^shift. */
int64_t attention_zero(const Node *n)
{
    return val_int(node_arg(n, "add"), 0) >> attr_int(n, A_shift);
}

/* clip((x * mul + add) >> shift, lo, hi) with the same numbers for all x. */
static bool is_scaling(const Node *n)
{
    const Val *mul = node_arg(n, "mul");

    return mul && is_number(mul) && is_number(node_arg(n, "add")) &&
           !node_arg(n, "shifts") && !attr_int(n, A_round) &&
           attr_has(n, A_lo) && attr_has(n, A_hi);
}

/* A product of bytes, the left side perhaps without a sign. */
static bool is_plain(const Node *n, bool any_sign)
{
    return n && n->op == OP_matmul && !node_arg(n, "bias") &&
           !attr_int(n, A_transa) &&
           (n->arg[0]->type == T_s8 || (any_sign && n->arg[0]->type == T_u8)) &&
           n->arg[1]->type == T_s8;
}

static bool is_product(const Node *n, bool any_sign)
{
    return is_plain(n, any_sign) && is_scaling(n);
}

/* The requant that v alone is read through, or none; *v becomes its operand. */
static Node *take_requant(Val **v)
{
    Node *n = sole_producer(*v);

    if (!n || n->op != OP_requant || !is_scaling(n))
        return NULL;
    *v = n->arg[0];
    return n;
}

static bool within_bytes(const Val *v)
{
    return v->lo >= LEAST && v->hi <= GREATEST;
}

/* Has m elements for a mask of scores y: of each of a row, and of each row and
 * head, or the same for all? */
static bool is_mask(const Val *m, Shape y)
{
    int i;

    if (m->shape.rank > y.rank || shape_varies(m->shape) ||
        dim_from_end(m, 0) != y.dim[y.rank - 1])
        return false;
    for (i = 1; i < m->shape.rank; i++)
        if (dim_from_end(m, i) != 1 &&
            dim_from_end(m, i) != y.dim[y.rank - 1 - i])
            return false;
    return true;
}

/* The look-up of bytes that v alone is read through, or none. */
static Node *take_table(Val **v)
{
    Node *n = sole_producer(*v);

    if (!n || n->op != OP_gather || !attention_is_byte(*v) ||
        !attention_is_byte(n->arg[1]) || !is_const(n->arg[0]) ||
        n->arg[0]->shape.rank != 1 || val_count(n->arg[0]) > BYTES)
        return NULL;
    *v = n->arg[1];
    return n;
}

/* Is v scores: a product, perhaps scaled, of this shape? */
static bool is_scores(Val *v, Shape s)
{
    Node *n;

    if (!take_requant(&v))
        take_table(&v);
    n = sole_producer(v);
    return n && n->op == OP_matmul && shape_same(v->shape, s);
}

/* Is x either beyond all bytes that are at most hi, or the same at most low? */
static bool hides_or_shows(Attention *a, int64_t x, int64_t hi, int64_t low)
{
    if (x >= hi)
        return true;
    if (x > low || (a->far && a->far != x))
        return false;
    a->far = x;
    return true;
}

/* Is such each element of m? */
static bool is_hider(Attention *a, const Val *m, int64_t hi, int64_t low)
{
    const Node *n = m->def;
    int64_t i;

    for (i = 0; is_const(m) && i < val_count(m); i++)
        if (!hides_or_shows(a, val_int(m, i), hi, low))
            return false;
    if (is_const(m) || !n)
        return is_const(m);
    switch (n->op) {
    case OP_reshape: case OP_expand: case OP_transpose:
        return is_hider(a, n->arg[0], hi, low);
    case OP_min:
        return is_hider(a, n->arg[0], hi, low) &&
               is_hider(a, n->arg[1], hi, low);
    case OP_where:
        return is_hider(a, n->arg[1], hi, low) &&
               is_hider(a, n->arg[2], hi, low);
    default:
        return false;
    }
}

/* Does n add bytes to bytes? */
static bool adds(const Node *n)
{
    return n->op == OP_add && !node_arg(n, "mul") &&
           attr_has(n, A_lo) && attr_int(n, A_lo) == LEAST &&
           attr_has(n, A_hi) && attr_int(n, A_hi) == GREATEST;
}

/* Does n add to bytes, or, where weights are divided once a row, bound them? */
static bool masks(const Attention *a, const Node *n)
{
    if (n->op == OP_min)
        return attention_divides(a);
    return adds(n);
}

/* The addition of a mask that v alone is read through, or its minimum with one;
 * *v becomes what is masked. */
static Node *take_mask(Attention *a, Val **v)
{
    Node *n = sole_producer(*v);
    Shape y = (*v)->shape;
    int i;

    if (!n || !masks(a, n) || y.rank < 2 || shape_varies(y))
        return NULL;
    for (i = 0; i < 2; i++)
        if (n->arg[!i]->type == T_s8 && n->arg[i]->type == T_s8 &&
            is_mask(n->arg[i], y) && is_scores(n->arg[!i], y))
            break;
    if (i == 2)
        return NULL;
    a->mask = n->arg[i];
    *v = n->arg[!i];
    return n;
}

/* A constant that is added to scores, of which what a bound hides is the least,
 * and all else as it is; *v becomes these scores. */
static bool take_both(Attention *a, Val **v)
{
    Node *n = sole_producer(*v), *sum;
    Shape y = (*v)->shape;
    int i, j;

    for (i = 0; n && n->op == OP_min && !shape_varies(y) && i < 2; i++) {
        sum = sole_producer(n->arg[!i]);
        if (!sum || !adds(sum) || n->arg[i]->type != T_s8 || y.rank < 2 ||
            !is_mask(n->arg[i], y) ||
            !is_hider(a, n->arg[i], GREATEST, LEAST))
            continue;
        for (j = 0; j < 2; j++)
            if (is_const(sum->arg[j]) && sum->arg[j]->type == T_s8 &&
                sum->arg[j]->lo > LEAST && is_mask(sum->arg[j], y) &&
                sum->arg[!j]->type == T_s8 && is_scores(sum->arg[!j], y)) {
                a->mask = n->arg[i];
                a->bias = sum->arg[j];
                a->masked = n;
                *v = sum->arg[!j];
                return true;
            }
    }
    return false;
}

static bool find_softmax(Attention *a, bool many)
{
    Val *v = a->sum->arg[0];

    a->after = take_requant(&v);
    a->soft = sole_producer(v);
    return is_product(a->sum, many) && a->soft &&
           (a->soft->op == OP_isoftmax || a->soft->op == OP_itamax) &&
           attr_int(a->soft, A_hi) >= 1 && attr_int(a->soft, A_hi) < BYTES;
}

/* Is d a number divided by the sums of rows of w? */
static bool is_share(const Node *d, const Val *w)
{
    const Node *sum = d && d->op == OP_div ? sole_producer(d->arg[1]) : NULL;
    Shape s = w->shape, y;
    int i;

    if (!sum || sum->op != OP_sum || sum->narg != 1 || sum->arg[0] != w ||
        !is_const(d->arg[0]) || !is_number(d->arg[0]) ||
        val_int(d->arg[0], 0) < 0 || val_int(d->arg[0], 0) > INT32_MAX)
        return false;
    y = sum->res[0]->shape;
    for (i = 0; i < s.rank - 1; i++)
        if (y.rank != s.rank || y.dim[i] != s.dim[i])
            return false;
    return y.dim[s.rank - 1] == 1;
}

static bool is_rounded(const Node *n)
{
    int64_t one = INT64_C(1) << attr_int(n, A_shift);

    return is_scaling(n) && node_arg(n, "add") && one > 1 &&
           val_int(node_arg(n, "add"), 0) - attention_zero(n) * one == one / 2;
}

/* Weights that are divided behind the product. */
static bool find_powers(Attention *a)
{
    Node *n = a->end;

    if (n->op != OP_mul || !is_rounded(n) ||
        val_int(node_arg(n, "mul"), 0) != 1)
        return false;
    a->sum = sole_producer(n->arg[0]);
    if (!is_plain(a->sum, true) || node_arg(a->sum, "mul"))
        return false;
    a->soft = a->sum->arg[0]->def;
    return a->soft && a->soft->op == OP_powers &&
           a->soft->res[0]->nuse == 2 && is_const(a->soft->arg[1]) &&
           a->soft->res[0]->lo >= 0 && a->soft->res[0]->hi < BYTES &&
           is_share(sole_producer(n->arg[1]), a->soft->res[0]);
}

bool attention_is_byte(const Val *v)
{
    return v->type == T_s8 || v->type == T_u8;
}

/* What v, a side, is less a zero point, which is noted; or v. */
static Val *zero_less(Graph *g, const Attention *a, Val *v, int64_t *zero)
{
    const Node *n = v->def;
    int64_t perm[RANK];
    Val *x;
    int i;

    if (attention_is_byte(v) || !n)
        return v;
    if (n->op == OP_reshape) {
        x = zero_less(g, a, n->arg[0], zero);
        return x == n->arg[0] ? v : attention_reshaped(g, a, x, v->shape);
    }
    if (n->op == OP_transpose) {
        for (i = 0; i < v->shape.rank; i++)
            perm[i] = attr_at(n, A_perm, i, -1);
        x = zero_less(g, a, n->arg[0], zero);
        return x == n->arg[0] ? v : edit_transpose(g, a->end, a->score, x,
                                                   perm);
    }
    if (n->op != OP_sub || !attention_is_byte(n->arg[0]) ||
        node_arg(n, "mul") || !is_const(n->arg[1]) || !is_number(n->arg[1]))
        return v;
    *zero = val_int(n->arg[1], 0);
    return n->arg[0];
}

void attention_take_zeros(Graph *g, Attention *a)
{
    a->q = zero_less(g, a, a->q, &a->zero[0]);
    a->k = zero_less(g, a, a->k, &a->zero[1]);
    a->v = zero_less(g, a, a->v, &a->zero[2]);
}

static bool is_rounded_product(const Node *n)
{
    return n && n->op == OP_matmul && !node_arg(n, "bias") &&
           !attr_int(n, A_transa) && is_rounded(n) &&
           attention_is_byte(n->res[0]);
}

/* A softmax whose least weight is 0, once the zero point is taken from it. */
static bool find_quotients(Attention *a)
{
    Val *v = a->sum->arg[0];
    int64_t zero = 0, levels;
    Node *n = sole_producer(v);

    if (n && n->op == OP_sub && is_const(n->arg[1]) && is_number(n->arg[1])) {
        zero = val_int(n->arg[1], 0);
        v = n->arg[0];
    }
    a->soft = n = sole_producer(v);
    if (!n || n->op != OP_qsoftmax || !is_const(n->arg[1]))
        return false;
    levels = attr_int(n, A_p2);
    return levels > 0 && levels <= BYTES && attr_int(n, A_lo) == zero &&
           attr_int(n, A_hi) - zero >= MIN(levels, BYTES - 1);
}

/* The minimum with a mask that v alone is read through: a bound, or of what is
 * hidden without a weight; *v becomes what is masked. */
static void take_bound(Attention *a, Val **v)
{
    Node *n = sole_producer(*v);
    Shape y = (*v)->shape;
    int i;

    if (!n || n->op != OP_min || y.rank < 2 || shape_varies(y))
        return;
    for (i = 0; i < 2; i++) {
        if (!attention_is_byte(n->arg[!i]) || !is_mask(n->arg[i], y) ||
            !is_scores(n->arg[!i], y))
            continue;
        a->hides = n->arg[i]->type != n->arg[!i]->type &&
                   is_hider(a, n->arg[i], n->arg[!i]->hi, -INT16_MAX) && a->far;
        if (!a->hides && n->arg[i]->type != n->arg[!i]->type)
            continue;
        a->masked = n;
        a->mask = n->arg[i];
        *v = n->arg[!i];
        return;
    }
}

static bool find_rational(Graph *g, Attention *a)
{
    Val *v;

    if (!is_rounded_product(a->sum) || !find_quotients(a))
        return false;
    v = a->soft->arg[0];
    take_bound(a, &v);
    a->bytes = v;
    if (!attention_is_byte(v))
        return false;
    a->before = take_requant(&v);
    if (!a->before)
        a->before = take_table(&v);
    a->score = sole_producer(v);
    if (!is_rounded_product(a->score))
        return false;
    a->q = a->score->arg[0];
    a->k = a->score->arg[1];
    a->v = a->sum->arg[1];
    attention_take_zeros(g, a);
    return true;
}

bool attention_find(Graph *g, Node *n, Attention *a, bool many)
{
    Val *v;

    *a = (Attention){.end = n, .sum = n, .last = n, .group = 1};
    if (many && find_rational(g, a))
        return true;
    if (is_plain(n, many) ? !find_softmax(a, many) : !find_powers(a))
        return false;
    v = a->bytes = a->soft->arg[0];
    if (!within_bytes(v))
        return false;
    if (many && !take_both(a, &v))
        a->masked = take_mask(a, &v);
    a->before = take_requant(&v);
    a->score = sole_producer(v);
    if (!is_product(a->score, false) || !within_bytes(v))
        return false;
    a->q = a->score->arg[0];
    a->k = a->score->arg[1];
    a->v = a->sum->arg[1];
    return true;
}
