/* NAME.c: the memory map, then on one core a function for each layer, for a
 * team of cores a program (team.c). */
#include "gen/gen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The layer that step i belongs to, from 1. */
static int layer_of(const Gen *g, int i)
{
    if (!g->p->nstep)
        return 1;
    return g->p->step[MAX(0, MIN(i, g->p->nstep - 1))].layer + 1;
}

static void put_buffer(Gen *g, const Buf *u, Str *out)
{
    str_fmt(out, " *   %8" PRId64 " ..%8" PRId64 "  layers %3d to %3d  %s",
            u->addr, u->addr + u->size, layer_of(g, u->from),
            layer_of(g, u->to - 1), gen_comment(g, u->name));
    if (u->val) {
        str_put(out, " ");
        gen_shape(u->val, out);
    }
    str_put(out, u->kind == BUF_input ? "  (input)\n"
                 : u->kind == BUF_output ? "  (output)\n"
                 : u->kind == BUF_state ? "  (state)\n" : "\n");
}

static int by_place(const void *a, const void *b)
{
    const Buf *u = *(const Buf *const *)a, *v = *(const Buf *const *)b;

    if (u->addr != v->addr)
        return u->addr < v->addr ? -1 : 1;
    return u->from < v->from ? -1 : u->from > v->from;
}

/* The buffers of one memory by address, then by time. */
static void put_map(Gen *g, int mem, Str *out)
{
    const Plan *p = g->p;
    const Buf **list = NEWN(g->mem, const Buf *, p->nbuf + 1);
    int i, n = 0;

    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].kind != BUF_const && p->buf[i].mem == mem)
            list[n++] = &p->buf[i];
    qsort(list, (size_t)n, sizeof *list, by_place);
    str_fmt(out, " * %s, %" PRId64 " bytes:\n", p->soc->mems[mem].name,
            p->used[mem]);
    for (i = 0; i < n; i++)
        put_buffer(g, list[i], out);
}

/* Dims of kernels of floats may be infinite. */
static bool any_float(const Gen *g)
{
    const Insts *t = &g->p->program->inst;
    int i;

    for (i = 0; i < t->n && !step_is_float(t->v[i].step); i++)
        ;
    return i < t->n;
}

static void put_mark(const char *n, Str *out)
{
    str_fmt(out, "/* After each layer: a mark for tools that count"
            " instructions, or with\n * -DTILEWRIGHT_BREAK a call, where a"
            " breakpoint may be set. */\n"
            "#if defined TILEWRIGHT_MARK\n#include \"mark.h\"\n"
            "#elif defined TILEWRIGHT_BREAK\nvoid %s_layer_done(void);\n"
            "void __attribute__((noinline)) %s_layer_done(void)\n{\n"
            "    __asm__ volatile(\"\");\n}\n"
            "#define MARK_LAYER() %s_layer_done()\n#else\n"
            "#define MARK_LAYER() ((void)0)\n#endif\n\n", n, n, n);
}

static void put_top(Gen *g, Str *out)
{
    int i;

    str_fmt(out, "/* %s: %d layers, %" PRId64 " bytes of constants.\n *\n"
            " * Where everything lies, in bytes, and which layers need it:"
            "\n *\n", g->name, g->nlayer, g->p->weights);
    for (i = 0; i < g->p->soc->nmem; i++)
        if (plan_uses(g->p, i))
            put_map(g, i, out);
    str_fmt(out, " */\n#include \"%s.h\"\n\n%s"
            "#include <stddef.h>\n#include <string.h>\n\n"
            "#include \"%s_weights.h\"\n"
            "#include \"kern/kern.h\"\n\n", g->name,
            any_float(g) ? "#include <math.h>\n" : "", g->name);
    put_mark(g->name, out);
    if (g->p->program->team)
        gen_team_top(g, out);
}

static const DimsInfo *dims_info_of(const Step *s)
{
    return dims_of(s->node->op);
}

static void put_kernels(Gen *g, Str *out)
{
    int i;

    for (i = 0; i < g->p->program->inst.n; i++)
        str_fmt(out, "void %s_%s(\n    const struct %s_dims *k, const struct"
                " io *io);\n", g->name, g->p->program->inst.v[i].name,
                dims_info_of(g->p->program->inst.v[i].step)->name);
}

static void put_init(Gen *g, Str *out)
{
    int i, n = 0;

    str_fmt(out, "\nint %s_init(struct %s *net, struct %s_memory memory)\n{\n",
            g->name, g->name, g->name);
    for (i = 0; i < g->p->soc->nmem; i++) {
        const char *m = gen_mem(g, i);

        if (!plan_uses(g->p, i))
            continue;
        str_fmt(out, "    if ((memory.%s == NULL) ||\n        (((uintptr_t)"
                "memory.%s %% (uintptr_t)%s_%s_ALIGN) != 0u)) {\n"
                "        return %d;\n    }\n"
                "    net->%s = memory.%s;\n", m, m, g->caps,
                gen_caps(g->mem, m), ++n, m, m);
    }
    if (!n)
        str_put(out, "    net->unused = memory.unused;\n");
    gen_number_init(g, out);
    if (gen_has_states(g))
        str_fmt(out, "    %s_reset(net);\n", g->name);
    str_put(out, "    return 0;\n}\n");
}

