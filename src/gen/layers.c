/* On one core each layer is a C function, which calls its kernel.  Layers that
 * make the same call with other operands share the call: it is a function of
 * the operands in which they differ. */
#include "gen/gen.h"

#include <string.h>

static bool same_place(Gen *g, Ref a, Ref b)
{
    const Buf *u = a.buf < 0 ? NULL : &g->p->buf[a.buf];
    const Buf *v = b.buf < 0 ? NULL : &g->p->buf[b.buf];

    if (!u || !v)
        return u == v;
    if (u->kind == BUF_const || v->kind == BUF_const)
        return u == v && a.off == b.off;
    return u->mem == v->mem && u->addr + a.off == v->addr + b.off;
}

static void compare_calls(Gen *g)
{
    int i, k;

    g->passed = NEWN(g->mem, unsigned, g->nlayer + 1);
    g->shared = NEWN(g->mem, bool, g->nlayer + 1);
    for (i = 0; i < g->nlayer; i++) {
        const Step *s = g->layer[i], *t = g->layer[g->call[i]];

        if (s != t)
            g->shared[g->call[i]] = true;
        for (k = 0; k < step_operands(s); k++)
            if (!same_place(g, step_operand(s, k), step_operand(t, k)))
                g->passed[g->call[i]] |= 1u << k;
    }
}

void gen_list_layers(Gen *g)
{
    int i;

    g->nlayer = g->p->nlayer;
    g->layer = NEWN(g->mem, const Step *, g->nlayer + 1);
    for (i = 0; i < g->nlayer; i++)
        g->layer[i] = &g->p->step[g->p->layer[i].first];
    g->dims = layers_first_dims(g->mem, g->p);
    g->call = layers_first_call(g->mem, g->p);
    compare_calls(g);
}

static bool is_passed(const Gen *g, int call, int k)
{
    return g->passed[call - 1] >> k & 1;
}

static const char *operand_name(Gen *g, const Step *s, int k)
{
    return k < s->nin ? arena_fmt(g->mem, "in%d", k) :
           k < s->nin + s->nout ? arena_fmt(g->mem, "out%d", k - s->nin) :
           "tmp";
}

/* An operand in a call: its place, or the parameter that has it. */
static void put_operand(Gen *g, int call, int k, Str *out)
{
    const Step *s = g->layer[call - 1];

    if (is_passed(g, call, k))
        str_put(out, operand_name(g, s, k));
    else if (k == 1 && s->stage_bytes)
        gen_ref(g, s->stage, out);
    else
        gen_ref(g, step_operand(s, k), out);
}

static void put_io(Gen *g, int call, Str *out)
{
    const Step *s = g->layer[call - 1];
    int i, n = s->nin + s->nout;

    str_put(out, "    const struct io io = {\n        .in = {");
    for (i = 0; i < s->nin; i++) {
        str_put(out, i ? ",\n               " : "");
        put_operand(g, call, i, out);
    }
    str_put(out, s->nin ? "},\n        .out = {" : "NULL},\n        .out = {");
    for (; i < n; i++) {
        str_put(out, i > s->nin ? ",\n                " : "");
        put_operand(g, call, i, out);
    }
    str_put(out, "},\n");
    if (s->tmp.buf >= 0) {
        str_put(out, "        .tmp = ");
        put_operand(g, call, n, out);
        str_put(out, ",\n");
    }
    if (step_room(s))
        str_fmt(out, "        .more = {.room = %lld},\n", (long long)step_room(s));
    str_put(out, "        .ncore = 1,\n    };\n");
}

/* Weights are copied to nearer memory. */
static void put_stage(Gen *g, const Step *s, Str *out)
{
    if (!s->stage_bytes)
        return;
    str_put(out, "    bring(");
    gen_ref(g, s->stage, out);
    str_put(out, ", ");
    gen_ref(g, s->in[1], out);
    str_fmt(out, ", %lld);\n", (long long)s->stage_bytes);
}

