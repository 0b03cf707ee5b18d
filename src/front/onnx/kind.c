/* Integers or floats?
 *
 * Networks of integers are stored as floats by the tools that make them, so
 * the declared types do not tell.  A network is one of exact integers if it
 * has an operator defined on integers only; or if all its operators have an
 * exact meaning on integers, all its constants are integral, and the user says
 * so or gives integral vectors for its inputs; but vectors do not decide where
 * integer inputs and float outputs are declared.  In an exact network every
 * value is of the least type that holds its range, and an input of the first of
 * s8, u8, s16 and s32 that holds its vector, else s8.  Everything else goes by
 * the types that ONNX declares. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

static bool integral(const Array *v)
{
    int64_t i;

    for (i = 0; i < v->n; i++) {
        double x = array_get(v, i);
        if (!(fabs(x - rint(x)) <= 1e-3 && fabs(x) < 0x1p31))
            return false;
    }
    return true;
}

/* Vectors are matched by position; inputs without elements are no inputs.  i is
 * -1 for a state for which none is given. */
static const Array *vector_of(const Import *im, int i)
{
    const Array *v;

    for (v = im->r.o->vectors; v && i >= 0; v = v->next)
        if (v->n && !i--)
            return v;
    return NULL;
}

const Type *kind_asked(const Import *im, const char *name)
{
    const Type *t = NULL;
    int i;

    for (i = 0; i < im->r.o->ntype; i++) {
        const char *want = im->r.o->type_name[i];
        if (want && !strcmp(want, name))
            return &im->r.o->type[i];
        if (!want)
            t = &im->r.o->type[i];
    }
    return t;
}

static Type type_of_vector(const Array *v)
{
    double lo = 0, hi = 0;
    int64_t i;
    Type t;

    if (!integral(v))
        return T_f32;
    for (i = 0; i < v->n; i++) {
        lo = fmin(lo, array_get(v, i));
        hi = fmax(hi, array_get(v, i));
    }
    t = type_for(llrint(lo), llrint(hi));
    return t;
}

/* Types of 8 and 16 bits and booleans are declared on purpose. */
static bool is_narrow(Type t)
{
    return t != T_none && type_info[t].bytes <= 2;
}

/* An integer network's input may be of floats, but of numbers. */
static Type type_of_finite(const Import *im, const Array *v)
{
    int64_t i;

    for (i = 0; i < v->n; i++)
        if (!isfinite(array_get(v, i))) {
            err_file(im->r.o->vectors_file);
            err(ERR_MODEL, "array '%s' has %g at element %lld; the network is "
                "one of integers", v->name, array_get(v, i), (long long)i);
        }
    return type_of_vector(v);
}

Type kind_input(const Import *im, const char *name, int declared, int i)
{
    Type t = tensor_type(declared);
    const Type *want = kind_asked(im, name);
    const Array *v = vector_of(im, i);

    if (want)
        return *want;
    if (!im->r.g->exact || is_narrow(t))
        return t;
    return v ? type_of_finite(im, v) : T_s8;
}

/* Interpolation goes by types; where elements are only copied it is exact. */
static bool interpolates(const OnnxNode *p)
{
    size_t i;

    for (i = 0; i < p->n_attribute; i++) {
        const OnnxAttr *a = p->attribute[i];
        if (a->name && !strcmp(a->name, "mode") && a->has_s)
            return a->s.len != 7 || memcmp(a->s.data, "nearest", 7);
    }
    return false;
}

static Meaning meaning_of(const OnnxNode *p, const Row *r)
{
    bool resizes = r->import == import_resize || r->import == import_upsample;

    return resizes && interpolates(p) ? TYPED : r->meaning;
}

/* The least that any node of a body means to integers. */
static bool any(size_t n, OnnxNode *const *node, Meaning m)
{
    size_t i;
    const Row *r;

    for (i = 0; i < n; i++) {
        r = row_find(node[i]->domain, node[i]->op_type);
        if (r && meaning_of(node[i], r) == m)
            return true;
    }
    return false;
}

static bool any_node(const Model *m, Meaning what)
{
    size_t i;

    if (any(m->graph->n_node, m->graph->node, what))
        return true;
    for (i = 0; i < m->n_functions; i++)
        if (any(m->functions[i]->n_node, m->functions[i]->node, what))
            return true;
    return false;
}

static bool constants_integral(Import *im, const OnnxNode *p)
{
    size_t i;
    int64_t j;

    if (!p->op_type || strcmp(p->op_type, "Constant"))
        return true;
    for (i = 0; i < p->n_attribute; i++) {
        const OnnxAttr *a = p->attribute[i];
        if (a->t && !tensor_integral(im, a->t))
            return false;
        if (a->has_f && a->f != rintf(a->f))
            return false;
        for (j = 0; j < (int64_t)a->n_floats; j++)
            if (a->floats[j] != rintf(a->floats[j]))
                return false;
    }
    return true;
}

static bool all_integral(Import *im)
{
    const OnnxGraph *p = im->model->graph;
    size_t i;

    for (i = 0; i < p->n_initializer; i++)
        if (!tensor_integral(im, p->initializer[i]))
            return false;
    for (i = 0; i < p->n_node; i++)
        if (!constants_integral(im, p->node[i]))
            return false;
    return true;
}

static bool declares_float(const Onnx__ValueInfoProto *v)
{
    const Onnx__TypeProto *t = v->type;
    Type type = t && t->tensor_type ? tensor_type(t->tensor_type->elem_type)
                                    : T_none;

    return type != T_none && type_info[type].kind == FLOAT;
}

/* Integers go in and floats come out: who declares that means it. */
static bool types_meant(const OnnxGraph *p)
{
    size_t i;

    for (i = 0; i < p->n_input; i++)
        if (declares_float(p->input[i]))
            return false;
    for (i = 0; i < p->n_output; i++)
        if (declares_float(p->output[i]))
            return true;
    return false;
}

/* The user asks for integers, or gives some for every input; where it makes a
 * difference (a mean that is rounded) they must be stored as integers. */
static bool integers_given(const Import *im)
{
    bool strict = any_node(im->model, ROUNDS), some = false;
    const Array *v;
    int i;

    for (i = 0; i < im->r.o->ntype; i++)
        if (type_info[im->r.o->type[i]].kind == FLOAT)
            return false;
    if (im->r.o->ntype)
        return true;
    if (types_meant(im->model->graph))
        return false;
    for (v = im->r.o->vectors; v; v = v->next) {
        if (!integral(v) || (strict && v->type[0] == 'f'))
            return false;
        some |= v->n > 0;
    }
    return some;
}

bool kind_may_be_exact(Import *im)
{
    return !any_node(im->model, TYPED) && !any_node(im->model, FLOATS)
        && all_integral(im);
}

bool kind_exact(Import *im)
{
    return any_node(im->model, DIALECT)
        || (integers_given(im) && kind_may_be_exact(im));
}
