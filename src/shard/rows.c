/* Bands of rows of images: what windows read of them, which rows chips exchange
 * or compute twice. */
#include "shard/shard.h"

enum { SLICE = 1500 }; /* cycles of a layer more, which takes rows of a value */

bool is_image(const Node *n)
{
    return n->op == OP_conv || op_info[n->op].family == FAM_pool;
}

int image_axis(const Node *n)
{
    return attr_int(n, A_last) ? 1 : 2;
}

Window image_window(const Node *n)
{
    int64_t size = n->op == OP_conv ? n->arg[1]->shape.dim[image_axis(n)]
                   : attr_at(n, A_kernel, 0, 1);

    return (Window){attr_at(n, A_stride, 0, 1), attr_at(n, A_pad, 0, 0),
                    (size - 1) * attr_at(n, A_dilation, 0, 1) + 1};
}

/* A few rows more do no harm if a chip has them: they give no row of y. */
static Band window_of(const Shard *s, const Node *n, Cut y, int chip)
{
    const Val *x = n->arg[0];
    Band out = shard_band(s, y, n->res[0]->shape.dim[y.axis], chip), in;
    Window w = image_window(n);
    Cut is = s->at[x->id];

    in.from = MAX(0, out.from * w.stride - w.before);
    in.to = (out.to - 1) * w.stride - w.before + w.reach;
    if (is.axis == y.axis && !attr_int(n, A_ceil)) {
        Band own = shard_band(s, is, x->shape.dim[y.axis], chip);

        in.to = MAX(in.to, MIN(own.to, in.to + w.stride - 1));
    }
    in.to = MIN(in.to, x->shape.dim[y.axis]);
    return in;
}

Cut shard_window(const Shard *s, const Node *n, Cut y)
{
    Band *band = NEWN(s->mem, Band, s->o.chips);
    int i;

    for (i = 0; i < s->o.chips; i++) {
        band[i] = window_of(s, n, y, i);
        if (band[i].from >= band[i].to)
            return (Cut){.axis = -1, .origin = -1};
    }
    return (Cut){.axis = y.axis, .parts = n->arg[0]->shape.dim[y.axis],
                 .origin = n->id, .band = band};
}

/* --- resharding --- */

static bool covers(Band a, Band b)
{
    return a.from <= b.from && b.to <= a.to;
}

static bool within(const Shard *s, const Val *v, Cut c, Cut is)
{
    int64_t dim = v->shape.dim[c.axis];
    int i;

    for (i = 0; i < s->o.chips; i++)
        if (!covers(shard_band(s, is, dim, i), shard_band(s, c, dim, i)))
            return false;
    return true;
}

/* Have chips and their neighbours what windows read, in one piece? */
static bool is_near(const Shard *s, const Val *v, Cut is)
{
    int64_t dim = v->shape.dim[is.axis];
    int i, last = s->o.chips - 1;

    if (is.band || !s->need[v->id] || !s->o.neighbours ||
        shape_product(v->shape, 0, is.axis) != 1)
        return false;
    for (i = 0; i <= last; i++) {
        Band near = {shard_band(s, is, dim, MAX(i - 1, 0)).from,
                     shard_band(s, is, dim, MIN(i + 1, last)).to};

        if (!covers(near, s->need[v->id][i]))
            return false;
    }
    return true;
}

static bool is_needed(const Shard *s, const Val *v, Cut c)
{
    int i;

    for (i = 0; s->need[v->id] && i < s->o.chips; i++)
        if (!covers(s->need[v->id][i],
                    shard_band(s, c, v->shape.dim[c.axis], i)))
            return false;
    return s->need[v->id] != NULL;
}

Reshard shard_reshard(const Shard *s, const Val *v, Cut c)
{
    Cut is = s->at[v->id];

    if (c.axis < 0)
        return is.axis < 0 ? RESHARD_none : RESHARD_gather;
    if (is.axis < 0)
        return RESHARD_slice;
    if (is.axis != c.axis)
        return RESHARD_gather;
    if (within(s, v, c, is))
        return within(s, v, is, c) ? RESHARD_none : RESHARD_slice;
    return is_near(s, v, is) && is_needed(s, v, c) ? RESHARD_halo : RESHARD_gather;
}

/* --- rows that chips compute twice --- */

static Band both(Band a, Band b)
{
    return (Band){MIN(a.from, b.from), MAX(a.to, b.to)};
}

/* What a node reads of v beside what is there is needed. */
static void add_need(Shard *s, const Val *v, Cut c)
{
    Cut is = s->at[v->id];
    int64_t dim = v->shape.dim[MAX(c.axis, 0)];
    bool first = !s->need[v->id];
    int i;

    if (v->data || c.axis < 0 || is.axis != c.axis ||
        (first && within(s, v, c, is)))
        return;
    if (first)
        s->need[v->id] = NEWN(s->mem, Band, s->o.chips);
    for (i = 0; i < s->o.chips; i++)
        s->need[v->id][i] =
            both(first ? shard_band(s, is, dim, i) : s->need[v->id][i],
                 shard_band(s, c, dim, i));
}

