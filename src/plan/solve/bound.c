/* A bound: no plan that loads the constants of each layer for it takes fewer
 * cycles, as cost.c counts them, than this; or, if what is moved has an energy
 * weight, fewer with that.
 *
 * It is of all plans of the same layers in the same order, one after the other
 * or in fused groups, each in one of the candidates that tile.c and fused.c
 * list; of any levels of values, any addresses, and any choice of the constants
 * that lie in L3; of plans that spill values to that one only if the planner's
 * does.
 *
 * That is the best solution with room for sums alone, in relaxations.  Where
 * too many values live at once for all levels to be tried, some count nowhere.
 * Code comes into the instruction cache once: for each layer none of whose
 * kernels another has that was counted, the least of them.
 *
 * And of the constants that layers i to k use, no more can be in L2 when layer
 * i begins than fits there beside the values that live then; the rest must come
 * through the line from L3 before layer k ends.  So the time from the begin of
 * i to the end of k is at least that of the line: some layers take no time, and
 * what the line takes is added.  (A fused group with one of them takes none;
 * where it begins before i, as much may be there as fits then.) Which layers,
 * says the longest path through the best solution, of layers and stretches of
 * the line. */
#include "plan/cost/cost.h"
#include "plan/solve/solve.h"

#include <string.h>

typedef struct Bound {
    Tiler *t;
    int64_t *l1, *l2;     /* room by layer */
    int64_t *miss;      /* by layer: cycles in which its code comes in */
    int64_t *konst;     /* by layer: bytes of the constants that layers before
                           it use first */
    int64_t *spare;     /* by layer: bytes that are left for constants */
    int64_t *at;        /* by layer: when it begins at the earliest */
    int *from;          /* by layer: from where on the one before is waited for;
                           -1: for itself alone */
} Bound;

static bool has_code(const LayerInst *w, const Kern *k)
{
    int i;

    for (i = 0; i < w->ncode && w->code[i].kern != k; i++)
        ;
    return i < w->ncode;
}

static bool share_code(const LayerInst *a, const LayerInst *b)
{
    int i;

    for (i = 0; i < a->ncode; i++)
        if (has_code(b, a->code[i].kern))
            return true;
    return false;
}

/* Returns what the call of the network takes beside its layers. */
static int64_t count_code(Bound *b)
{
    const Tiler *t = b->t;
    CodeCache *cache = code_cache(t->mem, t->p->soc);
    int64_t call = call_miss(cache);
    Code least;
    int i, k;

    for (i = 0; i < t->q->nlayer; i++) {
        const LayerInst *w = &t->layer[i];

        for (k = 0; k < i; k++)
            if (b->miss[k] && share_code(w, &t->layer[k]))
                break;
        if (k < i || !w->ncode)
            continue;
        least = w->code[0];
        for (k = 1; k < w->ncode; k++) {
            least.bytes = MIN(least.bytes, w->code[k].bytes);
            least.cycles = MIN(least.cycles, w->code[k].cycles);
        }
        b->miss[i] = kern_miss(cache, cache->n, least);
    }
    return call;
}

static void count_consts(Bound *b)
{
    const Tiler *t = b->t;
    bool *seen = NEWN(t->mem, bool, t->q->s->nalloc + 1);
    int i, o;

    for (i = 0; i < t->q->nlayer; i++) {
        const LayerInst *w = &t->layer[i];

        b->konst[i + 1] = b->konst[i];
        for (o = 0; o < w->noper; o++) {
            int alloc = w->oper[o].place.buf;

            if (!w->oper[o].val || !w->oper[o].konst || seen[alloc] ||
                w->oper[o].val->port)
                continue;
            seen[alloc] = true;
            b->konst[i + 1] += t->q->s->alloc[alloc].size;
        }
    }
}

/* What lives from before a layer to its begin is in L2 but for what
 * L1 holds. */
