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
#include "plan/tiling.h"

#include <string.h>

enum { SMALL = 1024 };

bool spills_to(const Tiler *t)
{
    return t->l3 >= 0 && t->io &&
           t->p->soc->mems[t->l3].holds & HOLDS_buffers;
}

bool tiler_is_spilled(const Tiler *t, int alloc, int layer)
{
    const Spill *s = t->spill[alloc];
    const Alloc *v = &t->s->alloc[alloc];

    if (!s || (layer >= 0 && layer < t->nlayer))
        return s && s->spilled[layer];
    return t->inout_in_l3 && (layer < 0 ? v->in : v->out);
}

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

/* --- which ones --- */

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

static bool writes(const Tiler *t, int layer, int alloc)
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

/* Is all of an allocation written at first, so that it can be moved as a whole?
 * */
static bool is_filled(const Tiler *t, int alloc)
{
    const Alloc *s = &t->s->alloc[alloc];
    const Graph *g = t->s->g;
    int i, first = t->first[alloc];

    for (i = 0; i < g->nin; i++)
        if (s->in && t->s->place[g->in[i]->id].buf == alloc)
            return alloc_filled(s, g->in[i], t->s->place[g->in[i]->id]);
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

    if (t->can_stage && t->stage_room == t->room)
        return t->can_stage;
    t->can_stage = NEWN(t->mem, bool, t->nlayer + 1);
    t->stage_room = t->room;
    for (i = 0; i < t->nlayer; i++)
        t->can_stage[i] = tiler_can_stage(t, &t->layer[i]);
    return t->can_stage;
}

/* Bytes of L2 without which a layer cannot be, if all that lives is
 * there or spilled; no more than `enough` matters little. */
static int64_t need_at(Tiler *t, int layer, int64_t enough)
{
    LayerInst *w = &t->layer[layer];
    Cands *cands = tiler_cands(t, w, (1u << w->nalloc) - 1);
    int64_t live = 0, least = INT64_C(1) << 40;
    unsigned dies = tiler_dying(t, layer);
    int i;

    for (i = 0; i < t->s->nalloc; i++)
        if (lives_at(t, i, layer) && !tiler_is_spilled(t, i, layer))
            live += t->s->alloc[i].size;
    for (i = 0; i < cands->n; i++)
        if (cands->v[i].bytes <= t->room)
            least = MIN(least, cands->v[i].l2_bytes);
    for (i = 0; i < cands->n && live + least > enough; i++) {
        if (cands->v[i].bytes > t->room)
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
    int first = MAX(0, t->first[alloc]);
    int last = MIN(t->nlayer - 1, t->last[alloc]), k;

    memset(spilled, 0, (size_t)(t->nlayer + 1) * sizeof *spilled);
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
    int64_t size = t->s->alloc[alloc].size;
    int64_t energy = tiler_energy(t, 0, size);
    int64_t out = move_cycles(t->io, false, size, 1) + energy;
    int64_t in = move_cycles(t->io, true, size, 1) + energy;
    bool here = t->first[alloc] < 0 && !t->inout_in_l3, fresh = here;
    int k;

    cycles[0] = cycles[1] = 0;
    for (k = MAX(0, t->first[alloc]); k <= t->last[alloc]; k++) {
        bool end = k == t->nlayer;
        bool use = !end && layer_uses(&t->layer[k], alloc);
        bool write = !end && writes(t, k, alloc);

        if (end ? t->inout_in_l3 : spilled[k]) {
            cycles[1] += here && fresh ? out : 0;
            cycles[0] += (write ? out : 0) +
                         (use && k > t->first[alloc] ? in : 0);
            here = fresh = false;
        } else if (use || end) {
            cycles[1] += !here && k > t->first[alloc] ? in : 0;
            here = true;
            fresh |= write;
        }
    }
    return !t->s->alloc[alloc].state && (!cycles[1] || is_filled(t, alloc));
}

typedef struct Best {
    int alloc;
    double score;
    bool *spilled;
} Best;

static void weigh(Tiler *t, int alloc, int layer, int64_t over, const bool *can,
                  Best *best)
{
    bool *spilled = NEWN(t->mem, bool, t->nlayer + 1);
    int64_t size = t->s->alloc[alloc].size, cycles[2];
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
        memcpy(best->spilled, spilled, (size_t)t->nlayer * sizeof *spilled);
    }
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

static void spill_alloc(Tiler *t, int alloc, const bool *spilled)
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

static void unspill(Tiler *t, int alloc)
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

/* The allocation whose absence from a layer costs the least; false: there is
 * none. */
static bool spill_at(Tiler *t, int layer, int64_t over, const bool *can)
{
    Best best = {-1, 0, NEWN(t->mem, bool, t->nlayer + 1)};
    int i;

    for (i = 0; i < t->s->nalloc; i++)
        if (lives_at(t, i, layer) && !tiler_is_spilled(t, i, layer) &&
            t->s->alloc[i].size >= SMALL)
            weigh(t, i, layer, over, can, &best);
    if (best.alloc >= 0)
        spill_alloc(t, best.alloc, best.spilled);
    return best.alloc >= 0;
}

static int neediest(Tiler *t, const int64_t *need)
{
    int i, most = 0;

    for (i = 1; i < t->nlayer; i++)
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
        room[i] = NEWN(t->mem, int64_t, t->nlayer + 1);
        for (k = 0; k < t->nlayer; k++)
            room[i][k] = i ? l2 : l1;
    }
    sol = solve_levels(t, room[0], room[1]);
    sum = sol.cycles;
    for (k = 0; k < t->nspill; k++) {
        i = t->spill_list[k];
        if (!sol.within[i] && moves_of(t, i, t->spill[i]->spilled, cycles))
            sum += cycles[1];
    }
    return sol.found ? sum : -1;
}

