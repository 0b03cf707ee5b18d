/* ops: the operators there are, as a table made from the reader's own. */
#include "cli/cli.h"

typedef struct Ops {
    List l;
    bool known; /* the name, if one was given */
} Ops;

static void put_ops(Json *j, const List *l)
{
    const Ops *o = (const Ops *)l;

    if (o->known)
        front_ops_json(j, l->name);
    else
        json_null(j);
}

int verb_ops(int argc, char **argv)
{
    Arena *a = arena_new();
    Ops *o = NEW(a, Ops); /* --json reads it at exit */
    Str out = {.mem = a};

    list_begin(a, &o->l, "ops", put_ops, argc, argv);
    front_ops(&out, o->l.name);
    o->known = true;
    list_show(&o->l, &out);
    return OK;
}
