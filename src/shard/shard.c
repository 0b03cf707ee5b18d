/* Decides which layers are cut, until nothing changes, and makes the graphs. */
#include "shard/shard.h"

#include <math.h>
#include <string.h>

static const Cut all = {.axis = -1, .origin = -1};

static bool same_cut(Cut a, Cut b)
{
    return a.axis == b.axis && a.parts == b.parts;
}

/* A state is cut as what it becomes, once that is known; if the next state then
 * is cut otherwise, it stays whole. */
static void settle_states(Shard *s)
{
    const Graph *g = s->whole;
    int i, k;

    for (i = 0; i < g->nin; i++) {
        const Val *in = g->in[i], *next = graph_next_state(g, in);

        for (k = 0; next && k < g->nout; k++) {
            Cut c = s->at[next->id];

            if (g->out[k] != next || s->fixed[in->id] ||
                same_cut(c, s->in[i]))
                continue;
            s->again = true;
            if (s->in[i].axis >= 0 && c.axis != s->in[i].axis) {
                s->fixed[in->id] = true;
                c = all;
            }
            s->in[i] = c;
        }
    }
}

static void decide(Shard *s)
{
    const Graph *g = s->whole;
    const Node *n;
    const Val *v;
    int i;

    s->again = false;
    for (v = g->vals; v; v = v->next)
        s->at[v->id] = all;
    for (i = 0; i < g->nin; i++)
        s->at[g->in[i]->id] = s->in[i];
    for (n = g->first; n; n = n->next) {
        shard_rule(s, n, &s->share[n->id]);
        s->at[n->res[0]->id] = s->share[n->id].res;
    }
    settle_states(s);
}

static void set_outputs(Shard *s)
{
    const Graph *g = s->whole;
    int i, k;

    for (i = 0; i < g->nout; i++) {
        s->out[i] = all;
        for (k = 0; k < g->nin; k++)
            if (g->out[i]->state == g->in[k])
                s->out[i] = s->in[k];
    }
}

static double known(double rate, double none)
{
    return rate > 0 ? rate : none;
}

/* Where nothing is known of them, links are slow. */
static void set_rates(ShardOpts *o)
{
    o->cores = MAX(1, o->cores);
    o->mac_rate = known(o->mac_rate, 1);
    o->byte_rate = known(o->byte_rate, INFINITY);
    o->link_rate = known(o->link_rate, .01);
}

/* load: of other shares of as many chips; NULL: there are none. */
static Shard *begin(Arena *mem, Graph *g, const ShardOpts *o, Load *load)
{
    Shard *s = NEW(mem, Shard);
    const Node *n;
    int i, nval;

    graph_number(g);
    nval = graph_nval(g);
    *s = (Shard){.mem = mem, .o = *o, .whole = g};
    set_rates(&s->o);
    for (n = g->first; n; n = n->next)
        s->nnode++;
    s->share = NEWN(mem, Share, s->nnode + 1);
    for (n = g->first; n; n = n->next)
        s->share[n->id] =
            (Share){.node = n, .arg = NEWN(mem, Cut, n->narg + 1)};
    s->in = NEWN(mem, Cut, g->nin + 1);
    s->out = NEWN(mem, Cut, g->nout + 1);
    s->at = NEWN(mem, Cut, nval + 1);
    s->limit = NEWN(mem, int64_t, s->nnode + 1);
    s->load = load ? load
                   : NEWN(mem, Load, (CHIPS_MOST + 1) * (CHIPS_MOST + 1));
    s->need = NEWN(mem, Band *, nval + 1);
    s->use = NEWN(mem, Cut, nval + 1);
    s->fixed = NEWN(mem, bool, nval + 1);
    s->first = NEWN(mem, bool, s->nnode + 1);
    s->stay = NEWN(mem, bool, s->nnode + 1);
    s->whole_in = NEWN(mem, bool, s->nnode + 1);
    s->by_all = NEWN(mem, bool, s->nnode + 1);
    s->by_rows = NEWN(mem, bool, s->nnode + 1);
    for (i = 0; i < s->nnode; i++)
        s->whole_in[i] = o->inner == INNER_gather;
    for (i = 0; i < g->nin; i++)
        s->in[i] = all;
    return s;
}

int shard_split(const Shard *s)
{
    int i, n = 0;

    for (i = 0; i < s->nnode; i++)
        n += s->share[i].partial || s->share[i].res.axis >= 0;
    return n;
}

