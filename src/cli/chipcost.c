/* What a network costs on several chips: where cycles go, what nothing can be
 * faster than, and energy. */
#include "cli/chips.h"

#include <math.h>

static bool is_exchange(const Layer *l)
{
    return op_info[l->node->op].family == FAM_exchange;
}

static int64_t layer_cycles(const Plan *p, const Run *r, int i)
{
    return MAX(0, r ? r->layer[i].cycles : p->layer[i].cycles);
}

static int64_t layer_wait(const Plan *p, const Run *r, int i)
{
    return MAX(0, r ? r->layer[i].dma_wait : p->layer[i].wait);
}

Spent chips_spent(const Plan *p, const Run *r)
{
    Spent n = {.cycles = r ? r->cycles : 0};
    int i, nlayer = r ? r->nlayer : p->nlayer;

    for (i = 0; i < nlayer; i++) {
        n.cycles += r ? 0 : layer_cycles(p, r, i);
        if (is_exchange(&p->layer[i]))
            n.links += layer_cycles(p, r, i);
        else
            n.dma += layer_wait(p, r, i);
    }
    n.work = n.cycles - n.links - n.dma;
    return n;
}

int64_t chips_exchange_cycles(const Plan *const *plan, const Run *run, int n,
                              int tag)
{
    int64_t least = INT64_MAX, sum;
    int i, k;

    for (i = 0; i < n; i++) {
        for (k = 0, sum = 0; k < plan[i]->nlayer; k++)
            if (is_exchange(&plan[i]->layer[k]) &&
                attr_int(plan[i]->layer[k].node, A_p0) == tag)
                sum += layer_cycles(plan[i], &run[i], k);
        least = MIN(least, sum);
    }
    return least;
}

/* --- what nothing can be faster than --- */

/* Direct scatter and gather: all chips but one have a part of each value for
 * every chip.  Of a halo some chip gets no less than chips do on average. */
static double links_bound(const Job *j, const Shard *s)
{
    const Item *link = soc_next(j->soc, "link", NULL);
    double rate = item_num(link, "mb_per_s", 0) / j->soc->mhz, sum = 0;
    double late = item_num(link, "latency_ns", 0) * j->soc->mhz / 1e3;
    int i;

    for (i = 0; i < s->nexchange && s->o.chips > 1; i++)
        sum += late + (double)s->exchange[i].bytes / s->o.chips / rate *
                          (s->exchange[i].halo ? 1 : s->o.chips - 1);
    return sum;
}

int64_t chips_far_bytes(const Plan *p)
{
    int64_t n = 0;
    int m;

    for (m = 0; m < p->soc->nmem; m++)
        n += p->soc->mems[m].mapped ? 0 : p->consts[m];
    return n;
}

static int64_t near_bytes(const Graph *g)
{
    const Val *v;
    int64_t n = 0;
    int i;

    for (v = g->vals; v; v = v->next)
        n += v->data ? val_bytes(v) : 0;
    for (i = 0; i < g->nin; i++)
        n += graph_next_state(g, g->in[i]) ? val_bytes(g->in[i]) : 0;
    return n;
}

static Bound bound_of(const Job *j, const Shard *s, const Plan *p)
{
    const Engine *near = soc_hop(j->soc, 0), *far = soc_hop(j->soc, 1);
    Bound b = {.links = links_bound(j, s)};
    const Node *n;

    for (n = p->g->first; n; n = n->next)
        b.macs += (double)node_macs(n) / (4 * j->soc->ncore);
    if (near)
        b.near = (double)near_bytes(p->g) / near->in.bytes_per_cycle;
    if (far)
        b.far = (double)chips_far_bytes(p) / far->in.bytes_per_cycle;
    return b;
}

double bound_all(Bound b)
{
    return MAX(b.macs, MAX(b.near, b.far)) + b.links;
}

Bound chips_bound(const Job *j, const Shard *s, const Plan *const *plan)
{
    Bound most = {0, 0, 0, 0};
    int i;

    for (i = 0; i < s->o.chips; i++) {
        Bound b = bound_of(j, s, plan[i]);

        if (bound_all(b) > bound_all(most))
            most = b;
    }
    return most;
}

/* --- energy --- */

int64_t chips_link_bytes(const Shard *s)
{
    double sum = 0;
    int i;

    for (i = 0; s->way && i < s->nexchange; i++)
        sum += s->way[i].bytes;
    return (int64_t)sum;
}

static double uj(const Soc *soc, const char *event, double n)
{
    return soc_energy(soc, event) * n / 1e6;
}

static void add_moved(const Plan *p, double *moved)
{
    const Engine *e;
    int i, k;

    for (k = 0; (e = soc_hop(p->soc, k)); k++)
        for (i = 0; i < p->nlayer; i++)
            moved[MIN(k, 1)] += uj(p->soc, e->energy,
                                   (double)p->layer[i].moved[e->row]);
}

ChipsEnergy chips_energy(const Job *j, const Shard *s, const Plan *const *plan,
                         const Run *run)
{
    ChipsEnergy e = {.links = uj(j->soc, "link_byte",
                                 (double)chips_link_bytes(s))};
    double moved[2] = {0, 0}; /* between L2 and L1, L3 and L2 */
    int i;

    for (i = 0; i < s->o.chips; i++) {
        Spent n = chips_spent(plan[i], run ? &run[i] : NULL);
        double all = (double)j->soc->ncore;

        e.cores += uj(j->soc, "core_cycle", all * (double)n.work);
        e.waits += uj(j->soc, "core_cycle", all * (double)(n.dma + n.links));
        add_moved(plan[i], moved);
    }
    e.near = moved[0];
    e.far = moved[1];
    return e;
}

double chips_uj(ChipsEnergy e)
{
    return e.cores + e.near + e.far + e.links;
}

/* --- as predicted --- */

static void add_chip(Tried *t, const Plan *p)
{
    int i, k;

    t->cycles = MAX(t->cycles, chips_spent(p, NULL).cycles);
    t->ram = MAX(t->ram, p->ram);
    t->weights = MAX(t->weights, p->weights);
    for (i = 0; i < p->nlayer; i++)
        for (k = 0; k < MOST_ENGINES; k++)
            t->moved += p->layer[i].moved[k];
}

Tried chips_trial(Job *j)
{
    Shard *s = chips_shares(j);
    Job *chip = chips_plan(j, s);
    const Plan **plan = NEWN(j->o.mem, const Plan *, s->o.chips);
    Tried t = {.layer = -1};
    int i;

    for (i = 0; i < s->o.chips; i++) {
        plan[i] = chip[i].r.plan;
        add_chip(&t, plan[i]);
    }
    t.ms = report_ms(&chip[0].r, t.cycles);
    t.uj = chips_uj(chips_energy(j, s, plan, NULL));
    t.bound = bound_all(chips_bound(j, s, plan));
    t.link_bytes = chips_link_bytes(s);
    return t;
}
