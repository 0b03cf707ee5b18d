/* The expressions in kernel heads: read once into terms, then worked out as
 * often as wanted.
 *
 * Precedence climbing (Richards, Clarke) over C's binary operators.
 *
 * Equal terms are one, of all kernels that were loaded together, and have one
 * value for each question (kern_ask); only terms that may fail are of one
 * expression, which the message names. */
#include "ir/expr.h"

#include <stdlib.h>
#include <string.h>

enum { DEEP = 200, SLOTS = 1024 };

struct Terms {
    Arena *mem;
    Term *slot[SLOTS];
};

struct Terms *terms_new(Arena *a)
{
    struct Terms *t = NEW(a, struct Terms);

    t->mem = a;
    return t;
}

typedef struct Reader {
    Arena *mem;
    Expr *e;
    const char *s;
    int deep;
} Reader;

static Term *ternary(Reader *r);

static _Noreturn void fail_read(const Reader *r, const char *what)
{
    expr_fail(r->e, r->s, what);
}

static bool is_number(const Term *t, int64_t lo, int64_t hi)
{
    return t->what == NUMBER && t->v >= lo && t->v <= hi;
}

static bool may_fail(const Term *t)
{
    switch (t->what) {
    case WORDS: return !is_number(t->a, 0, t->len - 1);
    case OVER: case MODULO: return !is_number(t->b, 1, INT64_MAX);
    case LEFT: case RIGHT: return !is_number(t->b, 0, 62);
    default: return false;
    }
}

static bool same_term(const Term *t, const Term *u)
{
    return t->what == u->what && t->len == u->len && t->v == u->v &&
           t->a == u->a && t->b == u->b && t->c == u->c && t->in == u->in;
}

static Term *new_term(Reader *r, Term x)
{
    uint64_t key[] = {x.what, (uint64_t)x.len, (uint64_t)x.v, (uintptr_t)x.a,
                      (uintptr_t)x.b, (uintptr_t)x.c};
    struct Terms *all = r->e->k->exprs->terms;
    Term **slot = &all->slot[hash_mem(key, sizeof key) % SLOTS], *t;

    x.in = may_fail(&x) ? r->e : NULL;
    x.at = (int)(r->s - r->e->text);
    for (t = *slot; t; t = t->next)
        if (same_term(t, &x))
            return t;
    t = NEW(r->mem, Term);
    *t = x;
    t->next = *slot;
    return *slot = t;
}

static Term *leaf(Reader *r, Action what, int64_t v)
{
    return new_term(r, (Term){.what = what, .v = v});
}

static Term *join(Reader *r, Action what, Term *a, Term *b)
{
    return new_term(r, (Term){.what = what, .a = a, .b = b});
}

static bool take(Reader *r, const char *token)
{
    r->s += strspn(r->s, " ");
    if (!str_starts(r->s, token))
        return false;
    r->s += strlen(token);
    return true;
}

static void need(Reader *r, const char *token)
{
    if (!take(r, token))
        fail_read(r, "an operator or a closing bracket is missing");
}

static size_t name_length(const char *s)
{
    size_t n = 0;

    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
           s[n] == '_' || (n && s[n] >= '0' && s[n] <= '9'))
        n++;
    return n;
}

static bool same(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && !strncmp(s, word, n);
}

static Term *element(Reader *r, const Field *f)
{
    Term *i;

    need(r, "[");
    i = ternary(r);
    need(r, "]");
    return new_term(r, (Term){.what = WORDS, .len = f->len, .v = f->offset,
                              .a = i});
}

static Term *field(Reader *r, const char *name, size_t len)
{
    const DimsInfo *info = r->e->info;
    int i;

    for (i = 0; info && i < info->nfield; i++) {
        const Field *f = &info->field[i];

        if (same(name, len, f->name))
            return f->kind == 'A' ? element(r, f)
                   : leaf(r, f->kind == 'F' ? REAL : WORD, f->offset);
    }
    r->s = name;
    fail_read(r, "unknown name");
}

static int operand(const Reader *r, const char *name, size_t n)
{
    char text[64];

    snprintf(text, sizeof text, "%.*s", (int)n, name);
    return kern_position(r->e->k, r->e->sig, text);
}

/* acc.lo and so on: NULL if it is none of them. */
static Term *on_the_way(Reader *r, const char *name, size_t len)
{
    static const struct {
        const char *name;
        Action what;
    } list[] = {{"acc.lo", ACC_LEAST}, {"acc.hi", ACC_MOST},
                {"scaled.lo", SCALED_LEAST}, {"scaled.hi", SCALED_MOST}};
    size_t i;

    for (i = 0; i < LEN(list); i++)
        if (same(name, len, list[i].name))
            return leaf(r, list[i].what, 0);
    return NULL;
}