/* The body of a function that calls a kernel. */
static void put_call(Gen *g, int call, Str *out)
{
    const Step *s = g->layer[call - 1];
    const Program *q = g->p->program;
    const char *kern = q->inst.v[q->inst.of[s - g->p->step]].name;
    int dims = g->dims[call - 1] + 1;
    const DimsRows *rows = step_rows(g->p, s);
    unsigned set = gen_follow_set(s);

    put_io(g, call, out);
    if (rows) {
        str_fmt(out, "    struct %s_dims dims;\n\n", rows->info->name);
        put_stage(g, s, out);
        str_fmt(out, "    %s_dims_of(&dims, dims_%d);\n    %s_%s(&dims,"
                " &io);\n}\n", rows->info->name, dims, g->name, kern);
        return;
    }
    if (!set) {
        str_put(out, "\n");
        put_stage(g, s, out);
        str_fmt(out, "    %s_%s(&dims_%d, &io);\n}\n", g->name, kern, dims);
        return;
    }
    gen_number_locals(g, set, out);
    str_fmt(out, "    struct %s_dims dims = dims_%d;\n\n",
            dims_of(s->node->op)->name, dims);
    gen_if_none(g, s, "return;", out);
    gen_follow(g, s, "    dims.", out);
    str_fmt(out, "    %s_%s(&dims, &io);\n}\n", g->name, kern);
}

static void put_dims(Gen *g, int layer, Str *out)
{
    const Step *s = g->layer[layer - 1];
    const DimsRows *rows = step_rows(g->p, s);

    if (rows) {
        gen_row(rows, layer, s, out);
        str_put(out, "\n");
        return;
    }
    str_fmt(out, "static const struct %s_dims dims_%d = {\n",
            dims_of(s->node->op)->name, layer);
    gen_dims_list(s, "    ", out);
    str_put(out, "\n};\n\n");
}

/* Functions with a struct of dims on the stack stay functions: in one that they
 * became part of there would be several. */
static const char *apart(const Gen *g, const Step *s)
{
    return step_rows(g->p, s) ? "NOINLINE " : "";
}

static void put_shared(Gen *g, int call, Str *out)
{
    const Step *s = g->layer[call - 1];
    Str body = {.mem = g->mem};
    int k;

    put_call(g, call, &body);
    str_fmt(out, "\nstatic NOINLINE void call_%d(const struct %s *net", call,
            g->name);
    for (k = 0; k < step_operands(s); k++)
        if (is_passed(g, call, k))
            str_fmt(out, ",\n    %svoid *%s", k < s->nin ? "const " : "",
                    operand_name(g, s, k));
    str_fmt(out, ")\n{\n%s%s\n", strstr(body.s, "net->") ? "" :
            "    (void)net;\n", body.s);
}

static void put_arguments(Gen *g, int layer, Str *out)
{
    const Step *s = g->layer[layer - 1];
    int k, call = g->call[layer - 1] + 1;

    str_fmt(out, "    call_%d(net", call);
    for (k = 0; k < step_operands(s); k++)
        if (is_passed(g, call, k)) {
            str_put(out, ",\n        ");
            gen_ref(g, step_operand(s, k), out);
        }
    str_put(out, ");\n}\n");
}

void gen_bring(const Gen *g, Str *out)
{
    int i;

    for (i = 0; i < g->nlayer && !g->layer[i]->stage_bytes; i++)
        ;
    if (i == g->nlayer)
        return;
    str_put(out, "\n/* Weights to memory that is nearer. */\n"
            "static NOINLINE void bring(void *to, const void *from, int32_t n)"
            "\n{\n"
            "    unsigned char *p = to;\n"
            "    const unsigned char *q = from;\n\n"
            "    for (; n >= 32; n -= 32) {\n"
            "        (void)memcpy(p, q, 32);\n"
            "        p += 32;\n        q += 32;\n    }\n"
            "    (void)memcpy(p, q, (size_t)n);\n"
            "}\n");
}

void gen_layer(Gen *g, int layer, Str *out)
{
    int call = g->call[layer - 1] + 1;

    str_put(out, "\n");
    gen_about(g, layer, "", out);
    if (g->dims[layer - 1] + 1 == layer)
        put_dims(g, layer, out);
    if (call == layer && g->shared[call - 1])
        put_shared(g, call, out);
    str_fmt(out, "%sstatic %svoid layer_%d(const struct %s *net)\n{\n",
            call == layer && g->shared[call - 1] ? "\n" : "",
            g->shared[call - 1] ? "" : apart(g, g->layer[layer - 1]), layer,
            g->name);
    if (g->shared[call - 1])
        put_arguments(g, layer, out);
    else
        put_call(g, layer, out);
}
