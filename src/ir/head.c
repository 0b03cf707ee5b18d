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
 * A line that begins with blanks continues the value before.  `let NAME = EXPR`
 * names a part of the expressions that follow, and `param NAME VALUE VALUE...`
 * a number that may be one of these: a variant of the kernel each.  Types of an
 * operand: a type's name, `int`, `any`, `none` (absent), several with `|`, or
 * `=x`, the type of operand x. */
#include "ir/ir.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void kern_err(const Kern *k, const char *fmt, ...)
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
        kern_err(k, "types: unknown type '%.*s'", (int)n, name);
    return set;
}

static KernType parse_type(Arena *a, const Kern *k, char *w)
{
    KernType t = {w, 0, NULL};
    char *s = strchr(w, ':');
    size_t n;

    if (!s || s == w)
        kern_err(k, "types: operand:type was wanted, not '%s'", w);
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
        kern_err(k, "more than %d lines of types", (int)LEN(k->sig));
    while ((w = next_word(a, &s)) && strcmp(w, "->")) {
        if (sig->narg == NARG)
            kern_err(k, "more than %d operands", NARG);
        sig->arg[sig->narg++] = parse_type(a, k, w);
    }
    while ((w = next_word(a, &s))) {
        if (sig->nres == NRES)
            kern_err(k, "more than %d results", NRES);
        sig->res[sig->nres++] = parse_type(a, k, w);
    }
    if (!sig->nres)
        kern_err(k, "types: '-> result:type' is missing");
}

static void parse_ops(Arena *a, Kern *k, const char *s)
{
    char *w;
    int op;

    while ((w = next_word(a, &s))) {
        for (op = 1; op < NOP && strcmp(op_info[op].name, w); op++)
            ;
        if (op == NOP)
            kern_err(k, "op: unknown operator '%s'", w);
        if (k->nop == (int)LEN(k->op))
            kern_err(k, "more than %d operators", (int)LEN(k->op));
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
    {"split", offsetof(Kern, split)},     {"code", offsetof(Kern, code)},
    {"cold", offsetof(Kern, cold)},       {"round", offsetof(Kern, round)},
    {"engine", offsetof(Kern, engine)},   {"words", offsetof(Kern, words)},
    {"reads", offsetof(Kern, reads)},     {"most", offsetof(Kern, most)},
    {"ahead", offsetof(Kern, ahead)},     {"serves", offsetof(Kern, serves)},
    {"asks", offsetof(Kern, asks)},       {"direct", offsetof(Kern, direct)},
};

/* NAME = EXPR */
static void parse_let(Arena *a, Kern *k, const char *s)
{
    KernLet *let = &k->let[k->nlet];
    char *name = next_word(a, &s), *is = next_word(a, &s);
    int i;

    if (!is || strcmp(is, "=") || strcmp(name, str_ident(a, name)))
        kern_err(k, "let: NAME = EXPRESSION was wanted");
    for (i = 0; i < k->nlet; i++)
        if (!strcmp(k->let[i].name, name))
            kern_err(k, "let: a second '%s'", name);
    if (k->nlet++ == (int)LEN(k->let))
        kern_err(k, "more than %d lines of let", (int)LEN(k->let));
    *let = (KernLet){name, s + strspn(s, " ")};
}

/* NAME VALUE VALUE... */
static void parse_param(Arena *a, Kern *k, const char *s)
{
    KernParam *p = &k->param[k->nparam];
    char *w, *end;

    if (k->nparam++ == (int)LEN(k->param))
        kern_err(k, "more than %d lines of param", (int)LEN(k->param));
    *p = (KernParam){next_word(a, &s), 0, {0}};
    while ((w = next_word(a, &s))) {
        if (p->n == (int)LEN(p->value))
            kern_err(k, "param: more than %d values", (int)LEN(p->value));
        p->value[p->n++] = strtoll(w, &end, 0);
        if (*end)
            kern_err(k, "param: '%s' is no number", w);
    }
    if (!p->n || strcmp(p->name, str_ident(a, p->name)))
        kern_err(k, "param: NAME VALUE VALUE... was wanted");
}

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
    if (!strcmp(key, "let")) {
        parse_let(a, k, value);
        return;
    }
    if (!strcmp(key, "param")) {
        parse_param(a, k, value);
        return;
    }
    for (i = 0; i < LEN(texts); i++)
        if (!strcmp(texts[i].key, key)) {
            *(const char **)((char *)k + texts[i].at) = value;
            return;
        }
    kern_err(k, "unknown key '%s' in the head", key);
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

/* The rows of kernel `name` in kern/fit.tsv, which lie together. */
static const char *fit_of(Arena *a, const char *name)
{
    const Packed *p = packed_find("kern/fit.tsv");
    const char *at = p ? strstr(p->data, arena_fmt(a, "\n%s\t", name)) : NULL;

    return at ? at + 1 : NULL;
}

/* A name has one meaning: those of `let` and `param` are not others too. */
static void check_name(const Kern *k, const char *key, const char *name)
{
    static const char *const taken[] = {"ncore", "room", "min", "max", "ceil", "has",
                                        "fit", "acc", "scaled", "round"};
    const DimsInfo *info = dims_of(k->op[0]);
    bool other = false;
    int j;

    for (j = 0; j < (int)LEN(taken); j++)
        other = other || !strcmp(taken[j], name);
    for (j = 0; info && j < info->nfield; j++)
        other = other || !strcmp(info->field[j].name, name);
    if (other)
        kern_err(k, "%s: '%s' means something else already", key, name);
}

static void check_names(const Kern *k)
{
    int i, j;

    for (i = 0; i < k->nlet; i++)
        check_name(k, "let", k->let[i].name);
    for (i = 0; i < k->nparam; i++) {
        check_name(k, "param", k->param[i].name);
        for (j = 0; j < i; j++)
            if (!strcmp(k->param[j].name, k->param[i].name))
                kern_err(k, "param: a second '%s'", k->param[i].name);
        for (j = 0; j < k->nlet; j++)
            if (!strcmp(k->let[j].name, k->param[i].name))
                kern_err(k, "param: '%s' is a `let` too", k->param[i].name);
    }
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
            kern_err(k, "inplace: there is no operand '%s'", w);
    }
}

