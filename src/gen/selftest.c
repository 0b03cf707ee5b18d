/* NAME_selftest.c: an example, and what every layer makes of it.  Where none
 * was given it is drawn at random, by the self-test itself: nothing is stored.
 *
 * Integer layers are compared by a hash of all their bytes (FNV-1a, 32 bits).
 * Of float layers, up to 16 elements spread over the result are compared
 * within the tolerance, of outputs that cores can address all.  Integers that
 * follow from float values may differ in a tie from machine to machine, and
 * are not compared. */
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
    bool all = val_is_output(g->p->g, v) && gen_end_at(g, v) < 0;

    return all ? val_count(v) : MIN(val_count(v), SAMPLES);
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
    gen_array(f, arena_fmt(g->mem, "sample_%d", layer), T_f32, s, n * 4, 4, NULL);
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
           (gen_has_result(g->p, i) || gen_far_output(g->p, v) >= 0) &&
           (v->type == T_f32 || !inexact[v->id]);
}

static void put_row(Gen *g, FILE *f, int i)
{
    const Val *v = g->layer[i]->node->res[0];
    int64_t bytes = val_bytes(g->layer[i]->node->res[0]);

    if (v->type == T_f32)
        fprintf(f, "    {sample_%d, %" PRId64 ", %" PRId64 ", 0u},\n", i + 1,
                sample_count(g, v), sample_step(g, v));
    else
        fprintf(f, "    {NULL, %" PRId64 ", 1, 0x%08" PRIx32 "u},\n", bytes,
                hash32(g->o->expected->data[v->id], bytes));
}

/* Are there floats among them? */
static bool put_checks(Gen *g, FILE *f)
{
    const bool *inexact = find_inexact(g);
    bool floats = false;
    int i;

    for (i = 0; i < g->nlayer; i++)
        if (is_compared(g, i, inexact) &&
            g->layer[i]->node->res[0]->type == T_f32) {
            put_samples(g, f, i + 1, g->layer[i]->node->res[0]);
            floats = true;
        }
    fputs("/* Of each layer: samples of a float result, how many, and their"
          " distance;\n * or the bytes of an integer one, and their hash."
          "  No count: not compared. */\nstatic const struct check {\n"
          "    const void *sample;\n    int32_t count, step;\n"
          "    uint32_t hash;\n} checks[] = {\n", f);
    for (i = 0; i < g->nlayer; i++)
        if (is_compared(g, i, inexact))
            put_row(g, f, i);
        else
            fputs("    {NULL, 0, 0, 0u},\n", f);
    fputs("    {NULL, 0, 0, 0u}\n};\n\n", f);
    return floats;
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static const char draw_text[] =
    "static uint32_t draw(uint32_t *state)\n"
    "{\n"
    "    *state = (*state * 1664525u) + 1013904223u;\n"
    "    return *state >> 8;\n"
    "}\n\n";

/* How many integers from v->lo on are drawn from. */
static uint32_t draw_range(const Val *v)
{
    uint64_t n = (uint64_t)v->hi - (uint64_t)v->lo;

    return n < 1 << 24 ? (uint32_t)n + 1 : 1 << 24;
}

static void *draw_input(Arena *mem, const Val *v, uint32_t *state)
{
    Val w = *v;
    int64_t i, n = val_count(v);

    w.data = arena_get(mem, (size_t)n, (size_t)type_info[v->type].bytes);
    for (i = 0; i < n; i++) {
        uint32_t x = draw(state);

        if (val_is_int(v))
            val_set(&w, i, v->lo + (int64_t)(x % draw_range(v)));
        else
            ((float *)w.data)[i] = (float)x / (1 << 23) - 1;
    }
    return w.data;
}

void gen_draw_inputs(Arena *mem, const Graph *g, void **in)
{
    uint32_t state = 1;
    int i;

    for (i = 0; i < g->nin; i++)
        in[i] = draw_input(mem, g->in[i], &state);
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
                  8, NULL);
    }
}

static void put_set(Gen *g, FILE *f)
{
    int i;

    fprintf(f, "static void set_inputs(const struct %s *net)\n{\n"
            "    (void)net;\n", g->name);
    for (i = 0; i < g->p->g->nin; i++)
        if (g->p->place[g->p->g->in[i]->id].buf >= 0)
            fprintf(f, "    (void)%s_write_input(net, %d, 0, %" PRId64 ","
                    " input_%d);\n", g->name, i, val_bytes(g->p->g->in[i]), i);
    fputs("}\n\n", f);
}

