/* The contract in a kernel file's first comment, for example
 *
 *     Matrix product, the plain way.
 *
 *     op       matmul
 *     types    a:f32 b:f32 bias:f32 mul:none add:none -> y:f32
 *     isa      any
 *     when     k > 0 && a.n < 1 << 20
 *
 *     whatever else there is to say
 *
 * A title, an empty line, lines of key and value up to the next empty line.
 * A line that begins with blanks continues the value before.  Types of an
 * operand: a type's name, `int`, `any`, `none` (absent), several with `|`, or
 * `=x`, the type of operand x. */
#include "ir/ir.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const Kern *k, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static _Noreturn void fail(const Kern *k, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    err(ERR_MODEL, "kernel %s: %s", k->path, text);
}

/* The next word of *s, or NULL. */
static char *next_word(Arena *a, const char **s)
{
    size_t n;
    char *w;

    *s += strspn(*s, " ");
    n = strcspn(*s, " ");
    if (!n)
        return NULL;
    w = arena_get(a, n + 1, 1);
    memcpy(w, *s, n);
    *s += n;
    return w;
}

static unsigned type_set(const Kern *k, const char *name, size_t n)
{
    unsigned set = 0;
    bool all = n == 3 && !strncmp(name, "any", n);
    bool ints = n == 3 && !strncmp(name, "int", n);
    int t;

    if (n == 4 && !strncmp(name, "none", n))
        return 0;
    for (t = 1; t < NTYPE; t++) {
        const TypeInfo *i = &type_info[t];

        if (all || (ints && i->kind != FLOAT) ||
            (strlen(i->name) == n && !strncmp(i->name, name, n)))
            set |= 1u << t;
    }
    if (!set)
        fail(k, "types: unknown type '%.*s'", (int)n, name);
    return set;
}

static KernType parse_type(Arena *a, const Kern *k, char *w)
{
    KernType t = {w, 0, NULL};
    char *s = strchr(w, ':');
    size_t n;

    if (!s || s == w)
        fail(k, "types: operand:type was wanted, not '%s'", w);
    *s++ = 0;
    if (*s == '=') {
        t.same = arena_str(a, s + 1);
        t.types = ~0u;
        return t;
    }
    for (;; s += n + 1) {
        n = strcspn(s, "|");
        t.types |= type_set(k, s, n);
        if (!s[n])
            return t;
    }
}

static void parse_types(Arena *a, Kern *k, const char *s)
{
    KernSig *sig = &k->sig[k->nsig];
    char *w;

    if (k->nsig++ == (int)LEN(k->sig))
        fail(k, "more than %d lines of types", (int)LEN(k->sig));
    while ((w = next_word(a, &s)) && strcmp(w, "->")) {
        if (sig->narg == NARG)
            fail(k, "more than %d operands", NARG);
        sig->arg[sig->narg++] = parse_type(a, k, w);
    }
    while ((w = next_word(a, &s))) {
        if (sig->nres == NRES)
            fail(k, "more than %d results", NRES);
        sig->res[sig->nres++] = parse_type(a, k, w);
    }
    if (!sig->nres)
        fail(k, "types: '-> result:type' is missing");
}

static void parse_ops(Arena *a, Kern *k, const char *s)
{
    char *w;
    int op;

    while ((w = next_word(a, &s))) {
        for (op = 1; op < NOP && strcmp(op_info[op].name, w); op++)
            ;
        if (op == NOP)
            fail(k, "op: unknown operator '%s'", w);
        if (k->nop == (int)LEN(k->op))
            fail(k, "more than %d operators", (int)LEN(k->op));
        k->op[k->nop++] = (OpCode)op;
    }
}

static const struct {
    const char *key;
    size_t at;
} texts[] = {
    {"isa", offsetof(Kern, isa)},         {"when", offsetof(Kern, when)},
    {"layout", offsetof(Kern, layout)},   {"inplace", offsetof(Kern, inplace)},
    {"scratch", offsetof(Kern, scratch)}, {"stack", offsetof(Kern, stack)},
    {"cycles", offsetof(Kern, cycles)},   {"tile", offsetof(Kern, tile)},
    {"split", offsetof(Kern, split)},
};

static void parse_key(Arena *a, Kern *k, const char *line)
{
    const char *value = line;
    char *key = next_word(a, &value);
    size_t i;

    value += strspn(value, " ");
    if (!strcmp(key, "op")) {
        parse_ops(a, k, value);
        return;
    }
    if (!strcmp(key, "types")) {
        parse_types(a, k, value);
        return;
    }
    for (i = 0; i < LEN(texts); i++)
        if (!strcmp(texts[i].key, key)) {
            *(const char **)((char *)k + texts[i].at) = value;
            return;
        }
    fail(k, "unknown key '%s' in the head", key);
}

/* The line at *s without " * " before and blanks behind it; NULL at the end
 * of the comment. */
static char *next_line(Arena *a, const char **s)
{
    size_t n = strcspn(*s, "\n");
    const char *from = *s, *end = *s + n, *close;
    char *line;

    for (close = from; close + 1 < end; close++)
        if (close[0] == '*' && close[1] == '/')
            return NULL;
    if (!*from)
        return NULL;
    *s += n + (*end == '\n');
    from += strspn(from, " ");
    if (*from == '*')
        from++;
    if (*from == ' ')
        from++;
    while (end > from && strchr(" \r", end[-1]))
        end--;
    if (end < from)
        end = from;
    line = arena_get(a, (size_t)(end - from) + 1, 1);
    return memcpy(line, from, (size_t)(end - from));
}

