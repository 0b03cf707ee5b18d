/* Expressions in kernel heads, worked out.  Sums and products saturate, so that
 * a size too large stays large.  What && || ?: do not take is left out. */
#include "ir/expr.h"

_Noreturn void expr_fail(const Expr *e, const char *s, const char *what)
{
    kern_err(e->k, "expression '%s': %s at '%.20s'", e->text, what, s);
}

static _Noreturn void fail(const Term *t, const char *what)
{
    expr_fail(t->in, t->in->text + t->at, what);
}

static int64_t negated(int64_t v)
{
    return v == INT64_MIN ? INT64_MAX : -v;
}

static int64_t saturated(bool over, int64_t v, bool negative)
{
    return !over ? v : negative ? INT64_MIN : INT64_MAX;
}

static int64_t word_at(const Asked *x, const Term *t, int64_t i)
{
    return ((const int32_t *)((const char *)x->d + t->v))[i];
}

static int64_t word_of(const Asked *x, const Term *t)
{
    int64_t i = expr_value(x, t->a);

    if (i < 0 || i >= t->len)
        fail(t, "an index is out of range");
    return word_at(x, t, i);
}

static int64_t real_at(const Asked *x, const Term *t)
{
    float f = *(const float *)((const char *)x->d + t->v);

    return f >= 9e18f ? INT64_MAX : f > -9e18f ? (int64_t)f : INT64_MIN;
}

/* Of an absent operand everything is 0. */
static int64_t property_of(const Asked *x, const Term *t)
{
    const Val *v = kern_at(x->n, (int)t->v);

    if (!v)
        return 0;
    switch (t->what) {
    case LEAST: return v->lo;
    case MOST: return v->hi;
    case COUNT: return val_count(v);
    case BYTES: return type_info[v->type].bytes;
    default: return 1;
    }
}

static int64_t divided(const Term *t, int64_t a, int64_t b)
{
    if (!b)
        fail(t, "division by zero");
    if (b == -1)
        return t->what == OVER ? negated(a) : 0;
    return t->what == OVER ? a / b : a % b;
}

static int64_t shifted(const Term *t, int64_t a, int64_t b)
{
    if (b < 0 || b > 62)
        fail(t, "a shift by less than 0 or more than 62");
    if (t->what == RIGHT)
        return a >> b;
    return saturated(a > INT64_MAX >> b || a < INT64_MIN >> b,
                     (int64_t)((uint64_t)a << b), a < 0);
}

static int64_t apply(const Term *t, int64_t a, int64_t b)
{
    int64_t v;
    bool over;

    switch (t->what) {
    case BITOR: return a | b;
    case BITXOR: return a ^ b;
    case BITAND: return a & b;
    case EQUAL: return a == b;
    case DIFFERENT: return a != b;
    case LESS: return a < b;
    case GREATER: return a > b;
    case UPTO: return a <= b;
    case FROM: return a >= b;
    case MINIMUM: return MIN(a, b);
    case MAXIMUM: return MAX(a, b);
    case LEFT: case RIGHT: return shifted(t, a, b);
    case OVER: case MODULO: return divided(t, a, b);
    case PLUS:
        over = __builtin_add_overflow(a, b, &v);
        return saturated(over, v, a < 0);
    case MINUS:
        over = __builtin_sub_overflow(a, b, &v);
        return saturated(over, v, a < 0);
    default:
        over = __builtin_mul_overflow(a, b, &v);
        return saturated(over, v, (a < 0) != (b < 0));
    }
}

static int64_t work_out(const Asked *x, const Term *t)
{
    switch (t->what) {
    case NUMBER: return t->v;
    case WORD: return word_at(x, t, 0);
    case WORDS: return word_of(x, t);
    case REAL: return real_at(x, t);
    case HAS: case LEAST: case MOST: case COUNT: case BYTES:
        return property_of(x, t);
    case ACC_LEAST: return x->n->acc.lo;
    case ACC_MOST: return x->n->acc.hi;
    case SCALED_LEAST: return x->n->scaled.lo;
    case SCALED_MOST: return x->n->scaled.hi;
    case ROUNDS: return node_round(x->n);
    case ROOM: return x->room;
    case NEGATE: return negated(expr_value(x, t->a));
    case NOT: return !expr_value(x, t->a);
    case INVERT: return ~expr_value(x, t->a);
    case OR: return expr_value(x, t->a) || expr_value(x, t->b);
    case AND: return expr_value(x, t->a) && expr_value(x, t->b);
    case CHOICE: return expr_value(x, expr_value(x, t->c) ? t->a : t->b);
    default: return apply(t, expr_value(x, t->a), expr_value(x, t->b));
    }
}

int64_t expr_value(const Asked *x, Term *t)
{
    if (t->asked != x->asked) {
        t->now = work_out(x, t);
        t->asked = x->asked;
    }
    return t->now;
}
