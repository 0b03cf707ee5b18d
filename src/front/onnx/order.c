/* An order in which the nodes of a graph can be imported: ONNX wants them
 * sorted already, but not all files are. */
#include "front/onnx/import.h"

#include <string.h>

typedef struct Order {
    Import *im;
    Scope *s;
    OnnxNode **node;
    char *state;    /* per node: 0 new, 1 begun, 2 in the order */
    size_t *at;     /* per node: inputs that wait for nothing any more */
    size_t *stack, nstack;
    size_t *order, norder;
    size_t now;     /* the node whose inputs are being looked at */
    bool waits;
} Order;

static void need(Order *o, const char *name)
{
    Entry *e = *name ? scope_find(o->s, name) : NULL;
    size_t i;

    if (!e || !e->maker || e->home != o->s)
        return;
    i = (size_t)e->maker - 1;
    if (o->state[i] == 2)
        return;
    if (o->state[i] == 1)
        err(ERR_MODEL, "node '%s' (%s): its inputs depend on its own output; "
            "a network must not contain a cycle",
            name_of(o->im, o->node[i], i), o->node[i]->op_type);
    o->state[i] = 1;
    o->stack[o->nstack++] = i;
    o->waits = true;
}

/* Graphs inside a node (the branches of If) read the names around them. */
static void need_inside(Order *o, const OnnxNode *p, int depth)
{
    size_t i, j, k;
    const OnnxGraph *g;

    if (depth > DEEP)
        err(ERR_MODEL, "graphs within graphs more than %d deep", DEEP);
    for (i = 0; i < p->n_attribute; i++) {
        g = p->attribute[i]->g;
        for (j = 0; g && j < g->n_node && !o->waits; j++) {
            for (k = 0; k < g->node[j]->n_input && !o->waits; k++)
                need(o, g->node[j]->input[k]);
            need_inside(o, g->node[j], depth + 1);
        }
        for (j = 0; g && j < g->n_output && !o->waits; j++)
            if (g->output[j]->name)
                need(o, g->output[j]->name);
    }
}

/* Depth first, one input at a time, on a stack of our own: a node is in the
 * order once nothing it needs is outside it. */
static void visit(Order *o, size_t first)
{
    size_t i, k;

    if (o->state[first])
        return;
    o->state[first] = 1;
    o->stack[o->nstack++] = first;
    while (o->nstack) {
        i = o->stack[o->nstack - 1];
        o->waits = false;
        for (k = o->at[i]; k < o->node[i]->n_input && !o->waits; k++)
            need(o, o->node[i]->input[k]);
        o->at[i] = k;
        if (!o->waits)
            need_inside(o, o->node[i], 0);
        if (o->waits)
            continue;
        o->state[i] = 2;
        o->order[o->norder++] = i;
        o->nstack--;
    }
}

size_t *order_of(Import *im, Scope *s, size_t n, OnnxNode **node)
{
    Order o = {.im = im, .s = s, .node = node};
    size_t i;

    o.state = NEWN(im->r.mem, char, n + 1);
    o.at = NEWN(im->r.mem, size_t, n + 1);
    o.stack = NEWN(im->r.mem, size_t, n + 1);
    o.order = NEWN(im->r.mem, size_t, n + 1);
    for (i = 0; i < n; i++)
        visit(&o, i);
    return o.order;
}