static void put_layers(const Gen *g, Str *out)
{
    int i;

    if (!g->nlayer)
        str_put(out, "    (void)net;\n");
    for (i = 1; i <= g->nlayer; i++)
        str_fmt(out, "    layer_%d(net);\n    MARK_LAYER();\n", i);
}

/* A language model has its layers one by one too: their code stands once. */
static void put_run(Gen *g, Str *out)
{
    str_fmt(out, "\nvoid %s_run(const struct %s *net)\n{\n", g->name,
            g->name);
    if (g->o->vocab)
        str_fmt(out, "    for (int layer = 1; layer <= %d; layer++) {\n"
                "        %s_step(net, layer);\n        MARK_LAYER();\n"
                "    }\n", g->nlayer, g->name);
    else
        put_layers(g, out);
    str_put(out, "}\n");
}

static void put_step(Gen *g, Str *out)
{
    int i;

    str_fmt(out, "\nvoid %s_step(const struct %s *net, int layer)\n{\n"
            "    (void)net;\n    switch (layer) {\n", g->name, g->name);
    for (i = 1; i <= g->nlayer; i++)
        str_fmt(out, "    case %d: layer_%d(net); break;\n", i, i);
    str_put(out, "    default: break;\n    }\n}\n\n");
}

/* The step that waits for the last of layers up to this one. */
static int end_of(const Plan *p, int layer)
{
    int end = 0, i, k;

    for (i = 0; i <= layer; i++)
        for (k = p->layer[i].last + 1; k < p->nstep; k++)
            if (p->step[k].kind == STEP_wait &&
                p->step[k].token == p->step[p->layer[i].last].token) {
                end = MAX(end, k);
                break;
            }
    return end;
}

/* Do n bytes from r on have some of val's, which are at `at`? */
static bool meets(const Plan *p, Ref r, int64_t n, Ref at, const Val *val)
{
    const Buf *a = r.buf < 0 ? NULL : &p->buf[r.buf], *b = &p->buf[at.buf];

    return a && a->mem == b->mem &&
           a->addr + r.off < b->addr + at.off + val_bytes(val) &&
           b->addr + at.off < a->addr + r.off + n;
}

static bool writes(const Plan *p, const Step *s, Ref at, const Val *v)
{
    const Move *m = &s->move;
    int i;

    if (step_moves(p, s))
        return meets(p, m->to, (m->rows - 1) * m->to_stride + m->row, at, v);
    for (i = 0; i < s->nout; i++)
        if (meets(p, s->out[i], s->out_bytes[i], at, v))
            return true;
    return meets(p, s->tmp, s->tmp_bytes, at, v) ||
           (s->stage_bytes && meets(p, s->stage, s->stage_bytes, at, v));
}

/* Is its result still there when all layers up to it are done?  Where engines
 * work beside one another, later ones have begun then. */
static bool stays(const Plan *p, int layer, Ref at)
{
    int i, end = end_of(p, layer);

    for (i = p->layer[layer].last + 1; i < end; i++)
        if (p->step[i].kind == STEP_start && p->step[i].layer > layer &&
            writes(p, &p->step[i], at, p->layer[layer].node->res[0]))
            return false;
    return true;
}

/* Are other pieces of what it has gathered still on their way? */
static bool is_gathered_on(const Plan *p, int layer)
{
    const Val *y = p->layer[layer].node->res[0];
    int i;

    for (i = layer + 1; i < p->nlayer; i++) {
        const Node *n = p->layer[i].node;

        if (exchange_begins(n->op) && n->narg > 1 && n->arg[1] == y)
            return true;
    }
    return false;
}

bool gen_has_result(const Plan *p, int layer)
{
    const Node *n = p->layer[layer].node;
    Ref r = p->place[n->res[0]->id];

    if (exchange_begins(n->op)) /* it comes while others are computed */
        return false;
    if (exchange_ends(n->op) && is_gathered_on(p, layer))
        return false;
    return r.buf >= 0 && p->soc->mems[p->buf[r.buf].mem].mapped &&
           p->buf[r.buf].from <= p->layer[layer].last && stays(p, layer, r);
}

static void put_results(Gen *g, Str *out)
{
    int i;

    str_fmt(out, "const void *%s_result(const struct %s *net, int layer)\n{\n"
            "    (void)net;\n    switch (layer) {\n", g->name, g->name);
    for (i = 1; i <= g->nlayer; i++) {
        const Node *n = g->p->layer[i - 1].node;

        str_fmt(out, "    case %d: return ", i);
        gen_ref(g, g->p->place[n->res[0]->id], out);
        str_put(out, ";\n");
    }
    str_put(out, "    default: return NULL;\n    }\n}\n");
}

void gen_net(Gen *g)
{
    const char *path = arena_fmt(g->mem, "%s.c", g->name);
    Str b = {.mem = g->mem};
    int i;

    put_top(g, &b);
    put_kernels(g, &b);
    gen_rows(g, &b);
    gen_bring(g, &b);
    for (i = 1; i <= g->nlayer && !g->p->program->team; i++)
        gen_layer(g, i, &b);
    gen_states(g, &b);
    gen_number_setters(g, &b);
    put_init(g, &b);
    gen_ends(g, &b);
    if (g->p->program->team) {
        gen_team_net(g, &b);
    } else {
        put_run(g, &b);
        put_step(g, &b);
    }
    put_results(g, &b);
    gen_file(g, path, &b);
    gen_source(g, path);
}
