/* Lean plans that failed, and would again.
 *
 * Where the least of a memory is looked for, many sizes of it give the same
 * solution, whose steps and addresses fail for want of the other memory in the
 * same way.  What is left of such a try is known. */
#include "plan/tiling.h"

#include <string.h>

enum { NUMBERS = 17 };

struct Failed {
    uint64_t key;       /* of the solution, and all that its steps depend on */
    int64_t near;       /* in so much of the nearest memory there was room */
    int64_t code, stack, consts[16], room[16]; /* what was known then: */
    bool counted;
    int64_t *next;      /* room of the next memory, by work, for what is tried
                           next */
};

static void add_number(uint64_t *key, int64_t v)
{
    const int64_t pair[2] = {(int64_t)*key, v};

    *key = hash_mem(pair, sizeof pair);
}

static void add_way(uint64_t *key, const Way *w)
{
    const int64_t v[NUMBERS] = {
        w->before, w->after, w->len[0], w->len[1], w->len[2], w->count[0],
        w->count[1], w->count[2], w->rows_first, w->rolls, w->direct, w->whole,
        w->depth, w->bytes, w->outer_bytes, w->pre_bytes, w->cycles};

    add_number(key, (int64_t)hash_mem(v, sizeof v));
}

static void add_store(const Tiler *t, const Solution *s, int i, uint64_t *key)
{
    const Spilled *away = t->spilled[i];

    add_number(key, s->far[i] | s->within[i] << 1 | t->outside[i] << 2 |
                        (away != NULL) << 3);
    if (away)
        add_number(key, (int64_t)hash_mem(away->away, (size_t)t->nwork));
}

static uint64_t key_of(const Tiler *t, const Solution *s, const PlanOpts *o,
                       const Rooms *r)
{
    const int64_t all[] = {t->code, t->counted, t->fills, t->spills, t->ends,
                           t->chains, o->limit[t->next], next_all(t)};
    uint64_t key = hash_mem(all, sizeof all);
    int i;

    for (i = 0; i < t->nwork; i++) {
        add_way(&key, s->way[i]);
        add_number(&key, s->ahead[i]);
        add_number(&key, t->work[i].follow);
        add_number(&key, r->next[i]);
    }
    for (i = 0; i < t->s->nstore; i++)
        add_store(t, s, i, &key);
    return key;
}

bool fails_again(Tiler *t, const Solution *s, const PlanOpts *o, Rooms *r,
                 uint64_t *key)
{
    Plan *p = t->p;
    int i;

    *key = key_of(t, s, o, r);
    for (i = 0; i < t->nfailed; i++) {
        const Failed *f = &t->failed[i];

        if (f->key != *key || f->near > near_room_of(t, o))
            continue;
        t->code = f->code;
        t->counted = f->counted;
        p->stack = f->stack;
        memcpy(p->consts, f->consts, sizeof p->consts);
        memcpy(p->room, f->room, sizeof p->room);
        p->room[t->near] = near_room_of(t, o);
        memcpy(r->next, f->next, (size_t)t->nwork * sizeof *r->next);
        return true;
    }
    return false;
}

void note_failed(Tiler *t, const Rooms *r, uint64_t key)
{
    const Plan *p = t->p;
    Failed f = {.key = key, .near = p->room[t->near], .code = t->code,
                .stack = p->stack, .counted = t->counted};

    memcpy(f.consts, p->consts, sizeof f.consts);
    memcpy(f.room, p->room, sizeof f.room);
    f.next = NEWN(t->known, int64_t, t->nwork + 1);
    memcpy(f.next, r->next, (size_t)t->nwork * sizeof *f.next);
    GROW(t->known, t->failed, (size_t)t->nfailed);
    t->failed[t->nfailed++] = f;
}
