/* What rt/run.c is told of a network: a table and a few functions. */
#include "gen/gen.h"

#include <inttypes.h>

/* Sizes of what has a place; an input that the network ignores has none. */
static void put_sizes(const Plan *p, const char *name, int n, Val *const *v,
                      Str *out)
{
    int i;

    str_fmt(out, "static %sint32_t %s[] = {", p->g->nnum ? "" : "const ", name);
    for (i = 0; i < n; i++)
        str_fmt(out, "%" PRId64 ", ",
                p->place[v[i]->id].buf < 0 ? 0 : val_bytes(v[i]));
    str_put(out, "0};\n");
}

static void put_layer_sizes(Gen *g, Str *out)
{
    int i;

    str_fmt(out, "static %sint32_t layer_bytes[] = {",
            g->p->g->nnum ? "" : "const ");
    for (i = 0; i < g->nlayer; i++)
        str_fmt(out, "%" PRId64 ", ", gen_has_result(g->p, i)
                ? val_bytes(g->p->layer[i].node->res[0]) : 0);
    str_put(out, "0};\n\n");
}

static void put_file(const char *dir, const char *name, Str *out)
{
    str_put(out, ", ");
    gen_quote(arena_fmt(out->mem, "%s%s", dir, name), out);
}

static void put_functions(Gen *g, Str *out)
{
    const char *n = g->name;

    str_fmt(out, "static int init(void)\n{\n    struct %s_memory memory;\n\n",
            n);
    gen_fill_memory(g, out);
    str_fmt(out, "    return %s_init(&one, memory);\n}\n\n"
        "static void *input(int i) { return %s_input(&one, i); }\n"
        "static void run(void) { %s_run(&one); }\n"
        "static const void *output(int i) { return %s_output(&one, i); }\n"
        "static void step(int i) { %s_step(&one, i); }\n"
        "static const void *result(int i) { return %s_result(&one, i); }\n\n",
        n, n, n, n, n, n);
}

static void put_far(Gen *g, Str *out)
{
    const char *n = g->name;

    gen_piece(g, out);
    gen_far_outputs(g, out);
    str_fmt(out, "static int write_input(int i, int32_t offset, int32_t n,"
        " const void *from)\n{\n"
        "    return %s_write_input(&one, i, offset, n, from);\n}\n\n"
        "static int read_output(int i, int32_t offset, int32_t n, void *to)\n"
        "{\n    return %s_read_output(&one, i, offset, n, to);\n}\n\n"
        "const struct tilewright_far tilewright_far = {write_input,"
        " read_output,\n    layer_far, piece, sizeof piece};\n\n", n, n);
}

static void put_load(Gen *g, const char *dir, Str *out)
{
    str_put(out, "static int load(void)\n{\n    return ");
    gen_load(g, arena_fmt(g->mem, "%s../../", dir), out);
    str_put(out, ";\n}\n\n");
}

/* Which inputs are states, and whether the file has them. */
static void put_states(const Plan *p, bool reset, Str *out)
{
    int i;

    str_put(out, "static const unsigned char state[] = {");
    for (i = 0; i < p->g->nin; i++)
        str_fmt(out, "%d, ", !graph_next_state(p->g, p->g->in[i]) ? 0
                             : reset ? 1 : 2);
    str_put(out, "0};\n");
}

static void put_size(Gen *g, const char *array, int i, const Val *v, Str *out)
{
    if (!shape_varies(v->shape))
        return;
    str_fmt(out, "    %s[%d] = %d * (", array, i, type_info[v->type].bytes);
    gen_count(g, v, out);
    str_put(out, ");\n");
}

/* Numbers of every run, and what is so large then. */
static void put_begin(Gen *g, int steps, const int64_t *value, Str *out)
{
    const Graph *n = g->p->g;
    const char *const *name = gen_number_names(g);
    int i, t;

    str_fmt(out, "static const int32_t number[%d][%d] = {\n", steps, n->nnum);
    for (t = 0; t < steps; t++) {
        str_put(out, "    {");
        for (i = 0; i < n->nnum; i++)
            str_fmt(out, "%s%" PRId64, i ? ", " : "",
                    value[t * MOST_NUMBERS + i]);
        str_put(out, "},\n");
    }
    str_put(out, "};\n\nstatic void begin(int step)\n{\n");
    for (i = 0; i < n->nnum; i++)
        str_fmt(out, "    const int32_t %s = number[step][%d];\n", name[i], i);
    str_put(out, "\n");
    for (i = 0; i < n->nnum; i++)
        str_fmt(out, "    %s_set_%s(&one, %s);\n", g->name, name[i], name[i]);
    for (i = 0; i < n->nin; i++)
        if (g->p->place[n->in[i]->id].buf >= 0)
            put_size(g, "in_bytes", i, n->in[i], out);
    for (i = 0; i < n->nout; i++)
        put_size(g, "out_bytes", i, n->out[i], out);
    for (i = 0; i < g->nlayer; i++)
        if (gen_has_result(g->p, i))
            put_size(g, "layer_bytes", i, g->p->layer[i].node->res[0], out);
    str_put(out, "}\n\n");
}

void gen_harness(const Plan *p, const char *name, const char *dir, int steps,
                 bool reset, const int64_t *value, Str *out)
{
    GenOpts o = {.name = name};
    Gen *g = gen_begin(out->mem, p, &o);

    str_fmt(out, "/* What run.c is told of %s. */\n#include \"%s.h\"\n"
            "#include \"run.h\"\n%s%s\n", name, name,
            gen_image_bytes(g) ? "#include \"rt/pulp/ext.h\"\n" : "",
            gen_has_link(g) ? "#include \"rt/rt.h\"\n" : "");
    gen_storage(g, out);
    str_fmt(out, "static struct %s one;\n", name);
    put_sizes(p, "in_bytes", p->g->nin, p->g->in, out);
    put_sizes(p, "out_bytes", p->g->nout, p->g->out, out);
    put_states(p, reset, out);
    put_layer_sizes(g, out);
    put_functions(g, out);
    if (p->g->nnum)
        put_begin(g, steps, value, out);
    if (gen_image_bytes(g))
        put_load(g, dir, out);
    if (plan_external_inout(p))
        put_far(g, out);
    str_fmt(out, "const struct tilewright_net tilewright_net = {%d, %d, %d, %d,"
            "\n    in_bytes, out_bytes, layer_bytes, state, init, input, run, output,"
            "\n    step, result",
            p->g->nin, p->g->nout, g->nlayer, steps);
    put_file(dir, "in.bin", out);
    put_file(dir, "out.bin", out);
    put_file(dir, "dump.bin", out);
    str_fmt(out, ", %s, %s, %s};\n", gen_image_bytes(g) ? "load" : "0",
            p->g->nnum ? "begin" : "0", gen_has_link(g) ? "rt_link_begin" : "0");
}
