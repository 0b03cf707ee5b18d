/* Holes between buffers that have addresses. */
#include "plan/place/hole.h"

static bool lives_beside(const Plan *p, int i, Idle w)
{
    const Buf *b = &p->buf[i];

    return i != w.aside && b->size && (b->kind == BUF_const ||
                                       (b->from < w.to && b->to > w.from));
}

int64_t hole_round(int64_t v, int64_t align)
{
    return (v + align - 1) & -align;
}

/* The first byte from `at` on where a hole of memory m may begin, and the one
 * where it ends. */
static Hole hole_from(const Plan *p, Idle w, int m, int64_t at)
{
    const int64_t align =
        MAX(p->soc->mems[m].align, MAX(w.align, HOLE_ALIGN));
    Hole h = {m, hole_round(at, align), 0};
    int64_t end = p->used[m];
    bool moved = true;
    int i;

    while (moved) {
        moved = false;
        for (i = 0; i < p->nbuf; i++) {
            const Buf *b = &p->buf[i];

            if (b->mem != m || !lives_beside(p, i, w) || b->addr > h.from ||
                b->addr + b->size <= h.from)
                continue;
            h.from = hole_round(b->addr + b->size, align);
            moved = true;
        }
    }
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].mem == m && lives_beside(p, i, w) &&
            p->buf[i].addr >= h.from)
            end = MIN(end, p->buf[i].addr);
    h.size = (end - h.from) & -HOLE_ALIGN;
    return h;
}

bool next_hole(const Plan *p, Idle w, Hole *h)
{
    int64_t at = h->from + h->size;

    for (; h->mem < p->soc->nmem; at = 0, h->mem++) {
        const Mem *m = &p->soc->mems[h->mem];

        if (!(m->holds & HOLDS_buffers) || !m->mapped)
            continue;
        *h = hole_from(p, w, h->mem, at);
        if (h->size > 0)
            return true;
    }
    return false;
}
