/* Run-time numbers in NAME.h and NAME.c: members of struct NAME, functions that
 * set them, and how sizes follow them, as expressions of C over variables that
 * are called as the numbers are. */
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

/* Names as words of C, none of them twice. */
static void name_numbers(Gen *g)
{
    const Graph *n = g->p->g;
    int i, k;

    g->number = NEWN(g->mem, const char *, MOST_NUMBERS);
    for (i = 0; i < n->nnum; i++) {
        g->number[i] = gen_word(g->mem, n->num[i]->name);
        for (k = 0; k < i; k++)
            if (!strcmp(g->number[k], g->number[i]))
                g->number[i] = arena_fmt(g->mem, "%s_%d", g->number[i], i);
    }
}

const char *const *gen_number_names(Gen *g)
{
    if (!g->number)
        name_numbers(g);
    return g->number;
}

static void count_at(void *arg, const int64_t *value, int64_t *y)
{
    *y = val_count_at(arg, value);
}

static unsigned numbers_of(const Val *v)
{
    unsigned set = 0;
    int i;

    for (i = 0; i < v->shape.rank; i++)
        if (v->shape.vary[i].num)
            set |= 1u << v->shape.vary[i].num->id;
    return set;
}

static void put_count(Gen *g, const Val *v, const char *const *name, Str *out)
{
    unsigned set = numbers_of(v);
    Poly *p = polys_fit(g->mem, g->p->g, set, 1, count_at,
                        (void *)(uintptr_t)v);

    if (!p)
        die("the size of %s is no polynomial", v->name);
    poly_put(p, name, out);
}

void gen_count(Gen *g, const Val *v, Str *out)
{
    put_count(g, v, gen_number_names(g), out);
}

/* "n, m": the numbers of a set; before: each has it in front. */
static void put_list(Gen *g, unsigned set, const char *before, Str *out)
{
    const char *const *name = gen_number_names(g);
    int i, n = 0;

    for (i = 0; i < g->p->g->nnum; i++)
        if (set >> i & 1)
            str_fmt(out, "%s%s%s", n++ ? ", " : "", before, name[i]);
}

/* COUNT_AT of an input or output, whose macros begin with p. */
void gen_count_at(Gen *g, const char *p, const Val *v, Str *out)
{
    unsigned set = numbers_of(v);
    const char *name[MOST_NUMBERS] = {NULL};
    int i;

    if (!set)
        return;
    for (i = 0; i < g->p->g->nnum; i++)
        name[i] = arena_fmt(g->mem, "(%s)", gen_number_names(g)[i]);
    str_fmt(out, "%sCOUNT_AT(", p);
    put_list(g, set, "", out);
    str_put(out, ") (");
    put_count(g, v, name, out);
    str_put(out, ") /* COUNT and BYTES are the most */\n");
}

void gen_number_macros(Gen *g, Str *out)
{
    const Graph *n = g->p->g;
    int i;

    for (i = 0; i < n->nnum; i++) {
        const char *c = gen_caps(g->mem, gen_number_names(g)[i]);

        str_fmt(out, "#define %s_%s_LEAST %" PRId64 "\n"
                "#define %s_%s_MOST %" PRId64 "\n", g->caps, c,
                n->num[i]->lo, g->caps, c, n->num[i]->hi);
    }
}

void gen_number_member(Gen *g, Str *out)
{
    if (g->p->g->nnum)
        str_fmt(out, "    int32_t number[%d]; /* run-time numbers */\n",
                g->p->g->nnum);
}

void gen_number_header(Gen *g, Str *out)
{
    const Graph *n = g->p->g;
    int i;

    if (!n->nnum)
        return;
    str_fmt(out, "/* Run-time numbers, which sizes of inputs and outputs follow"
            " (COUNT_AT): a run\n * takes the time they say.  They hold until"
            " they are set again; %s_init sets the\n * greatest.  0: done;"
            " 1: it is out of LEAST .. MOST, and nothing changes. */\n",
            g->name);
    for (i = 0; i < n->nnum; i++)
        str_fmt(out, "int %s_set_%s(struct %s *net, int32_t value);\n",
                g->name, gen_number_names(g)[i], g->name);
    str_put(out, "\n");
}

void gen_number_setters(Gen *g, Str *out)
{
    const Graph *n = g->p->g;
    int i;

    for (i = 0; i < n->nnum; i++)
        str_fmt(out, "\nint %s_set_%s(struct %s *net, int32_t value)\n{\n"
                "    if ((value < %" PRId64 ") || (value > %" PRId64 ")) {\n"
                "        return 1;\n    }\n    net->number[%d] = value;\n"
                "    return 0;\n}\n", g->name, gen_number_names(g)[i],
                g->name, n->num[i]->lo, n->num[i]->hi, i);
}

