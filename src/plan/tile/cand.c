/* What is the same of all candidates, to cut a layer or a fused group: which
 * tile comes when, what of it lies in slots, the clocks of its pipeline, and
 * which candidates are worth keeping. */
#include "plan/tile/tile.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a constant that are never loaded, or fetched, in pieces. */
enum { WHOLE = 4096, SMALL_FETCH = 8192 };

/* --- the walk --- */

int cand_tiles(const Cand *w)
{
    return w->count[0] * w->count[1] * w->count[2];
}

void cand_index(const Cand *w, int t, int i[NCUT])
{
    int inner = w->rows_first ? CUT_row : CUT_channel;
    int outer = w->rows_first ? CUT_channel : CUT_row;

    i[inner] = t % w->count[inner];
    i[outer] = t / w->count[inner] % w->count[outer];
    i[CUT_batch] = t / w->count[inner] / w->count[outer];
}

void place_tile(const int64_t size[NCUT], const int i[NCUT],
                const int64_t all[NCUT], int64_t at[NCUT], int64_t len[NCUT])
{
    int a;

    for (a = 0; a < NCUT; a++) {
        at[a] = i[a] * size[a];
        len[a] = MIN(size[a], all[a] - at[a]);
    }
}

void cand_tile(const Cand *w, int t, int64_t at[NCUT], int64_t len[NCUT],
               const int64_t all[NCUT])
{
    int i[NCUT];

    cand_index(w, t, i);
    place_tile(w->len, i, all, at, len);
}

/* --- operands in slots --- */

bool oper_is_buffered(const LayerInst *w, int oper, unsigned in_l2,
                      const Cand *cand)
{
    const Oper *o = &w->oper[oper];

    if (!o->val || cand->direct || oper_is_inlined(o))
        return false;
    return o->konst || (!w->varies && in_l2 >> o->bit & 1);
}

bool tile_is_whole(const LayerInst *w, int oper, const Cand *cand)
{
    const Oper *o = &w->oper[oper];

    return cand->whole && o->konst && !o->val->port &&
           val_bytes(o->val) <= WHOLE;
}

void opers_in_place(const LayerInst *w, unsigned in_l2, const Cand *cand,
                    unsigned *in_place, bool *out_place)
{
    int o;

    *in_place = 0;
    *out_place = false;
    for (o = 0; o < w->noper; o++) {
        if (!w->oper[o].val || oper_is_buffered(w, o, in_l2, cand) ||
            oper_is_inlined(&w->oper[o]))
            continue;
        if (w->oper[o].out)
            *out_place = true;
        else
            *in_place |= 1u << o;
    }
}

int out_slots(const Tiler *t, const Cand *cand)
{
    return cand_tiles(cand) > 1 && !t->opt.min_memory ? OUT_SLOTS : 1;
}

bool fetch_by_piece(const Tiler *t, const Oper *o, Piece p)
{
    return p.rows == 1 &&
           val_bytes(o->val) > (t->opt.min_memory ? WHOLE : SMALL_FETCH);
}

/* Two of its pieces, or all where they are wanted again and again. */
int64_t const_bytes(const Tiler *t, const Oper *o, const Cand *cand, Piece p,
                    int64_t most)
{
    int64_t all = val_bytes(o->val);
    bool again = cand->count[CUT_batch] > 1 ||
                 (!cand->rows_first && cand->count[CUT_row] > 1);

    if (again || !fetch_by_piece(t, o, p))
        return slot_bytes(all);
    if (t->opt.min_memory)
        return MIN(slot_bytes(all), cand->depth * slot_bytes(most));
    return MIN(slot_bytes(all), 2 * slot_bytes(MAX(most, t->opt.chunk)));
}

int64_t staging_bytes(const Tiler *t, const Oper *o, const Cand *cand,
                      bool changes, int64_t most)
{
    return slot_bytes(most) * (o->out ? out_slots(t, cand) :
                               changes ? cand->depth : 1);
}

/* --- clocks --- */

void pipe_load(const Tiler *t, int64_t move, bool early, Pipe *c)
{
    c->core += t->p->soc->time.move;
    c->in = MAX(c->in, c->core) + move;
    c->loading += move;
    c->loads++;
    c->ready = c->in + (int64_t)t->q->dma->in.setup;
    c->early += early;
    c->early_cycles += early ? move : 0;
}

