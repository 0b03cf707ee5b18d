/* Scratch memory beyond what a kernel must have.
 *
 * Layers that need less memory than the one that needs most leave some idle
 * while they run.  A kernel whose head says `most` gets of it what it can use,
 * where its scratch memory lies or in a memory as near: no other buffer moves,
 * and no memory is used further than it was. */
#include "plan/plan.h"

enum { ALIGN = 8 };

typedef struct Hole {
    int mem;
    int64_t from, size; /* bytes */
} Hole;

int64_t step_room(const Step *s)
{
    return s->kern && s->kern->most && s->tmp.buf >= 0 ? s->tmp_bytes : 0;
}

/* Is b kept while s runs, its own scratch memory left aside? */
static bool lives_beside(const Plan *p, const Buf *b, const Step *s)
{
    const Buf *own = &p->buf[s->tmp.buf];

    return b != own && b->size && (b->kind == BUF_const ||
                                   (b->from < own->to && b->to > own->from));
}

/* The first byte from `at` on, of memory m, where a hole may begin, and the one
 * where it ends. */
static Hole hole_from(const Plan *p, const Step *s, int m, int64_t at)
{
    Hole h = {m, (at + ALIGN - 1) & -ALIGN, 0};
    int64_t end = p->used[m];
    bool moved = true;
    int i;

    while (moved) {
        moved = false;
        for (i = 0; i < p->nbuf; i++) {
            const Buf *b = &p->buf[i];

            if (b->mem != m || !lives_beside(p, b, s) || b->addr > h.from ||
                b->addr + b->size <= h.from)
                continue;
            h.from = (b->addr + b->size + ALIGN - 1) & -ALIGN;
            moved = true;
        }
    }
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == m && lives_beside(p, &p->buf[i], s) &&
            p->buf[i].addr >= h.from)
            end = MIN(end, p->buf[i].addr);
    h.size = (end - h.from) & -ALIGN;
    return h;
}

/* The largest hole in memories as near as the one that scratch memory is in. */
static Hole largest_hole(const Plan *p, const Step *s)
{
    const Buf *own = &p->buf[s->tmp.buf];
    const Mem *mems = p->soc->mems;
    Hole best = {own->mem, own->addr, own->size}, h;
    int m;

    for (m = 0; m < p->soc->nmem; m++) {
        if (!(mems[m].holds & HOLDS_buffers) || !mems[m].mapped ||
            mems[m].level > mems[own->mem].level)
            continue;
        for (h.from = h.size = 0;; ) {
            h = hole_from(p, s, m, h.from + h.size);
            if (h.size <= 0)
                break;
            if (h.size > best.size)
                best = h;
        }
    }
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

    size = MIN(h.size, (answer(s, s->kern->most, 0) + ALIGN - 1) & -ALIGN);
    now = answer(s, s->kern->cycles, size);
    if (size <= own->size || now >= was)
        return;
    own->mem = h.mem;
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
