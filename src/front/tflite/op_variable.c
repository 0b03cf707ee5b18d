/* VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE; and CALL_ONCE, whose subgraph
 * gives variables what they begin with. */
#include "front/tflite/import.h"

#include <string.h>

enum {
    SUB_tensors = 0, SUB_operators = 3, HANDLE_name = 1, ONCE_subgraph = 0
};

static int variable_named(Call *c, const char *name)
{
    Model *m = lite(c)->m;
    int i;

    for (i = 0; i < m->nvar && (m->var[i]->t ||
                                strcmp(m->var[i]->name, name)); i++)
        ;
    if (i == m->nvar)
        variable_new(c, name);
    return i;
}

void lite_var_handle(Call *c)
{
    const char *name = flat_text(c->mem, lite(c)->options, HANDLE_name);

    out(c, 0)->resource = variable_named(c, name ? name : "variable") + 1;
}

static Variable *resource(Call *c)
{
    const Tensor *t = need(c, 0);

    if (!t->resource)
        call_err(c, "'%s' is no variable that VAR_HANDLE names", t->name);
    return lite(c)->m->var[t->resource - 1];
}

/* What it is when the device starts, where that is not its zero point: the
 * state holds the difference. */
static void first_value(Call *c, Variable *v, const Tensor *like)
{
    int64_t zero = is_quantized(like) && is_int8(like) ? zero_of(like) : 0, x;
    Val *k = tensor_const(c, v->init);
    int64_t i;

    if (!val_is_int(k)) {
        for (i = 0; i < val_count(k); i++)
            if (val_num(k, i) != 0)
                call_err(c, "the variable '%s' begins as %g; wanted 0",
                         v->name, val_num(k, i));
        return;
    }
    x = val_count(k) ? val_int(k, 0) : zero;
    for (i = 0; i < val_count(k); i++)
        if (val_int(k, i) != x)
            call_err(c, "the variable '%s' begins with several numbers; "
                     "wanted one for all", v->name);
    if (v->first->zero == 0 || x != zero)
        v->first->zero = x;
}

static void ensure(Call *c, Variable *v, const Tensor *like, Shape s)
{
    if (v->first)
        return;
    variable_begin(c, v, type_of(like->type), s, like);
    if (v->init)
        first_value(c, v, like);
}

void lite_read_variable(Call *c)
{
    Variable *v = resource(c);
    Tensor *t = out(c, 0);

    if (!type_of(t->type))
        call_err(c, "it reads type %s", type_name(t->type));
    ensure(c, v, t, t->shape);
    give_plain(c, 0, v->now);
}

void lite_assign_variable(Call *c)
{
    Variable *v = resource(c);
    Val *x = plain(c, 1);

    ensure(c, v, need(c, 1), x->shape);
    if (!shape_same(x->shape, v->first->shape))
        call_err(c, "it assigns shape %s to '%s' of shape %s",
                 shape_str(c->mem, x->shape), v->name,
                 shape_str(c->mem, v->first->shape));
    v->now = x;
}

/* --- the subgraph that runs once --- */

enum { VAR_HANDLE = 142, ASSIGN_VARIABLE = 144 };

static Tensor *once_tensor(Call *c, Model *m, Table op, int field, uint32_t i)
{
    Vector v = flat_vector(op, field, 4);
    int64_t at = i < v.n ? flat_int_at(v, 4, i) : -1;

    if (at < 0 || at >= m->ntensor)
        call_err(c, "its subgraph refers to a tensor that is not there");
    return &m->tensor[at];
}

/* Operators there name variables and give them constants, no more. */
static void once_op(Call *c, Model *m, Table op)
{
    Model *main = lite(c)->m;
    const char *custom;
    int code = lite_code(m, op, &custom), i;
    Table options = flat_table(op, 4);

    if (code == VAR_HANDLE) {
        const char *name = flat_text(c->mem, options, HANDLE_name);

        i = variable_named(c, name ? name : "variable");
        once_tensor(c, m, op, 2, 0)->resource = i + 1;
    } else if (code == ASSIGN_VARIABLE) {
        i = once_tensor(c, m, op, 1, 0)->resource;
        if (!i || !once_tensor(c, m, op, 1, 1)->data)
            call_err(c, "its subgraph computes; wanted constants that are "
                     "assigned to variables");
        main->var[i - 1]->init = once_tensor(c, m, op, 1, 1);
    } else {
        call_err(c, "its subgraph has operator number %d of the schema; "
                 "wanted constants that are assigned to variables", code);
    }
}

void lite_call_once(Call *c)
{
    Model *m = lite(c)->m, once = *m;
    int64_t sub = option32(c, ONCE_subgraph, 0);
    Vector ops;
    Table g;
    uint32_t i;

    if (sub <= 0 || sub >= m->subgraphs.n)
        call_err(c, "subgraph %lld of %u", (long long)sub, m->subgraphs.n);
    g = flat_table_at(m->subgraphs, (uint32_t)sub);
    tensors_read(&once, flat_vector(g, SUB_tensors, 4));
    ops = flat_vector(g, SUB_operators, 4);
    for (i = 0; i < ops.n; i++)
        once_op(c, &once, flat_table_at(ops, i));
}
