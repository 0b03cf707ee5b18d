/* Weights that are copied to nearer memory before a layer reads them: a cache
 * made of software.
 *
 * A kernel that goes through more weights than the data cache holds gets them from
 * flash as often as it goes through them (`reads` of its head).  Copied once,
 * they come from there once.  The copy lies in memory that is idle while the
 * layer runs: no other buffer moves, and no memory is used further than it was. */
#include "plan/place/hole.h"

/* What is to be saved at least: one of so many cycles of the layer, and of the
 * network.  The code of a copy moves others, in whose favour is chance. */
enum { OF_LAYER = 32, OF_ALL = 1024 };

static int after(const Plan *p, int start)
{
    int i = start;

    while (p->step[i].kind != STEP_wait || p->step[i].token !=
           p->step[start].token)
        i++;
    return i + 1;
}

/* May operand 1 be copied? */
static bool has_weights(const Plan *p, const Step *s)
{
    return s->kind == STEP_start && s->kern && s->ncore == 1 && s->nin > 1 &&
           s->in[1].buf >= 0 && p->buf[s->in[1].buf].kind == BUF_const &&
           !node_varies(s->node) && step_reads(s, 1) > 1;
}

/* The hole in which a copy saves most, and more than *saved; its size is the
 * copy's, 0: there is none. */
static Hole best_hole(const Plan *p, const Step *s, Idle w, int64_t *saved)
{
    const int64_t without = step_waits(p, s), size = s->in_bytes[1];
    Hole best = {0}, h = {0};

    while (next_hole(p, w, &h)) {
        int64_t with = step_waits_staged(p, s, h.mem);

        if (h.size >= size && without - with > *saved) {
            *saved = without - with;
            best = (Hole){h.mem, h.from, size};
        }
    }
    return best;
}

static int64_t all_cycles(const Plan *p)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_start)
            sum += p->step[i].cycles + step_waits(p, &p->step[i]);
    return sum;
}

static void stage(Plan *p, int i, int64_t least)
{
    Step *s = &p->step[i];
    const Idle w = {i, after(p, i), -1, HOLE_ALIGN};
    int64_t saved = MAX(least, (s->cycles + step_waits(p, s)) / OF_LAYER);
    const Hole h = best_hole(p, s, w, &saved);

    if (!h.size)
        return;
    s->stage = (Ref){plan_add_buf(p, (Buf){
        .kind = BUF_temp, .name = arena_fmt(p->mem, "%s weights", s->node->name),
        .size = h.size, .mem = h.mem,
        .align = MAX(HOLE_ALIGN, p->soc->mems[h.mem].align)}), 0};
    p->buf[s->stage.buf].addr = h.from;
    p->buf[s->stage.buf].from = w.from;
    p->buf[s->stage.buf].to = w.to;
    s->stage_bytes = h.size;
}

void stage_weights(Plan *p)
{
    const int64_t least = all_cycles(p) / OF_ALL;
    int i, n = p->nstep;

    for (i = 0; i < n; i++)
        if (has_weights(p, &p->step[i]))
            stage(p, i, least);
}
