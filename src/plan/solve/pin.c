/* Which constants stay in L2, so that the line from L3
 * brings the others in time.
 *
 * They are gone through in the order of use, with a clock for the layers, code
 * that comes in for them counted, and one for the line, which is ahead of them
 * as far as there is room.  Where one comes too late, it or one before it
 * stays: as large as what is late, or the largest, the last of these, lest what
 * comes early be in the way for long; none before the line last stood still,
 * for without it it would stand still longer. */
#include "plan/cost/cost.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

typedef struct Late {
    int alloc, layer;      /* the first that uses it */
    int64_t bytes, cycles; /* of the line */
    int64_t live;          /* bytes of values at that layer */
} Late;

typedef struct Pinner {
    Tiler *t;
    const int64_t *at;  /* by layer: when it begins */
    Late *v;
    int n, since;       /* item since which the line never stood still */
    int64_t room;       /* for values, fetches, and what stays */
} Pinner;

static int64_t live_at(const Tiler *t, const Solution *s, int layer)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < t->q->s->nalloc; i++)
        if (t->q->first[i] <= layer && layer <= t->q->last[i] && s->in_l2[i] &&
            !tiler_is_spilled(t, i, layer))
            sum += slot_bytes(t->q->s->alloc[i].size);
    return sum;
}

static void list_items(Pinner *k, const Solution *s)
{
    Tiler *t = k->t;
    bool *seen = NEWN(t->mem, bool, t->q->s->nalloc + 1);
    int i, o;

    k->v = NEWN(t->mem, Late, t->q->s->nalloc + 1);
    for (i = 0; i < t->q->nlayer; i++)
        for (o = 0; o < t->layer[i].noper; o++) {
            const Oper *x = &t->layer[i].oper[o];
            int alloc = x->place.buf;
            int64_t n;

            if (!x->val || !x->konst || !t->opt.in_l3[alloc] || seen[alloc])
                continue;
            seen[alloc] = true;
            n = t->q->s->alloc[alloc].size;
            k->v[k->n++] = (Late){alloc, i, slot_bytes(n),
                                  move_cycles(t->q->io, true, n, 1),
                                  live_at(t, s, i)};
        }
}

/* When there is room for item i beside those before it that are not used yet:
 * behind the layer of which one. */
static int64_t free_at(const Pinner *k, int i)
{
    int64_t sum = k->v[i].bytes;
    int j = i;

    while (j > 0 && (sum += k->v[j - 1].bytes) + k->v[i].live <= k->room)
        j--;
    return j ? k->at[k->v[j - 1].layer + 1] : 0;
}

/* The first item that is late and not excused, and how much; -1: none. */
static int first_late(Pinner *k, const bool *excused, int64_t *late)
{
    int64_t line = 0, delay = 0, start;
    int i;

    k->since = 0;
    for (i = 0; i < k->n; i++) {
        start = free_at(k, i) + delay;
        if (start > line)
            k->since = i;
        line = MAX(line, start) + k->v[i].cycles;
        *late = line - k->at[k->v[i].layer] - delay;
        if (*late <= 0)
            continue;
        if (!excused[k->v[i].alloc])
            return i;
        delay += *late;
    }
    return -1;
}

/* -1: none that is no larger than `most`. */
static int whom_to_pin(const Pinner *k, int i, int64_t late, int64_t most)
{
    int j, best = -1;

    for (j = k->since; j <= i; j++) {
        int64_t c = k->v[j].cycles, was = best < 0 ? 0 : k->v[best].cycles;

        if (k->v[j].bytes <= most &&
            (best < 0 || (was < late ? c >= was : c >= late && c <= was)))
            best = j;
    }
    return best;
}

/* Cycles in which code comes in for a layer that is not cut; a kernel's number
 * is that of the first layer that has it. */
static int64_t miss_of(const Tiler *t, int layer, CodeCache *cache)
{
    const LayerInst *w = &t->layer[layer];
    const Choice *c = w->choice;
    Dims d;
    int i;

    for (i = 0; t->layer[i].choice->kern != c->kern ||
                t->layer[i].choice->sig != c->sig; i++)
        ;
    dims_fill_part(w->node, w->part, &d);
    return layer_miss(cache, KERNEL_UNIT + i,
                      kern_code(c->kern, c->sig, w->node, &d));
}

/* When layers begin in a solution, with the code that comes in before. */
static int64_t *begins_of(const Tiler *t, const Solution *s)
{
    int64_t *at = NEWN(t->mem, int64_t, t->q->nlayer + 1), miss;
    Arena *mem = arena_new();
    CodeCache *cache = code_cache(mem, t->p->soc);
    int i;

    miss = call_miss(cache);
    for (i = 0; i < t->q->nlayer; i++) {
        at[i] = miss + s->cycles - s->rest[i];
        miss += miss_of(t, i, cache);
    }
    at[i] = miss + s->cycles;
    arena_end(mem);
    return at;
}

void pin_late(Tiler *t, const Solution *s, int64_t room, int64_t most)
{
    Pinner k = {.t = t, .at = begins_of(t, s), .room = room};
    bool *excused = NEWN(t->mem, bool, t->q->s->nalloc + 1);
    int64_t late;
    int i, j;

    list_items(&k, s);
    while ((i = first_late(&k, excused, &late)) >= 0) {
        j = whom_to_pin(&k, i, late, most);
        if (j < 0) {
            excused[k.v[i].alloc] = true;
            continue;
        }
        most -= k.v[j].bytes;
        k.room -= k.v[j].bytes;
        t->opt.in_l3[k.v[j].alloc] = false;
        for (k.n--; j < k.n; j++)
            k.v[j] = k.v[j + 1];
    }
}
