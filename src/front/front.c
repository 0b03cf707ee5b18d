/* Which format a model file has. */
#include "front/llama2c/llama2c.h"
#include "front/onnx/onnx.h"

#include <string.h>

Graph *front_parse(Arena *mem, const char *path, const void *p, size_t n,
                   const FrontOpts *o)
{
    if (llama2c_is(p, n))
        return llama2c_graph(mem, path, p, n, o);
    return onnx_parse(mem, path, NULL, p, n, o, NULL);
}

Graph *front_read(Arena *mem, const char *path, const FrontOpts *o)
{
    Arena *file = arena_new(), *tmp = arena_new();
    const char *base = path_base(path), *dir = NULL;
    bool dash = !strcmp(path, "-");
    size_t n;
    Graph *g;
    char *p;

    if (dash)
        path = "standard input";
    err_file(path);
    p = dash ? file_read_input(file, &n) : file_read(file, path, &n);
    if (!dash)
        dir = base == path ? "." : arena_fmt(tmp, "%.*s",
            MAX(1, (int)(base - path) - 1), path);
    if (llama2c_is(p, n)) {
        g = llama2c_graph(mem, path, p, n, o);
        arena_end(file);
    } else {
        g = onnx_parse(mem, path, dir, p, n, o, file);
    }
    arena_end(tmp);
    return g;
}

void front_ops(Str *out, const char *name)
{
    onnx_ops(out, name);
}

void front_ops_json(Json *j, const char *name)
{
    onnx_ops_json(j, name);
}
