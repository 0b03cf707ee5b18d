/* Prints a graph in its text form (text.c, doc/il.md): inputs, then the nodes
 * in order, each constant before its first reader, then the outputs. */
#include "ir/ir.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LIST_MAX = 64 };

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_./-", c));
}

/* Names that a reader cannot take for anything else need no quotes. */
static bool is_bare(const char *s)
{
    size_t n = 0;

    if (!strcmp(s, "_") || !strcmp(s, "output") || !strcmp(s, "graph") ||
        !strcmp(s, "number"))
        return false;
    while (name_char(s[n]))
        n++;
    return n && !s[n];
}

static void put_quoted(Str *o, const char *s)
{
    str_put(o, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            str_fmt(o, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            str_fmt(o, "\\x%02x", (unsigned)*s);
        else
            str_mem(o, s, 1);
    }
    str_put(o, "\"");
}

static void put_name(Str *o, const char *s)
{
    if (is_bare(s))
        str_put(o, s);
    else
        put_quoted(o, s);
}

static void put_type(Str *o, const Val *v)
{
    str_fmt(o, " : %s%s", type_info[v->type].name, shape_text(v->shape));
}

static void put_notes(Str *o, const Val *v)
{
    if (v->scale != 0)
        str_fmt(o, " scale %.17g zero %" PRId64, v->scale, v->zero);
}

static void put_input(Str *o, const Val *v)
{
    const TypeInfo *t = &type_info[v->type];

    put_name(o, v->name);
    str_put(o, " = input");
    put_type(o, v);
    if (v->lo != t->lo || v->hi != t->hi)
        str_fmt(o, " range %" PRId64 " %" PRId64, v->lo, v->hi);
    put_notes(o, v);
    str_put(o, "\n");
}

static bool all_finite(const Val *v)
{
    int64_t i, n = val_count(v);

    for (i = 0; i < n && v->type == T_f32; i++)
        if (!isfinite(val_num(v, i)))
            return false;
    return true;
}

static void put_elements(Str *o, const Val *v)
{
    int64_t i, n = val_count(v);

    str_put(o, " {");
    for (i = 0; i < n; i++) {
        if (i)
            str_put(o, ",");
        if (v->type == T_f32)
            str_fmt(o, "%.9g", val_num(v, i));
        else
            str_fmt(o, "%" PRId64, val_int(v, i));
    }
    str_put(o, "}");
}

static void put_blob(Str *o, const Val *v)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *p = v->data;
    int64_t i, n = val_bytes(v);
    char line[512];
    size_t k = 0;

    str_put(o, " #");
    for (i = 0; i < n; i++) {
        line[k++] = hex[p[i] >> 4];
        line[k++] = hex[p[i] & 15];
        if (k == sizeof line || i + 1 == n) {
            str_mem(o, line, k);
            k = 0;
        }
    }
}

static void put_const(Str *o, const Val *v)
{
    put_name(o, v->name);
    str_put(o, " = const");
    put_type(o, v);
    if (val_count(v) <= LIST_MAX && all_finite(v))
        put_elements(o, v);
    else
        put_blob(o, v);
    put_notes(o, v);
    str_put(o, "\n");
}

static void put_attr(Str *o, const Attr *a)
{
    int i;

    str_fmt(o, " %s=", attr_info[a->code].name);
    if (a->code == A_to)
        str_put(o, type_info[a->i].name);
    else if (attr_info[a->code].kind == INT)
        str_fmt(o, "%" PRId64, a->i);
    else if (attr_info[a->code].kind == FLOAT_)
        str_fmt(o, "%.17g", a->f);
    for (i = 0; i < a->n; i++)
        str_fmt(o, i ? ",%s" : "%s", size_text((Size){
            a->list[i], a->vary ? a->vary[i] : (Vary){NULL, 0}}));
}

static void put_node(Str *o, const Node *n)
{
    const Attr *a;
    int i;

    put_name(o, n->res[0]->name);
    str_fmt(o, " = %s", op_info[n->op].name);
    for (i = 0; i < n->narg; i++) {
        str_put(o, " ");
        if (n->arg[i])
            put_name(o, n->arg[i]->name);
        else
            str_put(o, "_");
    }
    for (a = n->attr; a; a = a->next)
        put_attr(o, a);
    if (strcmp(n->name, n->res[0]->name)) {
        str_put(o, " name=");
        put_quoted(o, n->name);
    }
    if (n->origin) {
        str_put(o, " from=");
        put_quoted(o, n->origin);
    }
    if (n->macs_removed || n->bytes_removed)
        str_fmt(o, " removed=%" PRId64 ",%" PRId64, n->macs_removed,
                n->bytes_removed);
    put_type(o, n->res[0]);
    put_notes(o, n->res[0]);
    str_put(o, "\n");
}

static void put_const_once(Str *o, const Val *v, bool *seen)
{
    if (!v || !v->data || v->def || seen[v->id])
        return;
    seen[v->id] = true;
    put_const(o, v);
}

static void put_outputs(const Graph *g, Str *o)
{
    int i;

    for (i = 0; i < g->nout; i++) {
        str_put(o, "output ");
        put_name(o, g->out[i]->name);
        if (g->out[i]->state) {
            str_put(o, " state ");
            put_name(o, g->out[i]->state->name);
        }
        str_put(o, "\n");
    }
}

/* Constants stand before their first reader. */
void graph_print(Graph *g, Str *o)
{
    Arena *a = arena_new();
    bool *seen = NEWN(a, bool, (size_t)graph_nval(g) + 1);
    const Val *v;
    const Node *n;
    int i;

    graph_number(g);
    str_put(o, "graph ");
    put_quoted(o, g->name);
    str_put(o, g->exact ? " exact" : "");
    str_put(o, g->settled ? " settled" : "");
    if (g->context)
        str_fmt(o, " context %" PRId64, g->context);
    if (g->hash)
        str_fmt(o, " hash %016" PRIx64, g->hash);
    str_put(o, "\n");
    for (i = 0; i < g->nnum; i++) {
        str_put(o, "number ");
        put_name(o, g->num[i]->name);
        str_fmt(o, " %" PRId64 " %" PRId64 "\n", g->num[i]->lo,
                g->num[i]->hi);
    }
    for (i = 0; i < g->nin; i++)
        put_input(o, g->in[i]);
    for (n = g->first; n; n = n->next) {
        for (i = 0; i < n->narg; i++)
            put_const_once(o, n->arg[i], seen);
        put_node(o, n);
    }
    for (v = g->vals; v; v = v->next)
        put_const_once(o, v, seen);
    put_outputs(g, o);
    arena_end(a);
}