/* Lets an allocation stay, or go, if all together then takes no longer. */
static void try_other(Tiler *t, int alloc, int64_t l1, int64_t l2,
                      int64_t *cost)
{
    Spill *was = t->spill[alloc];
    bool *spilled = NEWN(t->mem, bool, t->nlayer + 1);
    int64_t now, cycles[2];

    if (was) {
        unspill(t, alloc);
    } else {
        range_of(t, alloc, MAX(0, t->first[alloc]), true, can_stage_of(t),
                 spilled);
        if (!moves_of(t, alloc, spilled, cycles))
            return;
        spill_alloc(t, alloc, spilled);
    }
    now = cost_of(t, l1, l2);
    if (now >= 0 && (was ? now <= *cost : now < *cost)) {
        *cost = now;
        return;
    }
    unspill(t, alloc);
    if (was)
        spill_alloc(t, alloc, was->spilled);
}

/* The largest first: they are moved the longest, and free the most. */
static void improve(Tiler *t, int64_t l1, int64_t l2, int64_t cost)
{
    bool *tried = NEWN(t->mem, bool, t->s->nalloc + 1);
    int i, most;

    for (;;) {
        const Alloc *v = t->s->alloc;

        for (i = 0, most = -1; i < t->s->nalloc; i++)
            if (!tried[i] && !v[i].konst && t->first[i] < t->nlayer &&
                v[i].size >= MAX(SMALL, l2 / 16) &&
                (most < 0 || v[i].size > v[most].size))
                most = i;
        if (most < 0)
            return;
        tried[most] = true;
        if (t->spill_policy > 1 || t->spill[most])
            try_other(t, most, l1, l2, &cost);
    }
}

/* Inputs that nobody reads. */
static void put_unread(Tiler *t)
{
    const bool *spilled = NEWN(t->mem, bool, t->nlayer + 1);
    int i;

    for (i = 0; t->inout_in_l3 && i < t->s->nalloc; i++)
        if (t->s->alloc[i].in && t->last[i] < 0)
            spill_alloc(t, i, spilled);
}

