/* Layers in two parts, so that cores and an accelerator work side by side where
 * one reads what the other writes: J a layer of an accelerator, K of cores,
 *
 *     J K     ->    J1, J2 beside K1, K2
 *     K J     ->    K1, J1 beside K2, J2
 *
 * Layers are cut by rows if all that is no constant is in the L1 and used in
 * place, where the parts of both take least. */
#include "plan/schedule/schedule.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { NEAR = 3,       /* layers between two that are looked at */
       CALL = 300,     /* cycles of a kernel beside what it computes */
       PLACES = 12 };  /* to cut an accelerator's layer at */

typedef struct Halver {
    Tiler *t;
    const Solution *sol;
    int64_t *part, *all; /* by layer: rows of the first part; 0: not cut */
} Halver;

static bool is_job(const Tiler *t, int layer)
{
    return t->layer[layer].choice->engine != ENG_cores;
}

/* The axis of rows. */
static int row_axis(const LayerInst *w, int64_t all[NCUT])
{
    tile_axes(w->node, w->part, all);
    return all[CUT_row] > 1 ? CUT_row : CUT_batch;
}

/* Does each part write on an operand only what it alone has read? */
static bool may_share(const LayerInst *w)
{
    const Oper *x, *y = &w->oper[w->noper - 1];
    int o;

    for (o = 0; o + 1 < w->noper; o++) {
        x = &w->oper[o];
        if (x->val && x->alloc == y->alloc &&
            (x->place.off != y->place.off ||
             val_bytes(x->val) != val_bytes(y->val) ||
             op_info[w->node->op].reach != R_MAP))
            return false;
    }
    return true;
}

static bool may_halve(const Halver *h, int layer)
{
    const LayerInst *w = &h->t->layer[layer];
    const Cand *cand = h->sol->cand[layer];
    unsigned in_l2 = solution_in_l2(h->sol, w);
    int64_t all[NCUT];
    int o;

    if (w->varies || w->node->nres != 1 || w->node->op == OP_concat ||
        cand->before + cand->after > 0 || cand_tiles(cand) != 1 ||
        all[row_axis(w, all)] < 2 || !may_share(w))
        return false;
    for (o = 0; o < w->noper; o++) {
        const Oper *x = &w->oper[o];

        if (x->in_l3 || (x->val && !x->konst && in_l2 >> x->bit & 1) ||
            (x->konst && cand->direct && !oper_is_inlined(x)))
            return false;
    }
    return true;
}

static bool reads(const LayerInst *w, const LayerInst *of)
{
    const Oper *y = &of->oper[of->noper - 1];
    int o;

    for (o = 0; o < w->noper; o++)
        if (w->oper[o].val && !w->oper[o].out && !w->oper[o].konst &&
            w->oper[o].alloc == y->alloc)
            return true;
    return false;
}

/* Rows [at, at + n) as a tile, in which all operands are one run: cycles; -1:
 * it is none. */
static int64_t part_cycles(const Halver *h, int layer, int64_t at, int64_t n)
{
    LayerInst *w = &h->t->layer[layer];
    int64_t from[NCUT] = {0}, len[NCUT];
    int axis = row_axis(w, len), i;
    Choice c = {0};
    Tile tile;
    Dims d;

    from[axis] = at;
    len[axis] = n;
    if (!tile_make(h->t->mem, w->node, w->part, from, len, &tile) ||
        tile.out[0].rows > 1)
        return -1;
    for (i = 0; i < w->node->narg; i++)
        if (w->node->arg[i] && tile.in[i].rows > 1)
            return -1;
    if (!tile_dims(w->node, &tile, 0, false, &d) ||
        !tiler_choice(h->t, w, tile.node, &d, 0, &c) ||
        c.engine != w->choice->engine)
        return -1;
    return c.cycles;
}

/* Cut at so many rows, what it takes; -1: it cannot be. */
static int64_t halves_cycles(const Halver *h, int layer, int64_t part,
                             int64_t all)
{
    int64_t a = part_cycles(h, layer, 0, part);
    int64_t b = a < 0 ? -1 : part_cycles(h, layer, part, all - part);

    return b < 0 ? -1 : a + b;
}