/* fit.NAME, a number of kern/fit.tsv: the kernel's rows are KERNEL NAME VALUE
 * and more. */
static Term *fitted(Reader *r, const char *name, size_t len)
{
    const Kern *k = r->e->k;
    size_t n = strlen(k->base) + 1;
    const char *row;

    for (row = k->fit; row && !strncmp(row, k->fit, n);
         row = strchr(row, '\n'), row += row != NULL)
        if (!strncmp(row + n, name, len) && row[n + len] == '\t')
            return leaf(r, NUMBER, strtoll(row + n + len, NULL, 0));
    r->s = name;
    fail_read(r, "kern/fit.tsv has no such number of this kernel");
}

/* x.lo, x.hi, x.n, x.bytes, has.x, fit.x */
static Term *property(Reader *r, const char *name, size_t len)
{
    static const struct {
        const char *name;
        Action what;
    } list[] = {{"lo", LEAST}, {"hi", MOST}, {"n", COUNT}, {"bytes", BYTES}};
    const char *what = ++r->s;
    size_t n = name_length(what), i;
    Term *t = on_the_way(r, name, len + 1 + n);

    r->s += n;
    if (t)
        return t;
    if (same(name, len, "fit"))
        return fitted(r, what, n);
    if (same(name, len, "has"))
        return leaf(r, HAS, operand(r, what, n));
    for (i = 0; i < LEN(list); i++)
        if (same(what, n, list[i].name))
            return leaf(r, list[i].what, operand(r, name, len));
    operand(r, name, len);
    r->s = what;
    fail_read(r, "lo, hi, n or bytes was wanted");
}

/* The two operands of min, max and ceil. */
static void pair(Reader *r, Term **a, Term **b)
{
    *a = ternary(r);
    need(r, ",");
    *b = ternary(r);
    need(r, ")");
}

static Term *call(Reader *r, Action what)
{
    Term *a, *b;

    pair(r, &a, &b);
    return join(r, what, a, b);
}

/* (a + b - 1) / b */
static Term *ceiling(Reader *r)
{
    Term *a, *b;

    pair(r, &a, &b);
    a = join(r, MINUS, join(r, PLUS, a, b), leaf(r, NUMBER, 1));
    return join(r, OVER, a, b);
}

static const Expr *find_expr(const Kern *, const KernSig *, const char *,
                             const DimsInfo *);

/* What `let` names, if it does so before what is read; else NULL. */
static Term *let_named(Reader *r, const char *name, size_t n)
{
    const Kern *k = r->e->k;
    int i;

    for (i = 0; i < k->nlet && k->let[i].text != r->e->text; i++)
        if (same(name, n, k->let[i].name))
            return find_expr(k, r->e->sig, k->let[i].text, r->e->info)->root;
    return NULL;
}

/* A parameter of this variant; else NULL. */
static Term *param_named(Reader *r, const char *name, size_t n)
{
    const Kern *k = r->e->k;
    int i;

    for (i = 0; i < k->nparam; i++)
        if (same(name, n, k->param[i].name))
            return leaf(r, NUMBER, k->set[i]);
    return NULL;
}

static Term *named(Reader *r)
{
    const char *name = r->s;
    size_t n = name_length(name);
    Term *t;

    if (!n)
        fail_read(r, "a value was wanted");
    r->s += n;
    if (*r->s == '.')
        return property(r, name, n);
    if (same(name, n, "round"))
        return leaf(r, ROUNDS, 0);
    if (same(name, n, "room"))
        return leaf(r, ROOM, 0);
    if (same(name, n, "ncore"))
        return leaf(r, NUMBER, MAX(r->e->k->ncore, 1));
    if (same(name, n, "min") && take(r, "("))
        return call(r, MINIMUM);
    if (same(name, n, "max") && take(r, "("))
        return call(r, MAXIMUM);
    if (same(name, n, "ceil") && take(r, "("))
        return ceiling(r);
    t = let_named(r, name, n);
    t = t ? t : param_named(r, name, n);
    return t ? t : field(r, name, n);
}

