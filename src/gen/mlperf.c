/* The device's side of MLPerf Tiny's harness: what rt/mlperf asks of a network.
 * Which benchmark it is of, and so what the harness sends, its input tells:
 *
 *     kws01   490 bytes, int8, as they are
 *     ic01    3072 bytes, uint8, of a picture of 32 by 32, colours last
 *     vww01   27648 bytes, the same of 96 by 96
 *     ad01    640 floats; the score is the mean square of what differs */
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

typedef struct Benchmark {
    const char *name;
    int64_t count;      /* elements of the input */
    int side;           /* of a picture; 0: none */
    bool floats;
} Benchmark;

static const Benchmark benchmarks[] = {
    {"kws01", 490, 0, false}, {"ic01", 3072, 32, false},
    {"vww01", 27648, 96, false}, {"ad01", 640, 0, true},
};

bool gen_is_mlperf(const GenOpts *o)
{
    return o->package && !strcmp(o->package, "mlperf-tiny");
}

static const Benchmark *benchmark_of(const Graph *g)
{
    size_t i;

    for (i = 0; i < LEN(benchmarks) && g->nin == 1 && g->nout == 1; i++)
        if (val_count(g->in[0]) == benchmarks[i].count &&
            (!benchmarks[i].floats || val_count(g->out[0]) == 640))
            return &benchmarks[i];
    err(ERR_USAGE, "--package mlperf-tiny: a network of one input, of 490"
        " (kws01), 3072 (ic01), 27648 (vww01) or 640 (ad01) elements, and one"
        " output was wanted; this one has %d and %d, the first input of %"
        PRId64 " elements", g->nin, g->nout, g->nin ? val_count(g->in[0]) : 0);
}

static const char *type_of(const Val *v)
{
    switch (v->type) {
    case T_s8: return "int8_t";
    case T_u8: return "uint8_t";
    case T_f32: return "float";
    default: err(ERR_USAGE, "--package mlperf-tiny: '%s' is of %s; s8, u8 or"
                 " f32 was wanted", v->name, type_info[v->type].name);
    }
}

/* Does a picture have its colours first?  The harness sends them last. */
static bool is_planar(const Benchmark *k, const Val *x)
{
    return k->side && x->shape.rank == 4 && x->shape.dim[1] == 3;
}

/* An element of the input, from byte v of the harness. */
static const char *element(const Benchmark *k, const Val *x)
{
    if (x->type == T_f32)
        return k->side ? "(float)v" : "(float)(int8_t)v";
    if (k->side)
        return x->type == T_s8 ? "(int8_t)(v - 128)" : "v";
    return x->type == T_s8 ? "(int8_t)v" : "(uint8_t)(v + 128)";
}

static void put_load(Gen *g, const Benchmark *k, Str *out)
{
    const Val *x = g->p->g->in[0];
    const int area = k->side * k->side;

    str_fmt(out, "void th_load_tensor(void)\n{\n    static uint8_t bytes[%"
        PRId64 "];\n    int32_t i;\n\n"
        "    ee_get_buffer(bytes, sizeof bytes);\n"
        "    for (i = 0; i < %s_INPUT_0_COUNT; i++) {\n", k->count, g->caps);
    if (is_planar(k, x))
        str_fmt(out, "        const uint8_t v = bytes[i %% %d * 3 + i / %d];\n",
                area, area);
    else
        str_put(out, "        const uint8_t v = bytes[i];\n");
    str_fmt(out, "\n        given[i] = %s;\n    }\n", element(k, x));
}

/* Floats become integers, halves rounded away from 0. */
static void put_load_floats(Gen *g, Str *out)
{
    const Val *x = g->p->g->in[0];

    str_fmt(out, "void th_load_tensor(void)\n{\n    int32_t i;\n\n"
        "    ee_get_buffer((uint8_t *)was, sizeof was);\n"
        "    for (i = 0; i < %s_INPUT_0_COUNT; i++) {\n", g->caps);
    if (x->type == T_f32)
        str_put(out, "        given[i] = was[i];\n    }\n");
    else
        str_fmt(out,
            "        const float s = was[i] / (float)%s_INPUT_0_SCALE;\n"
            "        const float half = s < 0 ? -0.5f : 0.5f;\n"
            "        const float q = (float)(int32_t)(s + half) +\n"
            "                        %s_INPUT_0_ZERO;\n\n"
            "        given[i] = (%s)(q < %s ? %s : q > %s ? %s : q);\n    }\n",
            g->caps, g->caps, type_of(x), x->type == T_s8 ? "-128" : "0",
            x->type == T_s8 ? "-128" : "0", x->type == T_s8 ? "127" : "255",
            x->type == T_s8 ? "127" : "255");
}