static void parse_lines(Arena *a, Kern *k, const char *s)
{
    char *line, *open = NULL;

    while ((line = next_line(a, &s)) && *line)
        if (!k->about)
            k->about = line;
    while ((line = next_line(a, &s)) && *line) {
        if (*line == ' ' && open) {
            open = arena_fmt(a, "%s %s", open, line + strspn(line, " "));
            continue;
        }
        if (open)
            parse_key(a, k, open);
        open = line;
    }
    if (open)
        parse_key(a, k, open);
}

static const char *name_of(Arena *a, const char *path)
{
    const char *base = path_base(path), *folder = base - (base > path);
    int n = (int)(strlen(base) - 2);

    while (folder > path && folder[-1] != '/')
        folder--;
    return base == path
               ? arena_fmt(a, "%.*s", n, base)
               : arena_fmt(a, "%.*s_%.*s", n, base, (int)(base - folder) - 1,
                           folder);
}

/* Operands that expressions and inplace may name. */
static void check_inplace(Arena *a, const Kern *k)
{
    const char *s = k->inplace;
    char *w;
    int i;

    while ((w = next_word(a, &s))) {
        for (i = 0; i < k->sig[0].narg; i++)
            if (!strcmp(k->sig[0].arg[i].operand, w))
                break;
        if (i == k->sig[0].narg)
            fail(k, "inplace: there is no operand '%s'", w);
    }
}

Kern *kern_parse(Arena *a, const char *path, const char *text)
{
    Kern *k = NEW(a, Kern);

    k->path = path;
    k->text = text;
    k->name = str_ident(a, name_of(a, path));
    k->isa = k->inplace = "";
    k->layout = "any";
    if (strncmp(text, "/*", 2))
        fail(k, "the file does not begin with a comment, its head");
    parse_lines(a, k, text + 2);
    if (!k->nop)
        fail(k, "the head has no line `op`");
    if (!k->nsig)
        fail(k, "the head has no line `types`");
    check_inplace(a, k);
    return k;
}

/* --- all there are --- */

typedef struct List {
    Arena *a;
    Kern **v;
    int n;
} List;

static void add(List *l, const char *path, const char *text)
{
    GROW(l->a, l->v, (size_t)l->n);
    l->v[l->n++] = kern_parse(l->a, path, text);
}

static int by_text(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Names in a folder, sorted; NULL if it cannot be read. */
static char **folder_names(Arena *a, const char *dir, int *n)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    char **v = NULL;

    *n = 0;
    if (!d)
        return NULL;
    while ((e = readdir(d))) {
        if (*e->d_name == '.')
            continue;
        GROW(a, v, (size_t)*n);
        v[(*n)++] = arena_str(a, e->d_name);
    }
    closedir(d);
    if (*n)
        qsort(v, (size_t)*n, sizeof *v, by_text);
    return v;
}

static void add_folder(List *l, const char *dir, bool deeper)
{
    int i, n;
    char **name = folder_names(l->a, dir, &n);
    size_t size;

    for (i = 0; i < n; i++) {
        char *path = arena_fmt(l->a, "%s/%s", dir, name[i]);

        if (str_ends(path, ".c"))
            add(l, path, file_read(l->a, path, &size));
        else if (deeper)
            add_folder(l, path, false);
    }
}

Kern **kern_load(Arena *a, const char *dir, int *n)
{
    List l = {a, NULL, 0};
    int i, before;

    for (i = 0; i < npacked; i++)
        if (str_starts(packed[i].path, "kern/") &&
            str_ends(packed[i].path, ".c"))
            add(&l, packed[i].path, packed[i].data);
    before = l.n;
    if (dir)
        add_folder(&l, dir, true);
    if (dir && l.n == before)
        err(ERR_USAGE, "--kernels %s: no kernel (*.c) there", dir);
    *n = l.n;
    return l.v;
}

/* --- does it take this node? --- */

static const Val *operand(const Kern *k, const KernSig *sig, const Node *n,
                          const char *name)
{
    int i;

    for (i = 0; i < sig->narg; i++)
        if (!strcmp(sig->arg[i].operand, name))
            return i < n->narg ? n->arg[i] : NULL;
    for (i = 0; i < sig->nres; i++)
        if (!strcmp(sig->res[i].operand, name))
            return i < n->nres ? n->res[i] : NULL;
    fail(k, "there is no operand '%s'", name);
}

static bool type_fits(const Kern *k, const KernSig *sig, const Node *n,
                      const KernType *t, const Val *v)
{
    const Val *same;

    if (!v)
        return true;
    if (!t->same)
        return t->types >> v->type & 1;
    same = operand(k, sig, n, t->same);
    return !same || same->type == v->type;
}

static bool sig_takes(const Kern *k, const KernSig *sig, const Node *n)
{
    const KernType *t;
    int i;

    for (i = 0; i < n->narg; i++) {
        t = n->op == OP_concat ? &sig->arg[0]
            : i < sig->narg    ? &sig->arg[i]
                               : NULL;
        if (!t ? n->arg[i] != NULL : !type_fits(k, sig, n, t, n->arg[i]))
            return false;
    }
    for (i = 0; i < n->nres; i++)
        if (i >= sig->nres || !type_fits(k, sig, n, &sig->res[i], n->res[i]))
            return false;
    return true;
}

const KernSig *kern_takes(const Kern *k, const Node *n)
{
    int i;

    for (i = 0; i < k->nop && k->op[i] != n->op; i++)
        ;
    if (i == k->nop)
        return NULL;
    for (i = 0; i < k->nsig; i++)
        if (sig_takes(k, &k->sig[i], n))
            return &k->sig[i];
    return NULL;
}

/* --- expressions ---
 *
 * Precedence climbing over C's binary operators; sums and products saturate. */

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
    fail(e->k, "expression '%s': %s at '%.20s'", e->all, what, e->s);
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
    v = operand(e->k, e->sig, e->n, text);
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
