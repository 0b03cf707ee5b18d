/* What reading a model of any format comes with.
 *
 * Problems: a node that is refused is remembered, with the reason, and reading
 * goes on, so that all problems are told together at the end.  States: outputs
 * that become inputs of the next run. */
#include "front/build.h"

#include <setjmp.h>
#include <string.h>

enum { SHOWN = 1900 }; /* bytes of problems in one message */

/* The node is told apart, too: the first one goes to --json. */
void problem(Reading *r, const char *node, const char *what)
{
    if (!r->bad_node)
        r->bad_node = node;
    if (r->nbad++)
        str_put(&r->bad, "\n  ");
    str_put(&r->bad, what);
}

static jmp_buf *refused;

static void jump(const Trouble *t)
{
    (void)t;
    longjmp(*refused, 1);
}

/* The last message, of the user's node where it names one of ours. */
static const char *message(const Call *c)
{
    char *ours = arena_fmt(c->mem, "node '%s/", c->name);
    const char *rest = strchr(trouble.message + 6, '\'');

    if (!str_starts(trouble.message, ours) || !rest)
        return trouble.message;
    return arena_fmt(c->mem, "node '%s%s", c->name, rest);
}

void attempt(Call *c, void (*import)(Call *c))
{
    void (*hook)(const Trouble *) = err_hook;
    jmp_buf *outer = refused, here;

    refused = &here;
    err_hook = jump;
    if (setjmp(here)) {
        problem(c->model, c->name, message(c));
        c->bad = true;
    } else {
        import(c);
    }
    refused = outer;
    err_hook = hook;
}

void problems_tell(const Reading *r)
{
    const char *many = r->nbad > 1 ? "\n  " : "";

    if (!r->nbad)
        return;
    trouble.node = r->bad_node;
    if (r->bad.n > SHOWN && !err_hook) {
        say(trouble.file, arena_fmt(r->mem, "%s%s", many, r->bad.s));
        err(ERR_MODEL, "%d problems, listed above", r->nbad);
    }
    if (r->nbad > 1)
        err(ERR_MODEL, "%d problems:\n  %s", r->nbad, r->bad.s);
    err(ERR_MODEL, "%s", r->bad.s);
}

/* --- states --- */

Val *state_input(const Reading *r, int i)
{
    const Graph *g = r->g;
    int k;

    for (k = 0; k < g->nin; k++)
        if (!strcmp(g->in[k]->name, r->o->state_in[i]))
            return g->in[k];
    err(ERR_USAGE, "--state: the model has no input '%s'", r->o->state_in[i]);
}

void state_join(const Reading *r, int i, Val *y)
{
    const FrontOpts *o = r->o;
    Val *s = state_input(r, i);

    if (y->state || graph_next_state(r->g, s))
        err(ERR_USAGE, "--state %s=%s: one of them is in another --state",
            o->state_in[i], o->state_out[i]);
    if (!o->grows && !shape_same(y->shape, s->shape))
        err(ERR_MODEL, "--state %s=%s: the input is %s, the output %s; they "
            "must be alike; a cache that grows wants --dim NAME=LEAST..MOST",
            s->name, y->name, shape_str(r->mem, s->shape),
            shape_str(r->mem, y->shape));
    if (y->type != s->type)
        err(ERR_MODEL, "--state %s=%s: the input is %s, the output %s; "
            "--input-type %s=%s may help", s->name, y->name,
            type_info[s->type].name, type_info[y->type].name, s->name,
            type_info[y->type].name);
    y->state = s;
}
