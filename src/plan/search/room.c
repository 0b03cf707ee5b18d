/* How much room there is for buffers in L1 and L2. */
#include "plan/search/search.h"
#include "plan/tile/tile.h"

#include <string.h>

enum { L3_SPARE = 16 }; /* bytes */

int64_t plan_link_bytes(const Graph *g)
{
    enum { ONCE = 356, EACH = 16 };
    const Node *n;

    for (n = g->first; n; n = n->next)
        if (op_info[n->op].family == FAM_exchange)
            return ONCE + EACH * attr_int(n, A_p2);
    return 0;
}

int64_t l1_left(const Tiler *t, const PlanOpts *o)
{
    const Mem *m = &t->p->soc->mems[t->q->l1];

    if (o->limit[t->q->l1] >= 0)
        return o->limit[t->q->l1];
    return m->size - m->program - plan_link_bytes(t->p->g) -
           MAX(m->reserved, soc_kept(t->p->soc, t->p->stack));
}

int64_t whole_units(int64_t bytes)
{
    return MAX(0, bytes) / UNIT * UNIT;
}

int64_t l1_room_of(const Tiler *t, const PlanOpts *o)
{
    return whole_units(l1_left(t, o));
}

int64_t l2_all(const Tiler *t)
{
    const Mem *m = &t->p->soc->mems[t->q->l2];

    return m->size - m->reserved - m->program;
}

int64_t l2_left(const Tiler *t, const PlanOpts *o)
{
    int64_t room = l2_all(t) - t->p->consts[t->q->l2] - t->opt.code;

    if (o->limit[t->q->l2] >= 0)
        room = MIN(room, o->limit[t->q->l2]);
    return room;
}

int64_t l2_room(const Tiler *t, const PlanOpts *o)
{
    return whole_units(l2_left(t, o));
}

int64_t l3_room(const Tiler *t)
{
    const Mem *m = &t->p->soc->mems[t->q->l3];

    return m->size - m->reserved - t->p->consts[t->q->l3] - L3_SPARE;
}

int64_t consts_l2_bytes(const Tiler *t)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < t->q->s->nalloc; i++)
        if (t->q->s->alloc[i].konst && !t->q->s->alloc[i].val->port &&
            !t->opt.in_l3[i])
            sum += slot_bytes(t->q->s->alloc[i].size);
    return sum;
}

void set_rooms(Tiler *t, const PlanOpts *o)
{
    Plan *p = t->p;

    memset(p->consts, 0, sizeof p->consts);
    p->consts[t->q->l2] = consts_l2_bytes(t);
    p->room[t->q->l1] = l1_room_of(t, o);
    p->room[t->q->l2] = l2_room(t, o);
}
