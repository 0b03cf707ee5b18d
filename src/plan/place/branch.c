/* The search of exact.c: branches, bounds, and states that failed before. */
#include "plan/place/branch.h"

#include <stdlib.h>
#include <string.h>

typedef struct Choices {
    int k;        /* section */
    int p, q;     /* its valley */
    int64_t cost;
    int32_t gap;  /* where the floor comes to with a gap */
} Choices;

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

static bool solve(Search *s, int l, int r);

bool exact_solve(Search *s, int l, int r)
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
        found = exact_solve(s, l, r);
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
