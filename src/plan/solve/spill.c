/* What L2 is too small for goes out to the one behind it.
 *
 * An allocation may be spilled for some layers: then it lies in L3 alone.
 * Layers that use it meanwhile bring and send its tiles through slots in the L2
 * (emit.c); before others that use it it is fetched as a whole, and written out
 * as soon as the last has written it.  Inputs may be given, and outputs wanted,
 * out there (ends).
 *
 * Which ones: where most is missing, of what lives there the allocation that
 * costs the least transfers for each byte it frees; again, until everything
 * fits.  Then each that is large comes back, or goes too, if that is quicker.
 * */
#include "plan/cost/cost.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { SMALL = 1024,
       LEAST_SPILLED = 64 }; /* bytes: records of its transfers take as many */

static bool lives_at(const Tiler *t, int alloc, int layer)
{
    return t->q->first[alloc] <= layer && layer <= t->q->last[alloc];
}

/* --- which ones --- */

/* Is all of an allocation written at first, so that it can be moved as a whole?
 * */
static bool is_filled(const Tiler *t, int alloc)
{
    const Alloc *s = &t->q->s->alloc[alloc];
    const Graph *g = t->q->s->g;
    int i, first = t->q->first[alloc];

    for (i = 0; i < g->nin; i++)
        if (s->in && t->q->s->place[g->in[i]->id].buf == alloc)
            return alloc_filled(s, g->in[i], t->q->s->place[g->in[i]->id]);
    for (i = 0; first >= 0 && i < t->layer[first].noper; i++) {
        const Oper *x = &t->layer[first].oper[i];

        if (x->out && x->alloc == alloc &&
            t->layer[first].node->op != OP_concat)
            return alloc_filled(s, x->val, x->place);
    }
    return false;
}

/* By layer; known for one size of L1. */
static const bool *can_stage_of(Tiler *t)
{
    int i;

    if (t->k.can_stage && t->k.stage_room == t->a.room)
        return t->k.can_stage;
    t->k.can_stage = NEWN(t->mem, bool, t->q->nlayer + 1);
    t->k.stage_room = t->a.room;
    for (i = 0; i < t->q->nlayer; i++)
        t->k.can_stage[i] = tiler_can_stage(t, &t->layer[i]);
    return t->k.can_stage;
}

/* By layer, bytes that live there and are not spilled. */
static void count_live(const Tiler *t, int64_t *live)
{
    int i, k;

    memset(live, 0, (size_t)(t->q->nlayer + 1) * sizeof *live);
    for (i = 0; i < t->q->s->nalloc; i++) {
        int from = MAX(0, t->q->first[i]);
        int to = MIN(t->q->last[i], t->q->nlayer - 1);
        int64_t size = t->q->s->alloc[i].size;

        if (from > to)
            continue;
        live[from] += size;
        live[to + 1] -= size;
        for (k = from; t->opt.spilled.of[i] && k <= to; k++)
            if (tiler_is_spilled(t, i, k)) {
                live[k] -= size;
                live[k + 1] += size;
            }
    }
    for (i = 1; i <= t->q->nlayer; i++)
        live[i] += live[i - 1];
}

/* Bytes of L2 without which a layer cannot be, if all that lives is
 * there or spilled; no more than `enough` matters little. */
static int64_t need_at(Tiler *t, int layer, int64_t live, int64_t enough)
{
    LayerInst *w = &t->layer[layer];
    Cands *cands = tiler_cands(t, w, (1u << w->nalloc) - 1);
    int64_t least = INT64_C(1) << 40;
    unsigned dies = tiler_dying(t, layer);
    int i;

    for (i = 0; i < cands->n; i++)
        if (cands->v[i].bytes <= t->a.room)
            least = MIN(least, cands->v[i].l2_bytes);
    for (i = 0; i < cands->n && live + least > enough; i++) {
        if (cands->v[i].bytes > t->a.room)
            continue;
        tiler_overlap(t, w, &cands->v[i], dies);
        least = MIN(least, cands->v[i].l2_bytes - cands->v[i].saves);
    }
    return live + least;
}

/* The layers around `layer` at which an allocation may be spilled: those that
 * do not use it, or if `all`, in all its life, those that can have it in
 * pieces.  */
static void range_of(const Tiler *t, int alloc, int layer, bool all,
                     const bool *can, bool *spilled)
{
    int first = MAX(0, t->q->first[alloc]);
    int last = MIN(t->q->nlayer - 1, t->q->last[alloc]), k;

    memset(spilled, 0, (size_t)(t->q->nlayer + 1) * sizeof *spilled);
    for (k = layer; !all && k >= first && !layer_uses(&t->layer[k], alloc); k--)
        spilled[k] = true;
    for (k = layer; !all && k <= last && !layer_uses(&t->layer[k], alloc); k++)
        spilled[k] = true;
    for (k = first; all && k <= last; k++)
        spilled[k] = can[k] || !layer_uses(&t->layer[k], alloc);
}

