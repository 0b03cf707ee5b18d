/* TensorFlow Lite -> Graph: the walk over the model.
 *
 * The first subgraph is the network: its tensors are taken in, then its
 * operators are imported in the order of the file, which can be executed.  One
 * that is refused is a problem, and what depends on it is passed over; all
 * problems are told together.  Integers are exact: bytes with scales are the
 * integers they hold, and what the reference kernels do to them is spelled out
 * in operators of ours (scale.c). */
#include "front/tflite/import.h"

#include <string.h>

/* Fields, by table (schema.fbs). */
enum {
    MODEL_version, MODEL_codes, MODEL_subgraphs, MODEL_buffers = 4,
    SUB_tensors = 0, SUB_inputs, SUB_outputs, SUB_operators, SUB_name,
    OP_inputs = 1, OP_outputs, OP_options = 4, CUSTOM = 32,
};

bool tflite_is(const void *p, size_t n)
{
    return n >= 8 && !memcmp((const char *)p + 4, "TFL3", 4);
}

/* --- one operator --- */

static Tensor *tensor_of(const Call *c, int64_t i)
{
    const Model *m = lite(c)->m;

    if (i == -1)
        return NULL;
    if (i < 0 || i >= m->ntensor)
        call_err(c, "it refers to tensor %lld of %d", (long long)i,
                 m->ntensor);
    return &m->tensor[i];
}

static Tensor **tensors_of(Call *c, int field, int *n)
{
    Vector v = flat_vector(lite(c)->op, field, 4);
    Tensor **list;
    uint32_t i;

    if (v.n > (uint32_t)lite(c)->m->ntensor + 64)
        call_err(c, "it lists %u tensors", v.n);
    list = NEWN(c->mem, Tensor *, (size_t)v.n + 1);
    for (i = 0; i < v.n; i++)
        list[i] = tensor_of(c, flat_int_at(v, 4, i));
    *n = (int)v.n;
    return list;
}

static void import_op(Call *c)
{
    LiteCall *l = lite(c);
    int i;

    l->in = tensors_of(c, OP_inputs, &c->narg);
    l->out = tensors_of(c, OP_outputs, &c->nres);
    for (i = 0; i < c->narg; i++)
        c->bad |= l->in[i] && l->in[i]->bad;
    for (i = 0; i < c->nres; i++)
        if (!l->out[i] || l->out[i]->data)
            call_err(c, "its output %d is %s", i + 1,
                     l->out[i] ? "a constant" : "missing");
    if (c->bad)
        return;
    if (c->narg > l->row->max)
        call_err(c, "%d inputs; wanted at most %d", c->narg, l->row->max);
    for (i = 0; i < l->row->min; i++)
        need(c, i);
    l->row->import(c);
}

static void mark_bad(Call *c)
{
    Vector v = flat_vector(lite(c)->op, OP_outputs, 4);
    uint32_t i;

    for (i = 0; i < v.n; i++) {
        int64_t at = flat_int_at(v, 4, i);
        if (at >= 0 && at < lite(c)->m->ntensor)
            lite(c)->m->tensor[at].bad = true;
    }
}

/* After its first result, as it has no name of its own. */
static const char *name_of(const Model *m, Table op, const char *what,
                           uint32_t i)
{
    Vector v = flat_vector(op, OP_outputs, 4);
    int64_t at = v.n ? flat_int_at(v, 4, 0) : -1;

    if (at >= 0 && at < m->ntensor)
        return m->tensor[at].name;
    return arena_fmt(m->r.mem, "%s_%u", what, i);
}

static void refuse(Model *m, const Call *c, const Row *r, const char *custom)
{
    const char *why = r ? r->about : custom
        ? "custom operators have no meaning here; express it in operators of "
          "TensorFlow Lite itself"
        : "`tilewright ops` lists what is supported";

    problem(&m->r, c->name, arena_fmt(m->r.mem, "node '%s' (%s): the operator "
            "is not supported; %s", c->name, c->op, why));
}

static void import_one(Model *m, Table op, uint32_t i)
{
    LiteCall *l = NEW(m->r.mem, LiteCall);
    Call *c = &l->c;
    const char *custom, *name;
    int code = lite_code(m, op, &custom);
    const Row *r = lite_row(code);

    name = r ? r->name : code == CUSTOM && custom ? custom
         : arena_fmt(m->r.mem, "operator %d", code);
    c->model = &m->r;
    c->g = m->r.g;
    c->mem = m->r.mem;
    c->op = arena_str(c->g->mem, name);
    c->name = name_of(m, op, c->op, i);
    l->m = m;
    l->row = r;
    l->op = op;
    l->options = flat_table(op, OP_options);
    if (r && r->import) {
        attempt(c, import_op);
    } else {
        refuse(m, c, r, code == CUSTOM ? custom : NULL);
        c->bad = true;
    }
    if (c->bad)
        mark_bad(c);
}

/* --- the model --- */

static Table subgraph(const Model *m, uint32_t i)
{
    if (i >= m->subgraphs.n)
        err(ERR_MODEL, "subgraph %u of %u", i, m->subgraphs.n);
    return flat_table_at(m->subgraphs, i);
}

static Tensor *end_of(Model *m, Vector v, uint32_t i, const char *what)
{
    int64_t at = flat_int_at(v, 4, i);

    if (at < 0 || at >= m->ntensor)
        err(ERR_MODEL, "%s %u is tensor %lld of %d", what, i, (long long)at,
            m->ntensor);
    return &m->tensor[at];
}

