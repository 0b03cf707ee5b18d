/* targets: the chips there are. */
#include "cli/cli.h"

#include <math.h>

typedef struct Chips {
    List l;
    int n;         /* 0: nothing was found out */
    bool whole;    /* one was asked for: every line of its description */
    Soc *soc[64];
} Chips;

static void put_str(Json *j, const char *key, const char *v)
{
    json_key(j, key);
    json_str(j, v);
}

static void put_memory(Json *j, const Mem *m)
{
    json_obj(j);
    put_str(j, "name", m->name);
    json_key(j, "size");
    json_int(j, m->size);
    json_key(j, "level");
    json_int(j, m->level);
    json_key(j, "mapped");
    json_bool(j, m->mapped);
    json_end(j);
}

static void put_line(Json *j, const Item *it)
{
    const Key *k;

    json_obj(j);
    put_str(j, "kind", it->kind);
    put_str(j, "name", it->name);
    json_key(j, "keys");
    json_obj(j);
    for (k = it->keys; k; k = k->next) {
        json_key(j, k->name);
        json_str(j, k->value);
    }
    json_end(j);
    json_end(j);
}

static void put_lines(Json *j, const Soc *s)
{
    const Item *it;

    json_key(j, "lines");
    json_arr(j);
    for (it = s->items; it; it = it->next)
        put_line(j, it);
    json_end(j);
}

static void put_soc(Json *j, const Soc *s, bool whole)
{
    int i;

    json_obj(j);
    put_str(j, "name", s->name);
    put_str(j, "about", s->about);
    put_str(j, "run", s->run);
    put_str(j, "isa", s->isa);
    json_key(j, "cores");
    json_int(j, s->ncore);
    json_key(j, "mhz");
    json_num(j, s->mhz > 0 ? s->mhz : NAN);
    json_key(j, "memory");
    json_arr(j);
    for (i = 0; i < s->nmem; i++)
        put_memory(j, &s->mems[i]);
    json_end(j);
    if (whole)
        put_lines(j, s);
    json_end(j);
}

static void put_chips(Json *j, const List *l)
{
    const Chips *c = (const Chips *)l;
    int i;

    if (!c->n) {
        json_null(j);
        return;
    }
    json_arr(j);
    for (i = 0; i < c->n; i++)
        put_soc(j, c->soc[i], c->whole);
    json_end(j);
}

static void read_all(Chips *c, Arena *a)
{
    const char **name;

    for (name = soc_names(a); *name; name++)
        if (c->n < (int)LEN(c->soc))
            c->soc[c->n++] = soc_read(a, *name);
}

int verb_targets(int argc, char **argv)
{
    Arena *a = arena_new();
    Chips *c = NEW(a, Chips); /* --json reads it at exit */
    Str out = {.mem = a};
    int i;

    list_begin(a, &c->l, "targets", put_chips, argc, argv);
    if (c->l.name) {
        c->whole = true;
        c->soc[0] = soc_read(a, c->l.name);
        c->n = 1;
        soc_print(c->soc[0], &out);
    } else {
        read_all(c, a);
        for (i = 0; i < c->n; i++)
            str_fmt(&out, "%-14s %s\n", c->soc[i]->name, c->soc[i]->about);
    }
    list_show(&c->l, &out);
    return OK;
}
