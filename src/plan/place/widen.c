/* Scratch memory beyond what a kernel must have.
 *
 * Layers that need less memory than the one that needs most leave some idle
 * while they run.  A kernel whose head says `most` gets of it what it can use,
 * where its scratch memory lies or in a memory as near: no other buffer moves,
 * and no memory is used further than it was. */
#include "plan/place/hole.h"

int64_t step_room(const Step *s)
{
    return s->kern && s->kern->most && s->tmp.buf >= 0 ? s->tmp_bytes : 0;
}

/* The largest hole in memories as near as the one that scratch memory is in. */
static Hole largest_hole(const Plan *p, const Step *s)
{
    const Buf *own = &p->buf[s->tmp.buf];
    const Mem *mems = p->soc->mems;
    const Idle idle = {own->from, own->to, s->tmp.buf, own->align};
    Hole best = {own->mem, own->addr, own->size}, h = {0};

    while (next_hole(p, idle, &h))
        if (mems[h.mem].level <= mems[own->mem].level && h.size > best.size)
            best = h;
    return best;
}

/* What the head says, of so much scratch memory. */
static int64_t answer(const Step *s, const char *expr, int64_t room)
{
    Asked x = kern_ask(s->tile, &s->dims);

    x.room = room;
    return kern_answer(&x, s->kern, s->sig, expr);
}

static void widen(Plan *p, Step *s)
{
    Buf *own = &p->buf[s->tmp.buf];
    int64_t was = answer(s, s->kern->cycles, own->size), now, size;
    Hole h = largest_hole(p, s);

    size = MIN(h.size, hole_round(answer(s, s->kern->most, 0), HOLE_ALIGN));
    now = answer(s, s->kern->cycles, size);
    if (size <= own->size || now >= was)
        return;
    own->mem = h.mem;
    own->align = MAX(own->align, p->soc->mems[h.mem].align);
    own->addr = h.from;
    own->size = s->tmp_bytes = size;
    s->cycles = (int64_t)((double)s->cycles * (double)now / (double)was);
}

void widen_scratch(Plan *p)
{
    int i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start && step_room(&p->step[i]) &&
            p->step[i].ncore == 1)
            widen(p, &p->step[i]);
}
