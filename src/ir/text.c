/* The text form: reads what print.c prints, and makes the same graph of it.
 *
 *     graph "net" exact
 *     x = input : s8[1,3,8,8] range -100 100 scale 0.5 zero 3
 *     w = const : s8[2,3,1,1] {1,2,3,-1,-2,-3}
 *     y = conv x w _ stride=2,2 name="Conv_0" from="Conv" : s32[1,2,4,4]
 *     output y
 *
 * A line per value.  `_` is an absent operand; a constant of more than 64
 * elements is `#` and its bytes in hexadecimal.  Type and shape behind a node
 * may be left out; where they stand they must be what is inferred.  Lines that
 * begin with # are comments.  doc/il.md has the whole grammar. */
#include "ir/ir.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_./-", c));
}

typedef struct Reader {
    Graph *g;
    const char *s;
    int line;
    bool quoted; /* the last word was */
} Reader;

static _Noreturn void fail(const Reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static _Noreturn void fail(const Reader *r, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    err(ERR_MODEL, "line %d: %s", r->line, text);
}

/* What is next on the line, for %.*s. */
#define NEAR(r) (int)MIN(strcspn((r)->s, "\n"), 20), (r)->s

static void blanks(Reader *r)
{
    while (*r->s == ' ' || *r->s == '\t' || *r->s == '\r')
        r->s++;
}

static bool at_end(Reader *r)
{
    blanks(r);
    return !*r->s || *r->s == '\n';
}

static int hex_digit(const Reader *r, char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    fail(r, "'%c' is not a hexadecimal digit", c);
}

static char *read_quoted(Reader *r)
{
    Str b = {.mem = r->g->mem};
    char c;

    str_put(&b, "");
    for (r->s++; *r->s != '"'; r->s++) {
        c = *r->s;
        if (!c || c == '\n')
            fail(r, "the line ends inside quotes");
        if (c == '\\') {
            c = *++r->s;
            if (c == 'x') {
                c = (char)(hex_digit(r, r->s[1]) << 4);
                c = (char)(c | hex_digit(r, r->s[2]));
                r->s += 2;
            }
            if (!c || c == '\n')
                fail(r, "the line ends inside quotes");
        }
        str_mem(&b, &c, 1);
    }
    r->s++;
    return b.s;
}

/* A quoted name, or what stands up to a blank or one of : = { #. */
static char *read_word(Reader *r)
{
    const char *start;
    char *w;
    size_t n;

    if (at_end(r))
        fail(r, "the line ends too early");
    r->quoted = *r->s == '"';
    if (r->quoted)
        return read_quoted(r);
    start = r->s;
    while (name_char(*r->s))
        r->s++;
    n = (size_t)(r->s - start);
    if (!n)
        fail(r, "unexpected '%c'; names with odd characters are quoted",
             *r->s);
    w = arena_get(r->g->mem, n + 1, 1);
    return memcpy(w, start, n);
}

/* Names of letters, digits, _ and ., or in quotes: + and - stand for
 * themselves. */
static char *read_number_name(Reader *r)
{
    size_t n = 0;
    char *w;

    if (*r->s == '"')
        return read_quoted(r);
    while (isalnum((unsigned char)r->s[n]) || r->s[n] == '_' ||
           r->s[n] == '.')
        n++;
    if (!n)
        fail(r, "a size was wanted: 64, n, or 2*n+1");
    w = arena_get(r->g->mem, n + 1, 1);
    memcpy(w, r->s, n);
    r->s += n;
    return w;
}

static bool take(Reader *r, char c)
{
    blanks(r);
    if (*r->s != c)
        return false;
    r->s++;
    return true;
}

static void need(Reader *r, char c)
{
    if (!take(r, c))
        fail(r, "'%c' was wanted at '%.*s'", c, NEAR(r));
}

static int64_t read_int(Reader *r)
{
    char *end;
    int64_t v;

    blanks(r);
    errno = 0;
    v = strtoll(r->s, &end, 10);
    if (end == r->s || errno)
        fail(r, "a 64-bit number was wanted at '%.*s'", NEAR(r));
    r->s = end;
    return v;
}

static double read_num(Reader *r)
{
    char *end;
    double v;

    blanks(r);
    v = strtod(r->s, &end);
    if (end == r->s)
        fail(r, "a number was wanted at '%.*s'", NEAR(r));
    r->s = end;
    return v;
}

static Type find_type(const Reader *r, const char *name)
{
    int t;

    for (t = 1; t < NTYPE; t++)
        if (!strcmp(type_info[t].name, name))
            return (Type)t;
    fail(r, "unknown type '%s'", name);
}

static bool is_sign(const Reader *r)
{
    return *r->s == '+' || *r->s == '-';
}

/* 64, n, n-1, 2*n+1 */
static Size read_size(Reader *r)
{
    const int64_t most = INT32_MAX;
    const Number *k;
    Size s = size_const(1);
    const char *word;
    int64_t more;

    blanks(r);
    if (isdigit((unsigned char)*r->s) || is_sign(r)) {
        s = size_const(read_int(r));
        if (!take(r, '*'))
            return s;
    }
    word = read_number_name(r);
    k = graph_number_find(r->g, word);
    if (!k)
        fail(r, "there is no run-time number '%s' before this line", word);
    more = is_sign(r) ? read_int(r) : 0;
    if (s.n < -most || s.n > most || more < -most || more > most)
        fail(r, "a size that follows a number has factors of 32 bits");
    return (Size){s.n * k->now + more, {k, s.n}};
}

static Shape read_shape(Reader *r)
{
    Shape s = {.rank = 0};

    need(r, '[');
    while (!take(r, ']')) {
        if (s.rank)
            need(r, ',');
        if (s.rank == RANK)
            fail(r, "more than %d dimensions", RANK);
        shape_put(&s, s.rank, read_size(r));
        s.rank++;
    }
    return s;
}

static bool is_word(const Reader *r, const char *w)
{
    size_t n = strlen(w);

    return !strncmp(r->s, w, n) && !name_char(r->s[n]);
}

static bool take_word(Reader *r, const char *w)
{
    blanks(r);
    if (!is_word(r, w))
        return false;
    r->s += strlen(w);
    return true;
}

static void read_notes(Reader *r, Val *v)
{
    while (!at_end(r)) {
        if (take_word(r, "range")) {
            v->lo = read_int(r);
            v->hi = read_int(r);
            if (v->lo > v->hi || v->lo < type_info[v->type].lo ||
                v->hi > type_info[v->type].hi)
                fail(r, "a range that %s does not hold",
                     type_info[v->type].name);
        } else if (take_word(r, "scale")) {
            v->scale = read_num(r);
        } else if (take_word(r, "zero")) {
            v->zero = read_int(r);
        } else {
            fail(r, "range, scale or zero was wanted at '%.*s'", NEAR(r));
        }
    }
}

static Val *find_val(Reader *r, const char *name)
{
    Val *v = graph_find(r->g, name);

    if (!v)
        fail(r, "there is no value '%s' before this line", name);
    return v;
}

static void read_input(Reader *r, const char *name)
{
    Type t;
    Val *v;

    need(r, ':');
    t = find_type(r, read_word(r));
    v = graph_val(r->g, name, t, read_shape(r));
    read_notes(r, v);
    graph_input(r->g, v);
}

static void read_elements(Reader *r, Val *v)
{
    int64_t i, n = val_count(v), x;

    for (i = 0; i < n; i++) {
        if (i)
            need(r, ',');
        if (v->type == T_f32) {
            ((float *)v->data)[i] = (float)read_num(r);
            continue;
        }
        x = read_int(r);
        val_set(v, i, x);
        if (val_int(v, i) != x)
            fail(r, "%" PRId64 " does not fit %s", x,
                 type_info[v->type].name);
    }
    need(r, '}');
}

static void read_blob(Reader *r, Val *v)
{
    unsigned char *p = v->data;
    int64_t i, n = val_bytes(v);

    for (i = 0; i < n; i++, r->s += 2) {
        p[i] = (unsigned char)(hex_digit(r, r->s[0]) << 4);
        p[i] = (unsigned char)(p[i] | hex_digit(r, r->s[1]));
    }
}

/* Is there text enough for the elements?  Asked before memory is. */
static void check_length(const Reader *r, Type t, Shape s)
{
    int64_t n = shape_count(s), least = 2 * n - 1;

    if (*r->s == '#')
        least = 2 * n * type_info[t].bytes;
    if (n && (int64_t)strcspn(r->s, "\n") < least)
        fail(r, "%" PRId64 " elements were wanted", n);
}

/* Does an axis vary before which others lie? */
static bool varies_within(Shape s)
{
    int i;

    for (i = 1; i < s.rank && !s.vary[i].num; i++)
        ;
    return i < s.rank;
}

static void read_const(Reader *r, const char *name)
{
    Graph *g = r->g;
    Type t;
    Shape s;
    Val *v, *w;

    need(r, ':');
    t = find_type(r, read_word(r));
    s = read_shape(r);
    if (varies_within(s))
        fail(r, "a constant of which another axis than the first varies");
    blanks(r);
    check_length(r, t, s);
    v = NEW(g->mem, Val);
    v->type = t;
    v->shape = s;
    v->name = name;
    v->data = arena_get(g->mem, (size_t)MAX(val_bytes(v), 1), 1);
    if (take(r, '{'))
        read_elements(r, v);
    else if (take(r, '#'))
        read_blob(r, v);
    else
        fail(r, "elements were wanted: {1,2,...} or #hex");
    w = graph_const(g, name, t, s, v->data);
    read_notes(r, w);
}

static OpCode find_op(const Reader *r, const char *name)
{
    int op;

    for (op = 1; op < NOP; op++)
        if (!strcmp(op_info[op].name, name))
            return (OpCode)op;
    fail(r, "unknown operator '%s'", name);
}

static AttrCode find_attr(const Reader *r, const Node *n, const char *name)
{
    int c;

    for (c = 1; c < NATTR; c++)
        if (!strcmp(attr_info[c].name, name) && op_has_attr(n->op, c))
            return (AttrCode)c;
    fail(r, "%s has no attribute '%s'", op_info[n->op].name, name);
}

static void read_list(Reader *r, Node *n, AttrCode c)
{
    int64_t v[2 * RANK] = {0};
    Shape s = {.rank = 0};
    int len = 0;

    if (*r->s == ' ' || at_end(r)) {
        attr_set_list(r->g, n, c, 0, v);
        return;
    }
    do {
        Size k = read_size(r);

        if (len == LEN(v))
            fail(r, "more than %d numbers", (int)LEN(v));
        if (len < RANK)
            shape_put(&s, s.rank++, k);
        v[len++] = k.n;
    } while (take(r, ','));
    if (shape_varies(s) && (c == A_shape || c == A_start || c == A_count))
        attr_set_shape(r->g, n, c, s);
    else if (shape_varies(s))
        fail(r, "%s follows no run-time number", attr_info[c].name);
    else
        attr_set_list(r->g, n, c, len, v);
}

static void read_attr(Reader *r, Node *n, const char *name)
{
    AttrCode c = find_attr(r, n, name);

    if (c == A_to)
        attr_set_int(r->g, n, c, find_type(r, read_word(r)));
    else if (attr_info[c].kind == INT)
        attr_set_int(r->g, n, c, read_int(r));
    else if (attr_info[c].kind == FLOAT_)
        attr_set_num(r->g, n, c, read_num(r));
    else
        read_list(r, n, c);
}

static void read_key(Reader *r, Node *n, const char *key)
{
    if (!strcmp(key, "name")) {
        node_rename(r->g, n, read_word(r));
    } else if (!strcmp(key, "from")) {
        n->origin = read_word(r);
    } else if (!strcmp(key, "removed")) {
        n->macs_removed = read_int(r);
        need(r, ',');
        n->bytes_removed = read_int(r);
    } else {
        read_attr(r, n, key);
    }
}

/* Operands up to the first key=value or the type; returns that key. */
static char *read_args(Reader *r, Val ***arg, int *narg)
{
    char *w;

    for (;;) {
        blanks(r);
        if (at_end(r) || *r->s == ':')
            return NULL;
        w = read_word(r);
        if (!r->quoted && *r->s == '=')
            return w;
        GROW(r->g->mem, *arg, (size_t)*narg);
        (*arg)[(*narg)++] =
            !r->quoted && !strcmp(w, "_") ? NULL : find_val(r, w);
    }
}

static void read_keys(Reader *r, Node *n, const char *key)
{
    while (key) {
        need(r, '=');
        read_key(r, n, key);
        key = at_end(r) || *r->s == ':' ? NULL : read_word(r);
    }
}

/* What is declared must be what was inferred. */
static void read_declared(Reader *r, Val *v)
{
    Type t;
    Shape s;

    if (!take(r, ':'))
        return;
    t = find_type(r, read_word(r));
    s = read_shape(r);
    if (t != v->type || !shape_same(s, v->shape))
        fail(r, "'%s' is %s%s, not %s%s", v->name, type_info[v->type].name,
             shape_str(r->g->mem, v->shape), type_info[t].name,
             shape_str(r->g->mem, s));
    read_notes(r, v);
}

static void read_node(Reader *r, const char *name, const char *op)
{
    OpCode code = find_op(r, op);
    Val **arg = NULL;
    int narg = 0;
    char *key = read_args(r, &arg, &narg);
    Node *n = graph_node(r->g, NULL, code, name, narg, arg);

    read_keys(r, n, key);
    node_infer(r->g, n);
    read_declared(r, n->res[0]);
}

static void read_output(Reader *r)
{
    Val *v = find_val(r, read_word(r));

    if (take_word(r, "state"))
        v->state = find_val(r, read_word(r));
    if (v->state && (v->state->type != v->type ||
                     !shape_same(v->state->shape, v->shape)))
        fail(r, "'%s' cannot be the next '%s': they differ in type or shape",
             v->name, v->state->name);
    graph_output(r->g, v);
}

static void read_header(Reader *r)
{
    r->g->name = read_word(r);
    r->g->exact = take_word(r, "exact");
    r->g->settled = take_word(r, "settled");
    if (take_word(r, "context"))
        r->g->context = read_int(r);
    if (take_word(r, "hash")) {
        char *end;

        blanks(r);
        r->g->hash = strtoull(r->s, &end, 16);
        r->s = end;
    }
}

/* number NAME LO HI */
static void read_number(Reader *r)
{
    const char *name = read_word(r);
    int64_t lo = read_int(r), hi = read_int(r);

    if (graph_number_find(r->g, name))
        fail(r, "run-time number '%s' is already there", name);
    graph_number_new(r->g, name, lo, hi);
}

static void read_line(Reader *r)
{
    char *name = read_word(r), *op;
    bool quoted = r->quoted;

    if (!take(r, '=')) {
        if (!quoted && !strcmp(name, "graph"))
            read_header(r);
        else if (!quoted && !strcmp(name, "output"))
            read_output(r);
        else if (!quoted && !strcmp(name, "number"))
            read_number(r);
        else
            fail(r, "'=' was wanted behind '%s'", name);
        return;
    }
    if (graph_find(r->g, name))
        fail(r, "'%s' is already there", name);
    op = read_word(r);
    if (!strcmp(op, "input"))
        read_input(r, name);
    else if (!strcmp(op, "const"))
        read_const(r, name);
    else
        read_node(r, name, op);
}

bool graph_is_text(const void *p, size_t n)
{
    const char *s = p;
    size_t i = 0;

    while (i < n && (s[i] == '#' || s[i] == '\n')) {
        while (i < n && s[i] != '\n')
            i++;
        i += i < n;
    }
    return n - i > 6 && !strncmp(s + i, "graph ", 6);
}

Graph *graph_parse(Arena *mem, const char *file, const char *text)
{
    Reader r = {graph_new(mem, ""), text, 1, false};

    r.g->file = file;
    err_file(file);
    for (; *r.s; r.s += *r.s == '\n', r.line++) {
        if (*r.s == '#') {
            r.s += strcspn(r.s, "\n");
            continue;
        }
        if (!at_end(&r))
            read_line(&r);
        if (!at_end(&r))
            fail(&r, "unexpected '%.*s'", NEAR(&r));
    }
    return r.g;
}
