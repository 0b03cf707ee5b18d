/* Tables that are too large for what cores can address stay in external memory:
 * their rows are read from there as they are asked for. */
#include "plan/plan.h"

#include <string.h>

enum { SMALL = 512 }; /* bytes; such constants are never fetched (search.h) */

/* Bytes of the memory into which external memory is read. */
static int64_t inner_bytes(const Soc *s, const PlanOpts *o)
{
    int mem = soc_hop(s, 1)->near;

    return o->limit[mem] >= 0 ? o->limit[mem] : s->mems[mem].size;
}

void leave_tables_far(Graph *g, const Soc *s, const PlanOpts *o)
{
    const Engine *io = soc_hop(s, 1);
    bool can = io && s->mems[io->far].holds & HOLDS_weights &&
               isa_has(s->isa, "xpulpv2", strlen("xpulpv2"));
    Node *n;

    for (n = g->first; n; n = n->next)
        if (n->op == OP_gather)
            attr_set_int(g, n, A_mode, can && n->arg[0]->data &&
                         val_bytes(n->arg[0]) > MAX(SMALL, inner_bytes(s, o)));
}