/* The cycles of its transfers, with their energy weight: [0] in pieces, [1] as
 * a whole; false: it cannot be moved as a whole, but must be, or is a state. */
static bool moves_of(const Tiler *t, int alloc, const bool *spilled,
                     int64_t cycles[2])
{
    int64_t size = t->q->s->alloc[alloc].size;
    int64_t energy = byte_energy(t, t->q->io, size);
    int64_t out = move_cycles(t->q->io, false, size, 1) + energy;
    int64_t in = move_cycles(t->q->io, true, size, 1) + energy;
    bool here = t->q->first[alloc] < 0 && !t->opt.inout_in_l3, fresh = here;
    int k;

    cycles[0] = cycles[1] = 0;
    for (k = MAX(0, t->q->first[alloc]); k <= t->q->last[alloc]; k++) {
        bool end = k == t->q->nlayer;
        bool use = !end && layer_uses(&t->layer[k], alloc);
        bool write = !end && layer_writes(t, k, alloc);

        if (end ? t->opt.inout_in_l3 : spilled[k]) {
            cycles[1] += here && fresh ? out : 0;
            cycles[0] += (write ? out : 0) +
                         (use && k > t->q->first[alloc] ? in : 0);
            here = fresh = false;
        } else if (use || end) {
            cycles[1] += !here && k > t->q->first[alloc] ? in : 0;
            here = true;
            fresh |= write;
        }
    }
    return !t->q->s->alloc[alloc].state && !t->q->s->alloc[alloc].varies &&
           (!cycles[1] || is_filled(t, alloc));
}

typedef struct Best {
    int alloc;
    double score;
    bool *spilled;
} Best;

static void weigh(Tiler *t, int alloc, int layer, int64_t over, const bool *can,
                  Best *best)
{
    bool *spilled = NEWN(t->mem, bool, t->q->nlayer + 1);
    int64_t size = t->q->s->alloc[alloc].size, cycles[2];
    double score;
    int all;

    for (all = 0; all < 2; all++) {
        if (!all && layer_uses(&t->layer[layer], alloc))
            continue;
        range_of(t, alloc, layer, all, can, spilled);
        if (!spilled[layer] || !moves_of(t, alloc, spilled, cycles))
            continue;
        score = (double)(cycles[0] + cycles[1]) / (double)MIN(size, over);
        if (best->alloc >= 0 && score >= best->score)
            continue;
        best->alloc = alloc;
        best->score = score;
        memcpy(best->spilled, spilled, (size_t)t->q->nlayer * sizeof *spilled);
    }
}

/* The allocation whose absence from a layer costs the least; false: there is
 * none. */
static bool spill_at(Tiler *t, int layer, int64_t over, const bool *can)
{
    Best best = {-1, 0, NEWN(t->mem, bool, t->q->nlayer + 1)};
    int i;

    for (i = 0; i < t->q->s->nalloc; i++)
        if (lives_at(t, i, layer) && !tiler_is_spilled(t, i, layer) &&
            t->q->s->alloc[i].size >= SMALL)
            weigh(t, i, layer, over, can, &best);
    if (best.alloc >= 0)
        spill_one(t, best.alloc, best.spilled);
    return best.alloc >= 0;
}

static int neediest(Tiler *t, const int64_t *need)
{
    int i, most = 0;

    for (i = 1; i < t->q->nlayer; i++)
        if (need[i] > need[most])
            most = i;
    return most;
}

/* The cycles of the best levels and candidates, and of what is moved as a
 * whole, which they know nothing of; -1: there are none. */
static int64_t cost_of(Tiler *t, int64_t l1, int64_t l2)
{
    int64_t *room[2], cycles[2], sum;
    Solution sol;
    int i, k;

    for (i = 0; i < 2; i++) {
        room[i] = NEWN(t->mem, int64_t, t->q->nlayer + 1);
        for (k = 0; k < t->q->nlayer; k++)
            room[i][k] = i ? l2 : l1;
    }
    sol = solve_levels(t, room[0], room[1]);
    sum = sol.cycles;
    for (k = 0; k < t->opt.spilled.n; k++) {
        i = t->opt.spilled.list[k];
        if (!sol.within[i] &&
            moves_of(t, i, t->opt.spilled.of[i]->spilled, cycles))
            sum += cycles[1];
    }
    return sol.found ? sum : -1;
}

