/* What is the same of all ways, to cut a layer or a chain of them: which tile
 * comes when, what of it lies in slots, the clocks of its pipeline, which ways
 * are worth keeping, and at what distance a result may follow an operand. */
#include "plan/tiling.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a constant that are never loaded, or fetched, in pieces. */
enum { WHOLE = 4096, SMALL_FETCH = 8192 };

/* --- the walk --- */

int way_tiles(const Way *w)
{
    return w->count[0] * w->count[1] * w->count[2];
}

void way_index(const Way *w, int t, int i[NCUT])
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

void way_tile(const Way *w, int t, int64_t at[NCUT], int64_t len[NCUT],
              const int64_t all[NCUT])
{
    int i[NCUT];

    way_index(w, t, i);
    place_tile(w->len, i, all, at, len);
}

/* --- operands in slots --- */

bool tile_is_staged(const Work *w, int oper, unsigned far, const Way *way)
{
    const Oper *o = &w->oper[oper];

    if (!o->val || way->direct || oper_rides(o))
        return false;
    return o->konst || far >> o->bit & 1;
}

bool tile_is_whole(const Work *w, int oper, const Way *way)
{
    const Oper *o = &w->oper[oper];

    return way->whole && o->konst && val_bytes(o->val) <= WHOLE;
}

void opers_in_place(const Work *w, unsigned far, const Way *way,
                    unsigned *in_place, bool *out_place)
{
    int o;

    *in_place = 0;
    *out_place = false;
    for (o = 0; o < w->noper; o++) {
        if (!w->oper[o].val || tile_is_staged(w, o, far, way) ||
            oper_rides(&w->oper[o]))
            continue;
        if (w->oper[o].out)
            *out_place = true;
        else
            *in_place |= 1u << o;
    }
}

int out_slots(const Tiler *t, const Way *way)
{
    return way_tiles(way) > 1 && !t->lean ? OUT_SLOTS : 1;
}

bool fetch_by_piece(const Tiler *t, const Oper *o, Piece p)
{
    return p.rows == 1 &&
           val_bytes(o->val) > (t->lean ? WHOLE : SMALL_FETCH);
}

/* Two of its pieces, or all where they are wanted again and again. */
int64_t const_bytes(const Tiler *t, const Oper *o, const Way *way, Piece p,
                    int64_t most)
{
    int64_t all = val_bytes(o->val);
    bool again = way->count[CUT_batch] > 1 ||
                 (!way->rows_first && way->count[CUT_row] > 1);

    if (again || !fetch_by_piece(t, o, p))
        return slot_bytes(all);
    if (t->lean)
        return MIN(slot_bytes(all), way->depth * slot_bytes(most));
    return MIN(slot_bytes(all), 2 * slot_bytes(MAX(most, t->chunk)));
}

int64_t stream_bytes(const Tiler *t, const Oper *o, const Way *way,
                     bool changes, int64_t most)
{
    return slot_bytes(most) * (o->out ? out_slots(t, way) :
                               changes ? way->depth : 1);
}

/* --- clocks --- */

void pipe_load(const Tiler *t, int64_t move, bool early, Pipe *c)
{
    c->core += MOVE_CYCLES;
    c->in = MAX(c->in, c->core) + move;
    c->loading += move;
    c->loads++;
    c->ready = c->in + (int64_t)t->dma->in.setup;
    c->early += early;
    c->early_cycles += early ? move : 0;
}

int64_t pipe_store(const Tiler *t, int64_t move, Pipe *c)
{
    c->core += MOVE_CYCLES;
    c->out = MAX(c->out, c->core) + move;
    return c->out + (int64_t)t->dma->out.setup;
}

void pipe_bring(int64_t move, Pipe *c)
{
    c->core += MOVE_CYCLES;
    c->in = MAX(c->in, c->io += move);
}

void pipe_send(int64_t move, Pipe *c)
{
    c->core += MOVE_CYCLES;
    c->io = MAX(c->io, c->out) + move;
}

