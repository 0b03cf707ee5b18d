/* ONNX -> Graph: the walk over the model.
 *
 * The file is looked over (wire.c) and unpacked; names are gathered in scopes;
 * nodes are put in an order that can be executed and imported (body.c).  All
 * problems are told together at the end.  Constants are converted when first
 * read. */
#include "front/onnx/import.h"

#include <string.h>

/* Of --state whose input it is; -1: none. */
static int state_index(const Import *im, const char *name)
{
    int i;

    for (i = 0; i < im->r.o->nstate; i++)
        if (!strcmp(im->r.o->state_in[i], name))
            return i;
    return -1;
}

/* A size that nobody gave is a problem to be told with the others: -1. */
static int64_t dim_of(Import *im, const char *input,
                      const Onnx__TensorShapeProto *s, size_t axis)
{
    const Onnx__TensorShapeProto__Dimension *d = s->dim[axis];
    const char *name = d->dim_param;
    int64_t n = cache_size(im->r.o, state_index(im, input), axis, s);

    if (n >= 0)
        return n;
    if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
        return d->dim_value;
    if (d->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
        || !*name) {
        problem(&im->r, NULL,
                arena_fmt(im->r.mem, "input '%s': dimension %zu has neither "
                          "size nor name; export the model with a fixed "
                          "size", input, axis));
        return -1;
    }
    problem(&im->r, NULL,
            arena_fmt(im->r.mem, "input '%s': the size of dimension %zu is "
                      "'%s'; give it with --dim '%s=SIZE', or --dim "
                      "'%s=LEAST..MOST' as a number of the run", input, axis,
                      name, name, name));
    return -1;
}

/* false: some size is not known. */
static bool shape_of_input(Import *im, const char *name,
                           const Onnx__TypeProto__Tensor *t, Shape *s)
{
    int64_t dim[RANK + 1];
    char *what = arena_fmt(im->r.mem, "input '%s'", name);
    int before = im->r.nbad;
    size_t i;

    if (!t->shape)
        err(ERR_MODEL, "%s has no shape; export the model with one", what);
    for (i = 0; i < t->shape->n_dim && i <= RANK; i++)
        dim[i] = dim_of(im, name, t->shape, i);
    if (im->r.nbad > before)
        return false;
    *s = shape_checked(what, (int)i, dim);
    return true;
}

/* No array is of an input that --given says. */
static bool is_given(const Import *im, const char *name)
{
    int i;

    for (i = 0; i < im->r.o->ngiven; i++)
        if (!strcmp(im->r.o->given_in[i], name))
            return true;
    return false;
}

/* Vectors may be given for states too, or for none of them. */
static bool states_given(const Import *im, const OnnxGraph *p)
{
    const Array *v;
    int n = 0;
    size_t i;

    for (v = im->r.o->vectors; v; v = v->next)
        n += v->n > 0;
    for (i = 0; i < p->n_input; i++)
        n -= p->input[i]->name && !is_given(im, p->input[i]->name) &&
             !scope_find(im->top, p->input[i]->name);
    return n >= 0;
}

/* An input of a type other than declared is cast to what the network reads.
 * One without elements is no input at all. */
