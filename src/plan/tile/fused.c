/* Fused groups: layers that are computed together, a tile of the last at a
 * time.
 *
 *     x -> dw -> u -> pw -> y        u = dw x;  y = pw u
 *
 * What a tile of y reads of u is a piece; the tile of dw that makes it says
 * what it reads of x, and so on.  Each such piece is in a slot from the kernel
 * that makes it to the one that reads it: u is never whole and has no level.
 * What two tiles both read of u is made twice, or kept: the last rows in the
 * slot become the first ones, by way of L2, for there is no transfer within
 * L1.  What lies in L3 while a fused group is computed comes and goes in
 * pieces, too, through slots in L2. */
#include "plan/tile/fused.h"

#include <string.h>

/* --- which layers --- */

static const Oper *result(const LayerInst *w)
{
    return &w->oper[w->noper - 1];
}

static bool may_join(const LayerInst *w)
{
    return w->node->nres == 1 && w->node->op != OP_concat && !w->shared &&
           !w->varies;
}

/* Is the result of layer k whole what the next layer, and it alone, reads? */
static bool links(const Tiler *t, int k)
{
    const LayerInst *w = &t->layer[k], *v = w + 1;
    const Alloc *s;
    int o;

    if (k + 1 >= t->q->nlayer || !may_join(w) || !may_join(v))
        return false;
    o = fused_link(v, w);
    if (o < 0)
        return false;
    s = &t->q->s->alloc[result(w)->alloc];
    return !s->in && !s->out &&
           alloc_filled(s, result(w)->val, result(w)->place) &&
           alloc_filled(s, v->oper[o].val, v->oper[o].place) &&
           t->q->first[result(w)->alloc] == k &&
           t->q->last[result(w)->alloc] == k + 1;
}

bool fused_within(const Tiler *t, int alloc, int first, int n)
{
    return n > 1 && t->q->first[alloc] >= first &&
           t->q->last[alloc] < first + n &&
           t->q->first[alloc] < t->q->last[alloc];
}

static bool add_alloc(Fused *c, int alloc)
{
    int i;

    for (i = 0; i < c->nalloc && c->alloc[i] != alloc; i++)
        ;
    if (i == MOST_ALLOCS)
        return false;
    c->alloc[i] = alloc;
    c->nalloc = MAX(c->nalloc, i + 1);
    return true;
}

static Fused *new_fused(Tiler *t, int first, int n)
{
    Fused *c = NEW(t->mem, Fused);
    int k, i;

    c->first = first;
    c->n = n;
    for (k = first; k < first + n; k++)
        for (i = 0; i < t->layer[k].nalloc; i++)
            if (!fused_within(t, t->layer[k].alloc[i], first, n) &&
                !add_alloc(c, t->layer[k].alloc[i]))
                return NULL;
    return c;
}

Fused *tiler_fused(Tiler *t, int first, int n)
{
    LayerInst *w = &t->layer[first];
    int k;

    if (t->opt.fusion == FUSE_none || n > MOST_FUSED)
        return NULL;
    if (!w->fused) {
        w->fused = NEWN(t->mem, Fused *, MOST_FUSED + 1);
        for (k = 2; k <= MOST_FUSED && links(t, first + k - 2); k++)
            w->fused[k] = new_fused(t, first, k);
    }
    return w->fused[n];
}

const int *fused_allocs(const Fused *c, int *n)
{
    *n = c->nalloc;
    return c->alloc;
}

/* --- is it worth while? --- */

/* Where layer w of a fused group has its operands, if it is done alone and what
 * the chain has inside is in L2. */
static unsigned in_l2_alone(const Fused *c, const LayerInst *w, unsigned in_l2)
{
    unsigned set = 0;
    int i, k;

    for (i = 0; i < w->nalloc; i++) {
        for (k = 0; k < c->nalloc && c->alloc[k] != w->alloc[i]; k++)
            ;
        set |= (k == c->nalloc || in_l2 >> k & 1 ? 1u : 0u) << i;
    }
    return set;
}

/* The most that loading ahead what comes behind may save. */
static int64_t most_ahead(const Tiler *t)
{
    return move_cycles(t->q->dma, true, t->k.listed, 1) +
           MOST_FUSED * NOPER * t->p->soc->time.move +
           (int64_t)t->q->dma->in.setup;
}

/* No more than the layers take one by one, each with so many bytes of the
 * L1, whatever is loaded ahead. */
static int64_t cycles_alone(Tiler *t, const Fused *c, unsigned in_l2,
                            int64_t bytes)
{
    int64_t sum = 0, least, ahead = most_ahead(t);
    int m, i;

    for (m = 0; m < c->n; m++) {
        LayerInst *w = &t->layer[c->first + m];
        const Cands *l = tiler_cands(t, w, in_l2_alone(c, w, in_l2));

        for (i = 0, least = INT64_MAX / 8; i < l->n; i++)
            if (l->v[i].bytes <= bytes)
                least = MIN(least, cand_cost(&l->v[i]) +
                                       (m < c->n - 1 ? 0 :
                                        MAX(0, ahead - l->v[i].slack)));
        sum += least;
    }
    return sum;
}

/* Is there nothing to win, even if cores never wait? */
static bool is_hopeless(Tiler *t, const Fused *c, const Cut *g, unsigned in_l2)
{
    return t->opt.fusion == FUSE_faster &&
           cycles_alone(t, c, in_l2, cut_least(t, c, g)) + most_ahead(t) <=
               MIN(g->busy[false], g->busy[true]);
}

