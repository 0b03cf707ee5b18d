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

/* An exchange's phases as chip `here` sees them (rt/link/pulp.c); chips that
 * meet are as far apart as attribute `step` says, any two without it. */
static void put_phases(const Node *n, Str *out)
{
    int here = (int)attr_int(n, A_p1), all = (int)attr_int(n, A_p2), i;
    const int64_t *list;
    int count = MAX(1, attr_list(n, A_step, &list));

    str_fmt(out, "{%d, {", count);
    for (i = 0; i < count; i++) {
        int step = (int)attr_at(n, A_step, i, 1);

        str_fmt(out, "%s{%d, %d, %d, %d}", i ? ", " : "", step,
                step ? all / step : all, step ? here % all / step : here,
                step ? here - here % step : 0);
        all = step;
    }
    str_put(out, "}}");
}

/* The step that makes an exchange; NULL: there are several. */
static const Step *step_of(const Gen *g, const Node *n)
{
    const Step *found = NULL;
    int i;

    for (i = 0; i < g->p->nstep; i++) {
        const Step *s = &g->p->step[i];

        if (s->node != n || !s->kern)
            continue;
        if (found)
            return NULL;
        found = s;
    }
    return found;
}

/* All that rt/link/pulp.c's code for an exchange depends on. */
static void put_kind(const Gen *g, const Node *n, Str *out)
{
    const Step *s = step_of(g, n);
    Dims d;

    dims_fill(n, &d);
    str_fmt(out, "%d, %" PRId64 ", %d, %d, %d, %d, %d, %d, %d, %d, %d, ",
            s->ncore, s->tmp_bytes / MAX(s->ncore, 1), d.exchange.sum,
            type_info[n->res[0]->type].bytes, d.exchange.outer, d.exchange.n,
            d.exchange.inner, d.exchange.from, d.exchange.len,
            d.exchange.parts, d.exchange.part);
    put_phases(n, out);
}

/* Is it always as long, and made by one kernel at once? */
static bool has_kind(const Gen *g, const Node *n)
{
    int i;

    if (!step_of(g, n))
        return false;
    for (i = 0; i < n->arg[0]->shape.rank; i++)
        if (n->arg[0]->shape.vary[i].num)
            return false;
    return !exchange_begins(n->op) && !exchange_ends(n->op) && n->op != OP_halo;
}

static const Node *first_exchange(const Gen *g)
{
    const Node *n = g->p->g->first;

    while (n && !is_exchange(n))
        n = n->next;
    return n;
}

/* The few kinds that have code of their own. */
typedef struct Kinds {
    int n;
    char *kind[4];
} Kinds;

/* Which of the kinds an exchange is; -1: none.  *text: what it depends on. */
static int kind_of(Gen *g, const Kinds *k, const Node *n, char **text)
{
    Str y = {.mem = g->mem};
    int i;

    if (!has_kind(g, n))
        return -1;
    put_kind(g, n, &y);
    *text = y.s;
    for (i = 0; i < k->n; i++)
        if (!strcmp(k->kind[i], y.s))
            return i;
    return -1;
}

static const Kinds *kinds_of(Gen *g)
{
    const Node *n = first_exchange(g);
    char *text;
    Kinds *k;

    if (g->kinds)
        return g->kinds;
    k = g->kinds = NEW(g->mem, Kinds);
    for (; n && k->n < (int)LEN(k->kind); n = n->next)
        if (is_exchange(n) && has_kind(g, n) && kind_of(g, k, n, &text) < 0)
            k->kind[k->n++] = text;
    return k;
}

/* Of each exchange its phases; what its kind depends on. */
static void put_ways(Gen *g, const Node *first, Str *out)
{
    const Kinds *k = kinds_of(g);
    const Node *n;
    int i;

    str_put(out, "/* how they are made, and code for some kinds of them */\n"
            "#define LINK_KINDS");
    for (i = 0; i < k->n; i++)
        str_fmt(out, " \\\n    KIND(%d, %s)", i, k->kind[i]);
    str_put(out, "\n#define LINK_PHASES");
    for (n = first; n; n = n->next) {
        if (!is_exchange(n) || exchange_ends(n->op))
            continue;
        str_fmt(out, " \\\n    [%" PRId64 "] = ", attr_int(n, A_p0));
        put_phases(n, out);
        str_put(out, ",");
    }
    str_put(out, "\n");
}

const char *gen_exchange(Gen *g, const Node *n)
{
    char *text;
    int i;

    if (!is_exchange(n) || strcmp(wire(g), "pulp"))
        return NULL;
    i = kind_of(g, kinds_of(g), n, &text);
    return i < 0 ? NULL : arena_fmt(g->mem, "rt_exchange_%d", i);
}

/* Bytes that a message may have, on all chips alike: rows of neighbours, which
 * some have more of, go in several. */
static int64_t message(const Node *n)
{
    enum { ROWS = 512 };

    return n->op == OP_halo ? ROWS
           : MAX(val_bytes(n->res[0]), val_bytes(n->arg[0]));
}

/* What has the same size on all chips. */
static uint64_t same_size(const Node *n)
{
    if (n->op == OP_halo)
        return (uint64_t)attr_at(n, A_count, 0, 0);
    return (uint64_t)val_bytes(exchange_moves(n->op) ? n->res[0] : n->arg[0]);
}

static void name_layer(const Node *n, Str *layers)
{
    if (exchange_ends(n->op)) /* named by its first half */
        return;
    str_fmt(layers, "    [%" PRId64 "] = ", attr_int(n, A_p0));
    gen_quote(n->name, layers);
    str_put(layers, ", \\\n");
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
            most = MAX(most, message(n));
            name_layer(n, &layers);
            if (n->op == OP_halo && !attr_has(n, A_p3))
                continue; /* between neighbours alone */
            hash = mix(hash, (uint64_t)attr_int(n, A_p0));
            hash = mix(hash, (uint64_t)n->op);
            hash = mix(hash, same_size(n));
        }
    str_fmt(&b, "/* This chip among those that share the network. */\n"
            "#define LINK_HERE %d\n#define LINK_OF %d\n"
            "#define LINK_MODEL_HASH UINT64_C(0x%016" PRIx64 ")\n"
            "#define LINK_ROOM_BYTES %" PRId64 " /* of a message */\n"
            "#define LINK_L1_BYTES %" PRId64 " /* of a cluster's link */\n"
            "#ifndef LINK_WAY\n#define LINK_WAY %s\n#endif\n"
            "#ifndef LINK_MS\n#define LINK_MS 10000 /* time limit */\n#endif\n"
            "/* exchanges by number */\n#define LINK_LAYERS \\\n%s\n",
            here, chips, hash, room(g, most), plan_link_bytes(g->p->g),
            way(g, chips), layers.s);
    if (has_lines(g))
        put_lines(g, here, chips, &b);
    if (!strcmp(wire(g), "pulp"))
        put_ways(g, first, &b);
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
