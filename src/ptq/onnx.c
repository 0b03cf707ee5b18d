/* A graph with quantize and dequantize nodes as an ONNX file (opset 21), which
 * others can run: the same operators, weights as bytes. */
#include "ptq/calib.h"

#include "onnx.pb-c.h"

#include <math.h>
#include <string.h>

enum { OPSET = 21, IR_VERSION = 10 };

typedef Onnx__NodeProto Proto;

typedef struct Writer {
    Arena *mem;
    Graph *g;
    Onnx__GraphProto out;
    int made; /* names that are not the graph's */
} Writer;

static char *text(Writer *w, const char *s)
{
    return arena_str(w->mem, s ? s : "");
}

static void add_tensor(Writer *w, const char *name, Type t, int rank,
                       const int64_t *dim, const void *data, size_t bytes)
{
    Onnx__TensorProto *x = NEW(w->mem, Onnx__TensorProto);

    onnx__tensor_proto__init(x);
    x->name = text(w, name);
    x->has_data_type = 1;
    x->data_type = type_info[t].onnx;
    x->n_dims = (size_t)rank;
    x->dims = NEWN(w->mem, int64_t, (size_t)rank + 1);
    memcpy(x->dims, dim, (size_t)rank * sizeof *dim);
    x->has_raw_data = 1;
    x->raw_data.len = bytes;
    x->raw_data.data = arena_get(w->mem, bytes + 1, 1);
    memcpy(x->raw_data.data, data, bytes);
    GROW(w->mem, w->out.initializer, w->out.n_initializer);
    w->out.initializer[w->out.n_initializer++] = x;
}

static char *new_name(Writer *w)
{
    return arena_fmt(w->mem, "onnx/%d", w->made++);
}

static char *ints_of(Writer *w, int n, const int64_t *v)
{
    char *name = new_name(w);

    add_tensor(w, name, T_s64, 1, &(int64_t){n}, v, (size_t)n * sizeof *v);
    return name;
}

static char *number_of(Writer *w, double v)
{
    char *name = new_name(w);
    float f = (float)v;

    add_tensor(w, name, T_f32, 0, &(int64_t){1}, &f, sizeof f);
    return name;
}

static Proto *node(Writer *w, const char *op, const char *name,
                   const char *result)
{
    Proto *p = NEW(w->mem, Proto);

    onnx__node_proto__init(p);
    p->op_type = text(w, op);
    p->name = name ? text(w, name) : new_name(w);
    p->n_output = 1;
    p->output = NEW(w->mem, char *);
    p->output[0] = text(w, result);
    GROW(w->mem, w->out.node, w->out.n_node);
    w->out.node[w->out.n_node++] = p;
    return p;
}

static void input(Writer *w, Proto *p, const char *name)
{
    GROW(w->mem, p->input, p->n_input);
    p->input[p->n_input++] = text(w, name);
}

static void operand(Writer *w, Proto *p, const Val *v)
{
    input(w, p, v ? v->name : "");
}

static Onnx__AttributeProto *attribute(Writer *w, Proto *p, const char *name)
{
    Onnx__AttributeProto *a = NEW(w->mem, Onnx__AttributeProto);

    onnx__attribute_proto__init(a);
    a->name = text(w, name);
    a->has_type = 1;
    GROW(w->mem, p->attribute, p->n_attribute);
    p->attribute[p->n_attribute++] = a;
    return a;
}

static void put_int(Writer *w, Proto *p, const char *name, int64_t v)
{
    Onnx__AttributeProto *a = attribute(w, p, name);

    a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    a->has_i = 1;
    a->i = v;
}

static void put_float(Writer *w, Proto *p, const char *name, double v)
{
    Onnx__AttributeProto *a = attribute(w, p, name);

    a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
    a->has_f = 1;
    a->f = (float)v;
}

static void put_ints(Writer *w, Proto *p, const char *name, int n,
                     const int64_t *v)
{
    Onnx__AttributeProto *a = attribute(w, p, name);

    a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
    a->n_ints = (size_t)n;
    a->ints = NEWN(w->mem, int64_t, (size_t)n + 1);
    memcpy(a->ints, v, (size_t)n * sizeof *v);
}

/* A list, if the node has it. */
static void copy_list(Writer *w, Proto *p, const Node *n, AttrCode c,
                      const char *name)
{
    const int64_t *list;
    int len = attr_list(n, c, &list);

    if (len)
        put_ints(w, p, name, len, list);
}

