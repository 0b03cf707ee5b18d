/* Which allocations are spilled, and at which layers: kept for spill.c, which
 * decides it, and for all that ask. */
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

static bool lives_at(const Tiler *t, int alloc, int layer)
{
    return t->first[alloc] <= layer && layer <= t->last[alloc];
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

    for (k = 0; k < t->nspill; k++) {
        int i = t->spill_list[k];

        if (!within[i] && spill_is_here(t, i, layer, n))
            sum += t->s->alloc[i].size;
    }
    return sum;
}

bool layer_writes(const Tiler *t, int layer, int alloc)
{
    const LayerInst *w = &t->layer[layer];
    int o;

    if (layer < 0)
        return t->s->alloc[alloc].in;
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
    int i;

    for (i = t->nspill++; i > 0 && t->spill_list[i - 1] > alloc; i--)
        t->spill_list[i] = t->spill_list[i - 1];
    t->spill_list[i] = alloc;
}

static void unlist_spill(Tiler *t, int alloc)
{
    int i, n = 0;

    for (i = 0; i < t->nspill; i++)
        if (t->spill_list[i] != alloc)
            t->spill_list[n++] = t->spill_list[i];
    t->nspill = n;
}

void spill_one(Tiler *t, int alloc, const bool *spilled)
{
    Spill *s = t->spill[alloc];
    int k;

    if (!s) {
        s = t->spill[alloc] = NEW(t->mem, Spill);
        s->spilled = NEWN(t->mem, bool, t->nlayer + 1);
        list_spill(t, alloc);
    }
    for (k = 0; k < t->nlayer; k++)
        s->spilled[k] |= spilled[k];
    for (k = 0; k < t->nlayer; k++)
        if (layer_uses(&t->layer[k], alloc))
            mark_staged(t, k);
}

void unspill(Tiler *t, int alloc)
{
    int k;

    t->spill[alloc] = NULL;
    unlist_spill(t, alloc);
    for (k = 0; k < t->nlayer; k++)
        if (layer_uses(&t->layer[k], alloc))
            mark_staged(t, k);
}

void spill_nothing(Tiler *t)
{
    while (t->nspill)
        unspill(t, t->spill_list[t->nspill - 1]);
}

unsigned spill_may_stay(const Tiler *t, int layer)
{
    const LayerInst *w = &t->layer[layer];
    unsigned set = 0;
    int i;

    for (i = 0; i < w->nalloc; i++) {
        const Spill *s = t->spill[w->alloc[i]];

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
            t->spill[t->layer[layer].alloc[i]]->spilled[layer] =
                !(stay >> i & 1);
    mark_staged(t, layer);
}
