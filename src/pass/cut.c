/* The cheapest way to part a graph in two.
 *
 * Nodes are to lie on the side of the source or of the sink; an edge from the
 * one side to the other costs its capacity.  By Ford and Fulkerson's theorem
 * the least cost is the greatest flow, found here with Dinic's algorithm
 * (levels by breadth first search, then paths along rising levels). */
#include "pass/pass.h"

typedef struct Edge {
    int to, next; /* next edge of the same node, -1 ends */
    int64_t room; /* what may still flow; its opposite is edge ^ 1 */
} Edge;

struct Cut {
    Arena *mem;
    int nnode, nedge;
    int *first, *level, *at, *queue; /* by node */
    Edge *edge;
};

int cut_node(Cut *c)
{
    GROW(c->mem, c->first, (size_t)c->nnode);
    c->first[c->nnode] = -1;
    return c->nnode++;
}

Cut *cut_new(Arena *a)
{
    Cut *c = NEW(a, Cut);

    c->mem = a;
    cut_node(c);
    cut_node(c);
    return c;
}

static void add_edge(Cut *c, int from, int to, int64_t room)
{
    GROW(c->mem, c->edge, (size_t)c->nedge);
    c->edge[c->nedge] = (Edge){to, c->first[from], room};
    c->first[from] = c->nedge++;
}

void cut_edge(Cut *c, int from, int to, int64_t cost)
{
    if (from == to || cost <= 0)
        return;
    add_edge(c, from, to, cost);
    add_edge(c, to, from, 0);
}

/* Distances from the source along edges with room; is the sink reached? */
static bool find_levels(Cut *c)
{
    int i, head = 0, tail = 0, e;

    for (i = 0; i < c->nnode; i++)
        c->level[i] = -1;
    c->level[CUT_SOURCE] = 0;
    c->queue[tail++] = CUT_SOURCE;
    while (head < tail) {
        i = c->queue[head++];
        for (e = c->first[i]; e >= 0; e = c->edge[e].next) {
            int to = c->edge[e].to;

            if (c->edge[e].room && c->level[to] < 0) {
                c->level[to] = c->level[i] + 1;
                c->queue[tail++] = to;
            }
        }
    }
    return c->level[CUT_SINK] >= 0;
}

/* One path from the source, kept as edges in `path`; what it carried. */
static int64_t push_path(Cut *c, int *path)
{
    int n = 0, i = CUT_SOURCE, e;
    int64_t flow = INT64_MAX;

    while (i != CUT_SINK) {
        for (e = c->at[i]; e >= 0; e = c->at[i] = c->edge[e].next)
            if (c->edge[e].room &&
                c->level[c->edge[e].to] == c->level[i] + 1)
                break;
        if (e >= 0) {
            path[n++] = e;
            i = c->edge[e].to;
        } else if (!n) {
            return 0;
        } else { /* a dead end: never again by this edge */
            e = path[--n];
            i = c->edge[e ^ 1].to;
            c->at[i] = c->edge[e].next;
        }
    }
    for (i = 0; i < n; i++)
        flow = MIN(flow, c->edge[path[i]].room);
    for (i = 0; i < n; i++) {
        c->edge[path[i]].room -= flow;
        c->edge[path[i] ^ 1].room += flow;
    }
    return flow;
}

/* Marks with level 1 what the sink can still be reached from. */
static void find_sink_side(Cut *c)
{
    int i, head = 0, tail = 0, e;

    for (i = 0; i < c->nnode; i++)
        c->level[i] = 0;
    c->level[CUT_SINK] = 1;
    c->queue[tail++] = CUT_SINK;
    while (head < tail)
        for (e = c->first[c->queue[head++]]; e >= 0; e = c->edge[e].next)
            if (c->edge[e ^ 1].room && !c->level[c->edge[e].to]) {
                c->level[c->edge[e].to] = 1;
                c->queue[tail++] = c->edge[e].to;
            }
}

void cut_solve(Cut *c)
{
    int *path, i;

    c->level = NEWN(c->mem, int, (size_t)c->nnode);
    c->at = NEWN(c->mem, int, (size_t)c->nnode);
    c->queue = NEWN(c->mem, int, (size_t)c->nnode);
    path = NEWN(c->mem, int, (size_t)c->nnode);
    while (find_levels(c)) {
        for (i = 0; i < c->nnode; i++)
            c->at[i] = c->first[i];
        while (push_path(c, path))
            ;
    }
    find_sink_side(c);
}

/* After cut_solve; where it makes no difference nodes stay with the source. */
bool cut_is_sink(const Cut *c, int node)
{
    return c->level[node];
}