static void add_input(Import *im, const Onnx__ValueInfoProto *p, int *nth)
{
    const Onnx__TypeProto__Tensor *t;
    Entry *e;
    Type type, want;
    Shape s;
    Val *v;
    Node *n;
    bool given;
    int k;

    if (!p->name || !*p->name)
        err(ERR_MODEL, "an input of the graph has no name");
    e = scope_find(im->top, p->name);
    if (e && (e->tensor || e->sparse))
        return;
    if (!p->type || p->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        err(ERR_MODEL, "input '%s' is not a tensor", p->name);
    e = scope_claim(im->top, p->name, "input");
    t = p->type->tensor_type;
    want = tensor_type(t->elem_type);
    if (!want)
        err(ERR_MODEL, "input '%s' has elements of type %s; wanted numbers",
            p->name, tensor_type_name(t->elem_type));
    im->met |= 1u << t->elem_type;
    if (!shape_of_input(im, p->name, t, &s)) {
        e->bad = true;
        return;
    }
    k = state_index(im, p->name);
    given = (im->states_given || k < 0) && !is_given(im, p->name);
    type = kind_input(im, p->name, t->elem_type, given ? *nth : -1);
    if (k >= 0 && !given && im->state_type[k] && !kind_asked(im, p->name))
        type = im->state_type[k];
    if (!shape_count(s)) {
        e->val = graph_const(im->r.g, p->name, type, s, NULL);
        return;
    }
    *nth += given;
    v = graph_val(im->r.g, p->name, type, s);
    graph_input(im->r.g, v);
    e->val = v;
    if (im->r.g->exact || type == want)
        return;
    n = graph_node(im->r.g, NULL, OP_cast, arena_fmt(im->r.mem, "%s/cast",
                                                   p->name), 1, &v);
    n->origin = "Cast";
    attr_set_int(im->r.g, n, A_to, want);
    node_infer(im->r.g, n);
    e->val = n->res[0];
}

/* Sizes that a file declares may be those of another version of it; what was
 * computed counts. */
static void compare_shape(const Import *im, const Val *v,
                          const Onnx__TensorShapeProto *s)
{
    Shape declared = {.rank = (int)MIN(s->n_dim, RANK)};
    bool same = (int)s->n_dim == v->shape.rank;
    int i;

    for (i = 0; i < declared.rank; i++) {
        bool known = s->dim[i]->value_case ==
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        declared.dim[i] = known ? s->dim[i]->dim_value : -1;
        same &= !same || declared.dim[i] < 0 ||
            declared.dim[i] == v->shape.dim[i];
    }
    if (!same)
        warn("output '%s' has shape %s; the model declares %s", v->name,
             shape_str(im->r.mem, v->shape), shape_str(im->r.mem, declared));
}

/* In a graph of exact integers types are not those that are declared, and in
 * one that would be such a graph with integers given. */
static void compare_type(Import *im, const Val *v, int declared)
{
    Type t = tensor_type(declared);

    if (declared && !im->r.g->exact && t != v->type && !kind_may_be_exact(im))
        err(ERR_MODEL, "output '%s' is of type %s; the model declares %s: it "
            "contradicts itself", v->name, type_info[v->type].name,
            tensor_type_name(declared));
}

static void compare_declared(Import *im, const Val *v,
                             const Onnx__TypeProto *t)
{
    if (!t || t->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return;
    compare_type(im, v, t->tensor_type->elem_type);
    if (t->tensor_type->shape && !im->r.o->past)
        compare_shape(im, v, t->tensor_type->shape);
}

static void add_output(Import *im, const Onnx__ValueInfoProto *p)
{
    Entry *e;
    Val *v;

    if (!p->name || !*p->name)
        err(ERR_MODEL, "an output of the graph has no name");
    e = scope_find(im->top, p->name);
    if (!e)
        err(ERR_MODEL, "output '%s' is made by no node", p->name);
    v = entry_val(im, e);
    if (!v)
        return;
    if (!val_count(v)) {
        warn("output '%s' has no elements and is left out", p->name);
        return;
    }
    if (v->def && !val_is_output(im->r.g, v))
        val_rename(im->r.g, v, p->name);
    compare_declared(im, v, p->type);
    graph_output(im->r.g, v);
}

static Val *output_named(const Import *im, const char *name)
{
    const Entry *e = scope_find(im->top, name);
    int i;

    for (i = 0; e && i < im->r.g->nout; i++)
        if (im->r.g->out[i] == e->val)
            return e->val;
    err(ERR_USAGE, "--state: the model has no output '%s'", name);
}

/* A state of an exact network is of the first of u8, s8, s16 and s32 that its
 * next value then is of.  false: nothing more to try. */
static bool try_state_types(Import *im)
{
    static const Type next[NTYPE] = {[T_none] = T_u8, [T_u8] = T_s8,
                                     [T_s8] = T_s16, [T_s16] = T_s32};
    const FrontOpts *o = im->r.o;
    int i;

    for (i = 0; i < o->nstate && im->r.g->exact && !im->states_given; i++) {
        Val *s = state_input(&im->r, i);
        Val *y = output_named(im, o->state_out[i]);

        if (y->type == s->type || kind_asked(im, s->name) ||
            !next[im->state_type[i]])
            continue;
        im->state_type[i] = next[im->state_type[i]];
        return true;
    }
    return false;
}

/* The default domain, imported twice by some, in the newest version given. */
static int opset_of(const Model *m)
{
    int64_t v = 0;
    size_t i;

    for (i = 0; i < m->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *o = m->opset_import[i];
        if (!o->domain || !*o->domain || !strcmp(o->domain, "ai.onnx"))
            v = MAX(v, o->version);
    }
    if (!v)
        return OPSETS;
    if (v < 7)
        warn("opset %lld is older than 7, the first one known; read as 7",
             (long long)v);
    if (v > 64)
        err(ERR_MODEL, "opset %lld: there is none such; %d is the last one "
            "known", (long long)v, OPSETS);
    if (v > OPSETS)
        warn("opset %lld is newer than %d, the last one known; read as %d",
             (long long)v, OPSETS, OPSETS);
    return (int)MAX(7, MIN(v, OPSETS));
}

static bool has_dim(const OnnxGraph *p, const char *name)
{
    size_t i, k;

    for (i = 0; i < p->n_input; i++) {
        const Onnx__TypeProto *t = p->input[i]->type;
        const Onnx__TensorShapeProto *s =
            t && t->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE
                ? t->tensor_type->shape : NULL;

        for (k = 0; s && k < s->n_dim; k++)
            if (s->dim[k]->value_case ==
                    ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
                !strcmp(s->dim[k]->dim_param, name))
                return true;
    }
    return false;
}

static bool has_input(const OnnxGraph *p, const char *name)
{
    size_t i;

    for (i = 0; i < p->n_input; i++)
        if (p->input[i]->name && !strcmp(p->input[i]->name, name))
            return true;
    return false;
}

/* An option that means nothing in this model is a slip of the user's. */
static void check_options(const FrontOpts *o, const OnnxGraph *p)
{
    int i;

    for (i = 0; i < o->ndim; i++)
        if (!has_dim(p, o->dim_name[i]) &&
            !(o->past && !strcmp(o->dim_name[i], o->past)))
            err(ERR_USAGE, "--dim %s=%lld: no input has a dimension of that "
                "name", o->dim_name[i], (long long)o->dim_size[i]);
    if (o->chunk)
        err(ERR_USAGE, "--chunk is of llama2.c checkpoints; this is an ONNX "
            "model");
    for (i = 0; i < o->ntype; i++)
        if (o->type_name[i] && !has_input(p, o->type_name[i]))
            err(ERR_USAGE, "--input-type %s=%s: the model has no such input",
                o->type_name[i], type_info[o->type[i]].name);
}

/* Floats of other widths. */
static void tell_widths(const Import *im)
{
    int i;

    for (i = 2; i < 32 && !im->r.g->exact; i++)
        if (im->met & 1u << i && tensor_type(i) == T_f32)
            warn("values of type %s are computed in float32",
                 tensor_type_name(i));
}

static void read_graph(Import *im)
{
    const OnnxGraph *p = im->model->graph;
    size_t i;
    int nth = 0;

    check_options(im->r.o, p);
    im->top = scope_new(im->r.mem, NULL,
                        p->n_initializer + p->n_input + p->n_node);
    body_tensors(im, im->top, p);
    im->states_given = states_given(im, p);
    for (i = 0; i < p->n_input; i++)
        add_input(im, p->input[i], &nth);
    body_import(im, im->top, p->n_node, p->node);
    for (i = 0; i < p->n_output; i++)
        add_output(im, p->output[i]);
    problems_tell(&im->r);
    tell_widths(im);
    if (!im->r.g->nout)
        err(ERR_MODEL, "the graph has no outputs");
}

static void join_states(Import *im)
{
    int k;

    for (k = 0; k < im->r.o->nstate; k++)
        state_join(&im->r, k, output_named(im, im->r.o->state_out[k]));
    graph_sweep(im->r.g);
    graph_number(im->r.g);
}

/* One of those of ONNX's metadata (docs/MetadataProps.md); NULL: not there. */
static const char *property(Arena *mem, const Model *m, const char *key)
{
    size_t len = strlen(key), i;

    for (i = 0; i < m->n_metadata_props; i++) {
        const Onnx__StringStringEntryProto *e = m->metadata_props[i];
        const char *name = e->key ? e->key : "";

        if (str_starts(name, "model_"))
            name += strlen("model_");
        if (!strncmp(name, key, len) && !name[len] && e->value && *e->value)
            return arena_str(mem, e->value);
    }
    return NULL;
}

Graph *onnx_parse(Arena *mem, const char *path, const char *dir,
                  const void *p, size_t n, const FrontOpts *o, Arena *file)
{
    uint64_t hash = hash_mem(p, n);
    Arena *tmp = arena_new();
    Import im = {.r = {.mem = tmp, .o = o, .bad = {.mem = tmp}}, .dir = dir};
    Model *m = onnx_unpack(tmp, p, n);

    if (file)
        arena_end(file);
    im.model = m;
    im.body = body_import;
    im.opset = opset_of(m);
    do {
        const char *name = m->graph->name;

        im.r.g = graph_new(mem, name && *name ? name : "network");
        im.r.g->file = arena_str(mem, path);
        im.r.g->hash = hash;
        im.r.g->author = property(mem, m, "author");
        im.r.g->licence = property(mem, m, "license");
        im.r.g->exact = kind_exact(&im);
        read_graph(&im);
    } while (try_state_types(&im));
    join_states(&im);
    arena_end(tmp);
    return im.r.g;
}