/* Would the candidate be dropped even so? */
static bool is_covered(const Tiler *t, const Cut *g, const Cand *cand,
                       const Cands *l)
{
    Cand best = *cand;

    best.cycles = g->busy[cand->rows_first];
    best.pre_cycles = most_ahead(t);
    best.turns = best.energy = 0;
    return t->opt.fusion != FUSE_always && cands_cover(l, &best);
}

/* Is what one layer makes for the next another for each channel tile? */
static bool depends_on_channel(const Tiler *t, const Fused *c, const Cut *g)
{
    unsigned dep = 0;
    int m;

    for (m = 0; m < c->n - 1; m++)
        dep |= g->dep[m][t->layer[c->first + m].noper - 1];
    return dep >> CUT_channel & 1;
}

static void add_cut(Tiler *t, Fused *c, Cut *g, unsigned in_l2, unsigned in_l3,
                    Cands *l)
{
    Timing x = {.t = t, .c = c, .g = g};
    Cand cand = cut_cand(c, g);
    int order, orders = 1;

    if (!g->begun)
        cut_begin(t, c, g);
    if (!g->ok || is_hopeless(t, c, g, in_l2))
        return;
    if (!g->known)
        cut_make(t, c, g);
    if (!g->ok || is_hopeless(t, c, g, in_l2))
        return;
    if (g->count[CUT_row] > 1 && g->count[CUT_channel] > 1)
        orders = g->reuse && depends_on_channel(t, c, g) ? 1 : 2;
    for (order = 0; order < orders; order++)
        for (cand.depth = 2; cand.depth >= 1; cand.depth--) {
            cand.rows_first = order == 0;
            if (!fused_size(&x, &cand, in_l2) || is_covered(t, g, &cand, l))
                continue;
            fused_time(t, &x, g, in_l2, in_l3, &cand);
            if (t->opt.fusion == FUSE_always) {
                cand.cycles /= FAVOUR;
                cand.turns /= FAVOUR;
            }
            cands_add(t, l, &cand);
        }
}

Cands *fused_any(Tiler *t, Fused *c)
{
    Cand cand = {.before = c->n - 1};
    int i;

    if (!c->cut)
        cut_list(t, c);
    for (i = c->ncut - 1; i >= 0 && !c->any.known; i--) {
        if (!c->cut[i].begun)
            cut_begin(t, c, &c->cut[i]);
        if (c->cut[i].ok)
            cands_add(t, &c->any, &cand);
        c->any.known = c->any.n;
    }
    c->any.known = true;
    return &c->any;
}

/* Where layers use allocation i of a fused group: bit 1: in L3, 0: nearer. */
static unsigned places_of(const Tiler *t, const Fused *c, int i)
{
    unsigned set = 0;
    int m, o;

    for (m = c->first; m < c->first + c->n; m++)
        for (o = 0; o < t->layer[m].noper; o++) {
            const Oper *x = &t->layer[m].oper[o];

            if (x->val && !x->konst && x->alloc == c->alloc[i])
                set |= 1u << x->in_l3;
        }
    return set;
}

/* Which allocations of set `in_l2` are in L3; false: here some, there
 * some. */
static bool find_l3(const Tiler *t, const Fused *c, unsigned in_l2,
                    unsigned *in_l3)
{
    unsigned places;
    int i;

    *in_l3 = 0;
    for (i = 0; i < c->nalloc; i++) {
        places = in_l2 >> i & 1 ? places_of(t, c, i) : 0;
        *in_l3 |= places >> 1 << i;
        if (places == 3)
            return false;
    }
    return true;
}

static unsigned consts_in_l3(const LayerInst *w)
{
    unsigned set = 0;
    int o;

    for (o = 0; o < w->noper; o++)
        set |= (unsigned)(w->oper[o].konst && w->oper[o].in_l3) << o;
    return set;
}

/* Candidates by the set of allocations in L2, with those of set `in_l3`
 * behind it, and constants where they lie now. */
static Cands *find_cands(Tiler *t, Fused *c, unsigned in_l3)
{
    FusedSet now = {.in_l3 = in_l3, .fusion = t->opt.fusion};
    int i;

    for (i = 0; i < c->n; i++) {
        now.konst[i] = consts_in_l3(&t->layer[c->first + i]);
        if (now.konst[i])
            now.chunk = t->opt.chunk;
    }
    for (i = 0; i < c->nset; i++) {
        const FusedSet *x = &c->set[i];

        if (x->in_l3 == in_l3 && x->chunk == now.chunk &&
            x->fusion == now.fusion &&
            !memcmp(x->konst, now.konst, sizeof now.konst))
            return x->cands;
    }
    GROW(t->mem, c->set, (size_t)c->nset);
    now.cands = NEWN(t->mem, Cands, 1 << c->nalloc);
    c->set[c->nset++] = now;
    return now.cands;
}

Cands *fused_cands(Tiler *t, Fused *c, unsigned in_l2)
{
    static Cands none = {.known = true};
    unsigned in_l3;
    Cands *l;
    int i;

    if (!find_l3(t, c, in_l2, &in_l3))
        return &none;
    l = &find_cands(t, c, in_l3)[in_l2];
    if (l->known)
        return l;
    l->known = true;
    if (!c->cut)
        cut_list(t, c);
    for (i = 0; i < c->ncut; i++)
        add_cut(t, c, &c->cut[i], in_l2, in_l3, l);
    cands_sort(l);
    return l;
}
