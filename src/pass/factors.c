/* Factors of sums of bytes become such as fit in 16 bits, where every sum gives
 * what it gave, and half of what is shifted away is added: kernels have loops for
 * that, which multiply, round and shift at once.
 *
 *     y = add a b {47843} {32768} shift=16 -> y = add a b {23921} {16384} shift=15 */
#include "pass/pass.h"

enum { POINT = 16, LEAST_POINT = 14, /* bits that are shifted away */
       FACTOR = 32768, SUMS = 1 << 17,
       MUL_BITS = 44, ADD_BITS = 61 }; /* a sum of 17 bits by these fits 64 */

static int64_t floor_by(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool is_number(const Node *n, const char *operand)
{
    const Val *v = node_arg(n, operand);

    return v && is_const(v) && val_count(v) == 1;
}

/* Is the constant so small that no sum overflows? */
static bool is_small(const Val *v, int bits)
{
    return v->lo >= -(INT64_C(1) << bits) && v->hi <= INT64_C(1) << bits;
}

/* Are sums scaled to all values of a byte? */
static bool is_scaled(const Node *n)
{
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi);
    const Val *y = n->res[0];

    return (n->op == OP_requant || n->op == OP_add || n->op == OP_sub ||
            n->op == OP_mul) && (y->type == T_s8 || y->type == T_u8) &&
           lo >= INT8_MIN && lo <= hi && hi <= UINT8_MAX && hi - lo == 255 &&
           is_number(n, "mul") && is_number(n, "add") &&
           is_small(node_arg(n, "mul"), MUL_BITS) &&
           is_small(node_arg(n, "add"), ADD_BITS) &&
           !node_arg(n, "shifts") && !attr_int(n, A_round) &&
           n->acc.lo >= -SUMS && n->acc.hi <= SUMS && attr_int(n, A_shift) < 48;
}

/* Is the factor one already? */
static bool is_short(const Node *n)
{
    int64_t shift = attr_int(n, A_shift), mul = val_int(node_arg(n, "mul"), 0);

    return shift > 0 && shift <= POINT && mul >= -FACTOR && mul < FACTOR &&
           2 * val_int(node_arg(n, "add"), 0) == INT64_C(1) << shift;
}

static int64_t scaled(const Node *n, int64_t sum)
{
    int64_t y = (sum * val_int(node_arg(n, "mul"), 0) +
                 val_int(node_arg(n, "add"), 0)) >> attr_int(n, A_shift);

    return MIN(MAX(y, attr_int(n, A_lo)), attr_int(n, A_hi));
}

/* The factors with so many bits behind the point: y <= (sum f + half) / unit <
 * y + 1, where y is not a bound.  None: lo > hi. */
static Range factors(const Node *n, int point)
{
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi), sum;
    int64_t unit = INT64_C(1) << point, half = unit / 2;
    Range f = {1 - FACTOR, FACTOR - 1};

    for (sum = n->acc.lo; sum <= n->acc.hi && f.lo <= f.hi; sum++) {
        int64_t y = scaled(n, sum), from = y * unit - half;
        int64_t to = from + unit - 1;

        if (!sum && y)
            return (Range){0, -1};
        if (sum > 0 && y > lo)
            f.lo = MAX(f.lo, -floor_by(-from, sum));
        if (sum > 0 && y < hi)
            f.hi = MIN(f.hi, floor_by(to, sum));
        if (sum < 0 && y > lo)
            f.hi = MIN(f.hi, floor_by(-from, -sum));
        if (sum < 0 && y < hi)
            f.lo = MAX(f.lo, -floor_by(to, -sum));
    }
    return f;
}

static void set_number(Graph *g, Node *n, const char *operand, int64_t v)
{
    const Val *old = node_arg(n, operand);
    const TypeInfo *t = &type_info[old->type];
    Val *number = graph_const(g, old->name, v < t->lo || v > t->hi ? T_s32
                                            : old->type, old->shape, NULL);
    int i;

    val_set(number, 0, v);
    val_range(number);
    for (i = 0; n->arg[i] != old; i++)
        ;
    edit_arg(g, n, i, number);
}

void pass_factors(Graph *g)
{
    Node *n;

    for (n = g->first; n && g->exact; n = n->next) {
        int point = POINT;
        Range f;

        if (!is_scaled(n) || is_short(n))
            continue;
        for (f = factors(n, point); f.lo > f.hi && point > LEAST_POINT;)
            f = factors(n, --point);
        if (f.lo > f.hi)
            continue;
        set_number(g, n, "mul", f.lo);
        set_number(g, n, "add", INT64_C(1) << (point - 1));
        attr_set_int(g, n, A_shift, point);
        node_infer(g, n);
    }
}
