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

static const Item *link_of(const Gen *g)
{
    return soc_next(g->p->soc, "link", NULL);
}

/* The file of rt/link/ that sends: clusters have links of their own, boards
 * what their description says; on this machine chips are processes. */
static const char *wire(const Gen *g)
{
    return item_word(link_of(g), "driver",
                     strcmp(g->p->soc->rt, "pulp") ? "unix" : "pulp");
}

static bool has_lines(const Gen *g)
{
    return item_word(link_of(g), "driver", NULL) != NULL;
}

/* Serial lines: by chip its number, or -1; addresses of their registers. */
static void put_lines(const Gen *g, int here, int n, Str *out)
{
    int i;

    str_fmt(out, "#define LINK_LINES %s\n#define LINK_LINE_TO",
            item_word(link_of(g), "lines", ""));
    for (i = 0; i < n; i++)
        str_fmt(out, "%s%d", i ? ", " : " ",
                soc_line(g->p->soc, n, here, i));
    str_fmt(out, "\n#define LINK_CLOCK UINT32_C(0x%08" PRIx64 ")\n",
            item_int(link_of(g), "counter", 0));
}

/* Larger messages are fewer, and take memory. */
static int64_t room(const Gen *g, int64_t most)
{
    return MIN((MAX(most, 4) + 3) / 4 * 4, has_lines(g) ? 512 : 1 << 16);
}

static const char *way(const Gen *g, int n)
{
    const char *join = soc_join(g->p->soc, n);

    return !strcmp(join, "ring") ? "LINK_RING"
           : !strcmp(join, "groups") ? "LINK_GROUPS" : "LINK_DIRECT";
}

static void put_here(Gen *g, const Node *first)
{
    int here = (int)attr_int(first, A_p1), chips = (int)attr_int(first, A_p2);
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
            hash = mix(hash, (uint64_t)val_bytes(n->op == OP_allgather
                                                 ? y : n->arg[0]));
            if (n->op == OP_parttake) /* named by its first half */
                continue;
            str_fmt(&layers, "    [%" PRId64 "] = ", attr_int(n, A_p0));
            gen_quote(n->name, &layers);
            str_put(&layers, ", \\\n");
        }
    str_fmt(&b, "/* This chip among those that share the network. */\n"
            "#define LINK_HERE %d\n#define LINK_OF %d\n"
            "#define LINK_MODEL_HASH UINT64_C(0x%016" PRIx64 ")\n"
            "#define LINK_ROOM_BYTES %" PRId64 " /* of a message */\n"
            "#ifndef LINK_WAY\n#define LINK_WAY %s\n#endif\n"
            "#ifndef LINK_MS\n#define LINK_MS 10000 /* time limit */\n#endif\n"
            "/* exchanges by number */\n#define LINK_LAYERS \\\n%s\n",
            here, chips, hash, room(g, most), way(g, chips), layers.s);
    if (has_lines(g))
        put_lines(g, here, chips, &b);
    gen_file(g, "rt/link/here.h", &b);
}

static bool is_for_chip(Gen *g, const char *path)
{
    static const char *const messages[] = {"rt/link/exchange.c",
                                           "rt/link/link.c"};
    size_t i;

    if (!strcmp(path, "rt/link/link.h") || !strcmp(path, "rt/link/say.c") ||
        !strcmp(path, arena_fmt(g->mem, "rt/link/%s.c", wire(g))))
        return true;
    if (!strcmp(path, "rt/link/serial.c"))
        return has_lines(g);
    for (i = 0; i < LEN(messages); i++)
        if (!strcmp(path, messages[i]))
            return strcmp(wire(g), "pulp") != 0;
    return false;
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