static void put_draw(Gen *g, const Val *v, FILE *f)
{
    if (val_is_int(v))
        fprintf(f, "(%s)(%s(int64_t)(draw(&state) %% %" PRIu32 "u));\n",
                type_info[v->type].ctype,
                v->lo ? arena_fmt(g->mem, "%" PRId64 " + ", v->lo) : "",
                draw_range(v));
    else
        fputs("((float)draw(&state) / 8388608.0f) - 1.0f;\n", f);
}

/* To external memory, a piece at a time. */
static void put_far_draws(Gen *g, FILE *f, int i)
{
    const Val *v = g->p->g->in[i];
    int size = type_info[v->type].bytes, n = GEN_PIECE / size;

    fprintf(f, "    for (i = 0; i < %" PRId64 "; i++) {\n"
            "        ((%s *)(void *)piece)[i %% %d] = ", val_count(v),
            type_info[v->type].ctype, n);
    put_draw(g, v, f);
    fprintf(f, "        if (((i %% %d) == %d) || ((i + 1) == %" PRId64 ")) {\n"
            "            (void)%s_write_input(net, %d, (i / %d) * %d,\n"
            "                ((i %% %d) + 1) * %d, piece);\n        }\n    }\n", n, n - 1,
            val_count(v), g->name, i, n, n * size, n, size);
}

/* As draw_input(), in C; where the input is not used, only draws. */
static void put_draws(Gen *g, FILE *f, int i)
{
    const Val *v = g->p->g->in[i];
    const char *type = type_info[v->type].ctype;

    if (g->p->place[v->id].buf < 0) {
        fprintf(f, "    for (i = 0; i < %" PRId64 "; i++) {\n"
                "        (void)draw(&state);\n    }\n", val_count(v));
        return;
    }
    if (gen_end_at(g, v) >= 0) {
        put_far_draws(g, f, i);
        return;
    }
    fprintf(f, "    x = %s_input(net, %d);\n"
            "    for (i = 0; i < %" PRId64 "; i++) {\n"
            "        ((%s *)x)[i] = ", g->name, i, val_count(v), type);
    put_draw(g, v, f);
    fputs("    }\n", f);
}

static void put_drawn(Gen *g, FILE *f)
{
    int i;

    fputs(draw_text, f);
    fprintf(f, "static void set_inputs(const struct %s *net)\n{\n"
            "    uint32_t state = 1;\n    int32_t i;\n    void *x;\n\n",
            g->name);
    for (i = 0; i < g->p->g->nin; i++)
        put_draws(g, f, i);
    fputs("    (void)net;\n    (void)state;\n    (void)i;\n    (void)x;\n"
          "}\n\n", f);
}

static const char hash_text[] =
    "#define EMPTY 0x811c9dc5u\n"
    "\n"
    "static uint32_t hash(uint32_t before, const unsigned char *p, int32_t n)\n"
    "{\n"
    "    uint32_t h = before;\n"
    "    int32_t i;\n"
    "\n"
    "    for (i = 0; i < n; i++) {\n"
    "        h = (h ^ p[i]) * 0x01000193u;\n"
    "    }\n"
    "    return h;\n"
    "}\n\n";

static const char exact_text[] =
    "static int is_right(const struct check *c, const void *got)\n"
    "{\n"
    "    return (c->count == 0) || (hash(EMPTY, got, c->count) == c->hash);\n"
    "}\n\n";

/* Only where there are floats: their arithmetic is in software on many chips,
 * and takes room. */
static const char close_text[] =
    "static int close_to(float a, float b)\n"
    "{\n"
    "    float d = a - b;\n"
    "    float m = b;\n"
    "\n"
    "    if ((a == b) || ((a != a) && (b != b))) {\n"
    "        return 1;\n"
    "    }\n"
    "    if (d < 0.0f) {\n"
    "        d = -d;\n"
    "    }\n"
    "    if (m < 0.0f) {\n"
    "        m = -m;\n"
    "    }\n"
    "    if (m < 1.0f) {\n"
    "        m = 1.0f;\n"
    "    }\n"
    "    return d <= (TOLERANCE * m);\n"
    "}\n"
    "\n"
    "static int is_right(const struct check *c, const void *got)\n"
    "{\n"
    "    int32_t i;\n"
    "\n"
    "    if ((c->count != 0) && (c->sample == NULL)) {\n"
    "        return hash(EMPTY, got, c->count) == c->hash;\n"
    "    }\n"
    "    for (i = 0; i < c->count; i++) {\n"
    "        float a, b;\n"
    "\n"
    "        (void)memcpy((char *)&a, (const char *)got + (4 * i * c->step), 4);\n"
    "        (void)memcpy((char *)&b, (const char *)c->sample + (4 * i), 4);\n"
    "        if (!close_to(a, b)) {\n"
    "            return 0;\n"
    "        }\n"
    "    }\n"
    "    return 1;\n"
    "}\n\n";

