/* Minimum-memory plans that failed, and would again.
 *
 * Where the least of a memory is looked for, many sizes of it give the same
 * solution, whose steps and addresses fail for want of the other memory in the
 * same way.  What is left of such a try is known. */
#include "plan/search/search.h"
#include "plan/solve/solve.h"

#include <string.h>

enum { NUMBERS = 17 };

struct Infeasible {
    uint64_t key;       /* of the solution, and all that its steps depend on */
    int64_t l1;         /* in so much of L1 there was room */
    int64_t code, stack, consts[16], room[16]; /* what was known then: */
    bool counted;
    int64_t *l2;        /* room of L2, by layer, for what is tried
                           next */
};

static void add_number(uint64_t *key, int64_t v)
{
    const int64_t pair[2] = {(int64_t)*key, v};

    *key = hash_mem(pair, sizeof pair);
}

static void add_cand(uint64_t *key, const Cand *w)
{
    const int64_t v[NUMBERS] = {
        w->before, w->after, w->len[0], w->len[1], w->len[2], w->count[0],
        w->count[1], w->count[2], w->rows_first, w->reuse, w->direct, w->whole,
        w->depth, w->bytes, w->l2_bytes, w->pre_bytes, w->cycles};

    add_number(key, (int64_t)hash_mem(v, sizeof v));
}

static void add_alloc(const Tiler *t, const Solution *s, int i, uint64_t *key)
{
    const Spill *spilled = t->opt.spilled.of[i];

    add_number(key, s->in_l2[i] | s->within[i] << 1 | t->opt.in_l3[i] << 2 |
                        (spilled != NULL) << 3);
    if (spilled)
        add_number(key, (int64_t)hash_mem(spilled->spilled,
                                          (size_t)t->q->nlayer));
}

/* Is a limit of L2 less than what constants and program leave of it? */
static bool is_limit(const Tiler *t, int64_t limit)
{
    return limit >= 0 &&
           limit <= l2_all(t) - t->opt.code - 2 * consts_l2_bytes(t);
}

/* Which fused groups were considered does not matter to those chosen. */
static uint64_t key_of(const Tiler *t, const Solution *s, const PlanOpts *o,
                       const Rooms *r)
{
    int64_t limit = o->limit[t->q->l2];
    const int64_t all[] = {t->opt.code, t->a.counted, t->opt.fills,
                           t->opt.spills, t->opt.inout_in_l3, limit,
                           is_limit(t, limit) ? 0 : l2_all(t)};
    uint64_t key = hash_mem(all, sizeof all);
    int i;

    for (i = 0; i < t->q->nlayer; i++) {
        add_cand(&key, s->cand[i]);
        add_number(&key, s->ahead[i]);
        add_number(&key, t->layer[i].overlaps);
        add_number(&key, r->l2[i]);
    }
    for (i = 0; i < t->q->s->nalloc; i++)
        add_alloc(t, s, i, &key);
    return key;
}

bool known_infeasible(Tiler *t, const Solution *s, const PlanOpts *o, Rooms *r,
                      uint64_t *key)
{
    Plan *p = t->p;
    int i;

    *key = key_of(t, s, o, r);
    for (i = 0; i < t->k.ninfeasible; i++) {
        const Infeasible *f = &t->k.infeasible[i];

        if (f->key != *key || f->l1 > l1_room_of(t, o))
            continue;
        t->opt.code = f->code;
        t->a.counted = f->counted;
        p->stack = f->stack;
        memcpy(p->consts, f->consts, sizeof p->consts);
        memcpy(p->room, f->room, sizeof p->room);
        p->room[t->q->l1] = l1_room_of(t, o);
        memcpy(r->l2, f->l2, (size_t)t->q->nlayer * sizeof *r->l2);
        return true;
    }
    return false;
}

void note_infeasible(Tiler *t, const Rooms *r, uint64_t key)
{
    const Plan *p = t->p;
    Infeasible f = {.key = key, .l1 = p->room[t->q->l1], .code = t->opt.code,
                .stack = p->stack, .counted = t->a.counted};

    memcpy(f.consts, p->consts, sizeof f.consts);
    memcpy(f.room, p->room, sizeof f.room);
    f.l2 = NEWN(t->k.mem, int64_t, t->q->nlayer + 1);
    memcpy(f.l2, r->l2, (size_t)t->q->nlayer * sizeof *f.l2);
    GROW(t->k.mem, t->k.infeasible, (size_t)t->k.ninfeasible);
    t->k.infeasible[t->k.ninfeasible++] = f;
}
