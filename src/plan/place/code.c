/* How much the program's code may take of a memory that holds buffers too, or
 * weights of which others take what is too much.
 *
 * Only the linker knows, and there may be no C compiler where we run: until
 * then it is guessed, above what all our networks of 1 to 14 kernels take:
 * start-up and libraries, each kernel with its types, each layer's call; where
 * the steps are a program of a team, that is counted apart.  Who links and
 * finds it too little plans again with what was missing. */
#include "plan/plan.h"

#include <string.h>

enum { BASE = 8192, KERNEL = 3072, LAYER = 64, TEAM_KERNEL = 3392 };

static Type type_of(const Val *v)
{
    return v ? v->type : T_none;
}

static bool same_types(const Node *a, const Node *b)
{
    int i;

    for (i = 0; i < MIN(a->narg, b->narg); i++)
        if (type_of(a->arg[i]) != type_of(b->arg[i]))
            return false;
    return a->narg == b->narg && a->res[0]->type == b->res[0]->type;
}

/* Is n the first node of its kernel and types? */
static bool is_first(const Graph *g, const Choice *c, const Node *n)
{
    const Node *m;

    for (m = g->first; m != n; m = m->next)
        if (c[m->id].kern == c[n->id].kern && same_types(m, n))
            return false;
    return true;
}

static int64_t guess(const Soc *s, const Graph *g, const Choice *c)
{
    bool team = tiled_fits(s);
    int64_t bytes = BASE, kernel = team ? TEAM_KERNEL : KERNEL;
    const Node *n;

    for (n = g->first; n; n = n->next)
        if (c[n->id].kern)
            bytes += (team ? 0 : LAYER) + (is_first(g, c, n) ? kernel : 0);
    return bytes;
}

/* Weights of which there are too many go on into other memories. */
static bool has_more_for_weights(const Soc *s, const Mem *code)
{
    int i;

    for (i = 0; i < s->nmem; i++)
        if (&s->mems[i] != code && s->mems[i].mapped &&
            s->mems[i].holds == HOLDS_weights)
            return true;
    return false;
}

static bool is_shared(const Soc *s, const Mem *m)
{
    return m->holds & HOLDS_code &&
           (m->holds & HOLDS_buffers ||
            (m->holds & HOLDS_weights && has_more_for_weights(s, m)));
}

void reserve_code(Soc *s, const Graph *g, const Choice *c, int64_t beside)
{
    int i;

    if (!strcmp(s->run, "host"))
        return;
    for (i = 0; i < s->nmem; i++) {
        Mem *m = &s->mems[i];

        if (is_shared(s, m) && !m->program)
            m->program = guess(s, g, c) + beside;
    }
}