int64_t pipe_store(const Tiler *t, int64_t move, Pipe *c)
{
    c->core += t->p->soc->time.move;
    c->out = MAX(c->out, c->core) + move;
    return c->out + (int64_t)t->q->dma->out.setup;
}

void pipe_bring(const Tiler *t, int64_t move, Pipe *c)
{
    c->core += t->p->soc->time.move;
    c->in = MAX(c->in, c->io += move);
}

void pipe_send(const Tiler *t, int64_t move, Pipe *c)
{
    c->core += t->p->soc->time.move;
    c->io = MAX(c->io, c->out) + move;
}

/* What loading what is early before the layer saves: all that it takes, and if
 * nothing else is loaded the wait for what is loaded last; at least the
 * starts of loads, even if the engine has no time for them before. */
void pipe_before(const Tiler *t, const Pipe *c, Cand *cand)
{
    int64_t last = (int64_t)t->q->dma->in.setup;

    cand->pre_cycles = cand->pre_starts = cand->pre_least = 0;
    if (!c->early)
        return;
    cand->pre_starts = c->early * t->p->soc->time.move;
    cand->pre_cycles = c->early_cycles + cand->pre_starts +
                      (c->early == c->loads ? last : 0);
    cand->pre_least = c->loads * t->p->soc->time.move + last;
}

/* 0: there is nothing to wait for. */
void pipe_wait(const Tiler *t, int64_t then, Pipe *c)
{
    const ProgramTime *time = &t->p->soc->time;

    if (!then)
        return;
    then -= time->ready;
    c->idle += MAX(0, then - c->core - time->wait);
    c->core = MAX(c->core + time->wait, then);
}

/* --- lists --- */

bool times_find(const Times *l, const Timed *like, Cand *cand)
{
    int64_t l2_bytes = cand->l2_bytes;
    int i;

    for (i = 0; i < l->n; i++) {
        const Timed *x = &l->v[i];

        if (x->in_l2 != like->in_l2 || x->staged != like->staged ||
            x->early != like->early ||
            x->cand.rows_first != cand->rows_first ||
            x->cand.depth != cand->depth || x->cand.whole != cand->whole)
            continue;
        *cand = x->cand;
        cand->l2_bytes = l2_bytes;
        return true;
    }
    return false;
}

void times_add(Tiler *t, Times *l, const Timed *x)
{
    GROW(t->mem, l->v, (size_t)l->n);
    l->v[l->n++] = *x;
}

int cand_layers(const Cand *w)
{
    return w->before + w->after + 1;
}

const Oper *cand_result(const LayerInst *first, const Cand *w)
{
    const LayerInst *last = first + cand_layers(w) - 1;

    return &last->oper[last->noper - 1];
}

bool cand_rereads(const Cand *w)
{
    return w->rows_first && w->count[CUT_channel] > 1 &&
           w->count[CUT_row] > 1;
}

int64_t cand_cost(const Cand *w)
{
    return w->cycles + w->energy;
}

/* a is no worse than b in anything. */
static bool covers(const Cand *a, const Cand *b)
{
    return cand_rereads(a) <= cand_rereads(b) && cand_cost(a) <= cand_cost(b) &&
           a->bytes <= b->bytes &&
           cand_cost(a) - a->pre_cycles <= cand_cost(b) - b->pre_cycles &&
           cand_cost(a) - a->turns <= cand_cost(b) - b->turns &&
           a->pre_bytes <= b->pre_bytes && a->l2_bytes <= b->l2_bytes;
}

bool cands_cover(const Cands *l, const Cand *cand)
{
    int i;

    for (i = 0; i < l->n; i++)
        if (covers(&l->v[i], cand))
            return true;
    return false;
}

void cands_add(Tiler *t, Cands *l, const Cand *cand)
{
    int i, n = 0;

    if (cands_cover(l, cand))
        return;
    for (i = 0; i < l->n; i++)
        if (!covers(cand, &l->v[i]))
            l->v[n++] = l->v[i];
    l->n = n;
    GROW(t->mem, l->v, (size_t)l->n);
    l->v[l->n++] = *cand;
}

static int by_cost(const void *a, const void *b)
{
    const Cand *u = a, *v = b;

    if (cand_cost(u) != cand_cost(v))
        return cand_cost(u) < cand_cost(v) ? -1 : 1;
    return u->bytes < v->bytes ? -1 : u->bytes > v->bytes;
}

void cands_sort(Cands *l)
{
    if (l->n)
        qsort(l->v, (size_t)l->n, sizeof *l->v, by_cost);
}