static Term *unary(Reader *r)
{
    Term *t;
    char *end;

    if (++r->deep > DEEP)
        fail_read(r, "nested too deep");
    r->s += strspn(r->s, " ");
    if (take(r, "-")) {
        t = join(r, NEGATE, unary(r), NULL);
    } else if (take(r, "!")) {
        t = join(r, NOT, unary(r), NULL);
    } else if (take(r, "~")) {
        t = join(r, INVERT, unary(r), NULL);
    } else if (take(r, "(")) {
        t = ternary(r);
        need(r, ")");
    } else if (*r->s >= '0' && *r->s <= '9') {
        t = leaf(r, NUMBER, strtoll(r->s, &end, 0));
        r->s = end;
    } else {
        t = named(r);
    }
    r->deep--;
    return t;
}

/* Longer tokens before those they begin with. */
static const struct {
    const char *token;
    int level;
    Action what;
} binary[] = {
    {"||", 1, OR}, {"&&", 2, AND}, {"==", 6, EQUAL}, {"!=", 6, DIFFERENT},
    {"<<", 8, LEFT}, {">>", 8, RIGHT}, {"<=", 7, UPTO}, {">=", 7, FROM},
    {"<", 7, LESS}, {">", 7, GREATER}, {"|", 3, BITOR}, {"^", 4, BITXOR},
    {"&", 5, BITAND}, {"+", 9, PLUS}, {"-", 9, MINUS}, {"*", 10, TIMES},
    {"/", 10, OVER}, {"%", 10, MODULO},
};

static Term *climb(Reader *r, int level)
{
    Term *a = unary(r), *b;
    size_t i;

    for (;;) {
        r->s += strspn(r->s, " ");
        for (i = 0; i < LEN(binary); i++)
            if (str_starts(r->s, binary[i].token))
                break;
        if (i == LEN(binary) || binary[i].level < level)
            return a;
        r->s += strlen(binary[i].token);
        b = climb(r, binary[i].level + 1);
        a = join(r, binary[i].what, a, b);
    }
}

static Term *ternary(Reader *r)
{
    Term *a, *b, *c;

    if (++r->deep > DEEP)
        fail_read(r, "nested too deep");
    c = climb(r, 1);
    if (take(r, "?")) {
        a = ternary(r);
        need(r, ":");
        b = ternary(r);
        c = new_term(r, (Term){.what = CHOICE, .a = a, .b = b, .c = c});
    }
    r->deep--;
    return c;
}

static Expr *read_expr(const Kern *k, const KernSig *sig, const char *text,
                       const DimsInfo *info)
{
    Expr *e = NEW(k->exprs->terms->mem, Expr);
    Reader r = {k->exprs->terms->mem, e, text, 0};

    *e = (Expr){k, text, sig, info, NULL, k->exprs->first};
    e->root = ternary(&r);
    r.s += strspn(r.s, " ");
    if (*r.s)
        fail_read(&r, "what follows is not understood");
    k->exprs->first = e;
    return e;
}

static const Expr *find_expr(const Kern *k, const KernSig *sig,
                             const char *text, const DimsInfo *info)
{
    Expr *e;

    for (e = k->exprs->first; e; e = e->next)
        if (e->text == text && e->sig == sig && e->info == info)
            return e;
    return read_expr(k, sig, text, info);
}

Asked kern_ask(const Node *n, const Dims *d)
{
    static uint64_t asked;

    return (Asked){n, d, ++asked, 0};
}

int64_t kern_answer(const Asked *x, const Kern *k, const KernSig *sig,
                    const char *expr)
{
    if (!expr)
        return 0;
    return expr_value(x, find_expr(k, sig, expr, dims_of(x->n->op))->root);
}

void kern_check(const Kern *k)
{
    const char *const text[] = {k->when, k->scratch, k->stack, k->cycles,
                                k->code, k->cold, k->reads, k->most,
                                k->ahead};
    int i, s, op;
    size_t t;

    for (op = 0; op < k->nop; op++)
        for (s = 0; s < k->nsig; s++) {
            const DimsInfo *info = dims_of(k->op[op]);

            for (i = 0; i < k->nlet; i++)
                find_expr(k, &k->sig[s], k->let[i].text, info);
            for (t = 0; t < LEN(text); t++)
                if (text[t])
                    find_expr(k, &k->sig[s], text[t], info);
        }
    k->exprs->first = NULL; /* ncore may be set yet */
}

int64_t kern_expr(const Kern *k, const char *expr, const Node *n,
                  const Dims *d)
{
    const KernSig *sig = expr ? kern_takes(k, n) : NULL;
    Asked x = kern_ask(n, d);

    return kern_answer(&x, k, sig ? sig : &k->sig[0], expr);
}
