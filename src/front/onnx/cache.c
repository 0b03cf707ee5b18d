/* --context: the caches of a decoder that takes one token.
 *
 * An output that is Concat(input, new rows), perhaps requantized, is that input
 * of the next run: a state, whose axis is a run-time number up to the context.
 * In models with fixed sizes, made for N rows in the caches, every other input
 * of N + 1 elements along its last axis and 1 along others (a mask) follows
 * too. In others the sizes have names: that of the caches' axis is the number;
 * a sum of it and what is called total is one more; what else is not bound,
 * batch and new tokens, is one. */
#include "front/onnx/import.h"

#include <string.h>

typedef struct Caches {
    const OnnxGraph *p;
    FrontOpts *o;
} Caches;

static const OnnxNode *maker_of(const OnnxGraph *p, const char *name)
{
    size_t i, k;

    for (i = 0; i < p->n_node; i++)
        for (k = 0; k < p->node[i]->n_output; k++)
            if (!strcmp(p->node[i]->output[k], name))
                return p->node[i];
    return NULL;
}

static const Onnx__TensorShapeProto *input_shape(const OnnxGraph *p,
                                                 const char *name)
{
    size_t i;

    for (i = 0; i < p->n_input; i++) {
        const Onnx__TypeProto *t = p->input[i]->type;

        if (p->input[i]->name && !strcmp(p->input[i]->name, name) && t &&
            t->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
            return t->tensor_type->shape;
    }
    return NULL;
}

static bool is_op(const OnnxNode *n, const char *op)
{
    return n && n->op_type && !strcmp(n->op_type, op);
}

/* The Concat of two that an output is, through requantization; or NULL. */
static const OnnxNode *concat_of(const OnnxGraph *p, const char *output)
{
    const OnnxNode *n = maker_of(p, output);
    int i;

    for (i = 0; i < DEEP && is_op(n, "RequantShift") && n->n_input; i++)
        n = maker_of(p, n->input[0]);
    return is_op(n, "Concat") && n->n_input == 2 ? n : NULL;
}

static int64_t axis_given(const OnnxNode *n)
{
    size_t i;

    for (i = 0; i < n->n_attribute; i++)
        if (n->attribute[i]->name && !strcmp(n->attribute[i]->name, "axis"))
            return n->attribute[i]->i;
    return 0;
}

/* All caches grow alike. */
static void take_rows(Caches *c, const char *input,
                      const Onnx__TensorShapeProto__Dimension *d)
{
    bool named = d->value_case ==
                 ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
    bool fixed = d->value_case ==
                 ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    int64_t rows = fixed ? d->dim_value : -1;
    const char *name = named ? d->dim_param : "past";

    if (!fixed && !(named && *name))
        err(ERR_MODEL, "--context: the cache '%s' has a dimension with neither "
            "size nor name", input);
    if (c->o->past && (rows != c->o->past_rows ||
                       strcmp(name, c->o->past)))
        err(ERR_MODEL, "--context: the cache '%s' has other rows than those "
            "before", input);
    c->o->past = name;
    c->o->past_rows = rows;
}

static void take_cache(Caches *c, const char *output, const OnnxNode *n)
{
    const Onnx__TensorShapeProto *s = input_shape(c->p, n->input[0]);
    int64_t axis = axis_given(n);
    FrontOpts *o = c->o;
    int k;

    if (!s)
        return;
    axis += axis < 0 ? (int64_t)s->n_dim : 0;
    if (axis < 0 || axis >= (int64_t)s->n_dim || s->n_dim > RANK)
        return;
    for (k = 0; k < o->nstate && strcmp(o->state_in[k], n->input[0]); k++)
        ;
    if (k == MOST_STATES)
        err(ERR_MODEL, "--context: more than %d caches", MOST_STATES);
    if (k == o->nstate) {
        o->state_in[k] = n->input[0];
        o->state_out[k] = output;
        o->nstate++;
    }
    o->state_axis[k] = (int)axis;
    take_rows(c, n->input[0], s->dim[axis]);
}

static void add_number(FrontOpts *o)
{
    int i;

    for (i = 0; i < o->ndim && strcmp(o->dim_name[i], o->past); i++)
        ;
    if (i < o->ndim)
        err(ERR_USAGE, "--dim %s and --context: one of them is enough",
            o->past);
    if (i == (int)LEN(o->dim_name))
        err(ERR_USAGE, "--dim: more than %zu times", LEN(o->dim_name));
    o->dim_name[i] = o->past;
    o->dim_varies[i] = true;
    o->dim_least[i] = 0;
    o->dim_size[i] = MAX(o->context - 1, 2);
    o->ndim++;
}

const FrontOpts *onnx_caches(Arena *mem, const void *p, size_t n,
                             const FrontOpts *o)
{
    FrontOpts *with = NEW(mem, FrontOpts);
    Caches c = {.o = with};
    size_t i;
    Model *m;
    int k;

    *with = *o;
    for (k = 0; k < MOST_STATES; k++)
        with->state_axis[k] = -1;
    m = onnx_unpack(mem, p, n);
    c.p = m->graph;
    for (i = 0; i < c.p->n_output; i++) {
        const char *name = c.p->output[i]->name;
        const OnnxNode *concat = name ? concat_of(c.p, name) : NULL;

        if (concat)
            take_cache(&c, name, concat);
    }
    if (!with->past)
        err(ERR_USAGE, "--context is of language models; this one has no "
            "output that is Concat(input, new rows): no cache");
    add_number(with);
    return with;
}

static bool is_size(const Onnx__TensorShapeProto__Dimension *d, int64_t n)
{
    return d->value_case ==
           ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
           d->dim_value == n;
}

/* One run of so many elements? */
static bool is_run(const Onnx__TensorShapeProto *s, int64_t n)
{
    size_t i;

    for (i = 0; i + 1 < s->n_dim && is_size(s->dim[i], 1); i++)
        ;
    return i + 1 == s->n_dim && is_size(s->dim[i], n);
}

int64_t cache_size(const FrontOpts *o, int state, size_t axis,
                   const Onnx__TensorShapeProto *s)
{
    const Onnx__TensorShapeProto__Dimension *d = s->dim[axis];
    const char *name = d->value_case ==
        ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM ? d->dim_param
                                                             : NULL;
    int64_t past = -1;
    int i;

    for (i = 0; i < o->ndim; i++) {
        if (o->past && !strcmp(o->dim_name[i], o->past))
            past = o->dim_size[i];
        if (name && !strcmp(o->dim_name[i], name))
            return o->dim_size[i];
    }
    if (past < 0)
        return -1;
    if (state >= 0 && o->state_axis[state] == (int)axis)
        return past;
    if (name)
        return strstr(name, "total") ||
               (str_starts(name, o->past) && strchr(name, '+')) ? past + 1 : 1;
    return state < 0 && o->past_rows >= 0 && axis + 1 == s->n_dim &&
           is_run(s, o->past_rows + 1) ? past + 1 : -1;
}