static void count_spare(Bound *b, int64_t l1, int64_t all)
{
    const Tiler *t = b->t;
    int64_t *live = NEWN(t->mem, int64_t, t->q->nlayer + 3);
    int i, k;

    for (i = 0; i < t->q->s->nalloc; i++)
        if (t->q->first[i] < t->q->last[i]) {
            live[t->q->first[i] + 1] += t->q->s->alloc[i].size;
            live[t->q->last[i] + 1] -= t->q->s->alloc[i].size;
        }
    for (k = 0; k < t->q->nlayer; k++) {
        live[k + 1] += live[k];
        b->spare[k] = all - MAX(0, live[k] - l1);
    }
}

/* Cycles in which the line brings what layers i to k use. */
static int64_t line_cycles(const Bound *b, int i, int k)
{
    int64_t bytes = b->konst[k + 1] - b->konst[i] - b->spare[i];

    return bytes > 0
               ? (int64_t)((double)bytes / b->t->q->io->in.bytes_per_cycle) : 0;
}

/* The longest path through a solution.  Mostly there was room for all constants
 * until now (fits) at every layer, and none began (last) later than this. */
static void find_longest(Bound *b, const Solution *s)
{
    int64_t fits = INT64_MAX, last = 0;
    int i, k, n = b->t->q->nlayer;

    for (k = 0; k < n; k++) {
        fits = MIN(fits, b->konst[k] + b->spare[k]);
        last = MAX(last, b->at[k]);
        b->at[k + 1] = b->at[k] + s->rest[k] - (k + 1 < n ? s->rest[k + 1] : 0);
        b->from[k + 1] = -1;
        for (i = b->konst[k + 1] <= fits && last <= b->at[k + 1] ? k + 1 : 0;
             i <= k; i++)
            if (b->at[i] + line_cycles(b, i, k) > b->at[k + 1]) {
                b->at[k + 1] = b->at[i] + line_cycles(b, i, k);
                b->from[k + 1] = i;
            }
    }
}

/* The same path through any solution. */
static int64_t with_line(Bound *b)
{
    Line l = {NEWN(b->t->mem, bool, b->t->q->nlayer + 1), b->spare,
              b->t->q->io->in.bytes_per_cycle};
    int64_t line = 0;
    int i, k;

    for (k = b->t->q->nlayer; k > 0; k = i) {
        i = b->from[k];
        if (i < 0) {
            i = k - 1;
            continue;
        }
        line += line_cycles(b, i, k - 1);
        memset(l.instant + i, true, (size_t)(k - i));
    }
    return line ? line + solve_relaxed(b->t, b->l1, b->l2, b->miss,
                                       &l).cycles : 0;
}

/* The energy weight of constants for which there is not always room. */
static int64_t least_fetched(const Bound *b)
{
    int64_t room = b->spare[0];
    int i, n = b->t->q->nlayer;

    for (i = 1; i < n; i++)
        room = MIN(room, b->spare[i]);
    return byte_energy(b->t, b->t->q->io, MAX(0, b->konst[n] - room));
}

int64_t tiler_bound(Tiler *t, int64_t l1, int64_t l2, int64_t all)
{
    int n = t->q->nlayer + 1, i;
    Bound b = {.t = t, .l1 = NEWN(t->mem, int64_t, n),
               .l2 = NEWN(t->mem, int64_t, n),
               .miss = NEWN(t->mem, int64_t, n),
               .konst = NEWN(t->mem, int64_t, n),
               .spare = NEWN(t->mem, int64_t, n),
               .at = NEWN(t->mem, int64_t, n), .from = NEWN(t->mem, int, n)};
    int64_t call;
    Solution s;

    for (i = 0; i < t->q->nlayer; i++) {
        b.l1[i] = l1;
        b.l2[i] = l2;
    }
    s = solve_relaxed(t, b.l1, b.l2, NULL, NULL);
    if (!s.found)
        return 0;
    call = count_code(&b);
    s = solve_relaxed(t, b.l1, b.l2, b.miss, NULL);
    if (!t->q->io)
        return call + s.cycles;
    count_consts(&b);
    count_spare(&b, l2 > all ? l2 : l1, all);
    find_longest(&b, &s);
    return call + least_fetched(&b) + MAX(s.cycles, with_line(&b));
}