/* The decisions that follow from what s has been told. */
static Shard *settle(Shard *s)
{
    int turns = 0;

    do
        decide(s);
    while (s->again && ++turns < 64 + 4 * s->nnode);
    if (s->again)
        die("shares of %s do not settle", s->whole->name);
    set_outputs(s);
    shard_widen(s);
    return s;
}

/* Windows of the first `nrow` layers by rows. */
static Shard *try_rows(Arena *mem, Graph *g, const ShardOpts *o, int nrow)
{
    Shard *s = begin(mem, g, o, NULL);

    s->nrow = nrow;
    return settle(s);
}

/* What is decided as in s. */
static Shard *copy(Arena *mem, const Shard *s)
{
    Shard *t = begin(mem, s->whole, &s->o, s->load);

    memcpy(t->stay, s->stay, (size_t)s->nnode * sizeof *t->stay);
    memcpy(t->whole_in, s->whole_in, (size_t)s->nnode * sizeof *t->whole_in);
    memcpy(t->by_all, s->by_all, (size_t)s->nnode * sizeof *t->by_all);
    memcpy(t->by_rows, s->by_rows, (size_t)s->nnode * sizeof *t->by_rows);
    return t;
}

static double cycles_of(Graph *g, const ShardOpts *o, int nrow)
{
    Arena *mem = arena_new();
    double cycles = cost_shares(try_rows(mem, g, o, nrow));

    arena_end(mem);
    return cycles;
}

/* How many layers are cut by rows rather than by channels: images are large at
 * first, and have many channels at last. */
static int best_rows(Graph *g, const ShardOpts *o)
{
    double least = o->images == IMAGES_best ? cycles_of(g, o, 0) : 0, cycles;
    int best = 0, count = 0;
    const Node *n;

    for (n = g->first; n; n = n->next) {
        count++;
        if (o->images != IMAGES_best || !is_image(n))
            continue;
        cycles = cycles_of(g, o, count);
        if (cycles < least) {
            least = cycles;
            best = count;
        }
    }
    return o->images == IMAGES_rows ? count : best;
}

static Shard *try_chips(Arena *mem, Graph *g, const ShardOpts *o)
{
    return try_rows(mem, g, o, o->chips > 1 ? best_rows(g, o) : 0);
}

static _Noreturn void err_chips(Arena *mem, Graph *g, const ShardOpts *o)
{
    ShardOpts less = *o;

    less.next = NULL; /* it is of so many chips */
    for (less.chips = o->chips - 1; less.chips > 1; less.chips--)
        if (shard_split(try_chips(mem, g, &less)))
            err(ERR_MODEL, "no layer of '%s' is worth a share on each of %d "
                "chips; %d chips or fewer are", g->name, o->chips, less.chips);
    err(ERR_MODEL, "no layer of '%s' is worth shares on several chips",
        g->name);
}

/* From node i on the first n of those that others follow are not to be cut. */
static bool keep_whole(const Shard *s, bool *stay, int i, int n)
{
    for (; i < s->nnode && n; i++)
        if (s->first[i] && !stay[i]) {
            stay[i] = true;
            n--;
        }
    return !n;
}

/* A trial has an arena of its own, which ends with it. */
static Shard *begin_trial(const Shard *s)
{
    Shard *t = copy(arena_new(), s);

    t->trial = true;
    return t;
}

static void end_trial(Shard *t)
{
    if (t->trial)
        arena_end(t->mem);
}

/* Makes *s what t was told, if that is quicker; the other ends. */
static bool improve(Shard **s, double *cycles, Shard *t)
{
    double is = cost_shares(settle(t));

    if (!shard_split(t) || is >= *cycles) {
        end_trial(t);
        return false;
    }
    end_trial(*s);
    *s = t;
    *cycles = is;
    return true;
}

/* Up to MOST more stay whole from node i on; at least one is shared. */
static bool improve_whole(Shard **s, double *cycles, int i)
{
    enum { MOST = 3 };
    const Shard *old = *s;
    int n;

    for (n = 1; n <= MOST && old->first[i] && !old->stay[i]; n++) {
        Shard *t = begin_trial(old);

        if (!keep_whole(old, t->stay, i, n)) {
            end_trial(t);
            return false;
        }
        if (improve(s, cycles, t))
            return true;
    }
    return false;
}

