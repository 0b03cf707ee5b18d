/* Problems of a model: a node that is refused is remembered, with the reason,
 * and reading goes on, so that all problems are told together at the end. */
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