static _Noreturn void refuse(const Node *n)
{
    err_node(n, "cannot be written as ONNX; write OUT.il");
}

static void put_window(Writer *w, Proto *p, const Node *n)
{
    copy_list(w, p, n, A_stride, "strides");
    copy_list(w, p, n, A_pad, "pads");
    copy_list(w, p, n, A_dilation, "dilations");
    copy_list(w, p, n, A_kernel, "kernel_shape");
    if (attr_int(n, A_last))
        refuse(n);
}

static void put_operands(Writer *w, Proto *p, const Node *n)
{
    int i;

    for (i = 0; i < n->narg; i++)
        operand(w, p, n->arg[i]);
}

static void write_window(Writer *w, const Node *n, const char *y)
{
    Proto *p = node(w, op_info[n->op].onnx, n->name, y);

    put_operands(w, p, n);
    put_window(w, p, n);
    if (n->op == OP_conv || n->op == OP_convt)
        put_int(w, p, "group", attr_int(n, A_group));
    else
        put_int(w, p, "ceil_mode", attr_int(n, A_ceil));
    if (n->op == OP_convt)
        copy_list(w, p, n, A_outpad, "output_padding");
    if (n->op == OP_avgpool)
        put_int(w, p, "count_include_pad", attr_int(n, A_countpad));
}

/* b with its last two axes exchanged */
static char *transposed(Writer *w, const Val *v)
{
    char *name = new_name(w);
    Proto *p = node(w, "Transpose", NULL, name);
    int64_t perm[RANK];
    int i, rank = v->shape.rank;

    for (i = 0; i < rank; i++)
        perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    operand(w, p, v);
    put_ints(w, p, "perm", rank, perm);
    return name;
}

static void write_matmul(Writer *w, const Node *n, const char *y)
{
    const Val *bias = n->narg > 2 ? n->arg[2] : NULL;
    char *a = text(w, n->arg[0]->name), *b = text(w, n->arg[1]->name);
    const char *product = bias ? new_name(w) : y;
    Proto *p;

    if (n->arg[0]->shape.rank == 2 && n->arg[1]->shape.rank == 2) {
        p = node(w, "Gemm", n->name, y);
        put_operands(w, p, n);
        put_int(w, p, "transA", attr_int(n, A_transa));
        put_int(w, p, "transB", attr_int(n, A_transb));
        return;
    }
    if (attr_int(n, A_transa))
        a = transposed(w, n->arg[0]);
    if (attr_int(n, A_transb))
        b = transposed(w, n->arg[1]);
    p = node(w, "MatMul", n->name, product);
    input(w, p, a);
    input(w, p, b);
    if (bias) {
        p = node(w, "Add", NULL, y);
        input(w, p, product);
        operand(w, p, bias);
    }
}

static void write_clip(Writer *w, const Node *n, const char *x, const char *y)
{
    double lo = attr_num(n, A_flo), hi = attr_num(n, A_fhi);
    Proto *p = node(w, lo == 0 && isinf(hi) ? "Relu" : "Clip",
                    n->op == OP_clip ? n->name : NULL, y);

    input(w, p, x);
    if (lo == 0 && isinf(hi))
        return;
    input(w, p, isinf(lo) ? "" : number_of(w, lo));
    if (!isinf(hi))
        input(w, p, number_of(w, hi));
}

static void write_reduce(Writer *w, const Node *n, const char *y)
{
    Proto *p = node(w, op_info[n->op].onnx, n->name, y);
    const int64_t *list;
    int len = attr_list(n, A_axes, &list);

    operand(w, p, n->arg[0]);
    if (len)
        input(w, p, ints_of(w, len, list));
    put_int(w, p, "keepdims", attr_int(n, A_keep));
}

static void write_row(Writer *w, const Node *n, const char *y)
{
    bool norm = n->op == OP_layernorm;
    Proto *p;

    if (!norm && n->op != OP_softmax && n->op != OP_logsoftmax)
        refuse(n);
    p = node(w, norm ? "LayerNormalization" : op_info[n->op].onnx, n->name, y);
    operand(w, p, n->arg[0]);
    if (norm)
        input(w, p, n->narg > 1 && n->arg[1] ? n->arg[1]->name
                    : number_of(w, 1));
    if (norm && n->narg > 2 && n->arg[2])
        operand(w, p, n->arg[2]);
    put_int(w, p, "axis", attr_int(n, A_axis));
    if (norm)
        put_float(w, p, "epsilon", attr_num(n, A_eps));
}

