/* Inputs and outputs in NAME.c: where they are, and how a piece of one is
 * written or read.  Where the memory that cores can address is too small for
 * one, it lies behind, in external memory, and comes and goes by the transfers
 * of the team's runtime. */
#include "gen/gen.h"

#include <inttypes.h>

int64_t gen_end_at(const Gen *g, const Val *v)
{
    return plan_external(g->p, g->p->place[v->id]);
}

int gen_far_output(const Plan *p, const Val *v)
{
    int i;

    for (i = 0; i < p->g->nout; i++)
        if (p->g->out[i] == v && plan_external(p, p->place[v->id]) >= 0)
            return i;
    return -1;
}

const char *gen_beside_far(const Gen *g)
{
    return g->p->soc->mems[soc_hop(g->p->soc, 1)->near].name;
}

/* In the program of an SDK that is where arrays are anyway. */
void gen_piece(Gen *g, Str *out)
{
    const char *own = arena_fmt(g->mem, "section(\".bss.buf.%s\"), ",
                                gen_beside_far(g));

    str_fmt(out, "static unsigned char piece[%d]\n"
            "    __attribute__((%saligned(8)));\n", GEN_PIECE,
            gen_pmsis(g) ? "" : own);
}

void gen_far_outputs(Gen *g, Str *out)
{
    int i;

    str_put(out, "/* The output in external memory that a layer makes; -1:"
            " none. */\nstatic const int32_t layer_far[] = {");
    for (i = 0; i < g->nlayer; i++)
        str_fmt(out, "%s%d,", i % 16 ? " " : "\n    ",
                gen_far_output(g->p, g->p->layer[i].node->res[0]));
    str_put(out, " -1\n};\n\n");
}

/* NAME_input or NAME_output: a switch over places. */
static void put_places(Gen *g, const char *head, int n, Val *const *v,
                       Str *out)
{
    int i;

    str_fmt(out, "\n%s\n{\n    (void)net;\n    switch (i) {\n", head);
    for (i = 0; i < n; i++) {
        str_fmt(out, "    case %d:\n        return ", i);
        gen_ref(g, g->p->place[v[i]->id], out);
        str_put(out, ";\n");
    }
    str_put(out, "    default:\n        return NULL;\n    }\n}\n");
}

static void put_sizes(Gen *g, const char *name, int n, Val *const *v, Str *out)
{
    int i;

    str_fmt(out, "static const struct end %s[] = {", name);
    for (i = 0; i < n; i++)
        str_fmt(out, "{%" PRId64 ", %" PRId64 "}, ", val_bytes(v[i]),
                gen_end_at(g, v[i]));
    str_put(out, "{0, -1}};\n");
}

static const char far_text[] =
    "\n/* Between the memory beside it and external memory. */\n"
    "static void move_far(const void *p, int32_t far, int32_t bytes, int in)\n"
    "{\n"
    "    struct rt_move m = {.near = (uintptr_t)p, .far = (uintptr_t)far};\n"
    "\n"
    "    m.command = in ? RT_COMMAND((uint32_t)bytes, 1, 0, 1)\n"
    "                   : RT_COMMAND((uint32_t)bytes, 0, 0, 1);\n"
    "    rt_io_wait(rt_io_start(m));\n"
    "}\n";

/* NAME_write_input or NAME_read_output. */
static void put_piece(Gen *g, bool in, Str *out)
{
    const char *one = in ? "input" : "output";

    str_fmt(out, "\nint %s_%s_%s(const struct %s *net, int i, int32_t offset,\n"
            "    int32_t bytes, %s)\n{\n"
            "    const int32_t n = ((i < 0) || (i >= %s_%s)) ? -1 : %s;\n"
            "    %sp;\n\n"
            "    if ((offset < 0) || (bytes < 0) || (offset > (n - bytes))) {\n"
            "        return 1;\n    }\n    p = %s_%s(net, i);\n"
            "    if (p != NULL) {\n        (void)memcpy(%s, (size_t)bytes);\n"
            "    }%s",
            g->name, in ? "write" : "read", one, g->name,
            in ? "const void *from" : "void *to", g->caps,
            in ? "INPUTS" : "OUTPUTS",
            gen_ends_vary(g, in) ? arena_fmt(g->mem, "%s_bytes(net, i)", one)
                                 : arena_fmt(g->mem, "%ss[i].bytes", one),
            in ? "char *" : "const char *",
            g->name, one, in ? "p + offset, from" : "to, p + offset",
            plan_external_inout(g->p) ? "" : "\n");
    if (plan_external_inout(g->p))
        str_fmt(out, " else if ((bytes != 0) && (%ss[i].far >= 0)) {\n"
                "        move_far(%s, %ss[i].far + offset, bytes, %d);\n"
                "    }\n",
                one, in ? "from" : "to", one, !in);
    str_put(out, "    return 0;\n}\n");
}

static void put_pieces(Gen *g, Str *out)
{
    const Graph *n = g->p->g;
    int in;

    str_put(out, "\n/* Bytes of each, and where in external memory; -1: not"
            " there. */\nstruct end {\n    int32_t bytes, far;\n};\n\n");
    put_sizes(g, "inputs", n->nin, n->in, out);
    put_sizes(g, "outputs", n->nout, n->out, out);
    if (plan_external_inout(g->p))
        str_put(out, far_text);
    for (in = 1; in >= 0; in--) {
        if (gen_ends_vary(g, in))
            gen_ends_bytes(g, in, out);
        put_piece(g, in, out);
    }
}

void gen_ends(Gen *g, Str *out)
{
    const Graph *n = g->p->g;

    put_places(g, arena_fmt(g->mem, "void *%s_input(const struct %s *net,"
               " int i)", g->name, g->name), n->nin, n->in, out);
    put_places(g, arena_fmt(g->mem, "const void *%s_output(const struct %s"
               " *net, int i)", g->name, g->name), n->nout, n->out, out);
    put_pieces(g, out);
}