/* Combinations of parameters; the first is the default. */
static int variants(const Kern *k)
{
    int i, n = 1;

    for (i = 0; i < k->nparam; i++)
        n *= k->param[i].n;
    return n;
}

static void set_variant(Arena *a, Kern *k, int number)
{
    int i, at;

    k->base = k->name;
    for (i = 0; i < k->nparam; i++, number /= k->param[i - 1].n) {
        at = number % k->param[i].n;
        k->set[i] = k->param[i].value[at];
        if (at)
            k->name = str_ident(a, arena_fmt(a, "%s_%s%lld", k->name,
                                             k->param[i].name,
                                             (long long)k->set[i]));
    }
}

bool kern_is_variant(const Kern *k)
{
    return strcmp(k->name, k->base) != 0;
}

void kern_put_params(const Kern *k, Str *out)
{
    int i;

    for (i = 0; i < k->nparam; i++)
        str_fmt(out, "#define %s %lld\n", k->param[i].name,
                (long long)k->set[i]);
}

static Kern *parse(Arena *a, struct Terms *terms, const char *path,
                   const char *text, int number)
{
    Kern *k = NEW(a, Kern);

    k->path = path;
    k->text = text;
    k->exprs = NEW(a, struct Exprs);
    k->exprs->terms = terms;
    k->name = str_ident(a, name_of(a, path));
    k->fit = fit_of(a, k->name);
    k->isa = k->inplace = "";
    k->layout = "any";
    if (strncmp(text, "/*", 2))
        kern_err(k, "the file does not begin with a comment, its head");
    parse_lines(a, k, text + 2);
    if (!k->nop)
        kern_err(k, "the head has no line `op`");
    if (!k->nsig)
        kern_err(k, "the head has no line `types`");
    check_inplace(a, k);
    check_names(k);
    set_variant(a, k, number);
    return k;
}

Kern *kern_parse(Arena *a, const char *path, const char *text)
{
    return parse(a, terms_new(a), path, text, 0);
}

/* --- all there are --- */

typedef struct List {
    Arena *a;
    struct Terms *terms;
    Kern **v;
    int n;
} List;

static void add(List *l, const char *path, const char *text)
{
    int i = 0;

    do {
        GROW(l->a, l->v, (size_t)l->n);
        l->v[l->n++] = parse(l->a, l->terms, path, text, i);
    } while (++i < variants(l->v[l->n - 1]));
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
    List l = {a, terms_new(a), NULL, 0};
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
    for (i = before; i < l.n; i++)
        kern_check(l.v[i]);
    *n = l.n;
    return l.v;
}

/* --- does it take this node? --- */

int kern_position(const Kern *k, const KernSig *sig, const char *name)
{
    const KernSig *other;
    int i;

    for (i = 0; i < sig->narg; i++)
        if (!strcmp(sig->arg[i].operand, name))
            return i;
    for (i = 0; i < sig->nres; i++)
        if (!strcmp(sig->res[i].operand, name))
            return NARG + i;
    for (other = k->sig; other != k->sig + k->nsig; other++)
        for (i = sig->narg; i < other->narg; i++)
            if (!strcmp(other->arg[i].operand, name))
                return i;
    kern_err(k, "there is no operand '%s'", name);
}

bool kern_counts_cores(const Kern *k)
{
    bool says = k->cycles && strstr(k->cycles, "ncore");
    int i;

    for (i = 0; i < k->nlet; i++)
        says = says || strstr(k->let[i].text, "ncore");
    return says;
}

bool kern_serves(const Kern *k, const Kern *of)
{
    return k->serves && of->serves && !strcmp(k->serves, of->serves);
}

const Val *kern_at(const Node *n, int position)
{
    if (position >= NARG)
        return position - NARG < n->nres ? n->res[position - NARG] : NULL;
    return position < n->narg ? n->arg[position] : NULL;
}

static bool type_fits(const Kern *k, const KernSig *sig, const Node *n,
                      const KernType *t, const Val *v)
{
    const Val *same;

    if (!v)
        return true;
    if (!t->same)
        return t->types >> v->type & 1;
    same = kern_at(n, kern_position(k, sig, t->same));
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

/* Is the node's way of rounding in the head's line `round`, 0 if it has none?
 * Each is a digit. */
static bool rounds_so(const Kern *k, const Node *n)
{
    int round = node_round(n);

    return k->round ? strchr(k->round, '0' + round) != NULL : !round;
}

const KernSig *kern_takes(const Kern *k, const Node *n)
{
    int i;

    for (i = 0; i < k->nop && k->op[i] != n->op; i++)
        ;
    if (i == k->nop || !rounds_so(k, n))
        return NULL;
    for (i = 0; i < k->nsig; i++)
        if (sig_takes(k, &k->sig[i], n))
            return &k->sig[i];
    return NULL;
}