static void write_slice(Writer *w, const Node *n, const char *y)
{
    Proto *p = node(w, "Slice", n->name, y);
    int64_t v[4][RANK], step;
    int i, rank = n->arg[0]->shape.rank;

    for (i = 0; i < rank; i++) {
        step = attr_at(n, A_step, i, 1);
        v[0][i] = attr_at(n, A_start, i, 0);
        v[1][i] = v[0][i] + step * n->res[0]->shape.dim[i];
        if (v[1][i] < 0)
            v[1][i] = INT64_MIN;
        v[2][i] = i;
        v[3][i] = step;
    }
    operand(w, p, n->arg[0]);
    for (i = 0; i < 4; i++)
        input(w, p, ints_of(w, rank, v[i]));
}

static void write_move(Writer *w, const Node *n, const char *y)
{
    static const char *const name[NFAM] = {
        [FAM_reshape] = "Reshape", [FAM_transpose] = "Transpose",
        [FAM_expand] = "Expand", [FAM_concat] = "Concat",
        [FAM_gather] = "Gather",
    };
    Family f = op_info[n->op].family;
    Proto *p;

    if (!name[f])
        refuse(n);
    p = node(w, name[f], n->name, y);
    put_operands(w, p, n);
    if (f == FAM_reshape || f == FAM_expand)
        input(w, p, ints_of(w, n->res[0]->shape.rank, n->res[0]->shape.dim));
    if (f == FAM_transpose)
        copy_list(w, p, n, A_perm, "perm");
    if (f == FAM_concat || f == FAM_gather)
        put_int(w, p, "axis", attr_int(n, A_axis));
}

static void write_pad(Writer *w, const Node *n, const char *y)
{
    Proto *p = node(w, "Pad", n->name, y);
    const int64_t *list;
    int len = attr_list(n, A_pad, &list);

    if (attr_int(n, A_mode))
        refuse(n);
    operand(w, p, n->arg[0]);
    input(w, p, ints_of(w, len, list));
    input(w, p, number_of(w, attr_num(n, A_alpha)));
}

static void write_map(Writer *w, const Node *n, const char *y)
{
    const char *op = n->op == OP_prelu ? "PRelu" : op_info[n->op].onnx;
    Proto *p;

    if (!*op || n->op == OP_swish || n->op == OP_gelu || n->op == OP_mod)
        refuse(n);
    p = node(w, op, n->name, y);
    put_operands(w, p, n);
    if (n->op == OP_cast)
        put_int(w, p, "to", type_info[attr_int(n, A_to)].onnx);
    if (op_has_attr(n->op, A_alpha))
        put_float(w, p, "alpha", attr_num(n, A_alpha));
    if (op_has_attr(n->op, A_beta))
        put_float(w, p, "beta", attr_num(n, A_beta));
}

/* Scales are a number or a list along one axis. */
static void write_grid(Writer *w, const Node *n, const char *y)
{
    bool to = n->op == OP_quantize;
    Proto *p = node(w, to ? "QuantizeLinear" : "DequantizeLinear", NULL, y);
    const Val *s = n->arg[1];
    int64_t count = val_count(s);
    char *scale = new_name(w);
    int i;

    add_tensor(w, scale, T_f32, count > 1, &count, s->data,
               (size_t)val_bytes(s));
    operand(w, p, n->arg[0]);
    input(w, p, scale);
    if (n->narg > 2)
        operand(w, p, n->arg[2]);
    for (i = 0; count > 1 && i < s->shape.rank; i++)
        if (s->shape.dim[i] > 1)
            put_int(w, p, "axis", i + n->arg[0]->shape.rank - s->shape.rank);
}

static void write_kind(Writer *w, const Node *n, const char *y)
{
    if (n->op == OP_quantize || n->op == OP_dequantize) {
        write_grid(w, n, y);
        return;
    }
    if (n->op == OP_matmul) {
        write_matmul(w, n, y);
        return;
    }
    if (n->op == OP_pad) {
        write_pad(w, n, y);
        return;
    }
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_convt: case FAM_pool:
        write_window(w, n, y);
        break;
    case FAM_reduce: write_reduce(w, n, y); break;
    case FAM_row: write_row(w, n, y); break;
    case FAM_slice: write_slice(w, n, y); break;
    case FAM_map: write_map(w, n, y); break;
    default: write_move(w, n, y);
    }
}

