/* NAME_selftest.c: a stored example, and what every layer makes of it.
 *
 * Integer layers are compared by a hash of all their bytes (FNV-1a, 32 bits).
 * Of float layers, up to 16 elements spread over the result are compared
 * within the tolerance, of outputs of the network all.  Integers that follow
 * from float values may differ in a tie from machine to machine, and are not
 * compared. */
#include "gen/gen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 16 };

static uint32_t hash32(const void *p, int64_t n)
{
    const unsigned char *s = p;
    uint32_t h = 0x811c9dc5u;

    while (n--)
        h = (h ^ *s++) * 0x01000193u;
    return h;
}

/* By Val.id: is it a float or made from one? */
static bool *find_inexact(Gen *g)
{
    bool *inexact = NEWN(g->mem, bool, graph_nval(g->p->g) + 1);
    const Node *n;
    const Val *v;
    int i;

    for (v = g->p->g->vals; v; v = v->next)
        inexact[v->id] = v->type == T_f32 && !v->data;
    for (n = g->p->g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i] && inexact[n->arg[i]->id])
                inexact[n->res[0]->id] = true;
    return inexact;
}

static int64_t sample_count(const Gen *g, const Val *v)
{
    return val_is_output(g->p->g, v) ? val_count(v)
                                     : MIN(val_count(v), SAMPLES);
}

static int64_t sample_step(const Gen *g, const Val *v)
{
    return MAX(1, val_count(v) / MAX(1, sample_count(g, v)));
}

static void put_samples(Gen *g, FILE *f, int layer, const Val *v)
{
    const float *x = g->o->expected->data[v->id];
    int64_t i, n = sample_count(g, v), step = sample_step(g, v);
    float *s = NEWN(g->mem, float, n + 1);

    for (i = 0; i < n; i++)
        s[i] = x[i * step];
    fputs("static ", f);
    gen_array(f, arena_fmt(g->mem, "sample_%d", layer), T_f32, s, n * 4, 4);
}

/* A layer of several steps is complete after the last. */
static bool is_complete(const Gen *g, int i)
{
    return i + 1 == g->nlayer || g->layer[i + 1]->node != g->layer[i]->node;
}

static bool is_compared(const Gen *g, int i, const bool *inexact)
{
    const Val *v = g->layer[i]->node->res[0];

    return is_complete(g, i) && g->o->expected->data[v->id] &&
           gen_has_result(g, i) &&
           (v->type == T_f32 || !inexact[v->id]);
}

static void put_row(Gen *g, FILE *f, int i)
{
    const Val *v = g->layer[i]->node->res[0];
    int64_t bytes = val_bytes(g->layer[i]->node->res[0]);

    if (v->type == T_f32)
        fprintf(f, "    {sample_%d, %" PRId64 ", %" PRId64 ", 0},\n", i + 1,
                sample_count(g, v), sample_step(g, v));
    else
        fprintf(f, "    {NULL, %" PRId64 ", 1, 0x%08" PRIx32 "},\n", bytes,
                hash32(g->o->expected->data[v->id], bytes));
}

static void put_checks(Gen *g, FILE *f)
{
    const bool *inexact = find_inexact(g);
    int i;

    for (i = 0; i < g->nlayer; i++)
        if (is_compared(g, i, inexact) &&
            g->layer[i]->node->res[0]->type == T_f32)
            put_samples(g, f, i + 1, g->layer[i]->node->res[0]);
    fputs("/* Of each layer: samples of a float result, how many, and their"
          " distance;\n * or the bytes of an integer one, and their hash."
          "  No count: not compared. */\nstatic const struct check {\n"
          "    const void *sample;\n    int32_t count, step;\n"
          "    uint32_t hash;\n} checks[] = {\n", f);
    for (i = 0; i < g->nlayer; i++)
        if (is_compared(g, i, inexact))
            put_row(g, f, i);
        else
            fputs("    {NULL, 0, 0, 0},\n", f);
    fputs("    {NULL, 0, 0, 0}\n};\n\n", f);
}