static void add_input(Model *m, Tensor *t)
{
    Type type = type_of(t->type);
    Val *v;

    if (t->data || t->plain || t->type == TF_resource)
        return;
    if (!type || t->type == TF_f16)
        err(ERR_MODEL, "input '%s' has elements of type %s; wanted numbers",
            t->name, type_name(t->type));
    if (!shape_count(t->shape))
        err(ERR_MODEL, "input '%s' has no elements", t->name);
    v = graph_val(m->r.g, t->name, type, t->shape);
    if (is_quantized(t)) {
        v->scale = scale_at(t, 0);
        v->zero = zero_of(t);
    }
    graph_input(m->r.g, v);
    t->plain = v;
}

/* Makes what an output needs, as if an operator asked for it. */
static Call *nobody(Model *m, const Tensor *t)
{
    LiteCall *l = NEW(m->r.mem, LiteCall);

    l->c = (Call){.model = &m->r, .g = m->r.g, .mem = m->r.mem,
                  .op = arena_str(m->r.g->mem, "output"), .name = t->name};
    l->m = m;
    return &l->c;
}

static void add_output(Model *m, Tensor *t)
{
    Call *c = nobody(m, t);
    Val *v;

    if (t->bad)
        return;
    v = tensor_plain(c, t);
    if (!val_count(v)) {
        warn("output '%s' has no elements and is left out", t->name);
        return;
    }
    if (v->def && !val_is_output(m->r.g, v)) {
        val_rename(m->r.g, v, t->name);
        if (val_is_int(v) && is_quantized(t)) {
            v->scale = scale_at(t, 0);
            v->zero = zero_of(t);
        }
    }
    graph_output(m->r.g, v);
}

static void check_options(const Model *m)
{
    const FrontOpts *o = m->r.o;
    const Graph *g = m->r.g;
    int i, k;

    if (o->ndim)
        err(ERR_USAGE, "--dim %s=%lld: sizes of TensorFlow Lite models have "
            "no names", o->dim_name[0], (long long)o->dim_size[0]);
    for (i = 0; i < o->ntype; i++) {
        for (k = 0; o->type_name[i] && k < g->nin &&
             strcmp(g->in[k]->name, o->type_name[i]); k++)
            ;
        if (o->type_name[i] && k == g->nin)
            err(ERR_USAGE, "--input-type %s=%s: the model has no such input",
                o->type_name[i], type_info[o->type[i]].name);
        for (k = 0; k < g->nin; k++)
            if (g->in[k]->type != o->type[i] &&
                (!o->type_name[i] ||
                 !strcmp(g->in[k]->name, o->type_name[i])))
                err(ERR_USAGE, "--input-type: input '%s' is of type %s; "
                    "TensorFlow Lite models say so themselves",
                    g->in[k]->name, type_info[g->in[k]->type].name);
    }
}

static void read_graph(Model *m)
{
    Table g = subgraph(m, 0);
    Vector inputs = flat_vector(g, SUB_inputs, 4);
    Vector outputs = flat_vector(g, SUB_outputs, 4);
    Vector ops = flat_vector(g, SUB_operators, 4);
    uint32_t i;

    tensors_read(m, flat_vector(g, SUB_tensors, 4));
    for (i = 0; i < inputs.n; i++)
        add_input(m, end_of(m, inputs, i, "input"));
    check_options(m);
    for (i = 0; i < ops.n; i++)
        import_one(m, flat_table_at(ops, i), i);
    problems_tell(&m->r);
    for (i = 0; i < outputs.n; i++)
        add_output(m, end_of(m, outputs, i, "output"));
    if (!m->r.g->nout)
        err(ERR_MODEL, "the graph has no outputs");
}

static void join_states(const Model *m)
{
    const FrontOpts *o = m->r.o;
    int i, k;

    for (i = 0; i < o->nstate; i++) {
        for (k = 0; k < m->r.g->nout &&
             strcmp(m->r.g->out[k]->name, o->state_out[i]); k++)
            ;
        if (k == m->r.g->nout)
            err(ERR_USAGE, "--state: the model has no output '%s'",
                o->state_out[i]);
        state_join(&m->r, i, m->r.g->out[k]);
    }
}

Graph *tflite_parse(Arena *mem, const char *path, const void *p, size_t n,
                    const FrontOpts *o)
{
    Arena *tmp = arena_new();
    Model m = {.r = {.mem = tmp, .o = o, .bad = {.mem = tmp}},
               .file = {p, n}};
    int64_t version;
    const char *name;

    m.root = flat_root(&m.file);
    version = flat_int(m.root, MODEL_version, 4, 0);
    if (version != 3)
        err(ERR_MODEL, "a TensorFlow Lite model of version %lld; wanted 3",
            (long long)version);
    m.codes = flat_vector(m.root, MODEL_codes, 4);
    m.subgraphs = flat_vector(m.root, MODEL_subgraphs, 4);
    m.buffers = flat_vector(m.root, MODEL_buffers, 4);
    name = flat_text(tmp, subgraph(&m, 0), SUB_name);
    m.r.g = graph_new(mem, name && *name ? name : "network");
    m.r.g->file = arena_str(mem, path);
    m.r.g->hash = hash_mem(p, n);
    m.r.g->exact = m.r.g->settled = true;
    read_graph(&m);
    variables_end(&m);
    join_states(&m);
    graph_sweep(m.r.g);
    graph_number(m.r.g);
    arena_end(tmp);
    return m.r.g;
}