void gen_number_init(Gen *g, Str *out)
{
    int i;

    for (i = 0; i < g->p->g->nnum; i++)
        str_fmt(out, "    net->number[%d] = %" PRId64 ";\n", i,
                g->p->g->num[i]->hi);
}

/* Variables for the numbers of a set. */
void gen_number_locals(Gen *g, unsigned set, Str *out)
{
    int i;

    for (i = 0; i < g->p->g->nnum; i++)
        if (set >> i & 1)
            str_fmt(out, "    const int32_t %s = net->number[%d];\n",
                    gen_number_names(g)[i], i);
}

/* Its bytes of an input or output: a function where some follow numbers. */
bool gen_ends_vary(const Gen *g, bool in)
{
    const Graph *n = g->p->g;
    int i;

    for (i = 0; i < (in ? n->nin : n->nout); i++)
        if (shape_varies((in ? n->in : n->out)[i]->shape))
            return true;
    return false;
}

void gen_ends_bytes(Gen *g, bool in, Str *out)
{
    const Graph *n = g->p->g;
    Val *const *v = in ? n->in : n->out;
    const char *one = in ? "input" : "output";
    unsigned set = 0;
    int i;

    for (i = 0; i < (in ? n->nin : n->nout); i++)
        set |= numbers_of(v[i]);
    str_fmt(out, "\nstatic int32_t %s_bytes(const struct %s *net, int i)\n"
            "{\n", one, g->name);
    gen_number_locals(g, set, out);
    str_put(out, "\n    switch (i) {\n");
    for (i = 0; i < (in ? n->nin : n->nout); i++) {
        if (!numbers_of(v[i]))
            continue;
        str_fmt(out, "    case %d: return %d * (", i,
                type_info[v[i]->type].bytes);
        gen_count(g, v[i], out);
        str_put(out, ");\n");
    }
    str_fmt(out, "    default: return %ss[i].bytes;\n    }\n}\n", one);
}

/* ---- layers ---- */

/* The field that word `at` of the dims belongs to. */
static const Field *field_at(const DimsInfo *d, int at)
{
    int i;

    for (i = 0; i + 1 < d->nfield && d->field[i + 1].offset <= 4 * at; i++)
        ;
    return &d->field[i];
}

/* What the kernel is told, as the numbers are now. */
void gen_follow(Gen *g, const Step *s, const char *to, Str *out)
{
    const DimsInfo *d = dims_of(s->node->op);
    int i;

    for (i = 0; i < s->nfollow; i++) {
        const Field *f = field_at(d, s->follow[i].at);

        str_fmt(out, "%s%s", to, f->name);
        if (f->kind == 'A')
            str_fmt(out, "[%d]", s->follow[i].at - f->offset / 4);
        str_put(out, " = ");
        poly_put(&s->follow[i].is, gen_number_names(g), out);
        str_put(out, ";\n");
    }
}

unsigned gen_follow_set(const Step *s)
{
    return s->nfollow ? node_numbers(s->node) : 0;
}

/* A size that is 0 at the least or at the greatest value. */
static bool may_be_none(Size z, int64_t *rest)
{
    const Number *k = z.vary.num;

    if (!k)
        return false;
    *rest = z.n - z.vary.by * k->now;
    return !(*rest + z.vary.by * k->lo) || !(*rest + z.vary.by * k->hi);
}

/* "n == 0", or "(n * 2) == 4". */
static void put_none(Gen *g, Size z, int64_t rest, Str *out)
{
    const char *name = gen_number_names(g)[z.vary.num->id];

    if (z.vary.by != 1)
        str_fmt(out, "(%s * %" PRId64 ")", name, z.vary.by);
    else
        str_put(out, name);
    str_fmt(out, " == %" PRId64, -rest);
}

void gen_if_none(Gen *g, const Step *s, const char *what, Str *out)
{
    const Val *v = s->node->op == OP_concat ? s->node->arg[s->part]
                                            : s->node->res[0];
    Str all = {.mem = g->mem};
    int64_t rest;
    int i, n = 0;

    for (i = 0; i < v->shape.rank; i++) {
        Size z = size_at(v->shape, i);

        if (!may_be_none(z, &rest))
            continue;
        str_put(&all, n++ ? ") || (" : "");
        put_none(g, z, rest, &all);
    }
    if (n)
        str_fmt(out, n > 1 ? "    if ((%s)) {\n        %s\n    }\n"
                           : "    if (%s) {\n        %s\n    }\n",
                all.s, what);
}
