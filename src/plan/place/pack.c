/* Static allocation: addresses for buffers that each live for a known time,
 * no two that live together overlapping, as low as possible.
 *
 * Where at some time nothing lives, the problem falls apart into stretches
 * that are packed alone.  Each stretch is tried greedily first: buffers in a
 * few static orders, each at the lowest place that is free for its whole life;
 * then the order is repaired by moving what ended highest to the front.  Most
 * real networks are optimal by then, which the bound (the largest sum of live
 * bytes) shows.  What is left is searched (search.c).
 *
 * Everything is counted in work done, never in time, so the same input gives
 * the same addresses everywhere. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { REPAIRS = 24, BUDGET = 1000000 };
enum { MANY = 1000 }; /* items; of more, less is tried in proportion */
enum { TOGETHER = 256, FEW = 4 }; /* items to a slice of time; slices */

/* Items placed, by offset: all, or those that live in a slice of time. */
typedef struct Slice {
    int *item;
    int n;
} Slice;

typedef struct Group {
    PackItem **item;
    int n;
    int *order;          /* indices */
    Arena *mem;
    Slice all, *slice;
    int nslice;
    int64_t begin, length; /* of all in time; of a slice */
    const PackItem **near; /* some of them */
    int64_t *best;       /* offsets of the lowest packing so far */
    int64_t height, bound;
    int64_t refuted;     /* no search for a lower height can succeed; the
                            bound too, unless sizes were rounded up for it */
    Search *search;      /* NULL: not needed yet */
} Group;

static int64_t round_up(int64_t v, int64_t align)
{
    return align > 1 ? (v + align - 1) / align * align : v;
}

static bool together(const PackItem *a, const PackItem *b)
{
    return a->lower < b->upper && b->lower < a->upper;
}

static int first_slice(const Group *g, const PackItem *p)
{
    return (int)((p->lower - g->begin) / g->length);
}

static int last_slice(const Group *g, const PackItem *p)
{
    return (int)((p->upper - 1 - g->begin) / g->length);
}

static int by_offset(const void *a, const void *b)
{
    const PackItem *p = *(const PackItem *const *)a;
    const PackItem *q = *(const PackItem *const *)b;

    return p->offset < q->offset ? -1 : p->offset > q->offset;
}

/* Adds those of a slice that live with `it`; what is in several slices comes
 * from the first, not before slice `from`, that it is in. */
static int add_near(Group *g, const Slice *s, const PackItem *it, int at,
                    int from, int n)
{
    int i;

    for (i = 0; i < s->n; i++) {
        const PackItem *p = g->item[s->item[i]];

        if (together(p, it) && MAX(from, first_slice(g, p)) == at)
            g->near[n++] = p;
    }
    return n;
}

/* Those placed that live with `it`, by offset, in g->near; how many. */
static int list_near(Group *g, const PackItem *it)
{
    int first = first_slice(g, it), last = last_slice(g, it), b, n = 0;

    if (last - first >= FEW) {
        for (b = 0; b < g->all.n; b++)
            if (together(g->item[g->all.item[b]], it))
                g->near[n++] = g->item[g->all.item[b]];
        return n;
    }
    for (b = first; b <= last; b++)
        n = add_near(g, &g->slice[b], it, b, first, n);
    if (first < last)
        qsort(g->near, (size_t)n, sizeof *g->near, by_offset);
    return n;
}

