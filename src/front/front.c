/* Which format a model file has: its content says so, not its name. */
#include "front/llama2c/llama2c.h"
#include "front/number.h"
#include "front/onnx/onnx.h"
#include "front/tflite/tflite.h"

#include <string.h>

/* A model file as it lies in memory. */
typedef struct Bytes {
    const char *path, *dir;
    const char *p;
    size_t n;
} Bytes;

/* The text form says all of a graph: no option changes its inputs. */
static Graph *read_text(Arena *mem, const FrontOpts *o, const Bytes *b)
{
    Arena *a = arena_new();
    Str text = {.mem = a};
    Graph *g;

    if (o->ndim || o->ntype || o->nstate)
        err(ERR_USAGE, "a graph in text form says its own sizes, types and "
            "states: --dim, --input-type and --state are of other formats");
    str_mem(&text, b->p, b->n);
    g = graph_parse(mem, b->path, text.s);
    graph_sort(g);
    graph_number(g);
    graph_check(g, "front");
    g->hash = hash_mem(b->p, b->n);
    arena_end(a);
    return g;
}

static Graph *read_bytes(Arena *mem, const FrontOpts *o, void *arg)
{
    const Bytes *b = arg;

    if (graph_is_text(b->p, b->n))
        return read_text(mem, o, b);
    if (llama2c_is(b->p, b->n))
        return llama2c_graph(mem, b->path, b->p, b->n, o);
    if (tflite_is(b->p, b->n))
        return tflite_parse(mem, b->path, b->p, b->n, o);
    return onnx_parse(mem, b->path, b->dir, b->p, b->n, o, NULL);
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
    if (!o->context || graph_is_text(b->p, b->n) ||
        llama2c_is(b->p, b->n) || tflite_is(b->p, b->n))
        return o;
    return onnx_caches(mem, b->p, b->n, o);
}

Graph *front_parse(Arena *mem, const char *path, const void *p, size_t n,
                   const FrontOpts *o)
{
    Bytes b = {.path = path, .p = p, .n = n};
    Arena *tmp = arena_new();
    Graph *g;

    o = with_context(tmp, &b, o);
    g = has_numbers(o) ? front_numbers(mem, o, read_bytes, &b)
                       : read_bytes(mem, o, &b);
    front_given(g, o);
    arena_end(tmp);
    return g;
}

Graph *front_read(Arena *mem, const char *path, const FrontOpts *o)
{
    Arena *file = arena_new(), *tmp = arena_new();
    const char *base = path_base(path);
    bool dash = !strcmp(path, "-");
    Bytes b = {.path = dash ? "standard input" : path};
    Graph *g;

    err_file(b.path);
    b.p = dash ? file_read_input(file, &b.n) : file_read(file, path, &b.n);
    if (!dash)
        b.dir = base == path ? "." : arena_fmt(tmp, "%.*s",
            MAX(1, (int)(base - path) - 1), path);
    o = with_context(tmp, &b, o);
    if (has_numbers(o) || graph_is_text(b.p, b.n) ||
        llama2c_is(b.p, b.n) || tflite_is(b.p, b.n)) {
        g = has_numbers(o) ? front_numbers(mem, o, read_bytes, &b)
                           : read_bytes(mem, o, &b);
        arena_end(file);
    } else {
        g = onnx_parse(mem, b.path, b.dir, b.p, b.n, o, file);
    }
    front_given(g, o);
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
