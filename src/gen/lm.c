/* NAME_lm.h and NAME_lm.c: what rt/lm has to know of a language model, and its
 * vocabulary as tables in flash that need no preparation. */
#include "gen/gen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool gen_is_lm(const Gen *g)
{
    return g->p->g->context > 0;
}

static int input_named(const Gen *g, const char *name)
{
    int i;

    for (i = 0; i < g->p->g->nin; i++)
        if (!strcmp(g->p->g->in[i]->name, name))
            return i;
    die("a language model without input '%s'", name);
}

/* ---- the vocabulary ---- */

static int by_bytes(const void *a, const void *b)
{
    const Word *x = *(const Word *const *)a, *y = *(const Word *const *)b;
    int c = memcmp(x->bytes, y->bytes, (size_t)MIN(x->len, y->len));

    return c ? c : x->len != y->len ? x->len - y->len : (x > y) - (x < y);
}

static int by_score(const void *a, const void *b)
{
    float x = (*(const Word *const *)a)->score;
    float y = (*(const Word *const *)b)->score;

    return (x > y) - (x < y);
}

static const Word **sorted(Arena *a, const Vocab *v,
                           int (*by)(const void *, const void *))
{
    const Word **w = NEWN(a, const Word *, v->n);
    int i;

    for (i = 0; i < v->n; i++)
        w[i] = &v->word[i];
    qsort(w, (size_t)v->n, sizeof *w, by);
    return w;
}

static void put_numbers(const char *type, const char *name, int n,
                        const uint32_t *v, Str *out)
{
    int i;

    str_fmt(out, "static const %s %s[] = {", type, name);
    for (i = 0; i < n; i++)
        str_fmt(out, "%s%u,", i % 12 ? " " : "\n    ", v[i]);
    str_put(out, "\n};\n");
}

static void put_sorted(Gen *g, const Vocab *v, Str *out)
{
    const Word **w = sorted(g->mem, v, by_bytes);
    uint32_t *number = NEWN(g->mem, uint32_t, v->n);
    int i;

    for (i = 0; i < v->n; i++)
        number[i] = (uint32_t)(w[i] - v->word);
    put_numbers("uint16_t", "sorted", v->n, number, out);
}

/* Words of equal score have one rank. */
static void put_ranks(Gen *g, const Vocab *v, Str *out)
{
    const Word **w = sorted(g->mem, v, by_score);
    uint32_t *rank = NEWN(g->mem, uint32_t, v->n), at = 0;
    int i;

    for (i = 0; i < v->n; i++) {
        at += i && w[i]->score > w[i - 1]->score;
        rank[w[i] - v->word] = at;
    }
    put_numbers("uint16_t", "rank", v->n, rank, out);
}

/* Low halves, and the words whose offset is the first beyond each 65536. */
static void put_starts(Gen *g, const Vocab *v, uint32_t *start, Str *out)
{
    uint32_t *carry = NEWN(g->mem, uint32_t, start[v->n] / 65536 + 1);
    int i, n = 0;

    for (i = 0; i <= v->n; i++) {
        while (start[i] / 65536 > (uint32_t)n)
            carry[n++] = (uint32_t)i;
        start[i] %= 65536;
    }
    put_numbers("uint16_t", "start", v->n + 1, start, out);
    put_numbers("uint16_t", "carry", MAX(n, 1), carry, out);
    str_fmt(out, "enum { CARRIES = %d };\n", n);
}

static void put_bytes(Gen *g, const Vocab *v, Str *out)
{
    uint32_t *start = NEWN(g->mem, uint32_t, v->n + 1);
    int i, j, column = 0;

    str_put(out, "static const char bytes[] = {");
    for (i = 0; i < v->n; i++) {
        start[i + 1] = start[i] + (uint32_t)v->word[i].len;
        for (j = 0; j < v->word[i].len; j++)
            str_fmt(out, "%s%d,", column++ % 16 ? " " : "\n    ",
                    (signed char)v->word[i].bytes[j]);
    }
    str_put(out, " 0\n};\n");
    put_starts(g, v, start, out);
}

static void put_words(Gen *g, const Vocab *v, Str *out)
{
    put_bytes(g, v, out);
    put_sorted(g, v, out);
    put_ranks(g, v, out);
    str_fmt(out, "static const struct tilewright_words words = {\n"
            "    %d, start, carry, CARRIES, bytes, sorted, rank, %d, %d, %d};\n\n",
            v->n, v->bos, v->eos, v->byte);
}

/* ---- the network ---- */

