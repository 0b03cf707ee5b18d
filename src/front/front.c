/* Which format a model file has: its content says so, not its name. */
#include "front/llama2c/llama2c.h"
#include "front/number.h"
#include "front/onnx/onnx.h"
#include "front/tflite/tflite.h"

#include <string.h>

/* A model file as it lies in memory. */
typedef struct Bytes {
    const char *path, *dir; /* dir: of external data; NULL: none allowed */
    const char *p;
    size_t n;
    Arena *arena; /* of the bytes; NULL: they stay, or are gone */
    bool once;    /* they are read once */
} Bytes;

/* A language model has the inputs and the output that rt/lm wants of it. */
static void check_context(const Graph *g)
{
    static const char *const wanted[] = {"token", "position"};
    size_t k;
    int i;

    if (g->context <= 0 || !g->nout || g->out[0]->type != T_f32)
        err(ERR_MODEL, "context %lld: a language model has positions, and "
            "its first output are floats", (long long)g->context);
    for (k = 0; k < LEN(wanted); k++) {
        for (i = 0; i < g->nin && strcmp(g->in[i]->name, wanted[k]); i++)
            ;
        if (i == g->nin || g->in[i]->type != T_s32)
            err(ERR_MODEL, "context %lld: a language model has an input '%s' "
                "of s32", (long long)g->context, wanted[k]);
    }
}

/* The text form says all of a graph: no option changes its inputs. */
static Graph *read_text(Arena *mem, const FrontOpts *o, Bytes *b)
{
    Arena *a = arena_new();
    Str text = {.mem = a};
    Graph *g;

    if (o->ndim || o->ntype || o->nstate || o->context || o->chunk)
        err(ERR_USAGE, "a graph in text form says its own sizes, types and "
            "states: --dim, --input-type, --state, --context and --chunk are "
            "of other formats");
    str_mem(&text, b->p, b->n);
    g = graph_parse(mem, b->path, text.s);
    if (g->context)
        check_context(g);
    graph_sort(g);
    graph_number(g);
    graph_check(g, "front");
    g->hash = hash_mem(b->p, b->n);
    arena_end(a);
    return g;
}

static Graph *read_llama2c(Arena *mem, const FrontOpts *o, Bytes *b)
{
    return llama2c_graph(mem, b->path, b->p, b->n, o);
}

static Graph *read_tflite(Arena *mem, const FrontOpts *o, Bytes *b)
{
    return tflite_parse(mem, b->path, b->p, b->n, o);
}

/* The bytes are dropped as soon as they are unpacked. */
static Graph *read_onnx(Arena *mem, const FrontOpts *o, Bytes *b)
{
    Arena *file = b->once ? b->arena : NULL;

    if (file)
        b->arena = NULL;
    return onnx_parse(mem, b->path, b->dir, b->p, b->n, o, file);
}

/* ONNX has no mark of its own: it is what nothing else is. */
static bool may_be_onnx(const void *p, size_t n)
{
    (void)p, (void)n;
    return true;
}

typedef struct Format {
    bool (*is)(const void *p, size_t n);
    Graph *(*read)(Arena *mem, const FrontOpts *o, Bytes *b);
} Format;

static const Format formats[] = {
    {graph_is_text, read_text},
    {llama2c_is, read_llama2c},
    {tflite_is, read_tflite},
    {may_be_onnx, read_onnx},
};

static const Format *format_of(const Bytes *b)
{
    const Format *f = formats;

    while (!f->is(b->p, b->n))
        f++;
    return f;
}

static Graph *read_bytes(Arena *mem, const FrontOpts *o, void *arg)
{
    Bytes *b = arg;

    return format_of(b)->read(mem, o, b);
}

static bool has_numbers(const FrontOpts *o)
{
    int i;

    for (i = 0; i < o->ndim && !o->dim_varies[i]; i++)
        ;
    return i < o->ndim;
}

/* --context of a decoder in ONNX: states and a run-time number. */
static const FrontOpts *with_context(Arena *mem, const Bytes *b,
                                     const FrontOpts *o)
{
    return o->context && format_of(b)->read == read_onnx
               ? onnx_caches(mem, b->p, b->n, o) : o;
}

static Graph *read_model(Arena *mem, const FrontOpts *o, Bytes *b)
{
    Arena *tmp = arena_new();
    Graph *g;

    o = with_context(tmp, b, o);
    b->once = !has_numbers(o);
    g = b->once ? read_bytes(mem, o, b) : front_numbers(mem, o, read_bytes, b);
    front_given(g, o);
    arena_end(tmp);
    return g;
}

Graph *front_parse(Arena *mem, const char *path, const void *p, size_t n,
                   const FrontOpts *o)
{
    Bytes b = {.path = path, .p = p, .n = n};

    return read_model(mem, o, &b);
}

Graph *front_read(Arena *mem, const char *path, const FrontOpts *o)
{
    const char *base = path_base(path);
    bool dash = !strcmp(path, "-");
    Arena *tmp = arena_new();
    Bytes b = {.path = dash ? "standard input" : path, .arena = arena_new()};
    Graph *g;

    err_file(b.path);
    b.p = dash ? file_read_input(b.arena, &b.n)
               : file_read(b.arena, path, &b.n);
    if (!dash)
        b.dir = base == path ? "." : arena_fmt(tmp, "%.*s",
            MAX(1, (int)(base - path) - 1), path);
    g = read_model(mem, o, &b);
    if (b.arena)
        arena_end(b.arena);
    arena_end(tmp);
    return g;
}

void front_ops(Str *out, const char *name)
{
    if (name && tflite_knows(name)) {
        tflite_ops(out, name);
        return;
    }
    onnx_ops(out, name);
    if (!name)
        tflite_ops(out, NULL);
}

void front_ops_json(Json *j, const char *name)
{
    json_arr(j);
    if (!name || !tflite_knows(name))
        onnx_ops_json(j, name);
    tflite_ops_json(j, name);
    json_end(j);
}
