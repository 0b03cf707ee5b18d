/* MODEL_CARD.md: what a network is, computes with, and needs; what the model's
 * file says of its author and licence, and where it says nothing. */
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

/* Operators as layers have them, each with how often. */
static void put_operators(Gen *g, Str *out)
{
    int count[NOP] = {0}, i, k;

    for (i = 0; i < g->nlayer; i++)
        count[g->layer[i]->node->op]++;
    str_put(out, "| operators |");
    for (i = k = 0; i < NOP; i++)
        if (count[i])
            str_fmt(out, "%s %d %s", k++ ? "," : "", count[i],
                    op_info[i].name);
    str_put(out, " |\n");
}

/* Bytes of constants by type. */
static void put_types(Gen *g, Str *out)
{
    int64_t bytes[NTYPE] = {0};
    const Val *v;
    int i, k;

    for (v = g->p->g->vals; v; v = v->next)
        if (v->data)
            bytes[v->type] += val_bytes(v);
    str_put(out, "| constants |");
    for (i = k = 0; i < NTYPE; i++)
        if (bytes[i])
            str_fmt(out, "%s %" PRId64 " bytes of %s", k++ ? "," : "",
                    bytes[i], type_info[i].name);
    str_put(out, k ? " |\n" : " none |\n");
}

static void put_ends(Gen *g, const char *what, int n, Val *const *v, Str *out)
{
    int i;

    for (i = 0; i < n; i++) {
        str_fmt(out, "| %s | `%s` ", what, gen_comment(g, v[i]->name));
        gen_shape(v[i], out);
        str_put(out, " |\n");
    }
}

static void put_needs(Gen *g, Str *out)
{
    const Plan *p = g->p;
    int64_t macs = 0;
    int i;

    for (i = 0; i < g->nlayer; i++)
        if (!i || g->layer[i]->node != g->layer[i - 1]->node)
            macs += node_macs(g->layer[i]->node);
    str_fmt(out, "| MACs | %" PRId64 " |\n", macs);
    for (i = 0; i < p->soc->nmem; i++)
        if (p->used[i] || p->consts[i])
            str_fmt(out, "| %s | %" PRId64 " bytes of %" PRId64 ": buffers %"
                    PRId64 ", constants %" PRId64 "; code and stack beside"
                    " |\n", p->soc->mems[i].name, p->used[i] + p->consts[i],
                    p->soc->mems[i].size, p->used[i], p->consts[i]);
    str_fmt(out, "| stack | at most %" PRId64 " bytes in a run |\n",
            p->stack);
    if (p->cycles && p->soc->mhz > 0)
        str_fmt(out, "| time | %" PRId64 " cycles predicted, %.3f ms at %g MHz"
                " |\n", p->cycles, (double)p->cycles / p->soc->mhz / 1000,
                p->soc->mhz);
}

static const char *said(Gen *g, const char *what)
{
    return what ? gen_comment(g, what) : "not said by the model's file";
}

void gen_card(Gen *g)
{
    const Graph *n = g->p->g;
    Str b = {.mem = g->mem};

    str_fmt(&b, "# Model card: %s\n\n| | |\n|---|---|\n"
        "| network | %s |\n| hash of its file | %016" PRIx64 " (FNV-1a) |\n"
        "| compiled by | tilewright %s, for %s |\n", g->name,
        gen_comment(g, n->name ? n->name : g->name), n->hash,
        g->o->version ? g->o->version : "", g->p->soc->name);
    put_operators(g, &b);
    put_types(g, &b);
    put_ends(g, "input", n->nin, n->in, &b);
    put_ends(g, "output", n->nout, n->out, &b);
    put_needs(g, &b);
    str_fmt(&b, "| accuracy | not known to the compiler; integer results are"
        " those of the model bit for bit |\n| author | %s |\n"
        "| licence of the weights | %s |\n\nThe C around the weights is"
        " without strings attached.\n", said(g, n->author),
        said(g, n->licence));
    gen_file(g, "MODEL_CARD.md", &b);
}
