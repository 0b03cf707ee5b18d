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
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { FAR = INT32_MAX / 2 };

/* Ways to search, tried in turn: which section is decided first, and which
 * of the buffers that can lie there is tried first.  No way is good at all
 * instances; each finds in few nodes, or not at all, what others do not. */
enum { FEWEST, FEWEST_TIGHT, TIGHTEST, NARROWEST, FEW_TIGHT };
enum { LARGE, LONG, HIGH, FIRST, SMALL };

typedef struct Cand {
    int section, buffer;
} Cand;

static const Cand cands[] = {
    {FEWEST_TIGHT, HIGH}, {FEWEST_TIGHT, LARGE}, {FEW_TIGHT, LONG},
    {TIGHTEST, LONG}, {FEWEST, LONG}, {NARROWEST, LONG},
    {FEWEST_TIGHT, FIRST}, {TIGHTEST, FIRST}, {FEW_TIGHT, HIGH},
    {FEWEST, SMALL},
};

typedef struct Hash {
    uint64_t a, b;
} Hash;

typedef struct Was {
    int32_t *at, v;
} Was;

struct Search {
    Arena *mem;
    PackItem **item;   /* sorted by start */
    int n, m;          /* buffers, by first section; sections */
    int32_t *size;
    int *a, *b;        /* sections [a, b) */
    int *twin;         /* the one before of the same life and size, or -1 */
    int *first;        /* by section: first buffer that begins there */
    int *rank;         /* by buffer: in the order of this round */
    int32_t cap;
    int32_t *at;       /* by buffer: its offset; -1: not placed */
    /* by section: floor, top of what lies there, bytes still to come, and how
     * many buffers still to come span it and the next */
    int32_t *floor, *top, *rest;
    int32_t *span;
    int32_t *low;      /* by buffer: the highest floor under it */
    int *flat;         /* by section: how many could lie on its floor */
    int *run, *begin;  /* by section: its run of one floor; where that begins */
    int nrun;
    int *solid;        /* by section: how many before it have no gap on top */
    int *trail, ntrail;  /* buffers in order of placement */
    Was *was;          /* what was changed, to come back to */
    size_t nwas, room;
    int *list;         /* choices of states under way */
    size_t nlist, listroom;
    Hash *infeasible;
    int ninfeasible, nslot;
    int32_t over;      /* least height beyond cap that was cut off */
    int64_t nodes, stop;
    int64_t unit;      /* all sizes are multiples: bytes */
    bool rounded;      /* sizes were rounded up, for alignment */
    int32_t *rest0;    /* before anything is placed */
    int32_t *span0;
    int round;
    const Cand *cand;
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static Hash hash_state(const Search *s, int l, int r)
{
    Hash h = {mix((uint64_t)l), (uint64_t)r};
    int i;

    for (i = l; i < r; i++) {
        uint64_t x = (uint64_t)(uint32_t)s->floor[i] << 32 |
                     (uint32_t)s->top[i];

        if (i > l && s->floor[i] == s->floor[i - 1] &&
            s->top[i] == s->top[i - 1])
            continue;
        x = mix(x + (uint64_t)i * 0x9e3779b97f4a7c15u);
        h.a += x;
        h.b += mix(x ^ 0x5851f42d4c957f2du);
    }
    for (i = s->first[l]; i < s->first[r]; i++)
        if (s->at[i] < 0) {
            uint64_t x = mix((uint64_t)i * 0x2545f4914f6cdd1du + 1);

            h.a += x;
            h.b += mix(x ^ 0x14057b7ef767814fu);
        }
    h.a |= 1; /* never all zero */
    return h;
}

static Hash *find_slot(Hash *table, int nslot, Hash h)
{
    size_t i = (size_t)h.b & (size_t)(nslot - 1);

    while (table[i].a && (table[i].a != h.a || table[i].b != h.b))
        i = (i + 1) & (size_t)(nslot - 1);
    return &table[i];
}

static bool has_failed(const Search *s, Hash h)
{
    return s->nslot && find_slot(s->infeasible, s->nslot, h)->a;
}

static void note_infeasible(Search *s, Hash h)
{
    int i, nslot = MAX(1024, 2 * s->nslot);

    if (2 * s->ninfeasible >= s->nslot) {
        Hash *table = NEWN(s->mem, Hash, nslot);

        for (i = 0; i < s->nslot; i++)
            if (s->infeasible[i].a)
                *find_slot(table, nslot, s->infeasible[i]) = s->infeasible[i];
        s->infeasible = table;
        s->nslot = nslot;
    }
    *find_slot(s->infeasible, s->nslot, h) = h;
    s->ninfeasible++;
}

/* ---- one state ---- */

/* Cuts sections [l, r) into runs of one floor. */
static void find_runs(Search *s, int l, int r)
{
    int k;

    s->nrun = 0;
    for (k = l; k < r; k++) {
        if (k == l || s->floor[k] != s->floor[k - 1])
            s->begin[s->nrun++] = k;
        s->run[k] = s->nrun - 1;
        s->solid[k + 1] = (k == l ? 0 : s->solid[k]) +
                          (s->top[k] == s->floor[k]);
    }
    s->begin[s->nrun] = r;
    s->solid[l] = 0;
}

/* Does buffer i fit into gaps that were left below it? */
static bool fits_below(const Search *s, int i)
{
    int32_t top = 0, deep = FAR;
    int k;

    if (s->solid[s->b[i]] != s->solid[s->a[i]])
        return false;
    for (k = s->a[i]; k < s->b[i]; k++) {
        top = MAX(top, s->top[k]);
        deep = MIN(deep, s->floor[k]);
    }
    return top + s->size[i] <= deep;
}

/* Counts buffer i, or takes it off, where it could lie on the floor. */
static void count_flat(Search *s, int i)
{
    int p = s->run[s->a[i]], q = s->run[s->b[i] - 1], t;
    int32_t high = 0;

    for (t = p; t <= q; t++)
        high = MAX(high, s->floor[s->begin[t]]);
    s->low[i] = high;
    if (s->twin[i] >= 0 && s->at[s->twin[i]] < 0)
        return;
    for (t = p; t <= q; t++)
        if (s->floor[s->begin[t]] == high) {
            s->flat[MAX(s->a[i], s->begin[t])]++;
            s->flat[MIN(s->b[i], s->begin[t + 1])]--;
        }
}

/* Where buffers of sections [l, r) could lie now.  false: one fits into gaps
 * below. */
static bool look(Search *s, int l, int r)
{
    int i, k;

    find_runs(s, l, r);
    memset(s->flat + l, 0, (size_t)(r - l + 1) * sizeof *s->flat);
    for (i = s->first[l]; i < s->first[r]; i++) {
        if (s->at[i] >= 0)
            continue;
        if (fits_below(s, i))
            return false;
        count_flat(s, i);
    }
    for (k = l + 1; k < r; k++)
        s->flat[k] += s->flat[k - 1];
    return true;
}

/* The next place above the floor of section k where a buffer could lie. */
static int32_t next_above(const Search *s, int l, int k)
{
    int32_t to = FAR;
    int i;

    for (i = s->first[l]; i < s->first[k + 1]; i++)
        if (s->at[i] < 0 && s->b[i] > k && s->low[i] > s->floor[k])
            to = MIN(to, s->low[i]);
    return to;
}

static bool cut_off(Search *s, int k, int32_t floor)
{
    if (floor + s->rest[k] <= s->cap)
        return false;
    s->over = MIN(s->over, floor + s->rest[k]);
    return true;
}

static void more_room(Search *s)
{
    size_t room = MAX(1024, 2 * s->room);
    Was *was = NEWN(s->mem, Was, room);

    if (s->nwas)
        memcpy(was, s->was, s->nwas * sizeof *was);
    s->was = was;
    s->room = room;
}

static void set(Search *s, int32_t *at, int32_t v)
{
    if (s->nwas == s->room)
        more_room(s);
    s->was[s->nwas++] = (Was){at, *at};
    *at = v;
}

/* Raises floors on which nothing can lie, until none is left. */
static bool settle(Search *s, int l, int r)
{
    bool again = true;
    int32_t to;
    int k;

    while (again) {
        again = false;
        if (!look(s, l, r))
            return false;
        for (k = l; k < r; k++) {
            if (s->flat[k])
                continue;
            to = next_above(s, l, k);
            if (cut_off(s, k, to))
                return false;
            set(s, &s->floor[k], to);
            again = true;
        }
    }
    return true;
}

/* The next place above the floor of section k, in valley [p, q), if nothing
 * lies flat on it: on something beside it, or where others could come to. */
static int32_t gap_to(const Search *s, int l, int r, int p, int q, int k)
{
    int32_t to = next_above(s, l, k);
    int i;

    for (i = s->first[l]; i < s->first[r]; i++)
        if (s->at[i] < 0 && s->a[i] < q && p < s->b[i] &&
            !(s->a[i] <= k && k < s->b[i]))
            to = MIN(to, s->low[i] + s->size[i]);
    return to;
}

typedef struct Choices {
    int k;        /* section */
    int p, q;     /* its valley */
    int64_t cost;
    int32_t gap;  /* where the floor comes to with a gap */
} Choices;

/* How soon section k of valley [p, q) should be decided: by the number of its
 * choices, the gap counting half, or by what it can lose. */
static int64_t cost_of(const Search *s, int p, int q, int k)
{
    int64_t slack = s->cap - s->floor[k] - s->rest[k];
    int64_t n = 2 * s->flat[k] + (slack > 0);

    switch (s->cand->section) {
    case FEWEST: return n;
    case FEWEST_TIGHT: return (n << 32) + slack;
    case TIGHTEST: return (slack << 16) + n;
    case NARROWEST: return ((int64_t)(q - p) << 32) + n;
    case FEW_TIGHT: return (MIN(n, 5) << 32) + slack;
    }
    return 0;
}

/* The section in a valley that is decided first. */
static Choices decide(const Search *s, int l, int r)
{
    Choices best = {.cost = INT64_MAX};
    int t, k;

    for (t = 0; t < s->nrun; t++) {
        int p = s->begin[t], q = s->begin[t + 1];

        if ((p > l && s->floor[p - 1] < s->floor[p]) ||
            (q < r && s->floor[q] < s->floor[p]))
            continue;
        for (k = p; k < q; k++) {
            int64_t cost = cost_of(s, p, q, k);

            if (cost < best.cost)
                best = (Choices){.k = k, .p = p, .q = q, .cost = cost};
        }
    }
    best.gap = gap_to(s, l, r, best.p, best.q, best.k);
    return best;
}

static void place(Search *s, int i, int32_t at)
{
    int k;

    s->at[i] = at;
    s->trail[s->ntrail++] = i;
    for (k = s->a[i]; k < s->b[i]; k++) {
        set(s, &s->floor[k], at + s->size[i]);
        set(s, &s->top[k], at + s->size[i]);
        set(s, &s->rest[k], s->rest[k] - s->size[i]);
        if (k + 1 < s->b[i])
            set(s, &s->span[k], s->span[k] - 1);
    }
}

/* ---- going back ---- */

/* As when `nwas` changes were made and `ntrail` buffers placed. */
static void restore(Search *s, size_t nwas, int ntrail)
{
    while (s->nwas > nwas) {
        const Was *w = &s->was[--s->nwas];

        *w->at = w->v;
    }
    while (s->ntrail > ntrail)
        s->at[s->trail[--s->ntrail]] = -1;
}

/* ---- search ---- */

static bool solve(Search *s, int l, int r);

/* Solves the parts of [l, r) that still hang together, each alone. */
static bool solve_parts(Search *s, int l, int r)
{
    int p, q;

    for (p = l; p < r; p = q) {
        for (q = p + 1; q < r && s->span[q - 1]; q++)
            ;
        if (s->rest[p] && !solve(s, p, q))
            return false;
    }
    return true;
}

/* Adds the buffers that can lie on section k, by rank; their number. */
static int list_flat(Search *s, int k, int l, int r)
{
    int i, j, n = 0, *list;

    if (s->nlist + (size_t)s->flat[k] > s->listroom) {
        int *v;

        s->listroom = 2 * (s->nlist + (size_t)s->flat[k]);
        v = NEWN(s->mem, int, s->listroom);
        if (s->nlist)
            memcpy(v, s->list, s->nlist * sizeof *v);
        s->list = v;
    }
    list = s->list + s->nlist;

    for (i = s->first[l]; i < s->first[r] && s->a[i] <= k; i++) {
        if (s->at[i] >= 0 || s->b[i] <= k || s->low[i] != s->floor[k] ||
            (s->twin[i] >= 0 && s->at[s->twin[i]] < 0))
            continue;
        for (j = n++; j && s->rank[list[j - 1]] > s->rank[i]; j--)
            list[j] = list[j - 1];
        list[j] = i;
    }
    s->nlist += (size_t)n;
    return n;
}

static bool branch(Search *s, int l, int r, Choices c)
{
    size_t at = s->nwas, nlist = s->nlist;
    int32_t low = s->floor[c.k];
    int ntrail = s->ntrail, n, i;
    bool found = false;

    n = list_flat(s, c.k, c.p, c.q);
    for (i = 0; i < n && !found && s->nodes < s->stop; i++) {
        place(s, s->list[nlist + (size_t)i], low);
        found = solve_parts(s, l, r);
        if (!found)
            restore(s, at, ntrail);
    }
    if (!found && s->nodes < s->stop && !cut_off(s, c.k, c.gap)) {
        set(s, &s->floor[c.k], c.gap);
        found = solve(s, l, r);
        if (!found)
            restore(s, at, ntrail);
    }
    s->nlist = nlist;
    return found;
}

/* Places all of sections [l, r), which hang together.  On failure the state
 * may be changed: who has a choice left restores it. */
static bool solve(Search *s, int l, int r)
{
    Hash h;

    if (s->nodes++ >= s->stop || !settle(s, l, r))
        return false;
    h = hash_state(s, l, r);
    if (has_failed(s, h))
        return false;
    if (branch(s, l, r, decide(s, l, r)))
        return true;
    if (s->nodes < s->stop)
        note_infeasible(s, h);
    return false;
}

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
        found = solve_parts(s, 0, s->m);
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
