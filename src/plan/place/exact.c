/* Exact search for a packing of a given height.
 *
 * Time is cut into sections between which the set of live buffers changes;
 * every section has a floor, the top of what lies there, and buffers come down
 * on the floors like bricks.  Sections whose live buffers all live in a
 * neighbour too say nothing and are left out.
 *
 * A buffer can lie no lower than the highest floor under it.  Where no buffer
 * that must still come can lie on a section's floor, the floor is raised to
 * the lowest that one can: the space below is lost.  A section is cut off when
 * its floor and all that must still come there pass the height.
 *
 * Branching: in a valley, a run of sections of one floor between higher ones,
 * whatever lies lowest on a section lies flat in the valley or leaves a gap.
 * So of all sections in valleys the one with the fewest choices is taken: each
 * buffer that can lie there in turn, then the gap.  Every packing without
 * loose buffers is reached in exactly one way.
 *
 * Three more things make it fast.  Where no buffer that must still come spans
 * two sections, the parts are solved alone, and one that fails fails all.
 * States (what must still come, and the floors) that failed are remembered by
 * a 128-bit hash, whatever order led there.  A state is dropped if a buffer
 * that must still come fits into gaps below it, as the packing with it there
 * is as good and is found elsewhere.
 *
 * The ideas of sections, dominance and splitting are from M. D. Moffitt,
 * "MiniMalloc: a lightweight memory allocator for hardware-accelerated machine
 * learning" (ASPLOS 2023); the valleys are those of skyline strip packing. */
#include "plan/place/branch.h"

#include <stdlib.h>
#include <string.h>

/* ---- search ---- */

/* ---- from and to the outside ---- */

static int by_end(const void *a, const void *b)
{
    const PackItem *p = *(PackItem *const *)a, *q = *(PackItem *const *)b;

    return p->upper < q->upper ? -1 : p->upper > q->upper;
}

/* Cuts time into sections: one ends where a buffer ends and another began
 * since the last section ended. */
static void make_sections(Search *s)
{
    PackItem **end = NEWN(s->mem, PackItem *, s->n + 1);
    bool began = false;
    int i, j = 0, k;

    memcpy(end, s->item, (size_t)s->n * sizeof *end);
    qsort(end, (size_t)s->n, sizeof *end, by_end);
    for (i = 0; i < s->n; i++) {
        for (; j < s->n && end[j]->upper <= s->item[i]->lower; j++) {
            s->m += began;
            began = false;
            end[j]->offset = s->m;
        }
        s->a[i] = s->m;
        began = true;
    }
    s->m += began;
    for (; j < s->n; j++)
        end[j]->offset = s->m;
    for (i = 0; i < s->n; i++)
        s->b[i] = (int)s->item[i]->offset;
    s->first = NEWN(s->mem, int, s->m + 1);
    for (i = k = 0; k <= s->m; k++) {
        for (; i < s->n && s->a[i] < k; i++)
            ;
        s->first[k] = i;
    }
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b ? gcd(b, a % b) : a;
}

static void find_twins(Search *s)
{
    int i, j;

    for (i = 0; i < s->n; i++) {
        s->twin[i] = -1;
        for (j = i - 1; j >= 0 && s->a[j] == s->a[i]; j--)
            if (s->b[j] == s->b[i] && s->size[j] == s->size[i]) {
                s->twin[i] = j;
                break;
            }
    }
}

static void count_rest(Search *s)
{
    int i, k;

    for (i = 0; i < s->n; i++)
        for (k = s->a[i]; k < s->b[i]; k++) {
            s->rest0[k] += s->size[i];
            s->span0[k] += k + 1 < s->b[i];
        }
}

/* Sizes, multiples of the largest alignment, in units that divide all; false:
 * they are too large. */
static bool set_sizes(Search *s)
{
    int64_t *size = NEWN(s->mem, int64_t, s->n), sum = 0, align = 1;
    int i;

    for (i = 0; i < s->n; i++)
        align = MAX(align, s->item[i]->align);
    for (i = 0; i < s->n; i++) {
        size[i] = (s->item[i]->size + align - 1) / align * align;
        s->unit = gcd(size[i], s->unit);
        s->rounded |= size[i] != s->item[i]->size;
        if (__builtin_add_overflow(sum, size[i], &sum))
            return false;
    }
    if (sum / s->unit >= FAR)
        return false;
    for (i = 0; i < s->n; i++)
        s->size[i] = (int32_t)(size[i] / s->unit);
    return true;
}