/* Of an output in external memory. */
static const char far_text[] =
    "    uint32_t h = EMPTY;\n"
    "    int32_t i, n;\n"
    "\n"
    "    for (i = 0; (c->sample != NULL) && (i < c->count); i++) {\n"
    "        struct check one = {(const char *)c->sample + (4 * i), 1, 1, 0u};\n"
    "\n"
    "        READ(net, output, 4 * i * c->step, 4, piece);\n"
    "        if (!is_right(&one, piece)) {\n"
    "            return 0;\n"
    "        }\n"
    "    }\n"
    "    for (i = 0; (c->sample == NULL) && (i < c->count); i += n) {\n"
    "        n = c->count - i;\n"
    "        n = (n < (int32_t)sizeof piece) ? n : (int32_t)sizeof piece;\n"
    "        READ(net, output, i, n, piece);\n"
    "        h = hash(h, piece, n);\n"
    "    }\n"
    "    return (c->sample != NULL) || (c->count == 0) || (h == c->hash);\n"
    "}\n\n";

static void put_far(Gen *g, FILE *f)
{
    Str b = {.mem = g->mem};

    gen_far_outputs(g, &b);
    fprintf(f, "%s#define READ %s_read_output\n\n"
            "static int is_far_right(const struct %s *net,\n"
            "                        const struct check *c, int output)\n{\n",
            b.s, g->name, g->name);
    fputs(far_text, f);
}

static void put_begin(Gen *g, FILE *f)
{
    Str b = {.mem = g->mem};

    fprintf(f, "/* The self-test of %s: the example it was compiled with,"
            " layer by layer. */\n#include \"%s.h\"\n\n#include <math.h>\n"
            "#include <stddef.h>\n#include <string.h>\n\n"
            "#define TOLERANCE %.9gf\n"
            "#define ALIGN(n) __attribute__((aligned(n)))\n"
            "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n",
            g->name, g->name, g->o->tolerance > 0 ? g->o->tolerance : 1e-4);
    if (!plan_external_inout(g->p))
        return;
    gen_piece(g, &b);
    fprintf(f, "%s\n", b.s);
}

/* Of an instance beside the caller's, which keeps its numbers. */
static void put_numbers(Gen *g, FILE *f)
{
    if (g->p->g->nnum)
        fprintf(f, "    struct %s own = *given;\n"
                "    const struct %s *net = &own;\n", g->name, g->name);
}

static void put_settings(Gen *g, FILE *f)
{
    const Graph *n = g->p->g;
    int i;

    for (i = 0; i < n->nnum; i++)
        fprintf(f, "    (void)%s_set_%s(&own, %" PRId64 ");\n", g->name,
                gen_number_names(g)[i], n->num[i]->now);
}

/* What the steps of all layers make of the inputs. */
static void put_test(Gen *g, FILE *f)
{
    const char *n = g->name;
    bool far = plan_external_inout(g->p);

    fprintf(f, "int %s_selftest(const struct %s *%s)\n{\n", n, n,
            g->p->g->nnum ? "given" : "net");
    put_numbers(g, f);
    fprintf(f, "    int i;\n\n");
    put_settings(g, f);
    fprintf(f, "    set_inputs(net);\n"
            "    for (i = 1; i <= %s_LAYERS; i++) {\n"
            "        %s_step(net, i);\n", g->caps, n);
    if (far)
        fputs("        if ((layer_far[i - 1] >= 0) &&\n"
              "            !is_far_right(net, &checks[i - 1],"
              " layer_far[i - 1])) {\n            return i;\n        }\n", f);
    fprintf(f, "        if (%s!is_right(&checks[i - 1], %s_result(net, i))) {\n"
            "            return i;\n        }\n    }\n    return 0;\n}\n",
            far ? "(layer_far[i - 1] < 0) &&\n            " : "", n);
}

void gen_selftest(Gen *g)
{
    const char *path = arena_fmt(g->mem, "%s_selftest.c", g->name);
    FILE *f = fopen(gen_path(g, path), "wb");
    bool bad, floats;

    if (!f)
        err(ERR_TOOL, "cannot write %s/%s", g->dir, path);
    put_begin(g, f);
    if (!g->o->drawn)
        put_inputs(g, f);
    floats = put_checks(g, f);
    if (g->o->drawn)
        put_drawn(g, f);
    else
        put_set(g, f);
    fputs(hash_text, f);
    fputs(floats ? close_text : exact_text, f);
    if (plan_external_inout(g->p))
        put_far(g, f);
    put_test(g, f);
    bad = ferror(f) != 0;
    if (fclose(f) || bad)
        err(ERR_TOOL, "cannot write %s/%s: is the disk full?", g->dir, path);
    gen_source(g, path);
}
