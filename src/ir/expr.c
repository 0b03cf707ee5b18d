/* The expressions in kernel heads, worked out as they are read.
 *
 * Precedence climbing (Richards, Clarke) over C's binary operators.  Sums and
 * products saturate, so that a size too large stays large.  What && || ?: do
 * not take is read but may divide by zero. */
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

enum { DEEP = 200 };

typedef struct Expr {
    const Kern *k;
    const KernSig *sig;
    const Node *n;
    const Dims *d;
    const char *all, *s;
    int deep;
    int dead; /* inside what is not taken, where a division by 0 is none */
} Expr;

static int64_t ternary(Expr *e);

static _Noreturn void fail_expr(const Expr *e, const char *what)
{
    kern_err(e->k, "expression '%s': %s at '%.20s'", e->all, what, e->s);
}

static bool take(Expr *e, const char *token)
{
    e->s += strspn(e->s, " ");
    if (!str_starts(e->s, token))
        return false;
    e->s += strlen(token);
    return true;
}

static void need(Expr *e, const char *token)
{
    if (!take(e, token))
        fail_expr(e, "an operator or a closing bracket is missing");
}

static size_t name_length(const char *s)
{
    size_t n = 0;

    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
           s[n] == '_' || (n && s[n] >= '0' && s[n] <= '9'))
        n++;
    return n;
}

static int64_t field_value(Expr *e, const Field *f)
{
    const char *at = (const char *)e->d + f->offset;
    int64_t i = 0;
    float x;

    if (f->kind == 'A') {
        need(e, "[");
        i = ternary(e);
        need(e, "]");
        if (i < 0 || i >= f->len)
            fail_expr(e, "an index is out of range");
    }
    if (f->kind != 'F')
        return ((const int32_t *)at)[i];
    x = *(const float *)at;
    return x >= 9e18f ? INT64_MAX : x > -9e18f ? (int64_t)x : INT64_MIN;
}

static int64_t field(Expr *e, const char *name, size_t len)
{
    const DimsInfo *info = dims_of(e->n->op);
    int i;

    for (i = 0; info && i < info->nfield; i++)
        if (strlen(info->field[i].name) == len &&
            !strncmp(info->field[i].name, name, len))
            return field_value(e, &info->field[i]);
    e->s = name;
    fail_expr(e, "unknown name");
}

/* x.lo, x.hi, x.n, x.bytes, has.x */
static int64_t property(Expr *e, const char *name, size_t len)
{
    const char *what = ++e->s;
    size_t n = name_length(what);
    bool has = len == 3 && !strncmp(name, "has", len);
    char text[64];
    const Val *v;

    snprintf(text, sizeof text, "%.*s", (int)(has ? n : len),
             has ? what : name);
    v = kern_operand(e->k, e->sig, e->n, text);
    e->s += n;
    if (has || !v)
        return v != NULL;
    if (n == 2 && !strncmp(what, "lo", n))
        return v->lo;
    if (n == 2 && !strncmp(what, "hi", n))
        return v->hi;
    if (n == 1 && *what == 'n')
        return val_count(v);
    if (n == 5 && !strncmp(what, "bytes", n))
        return type_info[v->type].bytes;
    e->s = what;
    fail_expr(e, "lo, hi, n or bytes was wanted");
}

static int64_t call(Expr *e, bool least)
{
    int64_t a, b;

    a = ternary(e);
    need(e, ",");
    b = ternary(e);
    need(e, ")");
    return least == (a < b) ? a : b;
}

static int64_t named(Expr *e)
{
    const char *name = e->s;
    size_t n = name_length(name);

    if (!n)
        fail_expr(e, "a value was wanted");
    e->s += n;
    if (*e->s == '.')
        return property(e, name, n);
    if (n == 5 && !strncmp(name, "ncore", n))
        return MAX(e->k->ncore, 1);
    if (n == 3 && !strncmp(name, "min", n) && take(e, "("))
        return call(e, true);
    if (n == 3 && !strncmp(name, "max", n) && take(e, "("))
        return call(e, false);
    return field(e, name, n);
}

static int64_t negated(int64_t v)
{
    return v == INT64_MIN ? INT64_MAX : -v;
}

