/* A network cut for several chips, a job for each. */
#include "cli/chips.h"

#include <math.h>
#include <string.h>

/* Products side by side are made of shares, not before.  Attention as one
 * operator wants more heads than a chip has. */
static const char *const joined[] = {"siblings", "attend", "prompt", "few",
                                     "divided"};

static void pass_before(Job *j)
{
    const int had = j->o.noff;
    int n = j->o.chips > 1 ? (int)LEN(joined) : 0, i;

    for (i = 0; i < n; i++)
        job_leave_pass(&j->o, joined[i]);
    n = j->o.noff - had;
    job_pass(j);
    for (i = had; i + n < j->o.noff; i++) /* now they may come */
        j->o.off[i] = j->o.off[i + n];
    j->o.noff -= n;
    j->o.off[j->o.noff] = NULL;
}

static void pass_shares(const Job *j, Graph *g)
{
    if (j->o.chips > 1 && !job_leaves_pass(&j->o, "siblings"))
        pass_one(g, "siblings");
    pass_one(g, "cse");
    pass_one(g, "widen");
}

/* What is exchanged lies in the cores' memory, beside what they compute. */
static int64_t exchange_room(const Job *j)
{
    const Engine *dma = j->soc ? soc_hop(j->soc, 0) : NULL;

    return dma ? j->soc->mems[dma->near].size * 3 / 4 : 0;
}

/* Constants lie where the cores' DMA takes them from, or beyond; code and
 * values take some of that.  Products of one row wait for weights; links of
 * clusters go on while cores work, and sums that are sent meanwhile go to all
 * others at once, which suits links between any two. */
static void set_rates(const Job *j, ShardOpts *o)
{
    const Item *link = j->soc ? soc_next(j->soc, "link", NULL) : NULL;
    const Engine *near = j->soc ? soc_hop(j->soc, 0) : NULL;
    const Engine *far = j->soc ? soc_hop(j->soc, 1) : NULL;
    double late = item_num(link, "latency_ns", 0);
    double rate = item_num(link, "mb_per_s", 0);

    o->timed = near && far && rate > 0 && j->soc->mhz > 0 &&
               !strcmp(j->soc->rt, "pulp");
    if (!o->timed)
        return;
    o->cores = j->soc->ncore;
    o->mac_rate = 1.5 * o->cores; /* on average */
    o->byte_rate = .8 * near->in.bytes_per_cycle;
    o->memory = j->soc->mems[near->far].size * 3 / 4;
    o->far_rate = far->in.bytes_per_cycle;
    o->link_rate = rate / j->soc->mhz;
    o->link_cycles = isnan(late) ? 0 : late * j->soc->mhz / 1e3;
    o->half = soc_wires(j->soc) == WIRES_half;
    o->shared = soc_wires(j->soc) == WIRES_shared;
    o->beside = !strcmp(soc_join(j->soc, o->chips), "any") && !o->half &&
                !o->shared;
    o->sum_columns = 4 * o->cores; /* a core makes four at a time */
    o->next = soc_routes(j->o.mem, j->soc, o->chips);
}

static void set_topology(const Job *j, Soc *s)
{
    if (j->o.topology && !(s && soc_topology(s, j->o.topology)))
        err(ERR_USAGE, "--topology: the description of %s says of no link "
            "how it joins chips", s ? s->name : "this machine");
}

static bool neighbours_joined(const Job *j)
{
    int i;

    for (i = 0; j->soc && i + 1 < j->o.chips; i++)
        if (!soc_joined(j->soc, j->o.chips, i, i + 1))
            return false;
    return true;
}

Shard *chips_shares(Job *j)
{
    ShardOpts o = {.chips = j->o.chips, .images = j->o.images,
                   .inner = j->o.inner, .pipeline = j->o.pipeline,
                   .room = exchange_room(j)};

    set_topology(j, j->soc);
    o.neighbours = neighbours_joined(j);
    set_rates(j, &o);
    job_front(j);
    pass_before(j);
    err_file(j->r.model);
    return shard_make(j->o.mem, j->g, &o);
}

const char *chips_kind(const Shard *s, const Exchange *e)
{
    return s->stage ? "pass" : e->sum ? "sum" : e->halo ? "halo" : "gather";
}

void chips_say(const Shard *s, Str *out)
{
    if (s->stage)
        str_fmt(out, "%d layers in %d stages; values passed on: %d\n\n",
                s->nnode, s->o.chips, s->nexchange);
    else
        str_fmt(out, "%d of %d layers are shared by %d chips; exchanges: %d"
                "\n\n", shard_split(s), s->nnode, s->o.chips, s->nexchange);
}

/* Before any value is computed: plans may add nodes. */
Job *chips_plan(const Job *j, const Shard *s)
{
    Job *chip = NEWN(j->o.mem, Job, s->o.chips);
    int i;

    for (i = 0; i < s->o.chips; i++) {
        chip[i] = *j;
        chip[i].soc = soc_read(j->o.mem, j->o.target);
        set_topology(j, chip[i].soc);
        chip[i].r.soc = chip[i].soc;
        chip[i].g = chip[i].r.g = s->g[i];
        chip[i].like = i ? chip[i - 1].r.plan : NULL;
        pass_shares(j, s->g[i]);
        graph_number(s->g[i]);
        job_plan(&chip[i]);
    }
    return chip;
}

/* Graphs of all chips, and of the whole network. */
static Graph **graphs_of(const Shard *s)
{
    Graph **g = NEWN(s->mem, Graph *, s->o.chips + 1);
    int i;

    for (i = 0; i < s->o.chips; i++)
        g[i] = s->g[i];
    g[i] = s->whole;
    return g;
}

void chips_numbers(const Job *j, const Shard *s, int step)
{
    if (j->value)
        graphs_set_numbers(s->o.chips + 1, graphs_of(s),
                           j->value + step * MOST_NUMBERS);
}

void chips_numbers_most(const Job *j, const Shard *s)
{
    if (j->value)
        graphs_numbers_most(s->o.chips + 1, graphs_of(s));
}

/* Of the inputs that are no states, or of states at first. */
static void *input_share(const Job *chip, const Shard *s, int i, int k,
                         const char *all)
{
    const Val *v = s->whole->in[k];
    bool state = graph_next_state(s->whole, v) != NULL;
    Str share = {.mem = chip->o.mem};
    int t;

    str_put(&share, "");
    if (!shard_owns(s, i, v)) {
        void *none = arena_get(chip->o.mem, (size_t)MAX(1, chip->steps), 8);

        str_mem(&share, none, (size_t)MAX(1, chip->steps) *
                                  (size_t)val_bytes(s->g[i]->in[k]));
        return share.s;
    }
    for (t = 0; t < (state ? 1 : MAX(1, chip->steps)); t++) {
        Val w = *v, own = *v;

        w.shape = state ? v->shape : job_shape(chip, v, t);
        own.shape = shard_shape(s, s->in[k], w.shape, i);
        str_mem(&share, shard_data(s, s->in[k], &w, all, i),
                (size_t)val_bytes(&own));
        all += val_bytes(&w);
    }
    return share.s;
}

void **chips_inputs(const Job *chip, const Shard *s, int i, void *const *in)
{
    void **own = NEWN(chip->o.mem, void *, s->whole->nin + 1);
    int k;

    for (k = 0; k < s->whole->nin; k++)
        own[k] = input_share(chip, s, i, k, in[k]);
    return own;
}
