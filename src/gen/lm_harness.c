/* What rt/lm/generate.c is told of a language model: its memory, and room for
 * the prompt, the tokens and what samples need. */
#include "gen/gen.h"

#include <inttypes.h>

enum { CHOICE_BYTES = 8, MUCH = 16 };

/* " IN(...)": what samples need would take much of the cores' own memory, if
 * there is one, and lies behind it. */
static const char *scratch_place(Gen *g)
{
    const Soc *s = g->p->soc;
    const Engine *dma = soc_hop(s, 0);
    int64_t bytes = val_count(g->p->g->out[0]) * CHOICE_BYTES;

    if (!dma || bytes < s->mems[dma->near].size / MUCH)
        return "";
    return arena_fmt(g->mem, "\n    IN(\"%s\", %d)", s->mems[dma->far].name,
                     CHOICE_BYTES);
}

void gen_lm_harness(const Plan *p, const char *name, const char *dir,
                    int64_t prompt, Str *out)
{
    GenOpts o = {.name = name};
    Gen *g = gen_begin(out->mem, p, &o);

    str_fmt(out, "/* What generate.c is told of %s. */\n#include \"%s_lm.h\"\n"
            "#include \"generate.h\"\n%s\n", name, name,
            gen_image_bytes(g) ? "#include \"rt/pulp/ext.h\"\n" : "");
    if (gen_has_link(g))
        str_put(out, "#include \"rt/rt.h\"\n\n");
    gen_storage(g, out);
    str_fmt(out, "static struct %s net;\n"
        "static int32_t tokens[%" PRId64 "];\n"
        "static char prompt[%" PRId64 "];\n"
        "static struct tilewright_lm_choice scratch[%s_LM_VOCAB]%s;\n\n"
        "static int init(void)\n{\n    struct %s_memory memory;\n\n",
        name, MAX(p->g->context, prompt + 2), MAX(prompt, 1), g->caps,
        scratch_place(g), name);
    gen_fill_memory(g, out);
    if (gen_image_bytes(g)) {
        str_put(out, "    if (");
        gen_load(g, arena_fmt(g->mem, "%s../../", dir), out);
        str_put(out, ")\n        return 1;\n");
    }
    if (gen_has_link(g))
        str_put(out, "    rt_link_begin();\n");
    str_fmt(out, "    return %s_init(&net, memory);\n}\n\n"
        "const struct tilewright_talk tilewright_talk = {&%s_lm, &net, init,\n"
        "    tokens, prompt, sizeof prompt, scratch, ", name, name);
    gen_quote(arena_fmt(g->mem, "%sin.bin", dir), out);
    str_put(out, ", ");
    gen_quote(arena_fmt(g->mem, "%sout.bin", dir), out);
    str_put(out, "};\n");
}
