/* The order of execution. */
#include "plan/plan.h"

Node **order_nodes(Arena *mem, Graph *g, const Choice *c, int *count)
{
    Node **seq, *n;
    int i = 0;

    (void)c;
    for (n = g->first; n; n = n->next)
        i++;
    seq = NEWN(mem, Node *, i + 1);
    *count = i;
    for (i = 0, n = g->first; n; n = n->next)
        seq[i++] = n;
    return seq;
}