/* Lets an allocation stay, or go, if all together then takes no longer. */
static void try_other(Tiler *t, int alloc, int64_t l1, int64_t l2,
                      int64_t *cost)
{
    Spill *was = t->opt.spilled.of[alloc];
    bool *spilled = NEWN(t->mem, bool, t->q->nlayer + 1);
    int64_t now, cycles[2];

    if (was) {
        unspill(t, alloc);
    } else {
        range_of(t, alloc, MAX(0, t->q->first[alloc]), true, can_stage_of(t),
                 spilled);
        if (!moves_of(t, alloc, spilled, cycles))
            return;
        spill_one(t, alloc, spilled);
    }
    now = cost_of(t, l1, l2);
    if (now >= 0 && (was ? now <= *cost : now < *cost)) {
        *cost = now;
        return;
    }
    unspill(t, alloc);
    if (was)
        spill_one(t, alloc, was->spilled);
}

/* The largest first: they are moved the longest, and free the most. */
static void improve(Tiler *t, int64_t l1, int64_t l2, int64_t cost)
{
    bool *tried = NEWN(t->mem, bool, t->q->s->nalloc + 1);
    int i, most;

    for (;;) {
        const Alloc *v = t->q->s->alloc;

        for (i = 0, most = -1; i < t->q->s->nalloc; i++)
            if (!tried[i] && !v[i].konst && t->q->first[i] < t->q->nlayer &&
                v[i].size >= MAX(SMALL, l2 / 16) &&
                (most < 0 || v[i].size > v[most].size))
                most = i;
        if (most < 0)
            return;
        tried[most] = true;
        if (t->opt.spill_policy == SPILL_other || t->opt.spilled.of[most])
            try_other(t, most, l1, l2, &cost);
    }
}

/* Inputs that nobody reads. */
static void put_unread(Tiler *t)
{
    const bool *spilled = NEWN(t->mem, bool, t->q->nlayer + 1);
    int i;

    for (i = 0; t->opt.inout_in_l3 && i < t->q->s->nalloc; i++)
        if (t->q->s->alloc[i].in && t->q->last[i] < 0)
            spill_one(t, i, spilled);
}

bool spill_allocs(Tiler *t, int64_t l1, int64_t l2)
{
    int64_t *need = NEWN(t->mem, int64_t, t->q->nlayer + 1), cost;
    int64_t *live = NEWN(t->mem, int64_t, t->q->nlayer + 1);
    const bool *can = can_stage_of(t);
    int i, k;

    put_unread(t);
    for (;;) {
        count_live(t, live);
        for (i = 0; i < t->q->nlayer; i++)
            need[i] = need_at(t, i, live[i], l2);
        k = neediest(t, need);
        if (need[k] <= l2)
            break;
        if (!spill_at(t, k, need[k] - l2, can))
            return false;
    }
    cost = cost_of(t, l1, l2);
    if (cost >= 0 && t->opt.spill_policy != SPILL_most)
        improve(t, l1, l2, cost);
    return cost >= 0;
}

static bool is_ever(const bool *spilled, int n)
{
    int k;

    for (k = 0; k < n && !spilled[k]; k++)
        ;
    return k < n;
}

bool spill_pays(const Tiler *t, int alloc)
{
    return t->q->nlayer < MANY_LAYERS ||
           t->q->s->alloc[alloc].size >= LEAST_SPILLED;
}

void spill_all(Tiler *t)
{
    const bool *can = can_stage_of(t);
    bool *spilled = NEWN(t->mem, bool, t->q->nlayer + 1);
    int64_t cycles[2];
    int i;

    put_unread(t);
    for (i = 0; i < t->q->s->nalloc; i++) {
        if (t->q->s->alloc[i].konst || t->q->last[i] < 0 || !spill_pays(t, i))
            continue;
        range_of(t, i, MAX(0, t->q->first[i]), true, can, spilled);
        if (!is_ever(spilled, t->q->nlayer) || !moves_of(t, i, spilled, cycles))
            continue;
        spill_one(t, i, spilled);
        if (is_filled(t, i)) {
            t->opt.spilled.of[i]->may = NEWN(t->mem, bool, t->q->nlayer + 1);
            memcpy(t->opt.spilled.of[i]->may, spilled,
                   (size_t)t->q->nlayer * sizeof *spilled);
        }
    }
}

void spill_only_l2(Tiler *t, const unsigned char *in_l2)
{
    int i;

    for (i = 0; i < t->q->s->nalloc; i++)
        if (t->opt.spilled.of[i] && t->q->last[i] >= 0 &&
            (!in_l2[i] ||
             !is_ever(t->opt.spilled.of[i]->spilled, t->q->nlayer)))
            unspill(t, i);
}