static int64_t unary(Expr *e)
{
    int64_t v;
    char *end;

    if (++e->deep > DEEP)
        fail_expr(e, "nested too deep");
    e->s += strspn(e->s, " ");
    if (take(e, "-")) {
        v = negated(unary(e));
    } else if (take(e, "!")) {
        v = !unary(e);
    } else if (take(e, "~")) {
        v = ~unary(e);
    } else if (take(e, "(")) {
        v = ternary(e);
        need(e, ")");
    } else if (*e->s >= '0' && *e->s <= '9') {
        v = strtoll(e->s, &end, 0);
        e->s = end;
    } else {
        v = named(e);
    }
    e->deep--;
    return v;
}

/* Longer tokens before those they begin with. */
static const struct {
    const char *token;
    int level;
} binary[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8},
    {"<=", 7}, {">=", 7}, {"<", 7},  {">", 7},  {"|", 3},  {"^", 4},
    {"&", 5},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

static int64_t saturated(bool over, int64_t v, bool negative)
{
    return !over ? v : negative ? INT64_MIN : INT64_MAX;
}

static int64_t divided(Expr *e, const char *op, int64_t a, int64_t b)
{
    if (!b && !e->dead)
        fail_expr(e, "division by zero");
    if (!b)
        return 0;
    if (b == -1)
        return *op == '/' ? negated(a) : 0;
    return *op == '/' ? a / b : a % b;
}

static int64_t shifted(Expr *e, const char *op, int64_t a, int64_t b)
{
    if (e->dead)
        return 0;
    if (b < 0 || b > 62)
        fail_expr(e, "a shift by less than 0 or more than 62");
    if (*op == '>')
        return a >> b;
    return saturated(a > INT64_MAX >> b || a < INT64_MIN >> b,
                     (int64_t)((uint64_t)a << b), a < 0);
}

static int64_t compared(const char *op, int64_t a, int64_t b)
{
    switch (*op) {
    case '=': return a == b;
    case '!': return a != b;
    case '<': return op[1] ? a <= b : a < b;
    default: return op[1] ? a >= b : a > b;
    }
}

static int64_t apply(Expr *e, const char *op, int64_t a, int64_t b)
{
    int64_t v;
    bool over;

    switch (*op) {
    case '|': return op[1] ? a || b : a | b;
    case '&': return op[1] ? a && b : a & b;
    case '^': return a ^ b;
    case '+':
        over = __builtin_add_overflow(a, b, &v);
        return saturated(over, v, a < 0);
    case '-':
        over = __builtin_sub_overflow(a, b, &v);
        return saturated(over, v, a < 0);
    case '*':
        over = __builtin_mul_overflow(a, b, &v);
        return saturated(over, v, (a < 0) != (b < 0));
    case '/': case '%':
        return divided(e, op, a, b);
    default:
        if (op[0] == op[1] && *op != '=')
            return shifted(e, op, a, b);
        return compared(op, a, b);
    }
}

/* Does a decide `a && b` or `a || b`? */
static bool decides(const char *op, int64_t a)
{
    return op[0] == op[1] && ((*op == '&' && !a) || (*op == '|' && a));
}

static int64_t climb(Expr *e, int level)
{
    int64_t a = unary(e), b;
    bool dead;
    size_t i;

    for (;;) {
        e->s += strspn(e->s, " ");
        for (i = 0; i < LEN(binary); i++)
            if (str_starts(e->s, binary[i].token))
                break;
        if (i == LEN(binary) || binary[i].level < level)
            return a;
        e->s += strlen(binary[i].token);
        dead = decides(binary[i].token, a);
        e->dead += dead;
        b = climb(e, binary[i].level + 1);
        e->dead -= dead;
        a = apply(e, binary[i].token, a, b);
    }
}

static int64_t ternary(Expr *e)
{
    int64_t c, a, b;

    if (++e->deep > DEEP)
        fail_expr(e, "nested too deep");
    c = climb(e, 1);
    if (take(e, "?")) {
        e->dead += !c;
        a = ternary(e);
        e->dead += c ? 1 : -1;
        need(e, ":");
        b = ternary(e);
        e->dead -= c != 0;
        c = c ? a : b;
    }
    e->deep--;
    return c;
}

int64_t kern_expr(const Kern *k, const char *expr, const Node *n,
                  const Dims *d)
{
    Expr e = {k, kern_takes(k, n), n, d, expr, expr, 0, 0};
    int64_t v;

    if (!expr)
        return 0;
    if (!e.sig)
        e.sig = &k->sig[0];
    v = ternary(&e);
    e.s += strspn(e.s, " ");
    if (*e.s)
        fail_expr(&e, "what follows is not understood");
    return v;
}
