/* NAME.h: everything a program has to know of the network. */
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

static void put_dims(const Val *v, Str *out)
{
    int i;

    str_put(out, "{");
    for (i = 0; i < v->shape.rank; i++)
        str_fmt(out, "%s%" PRId64, i ? ", " : "", v->shape.dim[i]);
    str_put(out, v->shape.rank ? "}" : "1}");
}

static void put_number(double v, Str *out)
{
    char s[40];

    snprintf(s, sizeof s, "%.9g", v);
    str_put(out, s);
    str_put(out, s[strcspn(s, ".en")] ? "" : ".0");
}

/* Where it lies that no core can address. */
static void put_far(Gen *g, const char *p, const Val *v, Str *out)
{
    int64_t at = gen_end_at(g, v);

    if (at >= 0)
        str_fmt(out, "%sFAR %" PRId64 "\n", p, at);
}

/* Macros of input or output i; what: "INPUT". */
/* The output that an input becomes; the input that an output is next. */
static void put_state(Gen *g, const char *p, const Val *v, Str *out)
{
    const Graph *n = g->p->g;
    const Val *y = graph_next_state(n, v);
    int i;

    for (i = 0; y && i < n->nout; i++)
        if (n->out[i] == y)
            str_fmt(out, "%sSTATE %d /* is this output in the next run */\n",
                    p, i);
    for (i = 0; v->state && i < n->nin; i++)
        if (n->in[i] == v->state && v != v->state)
            str_fmt(out, "%sSTATE %d /* is this input in the next run */\n", p,
                    i);
}

static void put_tensor(Gen *g, const char *what, int i, const Val *v,
                       Str *out)
{
    const char *p = arena_fmt(g->mem, "#define %s_%s_%d_", g->caps, what, i);

    str_fmt(out, "\n%sNAME ", p);
    gen_quote(v->name, out);
    str_fmt(out, "\n%sTYPE %s\n", p, type_info[v->type].ctype);
    str_fmt(out, "%sRANK %d\n", p, v->shape.rank);
    str_fmt(out, "%sDIMS ", p);
    put_dims(v, out);
    str_fmt(out, "\n%sCOUNT %" PRId64 "\n", p, val_count(v));
    str_fmt(out, "%sBYTES %" PRId64 "\n", p, val_bytes(v));
    gen_count_at(g, p, v, out);
    str_fmt(out, "%sSCALE ", p);
    put_number(v->type == T_f32 ? 1 : v->scale, out);
    str_fmt(out, "\n%sZERO %" PRId64 "\n", p, v->zero);
    put_far(g, p, v, out);
    put_state(g, p, v, out);
}

static void put_tensors(Gen *g, Str *out)
{
    const Graph *n = g->p->g;
    int i;

    str_fmt(out, "\n/* Inputs and outputs in C order.  An element q stands for"
            " the number\n * SCALE * (q - ZERO); SCALE is 0 where the model"
            " does not say.%s */\n", plan_external_inout(g->p) ? "  What lies\n"
            " * in external memory, which no core can address, is FAR: so many"
            " bytes behind the\n * start of the network's part there." : "");
    str_fmt(out, "#define %s_INPUTS %d\n#define %s_OUTPUTS %d\n", g->caps,
            n->nin, g->caps, n->nout);
    for (i = 0; i < n->nin; i++)
        put_tensor(g, "INPUT", i, n->in[i], out);
    for (i = 0; i < n->nout; i++)
        put_tensor(g, "OUTPUT", i, n->out[i], out);
}

/* The alignment that the buffers in a memory want. */
static int mem_align(const Plan *p, int mem)
{
    int i, align = p->soc->mems[mem].align;

    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == mem && p->buf[i].kind != BUF_const)
            align = MAX(align, p->buf[i].align);
    return align;
}

static void put_regions(Gen *g, Str *out)
{
    int i;

    str_put(out, "\n/* Memory that the caller gives to each instance. */\n");
    for (i = 0; i < g->p->soc->nmem; i++)
        if (plan_uses(g->p, i)) {
            const char *m = gen_caps(g->mem, gen_mem(g, i));

            str_fmt(out, "#define %s_%s_BYTES %" PRId64 "\n", g->caps, m,
                    MAX(g->p->used[i], 1));
            str_fmt(out, "#define %s_%s_ALIGN %d\n", g->caps, m,
                    mem_align(g->p, i));
        }
}

static void put_members(Gen *g, const char *type, Str *out)
{
    int i, n = 0;

    for (i = 0; i < g->p->soc->nmem; i++)
        if (plan_uses(g->p, i)) {
            str_fmt(out, "    %s%s; /* in %s */\n", type, gen_mem(g, i),
                    g->p->soc->mems[i].name);
            n++;
        }
    if (!n)
        str_fmt(out, "    %sunused;\n", type);
}