/* Three decimals of v, as printf rounds them. */
static const char decimal[] =
    "static void put_score(double v)\n{\n"
    "    const double size = v < 0 ? -v : v;\n"
    "    uint32_t n = (uint32_t)(size * 1000);\n"
    "    const double rest = size * 1000 - (double)n;\n\n"
    "    n += rest > 0.5 || (rest == 0.5 && n & 1);\n"
    "    th_printf(\"%s%u.%03u\", v < 0 ? \"-\" : \"\", (unsigned)(n / 1000),\n"
    "              (unsigned)(n % 1000));\n}\n\n";

static bool is_scaled(const Gen *g)
{
    const Val *y = g->p->g->out[0];

    return y->type != T_f32 && y->scale != 0;
}

/* Output i as a number. */
static const char *score(Gen *g)
{
    if (!is_scaled(g))
        return "made[i]";
    return "scale * (float)(made[i] - zero)";
}

static void put_results(Gen *g, const Benchmark *k, Str *out)
{
    str_put(out, decimal);
    str_put(out, "void th_results(void)\n{\n");
    if (is_scaled(g))
        str_fmt(out, "    const float scale = (float)%s_OUTPUT_0_SCALE;\n"
            "    const int32_t zero = %s_OUTPUT_0_ZERO;\n", g->caps, g->caps);
    str_fmt(out, "    static %s made[%s_OUTPUT_0_COUNT];\n    int32_t i;\n%s\n"
        "    %s_read_output(&net, 0, 0, %s_OUTPUT_0_BYTES, made);\n"
        "    th_printf(\"m-results-[\");\n"
        "    for (i = 0; i < %s_OUTPUT_0_COUNT; i++) {\n",
        type_of(g->p->g->out[0]), g->caps, k->floats ? "    float sum = 0;\n"
        : "", g->name, g->caps, g->caps);
    if (k->floats)
        str_fmt(out, "        const float d = %s - was[i];\n\n"
            "        sum += d * d;\n    }\n"
            "    put_score(sum / %s_OUTPUT_0_COUNT);\n", score(g), g->caps);
    else
        str_fmt(out, "        if (i)\n            th_printf(\",\");\n"
            "        put_score(%s);\n    }\n", score(g));
    str_put(out, "    th_printf(\"]\\r\\n\");\n}\n");
}

static void put_submitter(Gen *g, const Benchmark *k)
{
    Str b = {.mem = g->mem};
    const char *n = g->name;

    str_fmt(&b, "/* What MLPerf Tiny's harness calls of %s, as %s. */\n"
        "#include \"%s.h\"\n#include \"rt/mlperf/submitter.h\"\n\n", n, k->name,
        n);
    gen_storage(g, &b);
    str_fmt(&b, "const char th_model_version[] = \"%s\";\n\n"
        "static struct %s net;\n"
        "static %s given[%s_INPUT_0_COUNT]; /* a run may overwrite its"
        " input */\n",
        k->name, n, type_of(g->p->g->in[0]), g->caps);
    if (k->floats)
        str_fmt(&b, "static float was[%s_INPUT_0_COUNT];\n", g->caps);
    str_fmt(&b, "\nvoid th_final_initialize(void)\n{\n"
        "    struct %s_memory memory;\n\n", n);
    gen_fill_memory(g, &b);
    str_fmt(&b, "    if (%s_init(&net, memory))\n"
        "        th_printf(\"e-[%s: memory is not aligned]\\r\\n\");\n}\n\n", n,
        n);
    (k->floats ? put_load_floats(g, &b) : put_load(g, k, &b));
    str_fmt(&b, "}\n\nvoid th_infer(void)\n{\n"
        "    %s_write_input(&net, 0, 0, %s_INPUT_0_BYTES, given);\n"
        "    %s_run(&net);\n}\n\n", n, g->caps, n);
    put_results(g, k, &b);
    gen_file(g, arena_fmt(g->mem, "%s_submitter.c", n), &b);
}

void gen_mlperf(Gen *g)
{
    int i;

    put_submitter(g, benchmark_of(g->p->g));
    for (i = 0; i < npacked; i++) {
        Str b = {.mem = g->mem};

        if (!str_starts(packed[i].path, "rt/mlperf/"))
            continue;
        str_mem(&b, packed[i].data, packed[i].n);
        gen_file(g, packed[i].path, &b);
    }
}

const char *gen_mlperf_sources(Gen *g)
{
    return arena_fmt(g->mem, "rt/mlperf/main.c rt/mlperf/protocol.c"
                     " rt/mlperf/port.c %s_submitter.c", g->name);
}
