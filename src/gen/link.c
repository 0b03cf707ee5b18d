/* Networks of which each chip has a share: what the runtime's link is told of
 * this one (rt/link/here.h), and the sources of the link. */
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

static bool is_exchange(const Node *n)
{
    return op_info[n->op].family == FAM_exchange;
}

/* Of the model and all that is exchanged: the same on all chips alone. */
static uint64_t mix(uint64_t h, uint64_t v)
{
    return (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
}

static void put_here(Gen *g, const Node *first)
{
    Str b = {.mem = g->mem}, layers = {.mem = g->mem};
    uint64_t hash = g->p->g->hash;
    int64_t most = 0;
    const Node *n;

    for (n = first; n; n = n->next)
        if (is_exchange(n)) {
            const Val *y = n->res[0];

            most = MAX(most, MAX(val_bytes(y), val_bytes(n->arg[0])));
            hash = mix(hash, (uint64_t)attr_int(n, A_p0));
            hash = mix(hash, (uint64_t)n->op);
            hash = mix(hash, (uint64_t)val_bytes(n->op == OP_partsum
                                                 ? n->arg[0] : y));
            str_fmt(&layers, "    [%" PRId64 "] = ", attr_int(n, A_p0));
            gen_quote(n->name, &layers);
            str_put(&layers, ", \\\n");
        }
    str_fmt(&b, "/* This chip among those that share the network. */\n"
            "#define LINK_HERE %" PRId64 "\n#define LINK_OF %" PRId64 "\n"
            "#define LINK_MODEL_HASH UINT64_C(0x%016" PRIx64 ")\n"
            "#define LINK_ROOM_BYTES %" PRId64 " /* the largest exchange */\n"
            "#ifndef LINK_WAY\n#define LINK_WAY LINK_DIRECT\n#endif\n"
            "#ifndef LINK_MS\n#define LINK_MS 10000 /* time limit */\n#endif\n"
            "/* exchanges by number */\n#define LINK_LAYERS \\\n%s\n",
            attr_int(first, A_p1), attr_int(first, A_p2), hash,
            MAX(most, 1), layers.s);
    gen_file(g, "rt/link/here.h", &b);
}

/* Chips of a cluster have links of their own; on others there are processes. */
static bool is_for_chip(const Gen *g, const char *path)
{
    bool pulp = !strcmp(g->p->soc->rt, "pulp");

    if (!strcmp(path, "rt/link/link.h") || !strcmp(path, "rt/link/say.c"))
        return true;
    return pulp == !strcmp(path, "rt/link/pulp.c");
}

static const Node *first_exchange(const Gen *g)
{
    const Node *n = g->p->g->first;

    while (n && !is_exchange(n))
        n = n->next;
    return n;
}

bool gen_has_link(const Gen *g)
{
    return first_exchange(g) != NULL;
}

void gen_link(Gen *g, Str *list)
{
    const Node *n = first_exchange(g);
    int i;

    if (!n)
        return;
    put_here(g, n);
    for (i = 0; i < npacked; i++)
        if (str_starts(packed[i].path, "rt/link/") &&
            is_for_chip(g, packed[i].path)) {
            Str b = {.mem = g->mem};

            str_mem(&b, packed[i].data, packed[i].n);
            gen_file(g, packed[i].path, &b);
            if (str_ends(packed[i].path, ".c"))
                str_fmt(list, " %s", packed[i].path);
        }
}
