/* What an importer asks of its node: attributes in any encoding (the dialect
 * writes a number as INT, FLOAT or TENSOR), and operands that must be known. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

const OnnxAttr *call_attr(const Call *c, const char *name)
{
    const OnnxAttr *a;
    const Call *up;
    size_t i;

    for (i = 0; i < onnx(c)->p->n_attribute; i++) {
        a = onnx(c)->p->attribute[i];
        if (!a->name || strcmp(a->name, name))
            continue;
        if (!a->ref_attr_name || !*a->ref_attr_name)
            return a;
        up = scope_call(onnx(c)->scope);
        return up ? call_attr(up, a->ref_attr_name) : NULL;
    }
    return NULL;
}

bool call_has(const Call *c, const char *name)
{
    return call_attr(c, name);
}

/* The numbers of an attribute, whatever it is stored as; -1: none such. */
static int numbers(const Call *c, const char *name, int max, double *list)
{
    const OnnxAttr *a = call_attr(c, name);
    Val *v;
    int i, n = 0;

    if (!a)
        return -1;
    if (a->t) {
        v = tensor_val(onnx(c)->im, a->t, name);
        n = (int)MIN(val_count(v), 1 << 20);
        for (i = 0; i < MIN(n, max); i++)
            list[i] = val_num(v, i);
    } else if (a->n_ints) {
        n = (int)MIN(a->n_ints, 1 << 20);
        for (i = 0; i < MIN(n, max); i++)
            list[i] = (double)a->ints[i];
    } else if (a->n_floats) {
        n = (int)MIN(a->n_floats, 1 << 20);
        for (i = 0; i < MIN(n, max); i++)
            list[i] = a->floats[i];
    } else if (a->has_i || a->has_f) {
        list[n++] = a->has_i ? (double)a->i : a->f;
    }
    if (n > max)
        call_err(c, "attribute '%s' has %d numbers; wanted at most %d", name,
                 n, max);
    return n;
}

static int64_t integer(const Call *c, const char *name, double v)
{
    if (!(fabs(v - rint(v)) <= 1e-3))
        call_err(c, "attribute '%s' is %g; wanted an integer", name, v);
    if (fabs(v) >= 0x1p63)
        return v < 0 ? INT64_MIN : INT64_MAX;
    return llrint(v);
}

int64_t call_int(const Call *c, const char *name, int64_t none)
{
    const OnnxAttr *a = call_attr(c, name);
    double v;

    if (a && a->has_i)
        return a->i;
    return numbers(c, name, 1, &v) == 1 ? integer(c, name, v) : none;
}

int64_t call_need(const Call *c, const char *name)
{
    if (!call_has(c, name))
        call_err(c, "attribute '%s' is missing", name);
    return call_int(c, name, 0);
}

double call_num(const Call *c, const char *name, double none)
{
    double v;

    return numbers(c, name, 1, &v) == 1 ? v : none;
}

const char *call_str(const Call *c, const char *name, const char *none)
{
    const OnnxAttr *a = call_attr(c, name);

    if (!a || !a->has_s)
        return none;
    return arena_fmt(c->mem, "%.*s", (int)MIN(a->s.len, 999),
                     (char *)a->s.data);
}

int call_ints(const Call *c, const char *name, int max, int64_t *list)
{
    const OnnxAttr *a = call_attr(c, name);
    double *v = NEWN(c->mem, double, (size_t)max + 1);
    int i, n;

    if (a && !a->t && a->n_ints && (int64_t)a->n_ints <= max) {
        memcpy(list, a->ints, a->n_ints * sizeof *list);
        return (int)a->n_ints;
    }
    n = numbers(c, name, max, v);
    for (i = 0; i < n; i++)
        list[i] = integer(c, name, v[i]);
    return n;
}

int call_nums(const Call *c, const char *name, int max, double *list)
{
    return numbers(c, name, max, list);
}

Val *call_tensor(Call *c, const char *name)
{
    const OnnxAttr *a = call_attr(c, name);

    return a && a->t ? tensor_val(onnx(c)->im, a->t, NULL) : NULL;
}

/* Quantizers quantize parameters too: the reals of constant integers. */
static Val *dequantized(Call *c, Val *v)
{
    const Node *n = v ? v->def : NULL;
    void *arg[3] = {NULL}, *res[NRES] = {NULL};
    int i;

    if (!n || n->op != OP_dequantize)
        return v;
    for (i = 0; i < n->narg; i++) {
        if (n->arg[i] && !n->arg[i]->data)
            return v;
        arg[i] = n->arg[i] ? n->arg[i]->data : NULL;
    }
    node_eval(c->mem, n, arg, res);
    return graph_const(c->g, v->name, v->type, v->shape, res[0]);
}

Val *arg_known(Call *c, int i)
{
    Val *v = dequantized(c, arg_at(c, i));

    if (v && !v->data)
        call_err(c, "operand %d ('%s') must be a constant", i + 1, v->name);
    return v;
}

int arg_ints(Call *c, int i, int max, int64_t *list)
{
    Val *v = arg_known(c, i);
    int64_t j, n;

    if (!v)
        return -1;
    n = val_count(v);
    if (n > max)
        call_err(c, "operand %d ('%s') has %lld numbers; wanted at most %d",
                 i + 1, v->name, (long long)n, max);
    for (j = 0; j < n; j++)
        list[j] = v->type == T_f32 ? integer(c, v->name, val_num(v, j))
                                   : val_int(v, j);
    return (int)n;
}

int list_of(Call *c, int i, const char *attr, int max, int64_t *list)
{
    if (call_has(c, attr))
        return call_ints(c, attr, max, list);
    return arg_ints(c, i, max, list);
}