static void put_ends(Gen *g, Str *out)
{
    const char *n = g->name;
    bool far = plan_external_inout(g->p);

    str_fmt(out,
        "/* Where input i is put before each run; NULL: the network ignores"
        " it%s.\n * What was there is lost in the run%s. */\n"
        "void *%s_input(const struct %s *net, int i);\n\n"
        "void %s_run(const struct %s *net);\n\n"
        "/* Output i, valid until the next input is written%s. */\n"
        "const void *%s_output(const struct %s *net, int i);\n\n",
        far ? ", or it is FAR" : "",
        gen_has_states(g) ? ", but for states" : "", n, n, n, n,
        far ? "; NULL: it is FAR" : "", n, n);
    str_fmt(out,
        "/* Bytes of an input or output from `offset` on, wherever it lies."
        "  0: done; else it\n * has not so many.%s */\n"
        "int %s_write_input(const struct %s *net, int i, int32_t offset,\n"
        "    int32_t bytes, const void *from);\n"
        "int %s_read_output(const struct %s *net, int i, int32_t offset,\n"
        "    int32_t bytes, void *to);\n\n",
        far ? arena_fmt(g->mem, "  If it is FAR, `from` or `to` must be in"
                        " %s, for it\n * goes by a transfer, which is waited"
                        " for, and the call come from where runs\n * are"
                        " called: core 0 of the cluster.", gen_beside_far(g))
            : "", n, n, n, n);
}

static void put_api(Gen *g, Str *out)
{
    const char *n = g->name;

    str_fmt(out, "\nstruct %s_memory {\n", n);
    put_members(g, "void *", out);
    str_fmt(out, "};\n\n/* One instance; its members are its own business."
            " */\nstruct %s {\n", n);
    put_members(g, "unsigned char *", out);
    gen_number_member(g, out);
    str_fmt(out, "};\n\n"
        "/* 0: ready; else the number of the memory region, from 1, that is"
        " NULL or not\n * aligned. */\n"
        "int %s_init(struct %s *net, struct %s_memory memory);\n\n", n, n,
        n);
    put_ends(g, out);
    gen_number_header(g, out);
    gen_state_header(g, out);
    str_fmt(out,
        "/* One layer, from 1 to %s_LAYERS: all of them in order are a run."
        "  Afterwards\n * %s_result is where that layer's result lies. */\n"
        "void %s_step(const struct %s *net, int layer);\n"
        "const void *%s_result(const struct %s *net, int layer);\n",
        g->caps, n, n, n, n, n);
    if (g->o->example && g->o->expected)
        str_fmt(out, "\n/* Runs the stored example.  0: right; else the first"
            " layer that differs. */\n"
            "int %s_selftest(const struct %s *net);\n", n, n);
}

static const char *flags(const Gen *g)
{
    return item_word(soc_next(g->p->soc, "toolchain", NULL), "cflags", "");
}

static void put_facts(Gen *g, Str *out)
{
    const char *c = g->caps;

    str_fmt(out, "#define %s_VERSION \"tilewright %s\"\n", c,
            g->o->version ? g->o->version : "");
    str_fmt(out, "#define %s_MODEL_HASH 0x%016" PRIx64 "ull\n", c,
            g->p->g->hash);
    str_fmt(out, "#define %s_TARGET \"%s\"\n", c, g->p->soc->name);
    str_fmt(out, "#define %s_CFLAGS \"%s\" /* planned for */\n", c, flags(g));
    str_fmt(out, "#define %s_LAYERS %d\n", c, g->nlayer);
    gen_number_macros(g, out);
    str_fmt(out, "#define %s_STACK_BYTES %" PRId64 " /* at most, of a run"
            " */\n", c, g->p->stack);
    str_fmt(out, "#define %s_WEIGHTS_BYTES %" PRId64 "\n", c, g->p->weights);
    if (gen_has_states(g))
        str_fmt(out, "#define %s_STATE_BYTES %" PRId64 " /* of all states */\n",
                c, gen_state_bytes(g));
}

static void put_image(Gen *g, Str *out)
{
    if (gen_image_bytes(g))
        str_fmt(out, "\n/* Constants that lie where only a DMA reaches, from"
            " %s_l3.bin:\n * pulp_ext_load() of rt/pulp/ext.h, to address 0,"
            " before anything else. */\n#define %s_L3_BYTES %" PRId64 "\n",
            g->name, g->caps, gen_image_bytes(g));
}

/* How it is used, and what may be done at the same time. */
static void put_about(Gen *g, Str *out)
{
    const char *n = g->name;
    bool far = plan_external_inout(g->p);

    str_fmt(out, "/* %s: a neural network as C.\n *\n"
        " *     struct %s net;\n"
        " *     struct %s_memory memory = {...};\n *\n"
        " *     %s_init(&net, memory);\n"
        " *     ... %s_input(&net, 0%s) ...\n"
        " *     %s_run(&net);\n"
        " *     ... %s_output(&net, 0%s) ...\n *\n"
        " * Nothing is allocated and no global is written: instances with"
        " memory of their\n * own may run side by side, and a run may be"
        " interrupted anywhere.", n, n, n, n,
        arena_fmt(g->mem, far ? "%s_write" : "write %s", n),
        far ? ", offset, bytes, from" : "", n,
        arena_fmt(g->mem, far ? "%s_read" : "read %s", n),
        far ? ", offset, bytes, to" : "");
    if (gen_far_values(g))
        str_put(out, "  Values in\n * external memory have one place there:"
                " from when the first input is written until\n * the last"
                " output is read no other instance may use it.");
    str_put(out, " */\n");
}

void gen_header(Gen *g)
{
    Str b = {.mem = g->mem};

    put_about(g, &b);
    str_fmt(&b, "#ifndef %s_H\n#define %s_H\n\n#include <stdint.h>\n\n",
            g->caps, g->caps);
    put_facts(g, &b);
    put_regions(g, &b);
    put_image(g, &b);
    put_tensors(g, &b);
    str_put(&b, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    put_api(g, &b);
    str_put(&b, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    gen_file(g, arena_fmt(g->mem, "%s.h", g->name), &b);
}