Search *search_new(Arena *mem, PackItem **item, int n)
{
    Search *s = NEW(mem, Search);

    *s = (Search){.mem = mem, .n = n, .item = item};
    s->size = NEWN(mem, int32_t, n);
    if (!set_sizes(s))
        return NULL;
    s->a = NEWN(mem, int, n);
    s->b = NEWN(mem, int, n);
    s->twin = NEWN(mem, int, n);
    s->rank = NEWN(mem, int, n);
    s->at = NEWN(mem, int32_t, n);
    s->low = NEWN(mem, int32_t, n);
    s->trail = NEWN(mem, int, n);
    make_sections(s);
    find_twins(s);
    s->floor = NEWN(mem, int32_t, s->m);
    s->top = NEWN(mem, int32_t, s->m);
    s->rest = NEWN(mem, int32_t, s->m);
    s->span = NEWN(mem, int32_t, s->m);
    s->rest0 = NEWN(mem, int32_t, s->m);
    s->span0 = NEWN(mem, int32_t, s->m);
    s->flat = NEWN(mem, int, s->m + 1);
    s->run = NEWN(mem, int, s->m + 1);
    s->begin = NEWN(mem, int, s->m + 1);
    s->solid = NEWN(mem, int, s->m + 1);
    count_rest(s);
    return s;
}

/* The static order in which choices are tried: largest key first. */
static int64_t key_of(const Search *s, int i)
{
    int64_t size = s->size[i], life = s->b[i] - s->a[i];

    switch (s->cand->buffer) {
    case LARGE: return size * life;
    case LONG: return life;
    case HIGH: return size;
    case FIRST: return -s->a[i];
    case SMALL: return -size;
    }
    return 0;
}

typedef struct Ranked {
    int64_t key;
    int i;
} Ranked;

static int by_key(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;

    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return x->i - y->i;
}

static void set_ranks(Search *s)
{
    Ranked *v = NEWN(s->mem, Ranked, s->n);
    int i;

    for (i = 0; i < s->n; i++)
        v[i] = (Ranked){key_of(s, i), i};
    qsort(v, (size_t)s->n, sizeof *v, by_key);
    for (i = 0; i < s->n; i++)
        s->rank[v[i].i] = i;
}

static void start_again(Search *s)
{
    size_t m = (size_t)s->m;
    int i;

    memset(s->floor, 0, m * sizeof *s->floor);
    memset(s->top, 0, m * sizeof *s->top);
    memcpy(s->rest, s->rest0, m * sizeof *s->rest);
    memcpy(s->span, s->span0, m * sizeof *s->span);
    for (i = 0; i < s->n; i++)
        s->at[i] = -1;
    s->ntrail = 0;
    s->nwas = s->nlist = 0;
}

/* Nothing known of another height holds for this one. */
static void set_height(Search *s, int64_t height)
{
    int32_t cap = (int32_t)MIN(height / s->unit, FAR);

    if (cap == s->cap)
        return;
    s->cap = cap;
    s->ninfeasible = 0;
    s->over = FAR;
    s->round = 0;
    if (s->nslot)
        memset(s->infeasible, 0, (size_t)s->nslot * sizeof *s->infeasible);
}

SearchResult search_try(Search *s, int64_t height, int64_t budget,
                        int64_t *over)
{
    int64_t end = s->nodes + budget, slice = s->n + 512;
    bool found = false;
    int i;

    set_height(s, height);
    for (i = 0; i < s->m; i++)
        if (s->rest0[i] > s->cap) {
            *over = s->rest0[i] * s->unit;
            return SEARCH_none;
        }
    for (; !found && s->nodes < end; slice += slice / 8) {
        s->cand = &cands[s->round++ % (int)LEN(cands)];
        set_ranks(s);
        start_again(s);
        s->stop = MIN(end, s->nodes + slice);
        found = exact_solve(s, 0, s->m);
        if (!found && s->nodes < s->stop) {
            *over = s->over * s->unit;
            return SEARCH_none;
        }
    }
    for (i = 0; found && i < s->n; i++)
        s->item[i]->offset = s->at[i] * s->unit;
    return found ? SEARCH_found : SEARCH_unknown;
}

int64_t search_nodes(const Search *s)
{
    return s->nodes;
}

bool search_exact(const Search *s)
{
    return !s->rounded;
}