/* What loading what is early before the layer saves: all that it takes, and if
 * nothing else is loaded the wait for what is loaded last; at least the
 * starts of loads, even if the engine has no time for them before. */
void pipe_before(const Tiler *t, const Pipe *c, Way *way)
{
    int64_t last = (int64_t)t->dma->in.setup;

    way->pre_cycles = way->pre_starts = way->pre_least = 0;
    if (!c->early)
        return;
    way->pre_starts = c->early * MOVE_CYCLES;
    way->pre_cycles = c->early_cycles + way->pre_starts +
                      (c->early == c->loads ? last : 0);
    way->pre_least = c->loads * MOVE_CYCLES + last;
}

/* 0: there is nothing to wait for. */
void pipe_wait(int64_t then, Pipe *c)
{
    if (!then)
        return;
    then -= READY_CYCLES;
    c->idle += MAX(0, then - c->core - WAIT_CYCLES);
    c->core = MAX(c->core + WAIT_CYCLES, then);
}

/* --- lists --- */

bool times_find(const Times *l, unsigned far, unsigned streams, Way *way)
{
    int64_t outer_bytes = way->outer_bytes;
    int i;

    for (i = 0; i < l->n; i++) {
        const Timed *x = &l->v[i];

        if (x->far != far || x->streams != streams ||
            x->way.rows_first != way->rows_first ||
            x->way.depth != way->depth || x->way.whole != way->whole)
            continue;
        *way = x->way;
        way->outer_bytes = outer_bytes;
        return true;
    }
    return false;
}

void times_add(Tiler *t, Times *l, unsigned far, unsigned streams,
               const Way *way)
{
    GROW(t->mem, l->v, (size_t)l->n);
    l->v[l->n++] = (Timed){far, streams, *way};
}

int way_works(const Way *w)
{
    return w->before + w->after + 1;
}

const Oper *way_result(const Work *first, const Way *w)
{
    const Work *last = first + way_works(w) - 1;

    return &last->oper[last->noper - 1];
}

bool way_rereads(const Way *w)
{
    return w->rows_first && w->count[CUT_channel] > 1 &&
           w->count[CUT_row] > 1;
}

int64_t way_cost(const Way *w)
{
    return w->cycles + w->toll;
}

/* a is no worse than b in anything. */
static bool covers(const Way *a, const Way *b)
{
    return way_rereads(a) <= way_rereads(b) && way_cost(a) <= way_cost(b) &&
           a->bytes <= b->bytes &&
           way_cost(a) - a->pre_cycles <= way_cost(b) - b->pre_cycles &&
           way_cost(a) - a->turns <= way_cost(b) - b->turns &&
           a->pre_bytes <= b->pre_bytes && a->outer_bytes <= b->outer_bytes;
}

bool ways_cover(const Ways *l, const Way *way)
{
    int i;

    for (i = 0; i < l->n; i++)
        if (covers(&l->v[i], way))
            return true;
    return false;
}

void ways_add(Tiler *t, Ways *l, const Way *way)
{
    int i, n = 0;

    if (ways_cover(l, way))
        return;
    for (i = 0; i < l->n; i++)
        if (!covers(way, &l->v[i]))
            l->v[n++] = l->v[i];
    l->n = n;
    GROW(t->mem, l->v, (size_t)l->n);
    l->v[l->n++] = *way;
}

static int by_cost(const void *a, const void *b)
{
    const Way *u = a, *v = b;

    if (way_cost(u) != way_cost(v))
        return way_cost(u) < way_cost(v) ? -1 : 1;
    return u->bytes < v->bytes ? -1 : u->bytes > v->bytes;
}

void ways_sort(Ways *l)
{
    if (l->n)
        qsort(l->v, (size_t)l->n, sizeof *l->v, by_cost);
}

/* --- a result that follows an operand --- */

/* Distances in bytes of a tile's pieces in the next memory: of the store that
 * operand o lies in, and of the result's. */