static void write_node(Writer *w, const Node *n)
{
    bool clips = isfinite(attr_num(n, A_flo)) || isfinite(attr_num(n, A_fhi));
    char *before;

    if (n->op == OP_clip) {
        write_clip(w, n, n->arg[0]->name, n->res[0]->name);
        return;
    }
    before = clips ? new_name(w) : text(w, n->res[0]->name);
    write_kind(w, n, before);
    if (clips)
        write_clip(w, n, before, n->res[0]->name);
}

static Onnx__ValueInfoProto *end_of(Writer *w, const Val *v)
{
    Onnx__ValueInfoProto *x = NEW(w->mem, Onnx__ValueInfoProto);
    Onnx__TypeProto *t = NEW(w->mem, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *k = NEW(w->mem, Onnx__TypeProto__Tensor);
    Onnx__TensorShapeProto *s = NEW(w->mem, Onnx__TensorShapeProto);
    int i;

    onnx__value_info_proto__init(x);
    onnx__type_proto__init(t);
    onnx__type_proto__tensor__init(k);
    onnx__tensor_shape_proto__init(s);
    x->name = text(w, v->name);
    x->type = t;
    t->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    t->tensor_type = k;
    k->has_elem_type = 1;
    k->elem_type = type_info[v->type].onnx;
    k->shape = s;
    s->n_dim = (size_t)v->shape.rank;
    s->dim = NEWN(w->mem, Onnx__TensorShapeProto__Dimension *, s->n_dim + 1);
    for (i = 0; i < v->shape.rank; i++) {
        s->dim[i] = NEW(w->mem, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(s->dim[i]);
        s->dim[i]->value_case =
            ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        s->dim[i]->dim_value = v->shape.dim[i];
    }
    return x;
}

static void write_ends(Writer *w)
{
    Graph *g = w->g;
    int i;

    w->out.input = NEWN(w->mem, Onnx__ValueInfoProto *, (size_t)g->nin + 1);
    w->out.output = NEWN(w->mem, Onnx__ValueInfoProto *, (size_t)g->nout + 1);
    for (i = 0; i < g->nin; i++)
        w->out.input[w->out.n_input++] = end_of(w, g->in[i]);
    for (i = 0; i < g->nout; i++)
        w->out.output[w->out.n_output++] = end_of(w, g->out[i]);
}

/* Is v more than a scale?  Those are written with what reads them. */
static bool is_read(const Graph *g, const Val *v)
{
    const Node *n;
    int i;

    for (n = g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i] == v && (i != 1 || (n->op != OP_quantize &&
                                              n->op != OP_dequantize)))
                return true;
    return val_is_output(g, v);
}

void ptq_onnx(Arena *mem, Graph *g, Str *to)
{
    Writer w = {.mem = mem, .g = g};
    Onnx__ModelProto m = ONNX__MODEL_PROTO__INIT;
    Onnx__OperatorSetIdProto set = ONNX__OPERATOR_SET_ID_PROTO__INIT;
    Onnx__OperatorSetIdProto *sets[] = {&set};
    const Val *v;
    const Node *n;
    uint8_t *bytes;
    size_t len;

    onnx__graph_proto__init(&w.out);
    w.out.name = text(&w, g->name);
    for (v = g->vals; v; v = v->next)
        if (v->data && is_read(g, v))
            add_tensor(&w, v->name, v->type, v->shape.rank, v->shape.dim,
                       v->data, (size_t)val_bytes(v));
    for (n = g->first; n; n = n->next)
        write_node(&w, n);
    write_ends(&w);
    set.domain = text(&w, "");
    set.has_version = m.has_ir_version = 1;
    set.version = OPSET;
    m.ir_version = IR_VERSION;
    m.producer_name = text(&w, "tilewright");
    m.n_opset_import = 1;
    m.opset_import = sets;
    m.graph = &w.out;
    len = onnx__model_proto__get_packed_size(&m);
    bytes = arena_get(mem, len + 1, 1);
    onnx__model_proto__pack(&m, bytes);
    str_mem(to, bytes, len);
}