bool spill_allocs(Tiler *t, int64_t l1, int64_t l2)
{
    int64_t *need = NEWN(t->mem, int64_t, t->nlayer + 1), cost;
    const bool *can = can_stage_of(t);
    int i, k;

    put_unread(t);
    for (;;) {
        for (i = 0; i < t->nlayer; i++)
            need[i] = need_at(t, i, l2);
        k = neediest(t, need);
        if (need[k] <= l2)
            break;
        if (!spill_at(t, k, need[k] - l2, can))
            return false;
    }
    cost = cost_of(t, l1, l2);
    if (cost >= 0 && t->spill_policy > 0)
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

void spill_all(Tiler *t)
{
    const bool *can = can_stage_of(t);
    bool *spilled = NEWN(t->mem, bool, t->nlayer + 1);
    int64_t cycles[2];
    int i;

    put_unread(t);
    for (i = 0; i < t->s->nalloc; i++) {
        if (t->s->alloc[i].konst || t->last[i] < 0)
            continue;
        range_of(t, i, MAX(0, t->first[i]), true, can, spilled);
        if (!is_ever(spilled, t->nlayer) || !moves_of(t, i, spilled, cycles))
            continue;
        spill_alloc(t, i, spilled);
        if (is_filled(t, i)) {
            t->spill[i]->may = NEWN(t->mem, bool, t->nlayer + 1);
            memcpy(t->spill[i]->may, spilled,
                   (size_t)t->nlayer * sizeof *spilled);
        }
    }
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
            t->spill[t->layer[layer].alloc[i]]->spilled[layer] = !(stay >> i & 1);
    mark_staged(t, layer);
}

void spill_only_l2(Tiler *t, const unsigned char *in_l2)
{
    int i;

    for (i = 0; i < t->s->nalloc; i++)
        if (t->spill[i] && t->last[i] >= 0 &&
            (!in_l2[i] || !is_ever(t->spill[i]->spilled, t->nlayer)))
            unspill(t, i);
}

/* --- buffers and steps --- */

void spill_bufs(Tiler *t, const int *buf)
{
    int k;

    for (k = 0; k < t->nspill; k++) {
        int i = t->spill_list[k];
        Spill *s = t->spill[i];
        const Alloc *v = &t->s->alloc[i];

        s->own = s->l3_buf = buf[i];
        s->buf = s->token = -1;
        s->ready = 0;
        if (s->l3_buf < 0) /* it is within a fused group */
            continue;
        if (!t->inout_in_l3 && (v->in || v->out))
            s->l3_buf = plan_add_buf(t->p, (Buf){
                .kind = BUF_temp, .size = v->size, .align = 8, .val = v->val,
                .name = arena_fmt(t->mem, "%s outside", v->val->name),
            });
        t->p->buf[s->l3_buf].mem = t->l3;
        if (v->in && !t->inout_in_l3)
            s->buf = s->own;
    }
}

static Step step_of(const Tiler *t, int layer, StepKind kind, int token)
{
    const LayerInst *w = &t->layer[MAX(0, MIN(layer, t->nlayer - 1))];

    return (Step){.kind = kind, .engine = ENG_io, .token = token,
                  .layer = (int)(w - t->layer), .node = w->node,
                  .part = w->part, .tmp = {-1, 0}};
}

void spill_move(Tiler *t, int layer, int *token, Move m)
{
    Step s = step_of(t, layer, STEP_start, (*token)++);

    s.move = m;
    plan_add_step(t->p, s);
}

void spill_wait(Tiler *t, int layer, int token)
{
    plan_add_step(t->p, step_of(t, layer, STEP_wait, token));
}

static void settle(Tiler *t, int layer, Spill *s)
{
    if (s->token < 0)
        return;
    spill_wait(t, layer, s->token);
    s->token = -1;
    s->ready = t->p->nstep;
}

/* Room for one more transfer out. */
static void settle_oldest(Tiler *t, int layer)
{
    Spill *oldest = NULL;
    int i, n = 0;

    for (i = 0; i < t->nspill; i++) {
        Spill *s = t->spill[t->spill_list[i]];

        if (s->token < 0)
            continue;
        n++;
        if (!oldest || s->token < oldest->token)
            oldest = s;
    }
    if (n == SPILL_QUEUE - OUT_SLOTS)
        settle(t, layer, oldest);
}

static Move whole(Ref from, Ref to, int64_t size)
{
    return (Move){from, to, size, 1, size, size};
}

/* Is it spilled before it is written again? */
static bool leaves(const Tiler *t, int alloc, int layer)
{
    int k;

    for (k = layer + 1; k <= t->last[alloc]; k++) {
        if (tiler_is_spilled(t, alloc, k))
            return true;
        if (k < t->nlayer && writes(t, k, alloc))
            return false;
    }
    return false;
}

static bool is_spilled_later(const Tiler *t, int alloc, int layer)
{
    int k;

    for (k = layer + 1; k <= t->nlayer; k++)
        if (tiler_is_spilled(t, alloc, k))
            return true;
    return false;
}

static void bring_back(Tiler *t, int alloc, int layer)
{
    Spill *s = t->spill[alloc];
    const Alloc *v = &t->s->alloc[alloc];

    s->buf = s->own;
    if (!v->out || is_spilled_later(t, alloc, layer))
        s->buf = plan_add_buf(t->p, (Buf){
            .kind = BUF_temp, .mem = t->l2, .size = v->size, .align = 8,
            .name = arena_fmt(t->mem, "%s back", v->val->name),
        });
    if (layer <= t->first[alloc])
        return;
    t->p->buf[s->buf].size = 0; /* until it has a place */
    t->p->buf[s->buf].align = 8;
    add_fetch(t, (Fetch){.layer = MIN(layer, t->nlayer - 1), .buf = s->buf,
                         .from = {s->l3_buf, 0}, .bytes = v->size, .rows = 1,
                         .stride = v->size, .after = s->ready});
}

/* It is spilled from now on. */
static void forget(Tiler *t, int layer, Spill *s)
{
    settle(t, layer, s);
    s->buf = -1;
}

/* Does one of n layers have it whole? */
static bool wants(const Tiler *t, int alloc, int layer, int n)
{
    int k;

    for (k = layer; k < layer + n; k++)
        if (k == t->nlayer || (layer_uses(&t->layer[k], alloc) &&
                               !tiler_is_spilled(t, alloc, k)))
            return true;
    return false;
}

void spill_enter(Tiler *t, int layer, int n)
{
    int k;

    for (k = 0; k < t->nspill; k++) {
        int i = t->spill_list[k];
        Spill *s = t->spill[i];

        if (s->l3_buf < 0 || t->first[i] >= layer + n || t->last[i] < layer)
            continue;
        if (!spill_is_here(t, i, layer, n))
            forget(t, layer, s);
        else if (s->buf < 0 && wants(t, i, layer, n))
            bring_back(t, i, layer);
    }
}

void spill_leave(Tiler *t, int layer, int *token)
{
    int k;

    for (k = 0; k < t->nspill; k++) {
        int i = t->spill_list[k];
        Spill *s = t->spill[i];

        if (s->l3_buf < 0)
            continue;
        if (!writes(t, layer, i)) {
            if (tiler_is_spilled(t, i, layer)) /* and was not at a fused group's
                                                  begin */
                forget(t, layer, s);
        } else if (tiler_is_spilled(t, i, layer)) {
            s->ready = t->p->nstep;
        } else if (leaves(t, i, layer)) {
            settle_oldest(t, layer);
            s->token = *token;
            spill_move(t, layer, token, whole((Ref){s->buf, 0},
                                              (Ref){s->l3_buf, 0},
                                              t->s->alloc[i].size));
        }
    }
}
