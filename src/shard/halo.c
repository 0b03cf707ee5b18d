/* Rows that chips exchange with their neighbours, and padding of what is left
 * at the ends of bands. */
#include "shard/build.h"

/* Rows that a chip has beside its own: before, behind. */
typedef struct Halo {
    int64_t before, own, after;
} Halo;

static Halo halo_of(const Build *b, const Val *v, Cut is, int chip)
{
    Halo h = {0, 0, 0};
    Band own, need;

    if (chip < 0 || chip >= b->s->o.chips)
        return h;
    own = shard_band(b->s, is, v->shape.dim[is.axis], chip);
    need = b->s->need[v->id][chip];
    h.before = MAX(0, own.from - need.from);
    h.own = own.to - own.from;
    h.after = MAX(0, need.to - own.to);
    return h;
}

Cut halo_cut(Build *b, const Val *v, Cut is)
{
    Band *wide = NEWN(b->g->mem, Band, b->s->o.chips);
    int i;

    for (i = 0; i < b->s->o.chips; i++) {
        Halo h = halo_of(b, v, is, i);
        Band own = shard_band(b->s, is, v->shape.dim[is.axis], i);

        wide[i] = (Band){own.from - h.before, own.to + h.after};
    }
    is.band = wide;
    return is;
}

/* All that chips get of others. */
static int64_t halo_bytes(const Build *b, const Val *v, Cut is, const Val *x)
{
    int64_t rows = 0;
    int i;

    for (i = 0; i < b->s->o.chips; i++) {
        Halo h = halo_of(b, v, is, i);

        rows += h.before + h.after;
    }
    return rows * (val_bytes(x) / x->shape.dim[is.axis]);
}

static Val *at_once(Build *b, const Val *v, Cut is, Val *x)
{
    Val *y = build_exchange(b, OP_halo, v->name, x, NULL);
    Halo h = halo_of(b, v, is, b->chip);
    Halo last = halo_of(b, v, is, b->chip - 1);
    int64_t start[HALO_n];

    start[HALO_before] = h.before;
    start[HALO_after] = h.after;
    start[HALO_up] = last.after;
    start[HALO_down] = halo_of(b, v, is, b->chip + 1).before;
    start[HALO_at] = last.before + last.own;
    attr_set_list(b->g, y->def, A_start, HALO_n, start);
    build_moved(b, y->def, v, is);
    build_note(b, (Exchange){.layer = v->name, .halo = true,
                             .bytes = halo_bytes(b, v, is, x)});
    return y;
}

/* The largest share lies there twice, once with more. */
Val *halo_build(Build *b, const Val *v, Cut is)
{
    int64_t most = 0;
    int i;

    for (i = 0; i < b->s->o.chips; i++) {
        Halo h = halo_of(b, v, is, i);

        most = MAX(most, h.before + 2 * h.own + h.after);
    }
    return build_pieces(b, v, is, b->has[v->id],
                        val_bytes(v) / v->shape.dim[is.axis] * most,
                        at_once);
}

void halo_pads(Build *b, Node *y, const Share *h)
{
    const Node *n = h->node;
    const Val *x = n->arg[0];
    int axis = h->res.axis, spatial = x->shape.rank - 2, i;
    Band out = shard_band(b->s, h->res, n->res[0]->shape.dim[axis], b->chip);
    Window w = image_window(n);
    int64_t pad[2 * RANK], first = out.from * w.stride - w.before;
    int64_t end = (out.to - 1) * w.stride - w.before + w.reach;

    for (i = 0; i < 2 * spatial; i++)
        pad[i] = attr_at(n, A_pad, i, 0);
    pad[0] = MAX(0, -first);
    pad[spatial] = MIN(MAX(0, end - x->shape.dim[axis]), pad[spatial]);
    attr_set_list(b->g, y, A_pad, 2 * spatial, pad);
}