/* The same share of another layer's rows. */
static int64_t share_of_rows(const Halver *h, int layer, int64_t part, int of)
{
    return (part * h->all[layer] + h->all[of] - 1) / h->all[of];
}

/* What both take more when the job is cut at so many rows, and the other at the
 * same share; INT64_MAX: one cannot be. */
static int64_t more_cycles(const Halver *h, int job, int other, int64_t part)
{
    const LayerInst *w = h->t->layer;
    int64_t rest = share_of_rows(h, other, part, job), a, b;

    if (part >= h->all[job] || rest >= h->all[other])
        return INT64_MAX;
    a = halves_cycles(h, job, part, h->all[job]);
    b = a < 0 ? -1 : halves_cycles(h, other, rest, h->all[other]);
    return b < 0 ? INT64_MAX
                 : a + b - w[job].choice->cycles - w[other].choice->cycles;
}

/* The rows of the job's first part, not less than half; *more: what both take
 * more then. */
static int64_t best_part(const Halver *h, int job, int other, int64_t *more)
{
    int64_t first = (h->all[job] + 1) / 2, best = 0, n, i, last;

    last = first + PLACES;
    if (h->part[job] || h->part[other]) { /* another has decided */
        first = h->part[job] ? h->part[job]
                             : share_of_rows(h, job, h->part[other], other);
        last = first + 1;
    }
    *more = INT64_MAX;
    for (i = first; i < last; i++) {
        n = more_cycles(h, job, other, i);
        if (n < *more) {
            *more = n;
            best = i;
        }
    }
    return best;
}

/* Cycles that two layers may take less side by side, if one is an accelerator's
 * and they are cut for nothing. */
static int64_t gain_of(const Tiler *t, int first, int next)
{
    const ProgramTime *time = &t->p->soc->time;
    const LayerInst *a = &t->layer[first], *b = &t->layer[next];

    if (is_job(t, first) == is_job(t, next) || !reads(b, a))
        return 0;
    return MIN(a->choice->cycles, b->choice->cycles) / 2 - time->call -
           time->meet - CALL;
}

static void look_at(Halver *h, int first, int next)
{
    int job = is_job(h->t, first) ? first : next;
    int other = job == first ? next : first;
    int64_t gain = gain_of(h->t, first, next), more, all[NCUT], part;

    if (gain <= 0 || !may_halve(h, first) || !may_halve(h, next))
        return;
    h->all[job] = all[row_axis(&h->t->layer[job], all)];
    h->all[other] = all[row_axis(&h->t->layer[other], all)];
    part = best_part(h, job, other, &more);
    if (more >= gain)
        return;
    h->part[job] = part;
    h->part[other] = share_of_rows(h, other, part, job);
}

bool halves_gain(const Tiler *t)
{
    int i, k;

    for (i = 0; i < t->q->nlayer; i++)
        for (k = i + 1; k < t->q->nlayer && k <= i + NEAR; k++)
            if (gain_of(t, i, k) > 0)
                return true;
    return false;
}

static void take_parts(Halver *h, int layer)
{
    Cand *cand = NEW(h->t->mem, Cand);
    int axis;

    *cand = *h->sol->cand[layer];
    axis = row_axis(&h->t->layer[layer], cand->len);
    cand->len[axis] = h->part[layer];
    cand->count[CUT_batch] = cand->count[CUT_row] = 1;
    cand->count[CUT_channel] = 1;
    cand->count[axis] = (int)((h->all[layer] + h->part[layer] - 1) /
                              h->part[layer]);
    cand->rows_first = true;
    cand->direct = false;
    h->sol->cand[layer] = cand;
}

void halve_layers(Tiler *t, const Solution *sol)
{
    Halver h = {.t = t, .sol = sol,
                .part = NEWN(t->mem, int64_t, t->q->nlayer + 1),
                .all = NEWN(t->mem, int64_t, t->q->nlayer + 1)};
    int i, k;

    for (i = 0; i < t->q->nlayer; i++)
        for (k = i + 1; k < t->q->nlayer && k <= i + NEAR; k++)
            look_at(&h, i, k);
    for (i = 0; i < t->q->nlayer; i++)
        if (h.part[i])
            take_parts(&h, i);
}
