/* What shares save, and what exchanges cost: which layers stay whole. */
#include "shard/shard.h"

/* Of an axis in parts, what the chip with most of them has. */
static double share_of(const Shard *s, Cut c)
{
    int64_t most = c.axis < 0 ? 0 : (c.parts + s->o.chips - 1) / s->o.chips;

    return c.axis < 0 ? 1 : (double)most / (double)c.parts;
}

static double constant_bytes(const Shard *s, const Share *h)
{
    double sum = 0;
    int i;

    for (i = 0; i < h->node->narg; i++)
        if (h->node->arg[i] && h->node->arg[i]->data)
            sum += (double)val_bytes(h->node->arg[i]) * share_of(s, h->arg[i]);
    return sum;
}

/* Products, constants that have to come, and what makes the numbers of the result
 * from them: softmax and norms take 16 cycles each, all else 3. */
static double work(const Shard *s, const Share *h)
{
    double share = h->partial ? 1.0 / s->o.chips : share_of(s, h->res);
    double macs = (double)node_macs(h->node) * share / s->o.mac_rate;
    double bytes = constant_bytes(s, h) / s->o.byte_rate;
    int each = op_info[h->node->op].family == FAM_row ? 16 : 3;

    return MAX(macs, bytes) + (double)val_count(h->node->res[0]) * each *
               share_of(s, h->res) / s->o.cores;
}

/* The sum, which is scaled by a layer of its own. */
static double sum_cycles(const Shard *s, const Share *h)
{
    enum { SCALING = 1500 };
    Cut c = h->res;
    bool whole = c.axis < 0;
    double bytes = 4 * (double)val_count(h->node->res[0]);
    Traffic x = {true, whole, whole || c.parts % s->o.chips == 0,
                 bytes / (whole ? 1 : s->o.chips), 1};

    return way_best(s, x).cycles + SCALING;
}

static double gather_cycles(const Shard *s, const Val *v)
{
    Cut c = s->at[v->id];
    Traffic x = {false, false, c.parts % s->o.chips == 0,
                 (double)val_bytes(v) / s->o.chips,
                 (double)shape_product(v->shape, 0, c.axis)};

    return way_best(s, x).cycles;
}

/* Is v, which chips have shares of, wanted otherwise, for the first time? */
static bool to_gather(const Shard *s, const Val *v, Cut want, bool *done)
{
    Cut is = v ? s->at[v->id] : want;

    if (!v || v->data || done[v->id] || is.axis < 0 ||
        (is.axis == want.axis && is.parts == want.parts))
        return false;
    done[v->id] = true;
    return true;
}

static double gathers(const Shard *s)
{
    const Graph *g = s->whole;
    bool *done = NEWN(s->mem, bool, graph_nval(g) + 1);
    double sum = 0;
    int i, k;

    for (i = 0; i < s->nnode; i++)
        for (k = 0; k < s->share[i].node->narg; k++)
            if (to_gather(s, s->share[i].node->arg[k], s->share[i].arg[k],
                          done))
                sum += gather_cycles(s, s->share[i].node->arg[k]);
    for (i = 0; i < g->nout; i++)
        if (to_gather(s, g->out[i], s->out[i], done))
            sum += gather_cycles(s, g->out[i]);
    return sum;
}

double shard_cycles(const Shard *s)
{
    double sum = gathers(s), bytes = 0;
    int i;

    for (i = 0; i < s->nnode; i++) {
        sum += work(s, &s->share[i]);
        sum += s->share[i].partial ? sum_cycles(s, &s->share[i]) : 0;
        bytes += constant_bytes(s, &s->share[i]);
    }
    return sum + MAX(0, bytes - s->o.near) / s->o.far_rate;
}