/* Where an item belongs in a slice: behind those that lie no higher. */
static int rank_of(const Group *g, const Slice *s, int64_t offset)
{
    int lo = 0, hi = s->n;

    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;

        if (g->item[s->item[mid]]->offset > offset)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static void put_sorted(Group *g, Slice *s, int i)
{
    int at = rank_of(g, s, g->item[i]->offset);

    GROW(g->mem, s->item, (size_t)s->n);
    memmove(s->item + at + 1, s->item + at,
            (size_t)(s->n++ - at) * sizeof *s->item);
    s->item[at] = i;
}

static void join(Group *g, int i)
{
    int b;

    put_sorted(g, &g->all, i);
    for (b = first_slice(g, g->item[i]); b <= last_slice(g, g->item[i]); b++)
        put_sorted(g, &g->slice[b], i);
}

/* The lowest place of item i that is free of all placed ones, which it joins
 * there. */
static int64_t place_low(Group *g, int i)
{
    PackItem *it = g->item[i];
    int64_t at = 0;
    int j, n = list_near(g, it);

    for (j = 0; j < n; j++) {
        const PackItem *p = g->near[j];

        if (at + it->size <= p->offset)
            break;
        at = MAX(at, round_up(p->offset + p->size, it->align));
    }
    it->offset = at;
    join(g, i);
    return at;
}

static void begin_slices(Group *g)
{
    int64_t end = g->item[0]->upper;
    int i;

    g->begin = g->item[0]->lower;
    for (i = 1; i < g->n; i++) {
        g->begin = MIN(g->begin, g->item[i]->lower);
        end = MAX(end, g->item[i]->upper);
    }
    g->nslice = g->n / TOGETHER + 1;
    g->length = (end - g->begin + g->nslice - 1) / g->nslice;
    g->slice = NEWN(g->mem, Slice, g->nslice);
    g->near = arena_get(g->mem, (size_t)g->n, sizeof *g->near);
}

/* Places all in g->order; keeps the result if it is the lowest so far.
 * Returns the index in the order of the item that ends highest. */
static int first_fit(Group *g)
{
    int64_t height = 0, end;
    int i, top = 0;

    g->all.n = 0;
    for (i = 0; i < g->nslice; i++)
        g->slice[i].n = 0;
    for (i = 0; i < g->n; i++) {
        int k = g->order[i];

        end = place_low(g, k) + g->item[k]->size;
        if (end > height) {
            height = end;
            top = i;
        }
    }
    if (height < g->height) {
        g->height = height;
        for (i = 0; i < g->n; i++)
            g->best[i] = g->item[i]->offset;
    }
    return top;
}

static int64_t by_size(const PackItem *p)
{
    return p->size;
}

static int64_t by_life(const PackItem *p)
{
    return p->upper - p->lower;
}

static int64_t by_area(const PackItem *p)
{
    int64_t area;

    return __builtin_mul_overflow(p->size, by_life(p), &area) ? INT64_MAX
                                                              : area;
}

static int64_t by_start(const PackItem *p)
{
    return -p->lower;
}

static int64_t by_end(const PackItem *p)
{
    return p->upper;
}

typedef int64_t Key_of(const PackItem *p);

typedef struct Rank {
    int64_t key, size;
    int item;
} Rank;

/* Largest key first, then largest size, then as given. */
static int by_rank(const void *a, const void *b)
{
    const Rank *p = a, *q = b;

    if (p->key != q->key)
        return p->key > q->key ? -1 : 1;
    if (p->size != q->size)
        return p->size > q->size ? -1 : 1;
    return p->item < q->item ? -1 : 1;
}

static void sort_order(Group *g, Key_of *key)
{
    Rank *r = NEWN(g->mem, Rank, g->n);
    int i;

    for (i = 0; i < g->n; i++)
        r[i] = (Rank){key(g->item[i]), g->item[i]->size, i};
    qsort(r, (size_t)g->n, sizeof *r, by_rank);
    for (i = 0; i < g->n; i++)
        g->order[i] = r[i].item;
}

static void to_front(Group *g, int at)
{
    int k = g->order[at];

    memmove(g->order + 1, g->order, (size_t)at * sizeof *g->order);
    g->order[0] = k;
}

static void pack_greedily(Group *g, int64_t enough, int repairs)
{
    static Key_of *const keys[] = {
        by_size, by_area, by_life, by_start, by_end,
    };
    size_t k;
    int i, top;

    for (k = 0; k < LEN(keys) && g->height > enough; k++) {
        sort_order(g, keys[k]);
        top = first_fit(g);
        for (i = 0; i < repairs && g->height > enough && top; i++) {
            to_front(g, top);
            top = first_fit(g);
        }
    }
}

static void keep_found(Group *g)
{
    int i;

    g->height = 0;
    for (i = 0; i < g->n; i++) {
        g->best[i] = g->item[i]->offset;
        g->height = MAX(g->height, g->best[i] + g->item[i]->size);
    }
}

/* Searches for one height; true: something was learnt. */
static bool try_height(Group *g, int64_t height, int64_t nodes)
{
    int64_t over = 0;

    switch (search_try(g->search, height, nodes, &over)) {
    case SEARCH_found:
        keep_found(g);
        return true;
    case SEARCH_none:
        g->refuted = MAX(g->refuted, over);
        if (search_exact(g->search))
            g->bound = MAX(g->bound, over);
        return true;
    case SEARCH_unknown:
        break;
    }
    return false;
}

/* The least height that is worth a search. */
static int64_t lowest(const Group *g, int64_t capacity)
{
    return MAX(MAX(g->bound, g->refuted), capacity);
}

/* Closes in on the lowest height from both sides: tries the bound, then
 * heights between it and the best that is known, all with a small budget, and
 * again with twice as much.  Which heights are found in few nodes is a matter
 * of luck; so many are tried. */
static void pack_exactly(Group *g, int64_t capacity, int64_t nodes)
{
    static const int sixteenths[] = {0, 8, 12, 14, 15, 10, 4, 13, 6, 2};
    int64_t end = search_nodes(g->search) + nodes, slice = 4 * (g->n + 512);
    size_t k = 0;

    while (g->height > lowest(g, capacity) &&
           search_nodes(g->search) < end) {
        int64_t low = lowest(g, capacity), left;
        int64_t at = low + (g->height - low) * sixteenths[k] / 16;

        left = end - search_nodes(g->search);
        if (low == capacity)
            at = low, slice = left;
        if (try_height(g, at, MIN(slice, left))) {
            k = 0;
        } else if (++k == LEN(sixteenths)) {
            k = 0;
            slice *= 2;
        }
    }
}

static int by_lower(const void *a, const void *b)
{
    const PackItem *p = *(PackItem *const *)a, *q = *(PackItem *const *)b;

    if (p->lower != q->lower)
        return p->lower < q->lower ? -1 : 1;
    return p < q ? -1 : p > q;
}

typedef struct Event {
    int64_t at, add;
} Event;

static int by_time(const void *a, const void *b)
{
    const Event *p = a, *q = b;

    if (p->at != q->at)
        return p->at < q->at ? -1 : 1;
    return p->add < q->add ? -1 : p->add > q->add; /* ends come first */
}

/* The largest sum of bytes that live at one time. */
static int64_t live_sum(Arena *mem, const Group *g)
{
    Event *e = NEWN(mem, Event, 2 * g->n);
    int64_t sum = 0, most = 0;
    int i;

    for (i = 0; i < g->n; i++) {
        const PackItem *p = g->item[i];

        e[2 * i] = (Event){p->lower, p->size};
        e[2 * i + 1] = (Event){p->upper, -p->size};
    }
    qsort(e, 2 * (size_t)g->n, sizeof *e, by_time);
    for (i = 0; i < 2 * g->n; i++) {
        sum += e[i].add;
        most = MAX(most, sum);
    }
    return most;
}

/* So much of what would be tried of few items. */
static int64_t fewer(const Group *g, int64_t tries)
{
    return tries * MANY / MAX(MANY, g->n);
}

/* Packs items that hang together in time; adds to what r says of all. */
static void pack_group(Arena *mem, PackItem **item, int n, int64_t capacity,
                       int64_t budget, PackResult *r)
{
    Group g = {.item = item, .n = n, .height = INT64_MAX, .mem = mem};
    int64_t enough;
    int i;

    g.order = NEWN(mem, int, n);
    g.best = NEWN(mem, int64_t, n);
    g.bound = live_sum(mem, &g);
    budget = fewer(&g, budget);
    begin_slices(&g);
    enough = MAX(g.bound, capacity);
    pack_greedily(&g, enough, 0);
    if (g.height > enough)
        g.search = search_new(mem, item, n);
    if (g.search)
        pack_exactly(&g, capacity, MIN(budget, 16 * (n + 512)));
    if (g.height > MAX(g.bound, capacity))
        pack_greedily(&g, MAX(g.bound, capacity),
                      (int)fewer(&g, REPAIRS));
    if (g.search) {
        pack_exactly(&g, capacity, budget - search_nodes(g.search));
        r->nodes += search_nodes(g.search);
    }
    for (i = 0; i < n; i++)
        item[i]->offset = g.best[i];
    r->height = MAX(r->height, g.height);
    r->bound = MAX(r->bound, g.bound);
}

/* What takes no bytes or no time may lie anywhere. */
static int keep_real(PackItem *item, int n, PackItem **real)
{
    int i, m = 0;

    for (i = 0; i < n; i++) {
        item[i].offset = 0;
        if (item[i].size > 0 && item[i].upper > item[i].lower)
            real[m++] = &item[i];
    }
    return m;
}

PackResult pack(Arena *mem, PackItem *item, int n, int64_t capacity,
                int64_t budget)
{
    PackResult r = {0};
    PackItem **real = NEWN(mem, PackItem *, n + 1);
    int64_t end;
    int i, first = 0, m = keep_real(item, n, real);

    qsort(real, (size_t)m, sizeof *real, by_lower);
    end = m ? real[0]->upper : 0;
    for (i = 1; i <= m; i++) {
        if (i < m && real[i]->lower < end) {
            end = MAX(end, real[i]->upper);
            continue;
        }
        pack_group(mem, real + first, i - first, capacity,
                   budget ? budget : BUDGET, &r);
        first = i;
        end = i < m ? real[i]->upper : 0;
    }
    r.optimal = r.height == r.bound;
    return r;
}
