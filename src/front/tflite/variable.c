/* What lives from run to run: variable tensors, which an operator reads and
 * rewrites, and resources, which VAR_HANDLE names, READ_VARIABLE reads and
 * ASSIGN_VARIABLE sets.  Each is a state of the graph: an input that holds it
 * when a run begins, and an output that becomes that input. */
#include "front/tflite/import.h"

enum { MOST = LEN(((Model *)0)->var) };

Variable *variable_new(const Call *c, const char *name)
{
    Model *m = lite(c)->m;

    if (m->nvar == MOST)
        call_err(c, "more than %d variables", MOST);
    m->var[m->nvar] = NEW(c->mem, Variable);
    m->var[m->nvar]->name = name;
    return m->var[m->nvar++];
}

void variable_begin(Call *c, Variable *v, Type type, Shape s,
                    const Tensor *like)
{
    v->first = graph_val(c->g, v->name, type, s);
    if (is_quantized(like)) {
        v->first->scale = scale_at(like, 0);
        v->first->zero = is_int8(like) ? zero_of(like) : 0;
    }
    graph_input(c->g, v->first);
    v->now = v->first;
}

static Variable *of_tensor(Call *c, Tensor *t)
{
    Model *m = lite(c)->m;
    Variable *v;
    int i;

    for (i = 0; i < m->nvar; i++)
        if (m->var[i]->t == t)
            return m->var[i];
    if (!type_of(t->type) || !t->has_shape)
        call_err(c, "the variable '%s' is of type %s", t->name,
                 type_name(t->type));
    v = variable_new(c, t->name);
    v->t = t;
    variable_begin(c, v, type_of(t->type), t->shape, t);
    return v;
}

Val *variable_now(Call *c, Tensor *t)
{
    return of_tensor(c, t)->now;
}

void variable_set(Call *c, Tensor *t, Val *v)
{
    Variable *var = of_tensor(c, t);

    if (!shape_same(v->shape, var->first->shape))
        v = to_shape(c, v, var->first->shape);
    var->now = v;
    t->plain = v;
    t->image = NULL;
}

/* --- the end --- */

/* One that is never set is a constant. */
static void settle(Graph *g, Variable *v)
{
    Val *k = graph_const(g, v->name, v->first->type, v->first->shape, NULL);
    int64_t i;
    int n = 0;

    for (i = 0; v->first->zero && i < val_count(k); i++)
        val_set(k, i, v->first->zero);
    val_range(k);
    graph_replace(g, v->first, k);
    for (i = 0; i < g->nin; i++)
        if (g->in[i] != v->first)
            g->in[n++] = g->in[i];
    g->nin = n;
}

static void end(Model *m, Variable *v)
{
    Graph *g = m->r.g;
    Val *y = v->now;
    Node *n;

    if (y == v->first) {
        settle(g, v);
        return;
    }
    if (y->type != v->first->type || !y->def || y->state) {
        n = graph_node(g, NULL, OP_cast, v->name, 1, &y);
        attr_set_int(g, n, A_to, v->first->type);
        node_infer(g, n);
        y = n->res[0];
    }
    if (!val_is_output(g, y))
        graph_output(g, y);
    y->state = v->first;
}

void variables_end(Model *m)
{
    int i;

    for (i = 0; i < m->nvar; i++)
        if (m->var[i]->first)
            end(m, m->var[i]);
}
