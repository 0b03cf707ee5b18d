/* front FILE: what ONNX models come to.  The file holds models in a small
 * notation, with --- between; each is packed as an ONNX file and read, and the
 * graph or the error is printed.  front -s DIR FILE writes the ONNX files into
 * DIR instead (seeds for the fuzzer).  A line each:
 *
 *     opset 13                            (default; `opset 1 com.microsoft`)
 *     in x float[1,n,8]                   a name is a dim_param, ? unknown
 *     init w float[2,3] 1 2 3 4 5 6       fewer values: the last repeats
 *     raw w float16[2] 003c00c0           raw_data
 *     file w float[2] weights.bin 0 8     external data, offset, length
 *     sparse w float[4] 7 8 at 1 3
 *     node Conv c1 x,w,_ -> y pads=1,1,1,1 auto_pad="VALID" eps=0.5 f=@g
 *     func dom::F a,b -> c                nodes up to `end` are its body
 *     out y                               or out y float[2,3]
 *     type s8 · type x=u8 · dim n=4 · ints 1 2 3     the reader's options
 *     bytes 0a0b                          the whole file, instead
 *
 * Attribute values: integers, floats (with a point), "text", @reference, and
 * #5 for a float tensor of one number. */
#include "front/front.h"
#include "onnx.pb-c.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define INIT(a, T, lower) make(a, sizeof(T), (void (*)(void *))lower##__init)
#define ADD(a, m, list, x) \
    (GROW(a, (m)->list, (m)->n_##list), (m)->list[(m)->n_##list++] = (x))

typedef struct Build {
    Arena *a;
    Onnx__ModelProto *m;
    Onnx__GraphProto *g;
    Onnx__FunctionProto *f; /* being written */
    FrontOpts o;
    char *bytes;
    size_t n;
} Build;

static jmp_buf refused;

static void jump(const Trouble *t)
{
    (void)t;
    longjmp(refused, 1);
}

static void *make(Arena *a, size_t size, void (*init)(void *))
{
    void *p = arena_get(a, size, 1);

    init(p);
    return p;
}

static int type_number(const char *s)
{
    static const char *const names[] = {"", "float", "uint8", "int8", "uint16",
        "int16", "int32", "int64", "string", "bool", "float16", "double",
        "uint32", "uint64", "complex64", "complex128", "bfloat16"};
    int i;

    for (i = 1; i < (int)LEN(names); i++)
        if (!strcmp(names[i], s))
            return i;
    return !strcmp(s, "int4") ? 22 : !strcmp(s, "uint4") ? 21 : atoi(s);
}

static char *word(char **s)
{
    char *w;

    *s += strspn(*s, " ");
    w = *s;
    *s += strcspn(*s, " ");
    if (**s)
        *(*s)++ = 0;
    return w;
}

/* "float[1,n]" -> its number; the dimensions stay in s. */
static int split_type(char *s, char **dims)
{
    *dims = s + strcspn(s, "[");
    if (**dims)
        *(*dims)++ = 0;
    (*dims)[strcspn(*dims, "]")] = 0;
    return type_number(s);
}

static void set_dims(Build *b, Onnx__TensorProto *t, char *dims)
{
    char *d;

    for (d = strtok(dims, ","); d; d = strtok(NULL, ","))
        ADD(b->a, t, dims, atoll(d));
}

static Onnx__TensorProto *tensor(Build *b, const char *name, char *type)
{
    Onnx__TensorProto *t = INIT(b->a, Onnx__TensorProto, onnx__tensor_proto);
    char *dims;

    t->has_data_type = 1;
    t->data_type = split_type(type, &dims);
    t->name = (char *)(uintptr_t)name;
    set_dims(b, t, dims);
    return t;
}

static int64_t count(const Onnx__TensorProto *t)
{
    int64_t n = 1;
    size_t i;

    for (i = 0; i < t->n_dims; i++)
        n *= t->dims[i];
    return MIN(n, 1 << 16);
}

static void put(Build *b, Onnx__TensorProto *t, const char *v)
{
    switch (t->data_type) {
    case 1: ADD(b->a, t, float_data, (float)atof(v)); return;
    case 7: ADD(b->a, t, int64_data, atoll(v)); return;
    case 11: ADD(b->a, t, double_data, atof(v)); return;
    case 12: case 13: ADD(b->a, t, uint64_data, strtoull(v, NULL, 0)); return;
    }
    ADD(b->a, t, int32_data, (int32_t)strtol(v, NULL, 0));
}

static void values(Build *b, Onnx__TensorProto *t, char *s)
{
    int64_t i, n = count(t);
    char *v = NULL, *next;

    for (i = 0; i < n; i++) {
        next = word(&s);
        v = *next ? next : v;
        if (v)
            put(b, t, v);
    }
}

static char *hex(Arena *a, const char *s, size_t *n)
{
    char *p = arena_get(a, strlen(s) + 1, 1), two[3] = "";

    for (*n = 0; isxdigit((unsigned char)s[0]) && s[1]; s += 2) {
        memcpy(two, s, 2);
        p[(*n)++] = (char)strtol(two, NULL, 16);
    }
    return p;
}

static void pair(Build *b, Onnx__TensorProto *t, char *key, char *value)
{
    Onnx__StringStringEntryProto *e = INIT(b->a, Onnx__StringStringEntryProto,
                                           onnx__string_string_entry_proto);

    e->key = key;
    e->value = value;
    if (*value)
        ADD(b->a, t, external_data, e);
}

static void do_file(Build *b, Onnx__TensorProto *t, char *s)
{
    t->has_data_location = 1;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    pair(b, t, "location", word(&s));
    pair(b, t, "offset", word(&s));
    pair(b, t, "length", word(&s));
}

static void do_sparse(Build *b, const char *name, char *type, char *s)
{
    Onnx__SparseTensorProto *p = INIT(b->a, Onnx__SparseTensorProto,
                                      onnx__sparse_tensor_proto);
    Onnx__TensorProto *v, *at;
    char *w;

    v = p->values = tensor(b, name, type);
    at = p->indices = tensor(b, "", strcpy(arena_get(b->a, 8, 1), "int64"));
    p->n_dims = v->n_dims;
    p->dims = v->dims;
    v->n_dims = 0;
    v->dims = NULL;
    for (w = word(&s); *w && strcmp(w, "at"); w = word(&s))
        put(b, v, w);
    for (w = word(&s); *w; w = word(&s))
        put(b, at, w);
    ADD(b->a, v, dims, (int64_t)v->n_float_data);
    ADD(b->a, at, dims, (int64_t)at->n_int64_data);
    ADD(b->a, b->g, sparse_initializer, p);
}

static Onnx__ValueInfoProto *value(Build *b, char *name, char *type)
{
    Onnx__ValueInfoProto *v = INIT(b->a, Onnx__ValueInfoProto,
                                   onnx__value_info_proto);
    Onnx__TypeProto__Tensor *t;
    Onnx__TensorShapeProto__Dimension *d;
    char *dims, *s;

    v->name = name;
    if (!*type)
        return v;
    v->type = INIT(b->a, Onnx__TypeProto, onnx__type_proto);
    v->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    t = v->type->tensor_type = INIT(b->a, Onnx__TypeProto__Tensor,
                                    onnx__type_proto__tensor);
    t->has_elem_type = 1;
    t->elem_type = split_type(type, &dims);
    t->shape = INIT(b->a, Onnx__TensorShapeProto, onnx__tensor_shape_proto);
    for (s = strtok(dims, ","); s; s = strtok(NULL, ",")) {
        d = INIT(b->a, Onnx__TensorShapeProto__Dimension,
                 onnx__tensor_shape_proto__dimension);
        if (isdigit((unsigned char)*s) || *s == '-') {
            d->value_case =
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            d->dim_value = atoll(s);
        } else if (*s != '?') {
            d->value_case =
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            d->dim_param = s;
        }
        ADD(b->a, t->shape, dim, d);
    }
    return v;
}

static void numbers(Build *b, Onnx__AttributeProto *a, char *s)
{
    bool many = strchr(s, ','), real = strchr(s, '.');
    char *v;

    for (v = strtok(s, ","); v && many; v = strtok(NULL, ","))
        if (real)
            ADD(b->a, a, floats, (float)atof(v));
        else
            ADD(b->a, a, ints, atoll(v));
    if (many)
        return;
    a->has_f = real;
    a->has_i = !real;
    a->f = real ? (float)atof(s) : 0;
    a->i = real ? 0 : atoll(s);
}

static void attribute(Build *b, Onnx__NodeProto *n, char *s)
{
    Onnx__AttributeProto *a = INIT(b->a, Onnx__AttributeProto,
                                   onnx__attribute_proto);
    char type[] = "float[]", *v = s + strcspn(s, "=");

    *v++ = 0;
    a->name = s;
    if (*v == '"') {
        v[strcspn(v + 1, "\"") + 1] = 0;
        a->has_s = 1;
        a->s.data = (uint8_t *)(v + 1);
        a->s.len = strlen(v + 1);
    } else if (*v == '@') {
        a->ref_attr_name = v + 1;
    } else if (*v == '#') {
        a->t = tensor(b, "", type);
        put(b, a->t, v + 1);
    } else {
        numbers(b, a, v);
    }
    ADD(b->a, n, attribute, a);
}

static void names(Build *b, char *s, size_t *n, char ***list)
{
    char *w;

    for (w = strtok(s, ","); w; w = strtok(NULL, ",")) {
        GROW(b->a, *list, *n);
        (*list)[(*n)++] = strcmp(w, "_") ? w : "";
    }
}

static void split_domain(char *s, char **domain, char **name)
{
    char *at = strstr(s, "::");

    *name = at ? at + 2 : s;
    if (!at)
        return;
    *at = 0;
    *domain = s;
}

static void do_node(Build *b, char *s)
{
    Onnx__NodeProto *n = INIT(b->a, Onnx__NodeProto, onnx__node_proto);
    char *w;

    split_domain(word(&s), &n->domain, &n->op_type);
    n->name = word(&s);
    w = word(&s);
    if (strcmp(w, "->")) {
        names(b, w, &n->n_input, &n->input);
        word(&s);
    }
    names(b, word(&s), &n->n_output, &n->output);
    for (w = word(&s); *w; w = word(&s))
        attribute(b, n, w);
    if (b->f)
        ADD(b->a, b->f, node, n);
    else
        ADD(b->a, b->g, node, n);
}

static void do_func(Build *b, char *s)
{
    Onnx__FunctionProto *f = INIT(b->a, Onnx__FunctionProto,
                                  onnx__function_proto);

    split_domain(word(&s), &f->domain, &f->name);
    names(b, word(&s), &f->n_input, &f->input);
    word(&s);
    names(b, word(&s), &f->n_output, &f->output);
    ADD(b->a, b->m, functions, f);
    b->f = f;
}

static void do_opset(Build *b, char *s)
{
    Onnx__OperatorSetIdProto *o = INIT(b->a, Onnx__OperatorSetIdProto,
                                       onnx__operator_set_id_proto);

    o->has_version = 1;
    o->version = atoll(word(&s));
    o->domain = word(&s);
    ADD(b->a, b->m, opset_import, o);
}

static Type type_named(const char *s)
{
    int t;

    for (t = 1; t < NTYPE; t++)
        if (!strcmp(type_info[t].name, s))
            return (Type)t;
    return T_none;
}

static void do_option(Build *b, const char *what, char *s)
{
    char *v = strchr(s, '=');

    if (v)
        *v++ = 0;
    if (!strcmp(what, "dim")) {
        b->o.dim_name[b->o.ndim] = s;
        if (strstr(v, "..")) {
            b->o.dim_varies[b->o.ndim] = true;
            b->o.dim_least[b->o.ndim] = atoll(v);
            v = strstr(v, "..") + 2;
        }
        b->o.dim_size[b->o.ndim++] = atoll(v);
        return;
    }
    if (!strcmp(what, "given")) {
        b->o.given_in[b->o.ngiven] = s;
        b->o.given_as[b->o.ngiven++] = v;
        return;
    }
    if (!strcmp(what, "state")) {
        b->o.state_in[b->o.nstate] = s;
        b->o.state_out[b->o.nstate++] = v;
        return;
    }
    b->o.type_name[b->o.ntype] = v ? s : NULL;
    b->o.type[b->o.ntype++] = type_named(v ? v : s);
}

/* A vector for the next input. */
static void do_vector(Build *b, char *s)
{
    Array *v = NEW(b->a, Array);
    const Array **tail = &b->o.vectors;
    char *w;
    double *p = NULL;

    for (w = word(&s); *w; w = word(&s)) {
        GROW(b->a, p, (size_t)v->n);
        p[v->n++] = atof(w);
    }
    strcpy(v->type, "f8");
    v->rank = 1;
    v->dim[0] = v->n;
    v->data = p;
    while (*tail)
        tail = (const Array **)(uintptr_t)&(*tail)->next;
    *tail = v;
}

static void line(Build *b, char *s)
{
    char *w = word(&s), *name;

    if (!*w || *w == '#')
        return;
    if (!strcmp(w, "opset")) {
        do_opset(b, s);
    } else if (!strcmp(w, "in")) {
        name = word(&s);
        ADD(b->a, b->g, input, value(b, name, word(&s)));
    } else if (!strcmp(w, "out")) {
        name = word(&s);
        ADD(b->a, b->g, output, value(b, name, word(&s)));
    } else if (!strcmp(w, "node")) {
        do_node(b, s);
    } else if (!strcmp(w, "func")) {
        do_func(b, s);
    } else if (!strcmp(w, "end")) {
        b->f = NULL;
    } else if (!strcmp(w, "context")) {
        b->o.context = atoll(s);
    } else if (!strcmp(w, "type") || !strcmp(w, "dim") ||
               !strcmp(w, "state") || !strcmp(w, "given")) {
        do_option(b, w, s);
    } else if (!strcmp(w, "ints")) {
        do_vector(b, s);
    } else if (!strcmp(w, "bytes")) {
        b->bytes = hex(b->a, s, &b->n);
    } else if (!strcmp(w, "sparse")) {
        name = word(&s);
        w = word(&s);
        do_sparse(b, name, w, s);
    } else {
        Onnx__TensorProto *t;
        name = word(&s);
        t = tensor(b, name, word(&s));
        ADD(b->a, b->g, initializer, t);
        if (!strcmp(w, "init")) {
            values(b, t, s);
        } else if (!strcmp(w, "raw")) {
            t->has_raw_data = 1;
            t->raw_data.data = (uint8_t *)hex(b->a, s, &t->raw_data.len);
        } else if (!strcmp(w, "file")) {
            do_file(b, t, s);
        } else {
            die("no such line: %s", w);
        }
    }
}

static Build build(Arena *a, char *text)
{
    Build b = {.a = a};
    char *s, *next;

    b.m = INIT(a, Onnx__ModelProto, onnx__model_proto);
    b.g = b.m->graph = INIT(a, Onnx__GraphProto, onnx__graph_proto);
    b.g->name = "g";
    for (s = text; s; s = next) {
        next = strchr(s, '\n');
        if (next)
            *next++ = 0;
        line(&b, s);
    }
    if (!b.m->n_opset_import)
        do_opset(&b, strcpy(arena_get(a, 4, 1), "13"));
    if (!b.bytes) {
        b.bytes = arena_get(a, onnx__model_proto__get_packed_size(b.m) + 1, 1);
        b.n = onnx__model_proto__pack(b.m, (uint8_t *)b.bytes);
    }
    return b;
}

/* External data wants a real file, beside the test's own. */
static Graph *read_model(Build *b, const char *dir)
{
    const char *path = arena_fmt(b->a, "%s/front-test.onnx", dir);

    file_write(path, b->bytes, b->n);
    return front_read(b->a, path, &b->o);
}

static void show(Build *b, const char *dir)
{
    Str text = {.mem = b->a};
    Graph *g;

    err_hook = jump;
    if (setjmp(refused)) {
        err_hook = NULL;
        printf("error: %s\n", trouble.message);
        return;
    }
    g = read_model(b, dir);
    err_hook = NULL;
    graph_check(g, "front");
    g->hash = 0;
    graph_print(g, &text);
    fputs(text.s, stdout);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    const char *seeds = argc > 3 && !strcmp(argv[1], "-s") ? argv[2] : NULL;
    char *text, *next, *end;
    int i = 0;
    size_t n;

    if (argc < 2)
        err(ERR_USAGE, "front [-s DIR] FILE");
    setvbuf(stdout, NULL, _IOLBF, 0); /* warnings come in between */
    text = file_read(a, argv[argc - 1], &n);
    end = strstr(text, "# >>> want");
    if (end)
        *end = 0;
    for (; text; text = next, i++) {
        Build b;
        next = strstr(text, "\n---");
        if (next) {
            *next = 0;
            next += strlen("\n---");
        }
        b = build(a, text);
        if (seeds)
            file_write(arena_fmt(a, "%s/%s-%d.onnx", seeds,
                                 path_base(argv[argc - 1]), i), b.bytes, b.n);
        else
            printf(i ? "---\n" : ""), show(&b, "build/test");
    }
    return 0;
}