static void put_inputs(Gen *g, FILE *f)
{
    int i;

    for (i = 0; i < g->p->g->nin; i++) {
        const Val *v = g->p->g->in[i];

        if (g->p->place[v->id].buf < 0)
            continue;
        fputs("static ", f);
        gen_array(f, arena_fmt(g->mem, "input_%d", i), v->type,
                  g->o->example[i], val_bytes(v),
                  8);
    }
}

static void put_set(Gen *g, FILE *f)
{
    int i;

    fprintf(f, "static void set_inputs(const struct %s *net)\n{\n"
            "    (void)net;\n", g->name);
    for (i = 0; i < g->p->g->nin; i++)
        if (g->p->place[g->p->g->in[i]->id].buf >= 0)
            fprintf(f, "    memcpy(%s_input(net, %d), input_%d,"
                    " %s_INPUT_%d_BYTES);\n", g->name, i, i, g->caps, i);
    fputs("}\n\n", f);
}

static const char compare_text[] =
    "static uint32_t hash(const unsigned char *p, int32_t n)\n"
    "{\n"
    "    uint32_t h = 0x811c9dc5u;\n"
    "\n"
    "    while (n-- > 0)\n"
    "        h = (h ^ *p++) * 0x01000193u;\n"
    "    return h;\n"
    "}\n"
    "\n"
    "static int close_to(float a, float b)\n"
    "{\n"
    "    float d = a > b ? a - b : b - a, m = b < 0 ? -b : b;\n"
    "\n"
    "    if (a == b || (a != a && b != b))\n"
    "        return 1;\n"
    "    return d <= TOLERANCE * (m > 1 ? m : 1);\n"
    "}\n"
    "\n"
    "static int is_right(const struct check *c, const void *got)\n"
    "{\n"
    "    int32_t i;\n"
    "\n"
    "    if (c->count && !c->sample)\n"
    "        return hash(got, c->count) == c->hash;\n"
    "    for (i = 0; i < c->count; i++) {\n"
    "        float a, b;\n"
    "\n"
    "        memcpy(&a, (const char *)got + 4 * i * c->step, 4);\n"
    "        memcpy(&b, (const char *)c->sample + 4 * i, 4);\n"
    "        if (!close_to(a, b))\n"
    "            return 0;\n"
    "    }\n"
    "    return 1;\n"
    "}\n\n";

void gen_selftest(Gen *g)
{
    const char *path = arena_fmt(g->mem, "%s_selftest.c", g->name);
    FILE *f = fopen(gen_path(g, path), "wb");
    bool bad;

    if (!f)
        err(ERR_TOOL, "cannot write %s/%s", g->dir, path);
    fprintf(f, "/* The self-test of %s: the example it was compiled with,"
            " layer by layer. */\n#include \"%s.h\"\n\n#include <math.h>\n"
            "#include <stddef.h>\n#include <string.h>\n\n"
            "#define TOLERANCE %.9gf\n"
            "#define ALIGN(n) __attribute__((aligned(n)))\n"
            "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n",
            g->name, g->name, g->o->tolerance > 0 ? g->o->tolerance : 1e-4);
    put_inputs(g, f);
    put_checks(g, f);
    put_set(g, f);
    fputs(compare_text, f);
    fprintf(f, "int %s_selftest(const struct %s *net)\n{\n    int i;\n\n"
            "    set_inputs(net);\n"
            "    for (i = 1; i <= %s_LAYERS; i++) {\n"
            "        %s_step(net, i);\n"
            "        if (!is_right(&checks[i - 1], %s_result(net, i)))\n"
            "            return i;\n    }\n    return 0;\n}\n",
            g->name, g->name, g->caps, g->name, g->name);
    bad = ferror(f) != 0;
    if (fclose(f) || bad)
        err(ERR_TOOL, "cannot write %s/%s: is the disk full?", g->dir, path);
    gen_source(g, path);
}
