/* Operators whose result is known while reading: constants, shapes, ranges. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

void import_none(Call *c)
{
    call_err(c, "the operator is not supported; %s", onnx(c)->row->about);
}

void import_identity(Call *c)
{
    give(c, 0, c->arg[0]);
}

/* Inference drops nothing; a mask that is asked for is all ones. */
void import_dropout(Call *c)
{
    Shape s = c->arg[0]->shape;
    const Val *training = arg_known(c, 2);
    int64_t i;
    Val *mask;

    if (training && val_count(training) && val_num(training, 0) != 0)
        call_err(c, "training_mode is on; export the network for inference");
    give(c, 0, c->arg[0]);
    if (c->nres < 2 || !*onnx(c)->p->output[1])
        return;
    mask = blank(c, T_b8, s);
    for (i = 0; i < val_count(mask); i++)
        val_set(mask, i, 1);
    val_range(mask);
    give(c, 1, mask);
}

static Val *exactly(Call *c, Val *v)
{
    return c->g->exact ? val_exact(c->g, v) : v;
}

static Val *list_const(Call *c, const OnnxAttr *a)
{
    Shape s = {.rank = 1};

    if (a->n_floats) {
        s.dim[0] = (int64_t)a->n_floats;
        return exactly(c, nums(c, s, a->floats));
    }
    s.dim[0] = (int64_t)a->n_ints;
    return ints(c, T_s64, s, a->ints);
}

void import_constant(Call *c)
{
    const OnnxAttr *a;
    Shape none = {0};

    if (call_tensor(c, "value")) {
        a = call_attr(c, "value");
        give(c, 0, tensor_val(onnx(c)->im, a->t, onnx(c)->p->output[0]));
    } else if ((a = call_attr(c, "value_float"))) {
        give(c, 0, exactly(c, nums(c, none, &a->f)));
    } else if ((a = call_attr(c, "value_int"))) {
        give(c, 0, ints(c, T_s64, none, &a->i));
    } else if ((a = call_attr(c, "value_floats")) ||
               (a = call_attr(c, "value_ints"))) {
        give(c, 0, list_const(c, a));
    } else if ((a = call_attr(c, "sparse_value")) && a->sparse_tensor) {
        give(c, 0, tensor_sparse(onnx(c)->im, a->sparse_tensor, c->name));
    } else {
        call_err(c, "has no value that is a number");
    }
}

/* A constant of one value everywhere, which is element 0 of v (NULL: 0). */
static Val *filled(Call *c, Type t, Shape s, const Val *v)
{
    Val *y = blank(c, v ? v->type : t, s);
    int64_t i;
    int size = type_info[y->type].bytes;

    for (i = 0; v && i < val_count(y); i++)
        memcpy((char *)y->data + i * size, v->data, (size_t)size);
    if (v) {
        y->lo = v->lo;
        y->hi = v->hi;
    }
    return exactly(c, y);
}

void import_constantofshape(Call *c)
{
    int64_t dim[RANK];
    int n = arg_ints(c, 0, RANK, dim);

    give(c, 0, filled(c, T_f32, shape_checked("the result", n, dim),
                      call_tensor(c, "value")));
}

void import_shape(Call *c)
{
    Shape s = c->arg[0]->shape, one = {.rank = 1};
    int64_t from = call_int(c, "start", 0), to = call_int(c, "end", s.rank);

    from = MAX(0, MIN(s.rank, from < 0 ? from + s.rank : from));
    to = MAX(from, MIN(s.rank, to < 0 ? to + s.rank : to));
    one.dim[0] = to - from;
    give(c, 0, ints(c, T_s64, one, s.dim + from));
}

void import_size(Call *c)
{
    Shape none = {0};

    give(c, 0, ints(c, T_s64, none, (int64_t[]){val_count(c->arg[0])}));
}

