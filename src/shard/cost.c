/* Predicted cycles, by which it is decided which layers are shared, by rows of
 * images or by channels, which rows are computed twice, and where pipelines are
 * cut: products, constants that come from the L2, and what makes the numbers of
 * a result of them; exchanges by their ways (way.c); constants that a chip has
 * no room for. */
#include "shard/shard.h"

enum {
    NEIGHBOURS = 1200, /* an exchange with neighbours beside its messages:
                          calls, waiting */
    MESSAGE = 60,      /* one of these, to send and to take it */
    SCALING = 1000,    /* of a sum: a layer of its own; */
    SLICE = 1000,      /* and a part of what is there */
    EACH_SUM = 18      /* of a core: a partial sum beside its products */
};
#define FOURS 1.6      /* products of four rows and more are quicker */

/* Of an axis the most that a chip has. */
double cost_share(const Shard *s, const Val *v, Cut c)
{
    int64_t most = 0, dim = c.axis < 0 ? 1 : v->shape.dim[c.axis];
    int i;

    for (i = 0; i < s->o.chips; i++) {
        Band b = shard_band(s, c, dim, i);

        most = MAX(most, b.to - b.from);
    }
    return (double)most / (double)dim;
}

static double products(const Shard *s, const Node *n, double share)
{
    Shape y = n->res[0]->shape;
    bool fours = op_info[n->op].family == FAM_matmul && y.rank > 1 &&
                 y.dim[y.rank - 2] >= 4;

    return (double)node_macs(n) * share / s->o.mac_rate / (fours ? FOURS : 1);
}

/* Softmax and norms take 16 cycles of a core for each number, all else 3. */
static double numbers(const Shard *s, const Node *n, double share)
{
    int each = op_info[n->op].family == FAM_row ? 16 : 3;

    return (double)val_count(n->res[0]) * each * share / s->o.cores;
}

double cost_rows(const Shard *s, const Node *n, double share)
{
    return products(s, n, share) + numbers(s, n, share);
}

static double constant_bytes(const Shard *s, const Share *h)
{
    double sum = 0;
    int i;

    for (i = 0; i < h->node->narg; i++) {
        const Val *v = h->node->arg[i];

        if (v && v->data)
            sum += (double)val_bytes(v) * cost_share(s, v, h->arg[i]);
    }
    return sum;
}

double cost_far(const Shard *s, double bytes)
{
    double more = bytes - (double)s->o.memory;

    return s->o.memory && more > 0 ? more / s->o.far_rate : 0;
}

double cost_sums(const Shard *s, const Node *n)
{
    double each = (double)val_count(n->res[0]) * EACH_SUM / s->o.cores;

    return products(s, n, 1.0 / s->o.chips) + each;
}

bool cost_short(const Shard *s)
{
    double bytes = 0;
    int i;

    for (i = 0; i < s->nnode; i++)
        bytes += constant_bytes(s, &s->share[i]);
    return cost_far(s, bytes) > 0;
}

double cost_node(const Shard *s, const Share *h)
{
    double share = cost_share(s, h->node->res[0], h->res);
    double bytes = constant_bytes(s, h) / s->o.byte_rate;
    double work = h->partial ? cost_sums(s, h->node)
                             : products(s, h->node, share);

    return MAX(work, bytes) + numbers(s, h->node, share);
}

double cost_wires(const Shard *s)
{
    return s->o.shared && !s->stage ? s->o.chips : s->o.half ? 2 : 1;
}

double cost_near(const Shard *s, double bytes, double messages)
{
    return NEIGHBOURS + s->o.link_cycles + messages * MESSAGE +
           bytes * cost_wires(s) / s->o.link_rate;
}

/* --- exchanges --- */

double cost_halo(const Shard *s, const Val *v, Cut is)
{
    int64_t dim = v->shape.dim[is.axis], most = 0;
    int i;

    for (i = 0; i < s->o.chips; i++) {
        Band own = shard_band(s, is, dim, i), need = s->need[v->id][i];

        most = MAX(most, MAX(0, own.from - need.from) +
                             MAX(0, need.to - own.to));
    }
    return cost_near(s, (double)(most * (val_bytes(v) / dim)), 4);
}

static double gather(const Shard *s, const Val *v)
{
    Cut c = s->at[v->id];
    double behind;

    if (beside_pieces(s, v, &behind).n > 1)
        return behind;

    return way_best(s, (Traffic){
        .even = c.parts % s->o.chips == 0,
        .share = (double)val_bytes(v) / s->o.chips,
        .pieces = (double)shape_product(v->shape, 0, c.axis)}).cycles;
}

static double sum(const Shard *s, const Share *h)
{
    bool whole = h->res.axis < 0;
    double bytes = 4 * (double)val_count(h->node->res[0]);
    Pieces p = pieces_best(s, h);

    if (p.beside)
        return SCALING + pieces_behind(s, h, &p);
    return SCALING + way_best(s, (Traffic){
        .sum = true, .whole = whole,
        .even = whole || h->res.parts % s->o.chips == 0,
        .share = bytes / (whole ? 1 : s->o.chips), .pieces = 1}).cycles;
}

/* v is wanted so; each value is gathered once, and its halo exchanged once. */
static double wanted(const Shard *s, const Val *v, Cut c, bool (*done)[2])
{
    Reshard way = v && !v->data ? shard_reshard(s, v, c) : RESHARD_none;
    bool *is = v ? &done[v->id][way == RESHARD_gather] : NULL;

    if (way == RESHARD_slice)
        return SLICE;
    if (way == RESHARD_none || *is)
        return 0;
    *is = true;
    return way == RESHARD_halo ? cost_halo(s, v, s->at[v->id]) : gather(s, v);
}

static double shares(const Shard *s)
{
    const Graph *g = s->whole;
    bool (*done)[2] = arena_get(s->mem, (size_t)graph_nval(g) + 1,
                                sizeof *done);
    double cycles = 0, bytes = 0;
    int i, k;

    for (i = 0; i < s->nnode; i++) {
        const Share *h = &s->share[i];

        cycles += cost_node(s, h) + (h->partial ? sum(s, h) : 0);
        bytes += constant_bytes(s, h);
        for (k = 0; k < h->node->narg; k++)
            cycles += wanted(s, h->node->arg[k], h->arg[k], done);
    }
    for (i = 0; i < g->nout; i++)
        cycles += wanted(s, g->out[i], s->out[i], done);
    return cycles + cost_far(s, bytes);
}

/* It is asked of many shares: nothing that it takes is kept. */
double cost_shares(const Shard *s)
{
    Shard q = *s;
    double cycles;

    q.mem = arena_new();
    cycles = shares(&q);
    arena_end(q.mem);
    return cycles;
}
