/* At what distance a result may overlap an operand in place, so that no tile is
 * written over what a later one still reads. */
#include "plan/tile/tile.h"

#include <string.h>

/* Distances in bytes of a tile's pieces in L2: of the allocation that
 * operand o lies in, and of the result's. */
static void reach_of(Arena *mem, const Tiler *t, const LayerInst *w,
                     const Cand *cand, int i, int o, int64_t *lo, int64_t *end)
{
    FusedTile c[MOST_FUSED];
    int n = cand_layers(cand), k;
    Piece y;

    if (!fused_tiles(mem, t, (int)(w - t->layer), cand, i, c))
        die("a tile of '%s' is none", w->node->name);
    *lo = INT64_MAX;
    for (k = 0; k + 1 < w->noper; k++)
        if (w->oper[k].val && w->oper[k].alloc == w->oper[o].alloc)
            *lo = MIN(*lo, w->oper[k].place.off + c[0].tile.in[k].off);
    y = c[n - 1].tile.out[0];
    *end = cand_result(w, cand)->place.off + y.off + (y.rows - 1) * y.stride +
           y.row;
}

/* How far before operand o the result must begin so that no tile is written
 * over what a later one, or the one that is just loaded, still reads. */
static int64_t find_distance(const Tiler *t, const LayerInst *w,
                             const Cand *cand, int o)
{
    Arena *mem = arena_new();
    int n = cand_tiles(cand), i;
    int64_t *end = NEWN(mem, int64_t, n + 1), distance = INT64_MIN;
    int64_t *lo = NEWN(mem, int64_t, n + 1), low = INT64_MAX;

    for (i = 0; i < n; i++) {
        reach_of(mem, t, w, cand, i, o, &lo[i], &end[i]);
        end[i] = i ? MAX(end[i], end[i - 1]) : end[i];
    }
    for (i = n - 1; i > 0; i--) {
        low = MIN(low, lo[i]);
        distance = MAX(distance, end[i - 1] - low);
    }
    arena_end(mem);
    return n > 1 ? distance : 0;
}

/* The same, which is asked again and again of the same tiles. */
static int64_t distance_of(Tiler *t, int layer, const Cand *cand, int o)
{
    LayerInst *w = &t->layer[layer];
    int i;

    for (i = 0; i < w->ndistance; i++) {
        const Distance *l = &w->distance[i];

        if (l->oper == o && l->layers == cand_layers(cand) &&
            l->rows_first == cand->rows_first && l->reuse == cand->reuse &&
            !memcmp(l->len, cand->len, sizeof l->len))
            return l->bytes;
    }
    GROW(t->k.mem, w->distance, (size_t)w->ndistance);
    w->distance[w->ndistance] = (Distance){.oper = o,
                                           .layers = cand_layers(cand),
                            .rows_first = cand->rows_first,
                            .reuse = cand->reuse,
                            .bytes = find_distance(t, w, cand, o)};
    memcpy(w->distance[w->ndistance].len, cand->len, sizeof cand->len);
    return w->distance[w->ndistance++].bytes;
}

/* The allocation of operand o begins `distance` bytes behind that of the
 * result. */
static int64_t joint_bytes(int64_t x, int64_t y, int64_t distance)
{
    return distance >= 0 ? MAX(distance + x, y) : MAX(x, y - distance);
}

int64_t tiler_overlap_most(const Tiler *t, const LayerInst *w, const Cand *cand,
                           unsigned dies)
{
    int64_t y = t->q->s->alloc[cand_result(w, cand)->alloc].size, most = 0;
    int o;

    for (o = 0; o < w->noper; o++)
        if (dies >> o & 1)
            most = MAX(most, MIN(y, t->q->s->alloc[w->oper[o].alloc].size));
    return most;
}

void tiler_overlap(Tiler *t, const LayerInst *w, Cand *cand, unsigned dies)
{
    const Oper *y = cand_result(w, cand);
    int o;

    if (cand->saves >= 0)
        return;
    cand->saves = 0;
    if (cand->direct || w->shared || w->node->nres != 1 || !y->val ||
        w->node->op == OP_concat)
        return;
    for (o = 0; o + 1 < w->noper; o++) {
        int64_t distance, saves, from, to;

        if (!(dies >> o & 1))
            continue;
        distance = (distance_of(t, (int)(w - t->layer), cand, o) +
                    15) & ~(int64_t)15;
        from = t->q->s->alloc[w->oper[o].alloc].size;
        to = t->q->s->alloc[y->alloc].size;
        saves = from + to - joint_bytes(from, to, distance);
        if (saves > cand->saves) {
            cand->saves = saves;
            cand->over = o;
            cand->distance = distance;
        }
    }
}