void import_range(Call *c)
{
    const Val *first = arg_known(c, 0), *end = arg_known(c, 1);
    const Val *step = arg_known(c, 2);
    double from = val_num(first, 0), by = val_num(step, 0);
    double n = ceil((val_num(end, 0) - from) / by);
    int64_t dim = n > 0 ? n < 0x1p30 ? (int64_t)n : INT64_MAX : 0, i;
    Val *y;

    if (!(by != 0))
        call_err(c, "a step of 0");
    y = blank(c, c->g->exact && val_is_int(first) ? T_s64 : first->type,
              shape_checked("the result", 1, &dim));
    for (i = 0; i < val_count(y); i++)
        if (val_is_int(y))
            val_set(y, i, val_int(first, 0) + i * val_int(step, 0));
        else
            ((float *)y->data)[i] = (float)(from + (double)i * by);
    if (val_is_int(y)) {
        y->lo = type_info[y->type].lo;
        y->hi = type_info[y->type].hi;
    }
    give(c, 0, exactly(c, y));
}

/* The type an attribute names by ONNX's number. */
static Type type_attr(const Call *c, const char *name, Type none)
{
    Type t;

    if (!call_has(c, name))
        return none;
    t = tensor_type((int)call_int(c, name, 0));
    if (!t)
        call_err(c, "elements of type %s; wanted numbers",
                 tensor_type_name((int)call_int(c, name, 0)));
    return t;
}

void import_eyelike(Call *c)
{
    Shape s = c->arg[0]->shape;
    int64_t k = call_int(c, "k", 0), i;
    Val *y;

    if (s.rank != 2)
        call_err(c, "input has %d dimensions; wanted 2", s.rank);
    y = blank(c, type_attr(c, "dtype", c->arg[0]->type), s);
    for (i = 0; i < s.dim[0]; i++) {
        if (k <= -s.dim[0] || i + k < 0 || i + k >= s.dim[1])
            continue;
        if (y->type == T_f32)
            ((float *)y->data)[i * s.dim[1] + i + k] = 1;
        else
            val_set(y, i * s.dim[1] + i + k, 1);
    }
    if (val_is_int(y))
        y->lo = 0, y->hi = 1;
    give(c, 0, exactly(c, y));
}

/* Types are the network's own in an exact graph: there a float may be an
 * integer, and what is cast to float is the same number. */
static Val *as_type(Call *c, Val *x, Type t)
{
    if (!c->g->exact || t != T_f32)
        return cast(c, x, t);
    return x->type == T_b8 ? cast(c, x, T_u8) : x;
}

/* Integers of 2 and 4 bits are kept in bytes, which would not wrap. */
static void refuse_nibbles(Call *c, int onnx)
{
    if (onnx == 21 || onnx == 22 || onnx == 25 || onnx == 26)
        call_err(c, "casts to %s are not supported; wanted bytes or larger",
                 tensor_type_name(onnx));
}

void import_cast(Call *c)
{
    refuse_nibbles(c, (int)call_need(c, "to"));
    give(c, 0, as_type(c, c->arg[0], type_attr(c, "to", T_f32)));
}

void import_castlike(Call *c)
{
    give(c, 0, as_type(c, c->arg[0], c->arg[1]->type));
}

/* If its condition is known, the branch that is taken is all there is. */
void import_if(Call *c)
{
    Val *cond = arg_known(c, 0);
    const OnnxAttr *a = call_attr(c, val_num(cond, 0) != 0 ? "then_branch"
                                                           : "else_branch");
    Import *im = onnx(c)->im;
    Scope *s;
    Entry *e;
    size_t i;

    if (!a || !a->g)
        call_err(c, "a branch is missing");
    s = scope_new(c->mem, onnx(c)->scope, 4 * a->g->n_node);
    body_tensors(im, s, a->g);
    c->bad = !im->body(im, s, a->g->n_node, a->g->node);
    for (i = 0; i < a->g->n_output && !c->bad; i++) {
        e = a->g->output[i]->name ? scope_find(s, a->g->output[i]->name)
                                  : NULL;
        if (!e)
            call_err(c, "its branch never makes output %zu", i + 1);
        give(c, (int)i, entry_val(im, e));
    }
}