static void reach_of(Arena *mem, const Tiler *t, const Work *w,
                     const Way *way, int i, int o, int64_t *lo, int64_t *end)
{
    ChainTile c[MOST_CHAIN];
    int n = way_works(way), k;
    Piece y;

    if (!chain_tiles(mem, t, (int)(w - t->work), way, i, c))
        die("a tile of '%s' is none", w->node->name);
    *lo = INT64_MAX;
    for (k = 0; k + 1 < w->noper; k++)
        if (w->oper[k].val && w->oper[k].store == w->oper[o].store)
            *lo = MIN(*lo, w->oper[k].place.off + c[0].tile.in[k].off);
    y = c[n - 1].tile.out[0];
    *end = way_result(w, way)->place.off + y.off + (y.rows - 1) * y.stride +
           y.row;
}

/* How far before operand o the result must begin so that no tile is written
 * over what a later one, or the one that is just loaded, still reads. */
static int64_t find_lag(const Tiler *t, const Work *w, const Way *way, int o)
{
    Arena *mem = arena_new();
    int n = way_tiles(way), i;
    int64_t *end = NEWN(mem, int64_t, n + 1), lag = INT64_MIN;
    int64_t *lo = NEWN(mem, int64_t, n + 1), low = INT64_MAX;

    for (i = 0; i < n; i++) {
        reach_of(mem, t, w, way, i, o, &lo[i], &end[i]);
        end[i] = i ? MAX(end[i], end[i - 1]) : end[i];
    }
    for (i = n - 1; i > 0; i--) {
        low = MIN(low, lo[i]);
        lag = MAX(lag, end[i - 1] - low);
    }
    arena_end(mem);
    return n > 1 ? lag : 0;
}

/* The same, which is asked again and again of the same tiles. */
static int64_t lag_of(Tiler *t, int work, const Way *way, int o)
{
    Work *w = &t->work[work];
    int i;

    for (i = 0; i < w->nlag; i++) {
        const Lag *l = &w->lag[i];

        if (l->oper == o && l->works == way_works(way) &&
            l->rows_first == way->rows_first && l->rolls == way->rolls &&
            !memcmp(l->len, way->len, sizeof l->len))
            return l->bytes;
    }
    GROW(t->known, w->lag, (size_t)w->nlag);
    w->lag[w->nlag] = (Lag){.oper = o, .works = way_works(way),
                            .rows_first = way->rows_first,
                            .rolls = way->rolls,
                            .bytes = find_lag(t, w, way, o)};
    memcpy(w->lag[w->nlag].len, way->len, sizeof way->len);
    return w->lag[w->nlag++].bytes;
}

/* The store of operand o begins `lag` bytes behind that of the result. */
static int64_t joint_bytes(int64_t x, int64_t y, int64_t lag)
{
    return lag >= 0 ? MAX(lag + x, y) : MAX(x, y - lag);
}

int64_t tiler_lag_most(const Tiler *t, const Work *w, const Way *way,
                       unsigned dies)
{
    int64_t y = t->s->store[way_result(w, way)->store].size, most = 0;
    int o;

    for (o = 0; o < w->noper; o++)
        if (dies >> o & 1)
            most = MAX(most, MIN(y, t->s->store[w->oper[o].store].size));
    return most;
}

void tiler_lag(Tiler *t, const Work *w, Way *way, unsigned dies)
{
    const Oper *y = way_result(w, way);
    int o;

    if (way->saves >= 0)
        return;
    way->saves = 0;
    if (way->direct || w->shared || w->node->nres != 1 || !y->val ||
        w->node->op == OP_concat)
        return;
    for (o = 0; o + 1 < w->noper; o++) {
        int64_t lag, saves, from, to;

        if (!(dies >> o & 1))
            continue;
        lag = (lag_of(t, (int)(w - t->work), way, o) + 15) & ~(int64_t)15;
        from = t->s->store[w->oper[o].store].size;
        to = t->s->store[y->store].size;
        saves = from + to - joint_bytes(from, to, lag);
        if (saves > way->saves) {
            way->saves = saves;
            way->over = o;
            way->lag = lag;
        }
    }
}