static void put_setters(Gen *g, Str *out)
{
    static const struct {
        const char *number, *is;
    } known[] = {{"rows", "position + n"}, {"tokens", "n"}};
    size_t i;

    for (i = 0; i < LEN(known); i++)
        if (graph_number_find(g->p->g, known[i].number))
            str_fmt(out, "    (void)%s_set_%s(net, %s);\n", g->name,
                    known[i].number, known[i].is);
}

static void put_functions(Gen *g, Str *out)
{
    const char *n = g->name;

    str_fmt(out, "static void set(void *net, const int32_t *token, int32_t n,\n"
        "                int32_t position)\n{\n"
        "    (void)memcpy(%s_input(net, %d), token,\n"
        "                 (size_t)n * sizeof *token);\n"
        "    *(int32_t *)%s_input(net, %d) = position;\n", n,
        input_named(g, "token"), n, input_named(g, "position"));
    put_setters(g, out);
    str_fmt(out, "}\n\nstatic void run(void *net)\n{\n    %s_run(net);\n}\n\n"
        "static void layer(void *net, int32_t i)\n{\n"
        "    %s_step(net, (int)i);\n}\n\n"
        "static const float *logits(void *net)\n{\n"
        "    return %s_output(net, 0);\n}\n\n"
        "static void reset(void *net)\n{\n    %s_reset(net);\n}\n\n"
        "static void save(const void *net, void *to)\n{\n"
        "    %s_save_state(net, to);\n}\n\n"
        "static void load(void *net, const void *from)\n{\n"
        "    %s_load_state(net, from);\n}\n\n", n, n, n, n, n, n);
}

static void put_model(Gen *g, const Vocab *v, Str *out)
{
    str_fmt(out, "const struct tilewright_lm_model %s_lm = {\n"
        "    %s_LM_VOCAB, %s_LM_CONTEXT, %s_LM_CHUNK, %s, %s_LAYERS,\n"
        "    set, run, layer, logits, reset, %s_STATE_BYTES, save, load};\n",
        g->name, g->caps, g->caps, g->caps, v ? "&words" : "0", g->caps,
        g->caps);
}

static int64_t chunk(const Graph *n)
{
    const Number *k = graph_number_find(n, "tokens");

    return k ? k->hi : 1;
}

static void put_header(Gen *g)
{
    Str b = {.mem = g->mem};
    const Graph *n = g->p->g;

    str_fmt(&b, "/* %s as a language model: rt/lm/lm.h says how to use it. */\n"
        "#ifndef %s_LM_H\n#define %s_LM_H\n\n#include \"%s.h\"\n"
        "#include \"rt/lm/lm.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n"
        "#endif\n\n#define %s_LM_VOCAB %" PRId64 "\n"
        "#define %s_LM_CONTEXT %" PRId64 "\n"
        "/* Tokens that a run takes at most. */\n"
        "#define %s_LM_CHUNK %" PRId64 "\n"
        "/* The network that goes with it is a struct %s, initialised. */\n"
        "extern const struct tilewright_lm_model %s_lm;\n\n"
        "#ifdef __cplusplus\n}\n#endif\n#endif\n", g->name, g->caps, g->caps,
        g->name, g->caps, val_count(n->out[0]), g->caps, n->context, g->caps,
        chunk(n), g->name, g->name);
    gen_file(g, arena_fmt(g->mem, "%s_lm.h", g->name), &b);
}

static void copy_runtime(Gen *g)
{
    int i;

    for (i = 0; i < npacked; i++) {
        const Packed *p = &packed[i];
        Str b = {.mem = g->mem};

        if (!str_starts(p->path, "rt/lm/") ||
            str_starts(p->path, "rt/lm/generate."))
            continue;
        str_mem(&b, p->data, p->n);
        gen_file(g, p->path, &b);
        if (str_ends(p->path, ".c"))
            gen_source(g, p->path);
    }
}

void gen_lm(Gen *g)
{
    const char *path = arena_fmt(g->mem, "%s_lm.c", g->name);
    Str b = {.mem = g->mem};

    if (!gen_is_lm(g))
        return;
    put_header(g);
    str_fmt(&b, "/* What rt/lm is told of %s. */\n#include \"%s_lm.h\"\n\n"
            "#include <string.h>\n\n", g->name, g->name);
    if (g->o->vocab)
        put_words(g, g->o->vocab, &b);
    put_functions(g, &b);
    put_model(g, g->o->vocab, &b);
    gen_file(g, path, &b);
    gen_source(g, path);
    copy_runtime(g);
}