/* Node i is made of what is gathered, rather than by sums. */
static bool improve_sum(Shard **s, double *cycles, int i)
{
    Shard *t;

    if (!(*s)->share[i].partial || (*s)->o.inner != INNER_best)
        return false;
    t = begin_trial(*s);
    t->whole_in[i] = true;
    return improve(s, cycles, t);
}

/* All chips add all of node i, instead of a share each that is gathered then. */
static bool improve_small(Shard **s, double *cycles, int i)
{
    const Share *h = &(*s)->share[i];
    Shard *t;

    if (!h->partial || h->res.axis < 0 || (*s)->o.inner != INNER_best)
        return false;
    t = begin_trial(*s);
    t->by_all[i] = true;
    return improve(s, cycles, t);
}

/* Node i, which all compute, is shared by rows, and these are gathered. */
static bool improve_rows(Shard **s, double *cycles, int i)
{
    const Share *h = &(*s)->share[i];
    Shard *t;

    if (op_info[h->node->op].family != FAM_row || h->res.axis >= 0)
        return false;
    t = begin_trial(*s);
    t->by_rows[i] = true;
    return improve(s, cycles, t);
}

/* What has been found is decided again where it is to be kept. */
static Shard *keep(Shard *s, Arena *mem)
{
    Shard *t;

    if (!s->trial)
        return s;
    t = settle(copy(mem, s));
    end_trial(s);
    return t;
}

/* Layers whose exchanges cost more than their shares save stay whole. */
static Shard *worth_sharing(Shard *s)
{
    Arena *mem = s->mem;
    double cycles = cost_shares(s);
    bool again;
    int i;

    do
        for (again = false, i = 0; i < s->nnode; i++) {
            again |= improve_sum(&s, &cycles, i);
            again |= improve_small(&s, &cycles, i);
            again |= improve_rows(&s, &cycles, i);
            again |= improve_whole(&s, &cycles, i);
        }
    while (again);
    return keep(s, mem);
}

/* Every layer is whole on one chip; NULL: there is no such, *why says why. */
static Shard *pipeline(Arena *mem, Graph *g, const ShardOpts *o,
                       const char **why)
{
    Shard *s = begin(mem, g, o, NULL);
    const Val *v;
    int i, k;

    for (v = g->vals; v; v = v->next)
        s->at[v->id] = all;
    for (i = 0; i < s->nnode; i++) {
        Share *h = &s->share[i];

        h->res = all;
        for (k = 0; k < h->node->narg; k++)
            h->arg[k] = all;
    }
    set_outputs(s);
    *why = shard_stages(s);
    return *why ? NULL : s;
}

static Shard *asked_pipeline(Arena *mem, Graph *g, const ShardOpts *o)
{
    const char *why;
    Shard *s = pipeline(mem, g, o, &why);

    if (!s)
        err(ERR_MODEL, "%s", why);
    return s;
}

/* Of constants that chips have no room for a pipeline is quicker if they share
 * too few of them. */
static Shard *worth_stages(Shard *s)
{
    const char *why;
    Shard *p = pipeline(s->mem, s->whole, &s->o, &why);

    return p && p->latency < cost_shares(s) ? p : s;
}

Shard *shard_make(Arena *mem, Graph *g, const ShardOpts *o)
{
    Shard *s;
    const char *wrong;
    int i;

    if (o->chips < 1 || o->chips > CHIPS_MOST)
        err(ERR_USAGE, "%d chips: 1 to %d are possible", o->chips, CHIPS_MOST);
    s = o->pipeline && o->chips > 1 ? asked_pipeline(mem, g, o)
                                    : try_chips(mem, g, o);
    if (o->chips > 1 && o->timed && !s->nrow && shard_split(s))
        s = worth_sharing(s);
    if (o->chips > 1 && o->timed && !s->stage && cost_short(s))
        s = worth_stages(s);
    if (o->chips > 1 && !s->stage && !shard_split(s))
        err_chips(mem, g, o);
    s->g = NEWN(mem, Graph *, o->chips);
    for (i = 0; i < o->chips; i++)
        s->g[i] = s->stage ? shard_stage(s, i) : shard_build(s, i);
    shard_ways(s);
    wrong = shard_check(mem, s);
    if (wrong)
        die("shares of %s: %s", g->name, wrong);
    return s;
}
