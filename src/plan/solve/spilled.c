/* Which allocations are spilled, and at which layers: kept for spill.c, which
 * decides it, and for all that ask. */
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

static bool lives_at(const Tiler *t, int alloc, int layer)
{
    return t->q->first[alloc] <= layer && layer <= t->q->last[alloc];
}

bool spill_is_here(const Tiler *t, int alloc, int layer, int n)
{
    int k;

    for (k = layer; k < layer + n; k++)
        if (lives_at(t, alloc, k) && !tiler_is_spilled(t, alloc, k))
            return true;
    return false;
}

int64_t spill_resident(const Tiler *t, const bool *within, int layer, int n)
{
    int64_t sum = 0;
    int k;

    for (k = 0; k < t->opt.spilled.n; k++) {
        int i = t->opt.spilled.list[k];

        if (!within[i] && spill_is_here(t, i, layer, n))
            sum += t->q->s->alloc[i].size;
    }
    return sum;
}

bool layer_writes(const Tiler *t, int layer, int alloc)
{
    const LayerInst *w = &t->layer[layer];
    int o;

    if (layer < 0)
        return t->q->s->alloc[alloc].in;
    for (o = 0; o < w->noper; o++)
        if (w->oper[o].out && w->oper[o].alloc == alloc)
            return true;
    return false;
}

static void mark_staged(Tiler *t, int layer)
{
    LayerInst *w = &t->layer[layer];
    int o;

    for (o = 0; o < w->noper; o++) {
        Oper *x = &w->oper[o];

        if (x->val && !x->konst)
            x->in_l3 = tiler_is_spilled(t, x->alloc, layer);
    }
    tiler_recall(t, w);
}

static void list_spill(Tiler *t, int alloc)
{
    Spills *s = &t->opt.spilled;
    int i;

    for (i = s->n++; i > 0 && s->list[i - 1] > alloc; i--)
        s->list[i] = s->list[i - 1];
    s->list[i] = alloc;
}

static void unlist_spill(Tiler *t, int alloc)
{
    Spills *s = &t->opt.spilled;
    int i, n = 0;

    for (i = 0; i < s->n; i++)
        if (s->list[i] != alloc)
            s->list[n++] = s->list[i];
    s->n = n;
}

void spill_one(Tiler *t, int alloc, const bool *spilled)
{
    Spill *s = t->opt.spilled.of[alloc];
    int k;

    if (!s) {
        s = t->opt.spilled.of[alloc] = NEW(t->mem, Spill);
        s->spilled = NEWN(t->mem, bool, t->q->nlayer + 1);
        list_spill(t, alloc);
    }
    for (k = 0; k < t->q->nlayer; k++)
        s->spilled[k] |= spilled[k];
    for (k = 0; k < t->q->nlayer; k++)
        if (layer_uses(&t->layer[k], alloc))
            mark_staged(t, k);
}

void unspill(Tiler *t, int alloc)
{
    int k;

    t->opt.spilled.of[alloc] = NULL;
    unlist_spill(t, alloc);
    for (k = 0; k < t->q->nlayer; k++)
        if (layer_uses(&t->layer[k], alloc))
            mark_staged(t, k);
}

unsigned spill_may_stay(const Tiler *t, int layer)
{
    const LayerInst *w = &t->layer[layer];
    unsigned set = 0;
    int i;

    for (i = 0; i < w->nalloc; i++) {
        const Spill *s = t->opt.spilled.of[w->alloc[i]];

        set |= (unsigned)(s && s->may && s->may[layer]) << i;
    }
    return set;
}

void spill_stay(Tiler *t, int layer, unsigned stay)
{
    unsigned may = spill_may_stay(t, layer);
    int i;

    for (i = 0; i < t->layer[layer].nalloc; i++)
        if (may >> i & 1)
            t->opt.spilled.of[t->layer[layer].alloc[i]]->spilled[layer] =
                !(stay >> i & 1);
    mark_staged(t, layer);
}
