/* How much code a network will have, before there is a compiler: what each of
 * its kernels took when kern/code.tsv was made (bench/code), of the tool chain
 * that the chip names; what these take of libraries, each part once; and the
 * rest, which grows with the calls of kernels. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6 };

typedef struct Table {
    Arena *mem;
    const char *at;           /* the next line of the tool chain's part */
    const char *field[FIELDS];
} Table;

typedef struct Names { /* of libraries' parts that are counted */
    Arena *mem;
    int n;
    const char **v;
} Names;

/* Cuts the next line; false at the end of the tool chain's part. */
static bool next_line(Table *t)
{
    size_t n = strcspn(t->at, "\n");
    char *s = arena_fmt(t->mem, "%.*s", (int)n, t->at);
    int i;

    if (!*s || str_starts(s, "toolchain"))
        return false;
    t->at += n + (t->at[n] == '\n');
    for (i = 0; i < FIELDS; i++) {
        t->field[i] = s;
        s += strcspn(s, "\t");
        if (*s)
            *s++ = 0;
    }
    return true;
}

/* The part of a chip's tool chain: "toolchain\tCC VERSION\tFLAGS\n..." */
static bool find_part(Table *t, const Soc *soc)
{
    const Item *it = soc_next(soc, "toolchain", NULL);
    const Packed *p = packed_find("kern/code.tsv");
    const char *cc = arena_fmt(t->mem, "toolchain\t%s ",
                               item_word(it, "cc", ""));
    const char *flags = arena_fmt(t->mem, "\t%s\n",
                                  item_word(it, "cflags", ""));
    const char *s = p ? p->data : NULL;

    for (; s; s = strstr(s + 1, "\ntoolchain\t")) {
        const char *line = s + (*s == '\n'), *tab;

        t->at = line + strcspn(line, "\n") + 1;
        tab = strchr(line + strlen("toolchain\t"), '\t');
        if (str_starts(line, cc) && tab && str_starts(tab, flags))
            return true;
    }
    return false;
}

static bool add_name(Names *l, const char *name, size_t n)
{
    int i;

    for (i = 0; i < l->n; i++)
        if (strlen(l->v[i]) == n && !strncmp(l->v[i], name, n))
            return false;
    GROW(l->mem, l->v, (size_t)l->n);
    l->v[l->n++] = arena_fmt(l->mem, "%.*s", (int)n, name);
    return true;
}

static void add_names(Names *l, const char *list)
{
    size_t n;

    for (; *list && strcmp(list, "-"); list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        add_name(l, list, n);
    }
}

/* The mean of the rows of a kernel with these types; NULL: of all types, of all
 * kernels.  False: there is none. */
static bool add_rows(Table t, const char *kernel, const char *types,
                     CodeSize *c, Names *libs)
{
    int64_t code = 0, consts = 0, n = 0;

    while (next_line(&t)) {
        if (strcmp(t.field[0], "kernel") ||
            (kernel && strcmp(t.field[1], kernel)) ||
            (types && strcmp(t.field[2], types)))
            continue;
        n++;
        code += atoll(t.field[3]);
        consts += atoll(t.field[4]);
        if (kernel)
            add_names(libs, t.field[5]);
    }
    c->kernels += code / MAX(1, n);
    c->constants += consts / MAX(1, n);
    return n > 0;
}

static void add_kernel(Table t, const Inst *in, CodeSize *c, Names *libs)
{
    const char *name = in->kern->name, *types = in->name + strlen(name) + 1;

    name = kern_is_shipped(in->kern) ? in->kern->base : NULL;
    if (name && (add_rows(t, name, types, c, libs) ||
                 add_rows(t, name, NULL, c, libs)))
        return;
    add_rows(t, NULL, NULL, c, libs);
    c->guessed++;
}

static void add_libraries(Table t, CodeSize *c, Names *libs)
{
    while (next_line(&t)) {
        if (strcmp(t.field[0], "library") ||
            add_name(libs, t.field[1], strlen(t.field[1])))
            continue;
        c->libraries += atoll(t.field[2]);
        c->constants += atoll(t.field[3]);
    }
}

static void add_rest(Table t, const Plan *p, CodeSize *c)
{
    const Program *q = p->program;
    double calls = q->team ? 0 : plan_calls(p); /* of a team they are data */

    while (next_line(&t)) {
        if (strcmp(t.field[0], "network"))
            continue;
        c->network += (int64_t)(atof(t.field[2]) * calls);
        c->runtime += (int64_t)atof(t.field[1]);
        c->constants += (int64_t)(atof(t.field[3]) +
                                  atof(t.field[4]) * calls);
    }
    c->constants += q->team ? program_bytes(q) : plan_dims_bytes(p);
}

CodeSize report_code(const Report *r)
{
    const Plan *p = r->plan;
    CodeSize c = {.code = -1, .flash = -1};
    Table t;
    Names libs;
    int i;

    if (!p || !p->program)
        return c;
    t = (Table){.mem = p->mem};
    libs = (Names){.mem = p->mem};
    if (!find_part(&t, p->soc))
        return c;
    for (i = 0; i < p->program->inst.n; i++)
        add_kernel(t, &p->program->inst.v[i], &c, &libs);
    add_libraries(t, &c, &libs);
    add_rest(t, p, &c);
    for (i = 0; i < p->soc->nmem; i++)
        c.weights += p->soc->mems[i].mapped ? p->consts[i] : 0;
    c.code = c.kernels + c.libraries + c.network + c.runtime;
    c.flash = c.code + c.constants + c.weights;
    return c;
}
