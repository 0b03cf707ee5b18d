/* Which constants stay in the next memory, so that the line from the outer one
 * brings the others in time.
 *
 * They are gone through in the order of use, with a clock for the layers, code
 * that comes in for them counted, and one for the line, which is ahead of them
 * as far as there is room.  Where one comes too late, it or one before it
 * stays: as large as what is late, or the largest, the last of these, lest what
 * comes early be in the way for long; none before the line last stood still,
 * for without it it would stand still longer. */
#include "plan/tiling.h"

typedef struct Late {
    int store, work;       /* the first that uses it */
    int64_t bytes, cycles; /* of the line */
    int64_t live;          /* bytes of values at that work */
} Late;

typedef struct Keeper {
    Tiler *t;
    const int64_t *at;  /* by work: when it begins */
    Late *v;
    int n, since;       /* item since which the line never stood still */
    int64_t room;       /* for values, fetches, and what stays */
} Keeper;

static int64_t live_at(const Tiler *t, const Solution *s, int work)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < t->s->nstore; i++)
        if (t->first[i] <= work && work <= t->last[i] && s->far[i] &&
            !tiler_is_away(t, i, work))
            sum += slot_bytes(t->s->store[i].size);
    return sum;
}

static void list_items(Keeper *k, const Solution *s)
{
    Tiler *t = k->t;
    bool *seen = NEWN(t->mem, bool, t->s->nstore + 1);
    int i, o;

    k->v = NEWN(t->mem, Late, t->s->nstore + 1);
    for (i = 0; i < t->nwork; i++)
        for (o = 0; o < t->work[i].noper; o++) {
            const Oper *x = &t->work[i].oper[o];
            int store = x->place.buf;
            int64_t n;

            if (!x->val || !x->konst || !t->outside[store] || seen[store])
                continue;
            seen[store] = true;
            n = t->s->store[store].size;
            k->v[k->n++] = (Late){store, i, slot_bytes(n),
                                  move_cycles(t->io, true, n, 1),
                                  live_at(t, s, i)};
        }
}

/* When there is room for item i beside those before it that are not used yet:
 * behind the work of which one. */
static int64_t free_at(const Keeper *k, int i)
{
    int64_t sum = k->v[i].bytes;
    int j = i;

    while (j > 0 && (sum += k->v[j - 1].bytes) + k->v[i].live <= k->room)
        j--;
    return j ? k->at[k->v[j - 1].work + 1] : 0;
}

/* The first item that is late and not excused, and how much; -1: none. */
static int first_late(Keeper *k, const bool *excused, int64_t *late)
{
    int64_t line = 0, delay = 0, start;
    int i;

    k->since = 0;
    for (i = 0; i < k->n; i++) {
        start = free_at(k, i) + delay;
        if (start > line)
            k->since = i;
        line = MAX(line, start) + k->v[i].cycles;
        *late = line - k->at[k->v[i].work] - delay;
        if (*late <= 0)
            continue;
        if (!excused[k->v[i].store])
            return i;
        delay += *late;
    }
    return -1;
}

/* -1: none that is no larger than `most`. */
static int whom_to_keep(const Keeper *k, int i, int64_t late, int64_t most)
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

/* Cycles in which code comes in for a work that is not cut; a kernel's number
 * is that of the first work that has it. */
static int64_t cold_of(const Tiler *t, int work, CodeCache *cache)
{
    const Work *w = &t->work[work];
    const Choice *c = w->choice;
    Dims d;
    int i;

    for (i = 0; t->work[i].choice->kern != c->kern ||
                t->work[i].choice->sig != c->sig; i++)
        ;
    dims_fill_part(w->node, w->part, &d);
    return layer_cold(cache, KERNEL_UNIT + i,
                      kern_code(c->kern, c->sig, w->node, &d));
}

/* When works begin in a solution, with the code that comes in before. */
static int64_t *begins_of(const Tiler *t, const Solution *s)
{
    int64_t *at = NEWN(t->mem, int64_t, t->nwork + 1), cold;
    Arena *mem = arena_new();
    CodeCache *cache = code_cache(mem, t->p->soc);
    int i;

    cold = call_cold(cache);
    for (i = 0; i < t->nwork; i++) {
        at[i] = cold + s->cycles - s->rest[i];
        cold += cold_of(t, i, cache);
    }
    at[i] = cold + s->cycles;
    arena_end(mem);
    return at;
}

void keep_late(Tiler *t, const Solution *s, int64_t room, int64_t most)
{
    Keeper k = {.t = t, .at = begins_of(t, s), .room = room};
    bool *excused = NEWN(t->mem, bool, t->s->nstore + 1);
    int64_t late;
    int i, j;

    list_items(&k, s);
    while ((i = first_late(&k, excused, &late)) >= 0) {
        j = whom_to_keep(&k, i, late, most);
        if (j < 0) {
            excused[k.v[i].store] = true;
            continue;
        }
        most -= k.v[j].bytes;
        k.room -= k.v[j].bytes;
        t->outside[k.v[j].store] = false;
        for (k.n--; j < k.n; j++)
            k.v[j] = k.v[j + 1];
    }
}