/* As n's result is cut, so are those of its operands that have these rows. */
static void follow_rows(Shard *s, Share *h)
{
    int i;

    if (is_image(h->node)) {
        h->arg[0] = shard_window(s, h->node, h->res);
        return;
    }
    for (i = 0; i < h->node->narg; i++)
        if (h->arg[i].axis >= 0)
            h->arg[i].band = h->res.band;
}

/* More rows of n: those of what it reads may have to be exchanged instead. */
static double again_cycles(const Shard *s, const Share *h, Cut wide)
{
    const Node *n = h->node;
    double share = cost_share(s, n->res[0], wide) -
                   cost_share(s, n->res[0], h->res);
    double sum = cost_rows(s, n, share);
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];
        double bytes = v ? (double)val_bytes(v) * share : 0;

        if (v && !v->data && s->at[v->id].axis >= 0)
            sum += s->need[v->id] ? bytes / s->o.link_rate
                                  : cost_near(s, bytes, 4);
    }
    return sum;
}

static bool can_widen(const Shard *s, const Share *h)
{
    const Node *n = h->node;
    Cut c = h->res;
    int i;

    if (!s->need[n->res[0]->id] || c.of_sum || h->partial || c.band)
        return false;
    if (is_image(n))
        return c.axis == image_axis(n);
    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && n->arg[i]->shape.rank > n->res[0]->shape.rank)
            return false;
    return op_info[n->op].family == FAM_map;
}

static void widen(Shard *s, Share *h)
{
    const Val *v = h->node->res[0];
    Cut wide = h->res;

    if (!can_widen(s, h))
        return;
    wide.band = s->need[v->id];
    if (is_near(s, v, h->res) &&
        again_cycles(s, h, wide) > cost_halo(s, v, h->res))
        return;
    s->at[v->id] = h->res = wide;
    s->need[v->id] = NULL;
    follow_rows(s, h);
}

/* --- rows that chips need not compute --- */

/* What is read of a value that every chip would have; parts -1: all of it, or
 * along several axes. */
static void add_use(Shard *s, const Val *v, Cut c)
{
    Cut *u = &s->use[v->id];
    Band *band;
    int i;

    if (c.axis < 0 || (u->band && u->axis != c.axis))
        u->parts = -1;
    if (u->parts < 0)
        return;
    band = NEWN(s->mem, Band, s->o.chips);
    for (i = 0; i < s->o.chips; i++) {
        Band b = shard_band(s, c, v->shape.dim[c.axis], i);

        band[i] = u->band ? both(u->band[i], b) : b;
    }
    *u = (Cut){.axis = c.axis, .parts = v->shape.dim[c.axis],
               .origin = c.origin, .band = band};
}

/* The axis of an operand that becomes this one of the result; -1: none. */
static int axis_before(const Node *n, const Val *x, int axis)
{
    int from = axis + x->shape.rank - n->res[0]->shape.rank;

    if (op_info[n->op].family == FAM_transpose)
        return (int)attr_at(n, A_perm, axis, n->res[0]->shape.rank - 1 - axis);
    return from < 0 || x->shape.dim[from] == 1 ? -1 : from;
}

static void narrow(Shard *s, Share *h)
{
    const Node *n = h->node;
    Family f = op_info[n->op].family;
    Cut use = s->use[n->res[0]->id];
    int i;

    if (h->res.axis >= 0 || !use.band || use.parts < 0 ||
        (f != FAM_map && f != FAM_transpose) ||
        cost_rows(s, n, 1 - cost_share(s, n->res[0], use)) < SLICE)
        return;
    s->at[n->res[0]->id] = h->res = use;
    for (i = 0; i < n->narg; i++)
        if (n->arg[i]) {
            h->arg[i] = use;
            h->arg[i].axis = axis_before(n, n->arg[i], use.axis);
        }
}

void shard_widen(Shard *s)
{
    const Graph *g = s->whole;
    int i, k;

    for (i = 0; i < g->nout; i++)
        s->use[g->out[i]->id].parts = -1;
    for (i = s->nnode - 1; i >= 0; i--) {
        Share *h = &s->share[i];

        widen(s, h);
        narrow(s, h);
        for (k = 0; k < h->node->narg; k++)
            if (h->node->arg[k]) {
                add_need(s, h->node->arg[k], h->arg[k]);
                add_use(s, h->node->arg[k], h->arg[k]);
            }
    }
}
