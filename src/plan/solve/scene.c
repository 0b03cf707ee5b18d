/* What lives at the layers that are solved: between them (cross), and at those
 * that are computed together (scene). */
#include "plan/solve/scene.h"

#include <stdlib.h>
#include <string.h>

typedef struct Heavy {
    int alloc;
    double area;        /* bytes times layers */
} Heavy;

void solve_sort_allocs(Solver *s)
{
    const Tiler *t = s->t;
    int i, n = t->q->nlayer + 3, *at = NEWN(s->mem, int, n + 1);

    s->order = NEWN(s->mem, int, t->q->s->nalloc + 1);
    s->begin = at + 1;
    for (i = 0; i < t->q->s->nalloc; i++)
        s->begin[t->q->first[i]]++;
    for (i = 1; i <= n; i++)
        at[i] += at[i - 1];
    for (i = t->q->s->nalloc - 1; i >= 0; i--)
        s->order[--s->begin[t->q->first[i]]] = i;
}

static void list_spilled(Solver *s, int alloc, int from, int to)
{
    int k;

    for (k = from; k <= to; k++) {
        GROW(s->mem, s->spilled[k], (size_t)s->nspilled[k]);
        s->spilled[k][s->nspilled[k]++] = alloc;
    }
}

void solve_count_l2(Solver *s)
{
    const Tiler *t = s->t;
    int i, n = t->q->nlayer + 1;

    s->in_l2 = NEWN(s->mem, int64_t, n);
    s->fresh = NEWN(s->mem, int64_t, n);
    s->spilled = NEWN(s->mem, int *, n);
    s->nspilled = NEWN(s->mem, int, n);
    for (i = 0; i < t->q->s->nalloc; i++) {
        int from = MAX(0, t->q->first[i]);
        int to = MIN(t->q->last[i], t->q->nlayer - 1);
        int64_t size = t->q->s->alloc[i].size;

        if (s->level[i] != IN_L2 || from > to)
            continue;
        if (t->opt.spilled.of[i]) {
            list_spilled(s, i, from, to);
            continue;
        }
        s->fresh[from] += size;
        s->in_l2[from] += size;
        s->in_l2[to + 1] -= size;
    }
    for (i = 1; i < n; i++)
        s->in_l2[i] += s->in_l2[i - 1];
}

/* From the n allocations of the boundary before, those of this one. */
static int next_cross(const Solver *s, int layer, int *list, int n)
{
    int i, k = 0;

    for (i = s->begin[layer - 1]; i < s->begin[layer]; i++)
        list[n++] = s->order[i];
    for (i = 0; i < n; i++)
        if (s->level[list[i]] == EITHER && s->t->q->last[list[i]] >= layer)
            list[k++] = list[i];
    return k;
}

static int by_area(const void *a, const void *b)
{
    const Heavy *x = a, *y = b;

    if (x->area != y->area)
        return x->area < y->area ? 1 : -1;
    return x->alloc - y->alloc;
}

/* Layers that use each allocation. */
static int *count_uses(const Solver *s)
{
    const Tiler *t = s->t;
    int *uses = NEWN(s->mem, int, t->q->s->nalloc + 1), i, k;

    for (i = 0; i < t->q->nlayer; i++)
        for (k = 0; k < t->layer[i].nalloc; k++)
            uses[t->layer[i].alloc[k]]++;
    return uses;
}

/* Of the allocations that cross a boundary where too many do, those go that
 * take the most room for the longest, for each use. */
static void force_heavy(Solver *s, const int *list, int n, int most,
                        const int *uses, Heavy *heavy)
{
    const Tiler *t = s->t;
    int i;

    for (i = 0; i < n; i++)
        heavy[i] = (Heavy){list[i], s->near[list[i]] ? 0 :
                                    (double)t->q->s->alloc[list[i]].size *
                                    (t->q->last[list[i]] -
                                     t->q->first[list[i]] + 1) /
                                    MAX(1, uses[list[i]])};
    qsort(heavy, (size_t)n, sizeof *heavy, by_area);
    for (i = 0; i < n - most; i++)
        s->level[heavy[i].alloc] = s->relaxed ? ANY : IN_L2;
    s->exact = false;
    s->crowded = true;
}

/* States live all the time; too many for all combinations are in L1 as far as
 * there is room for them. */
static void force_states(Solver *s)
{
    const Allocs *v = s->t->q->s;
    int64_t room = s->relaxed ? 0 : s->t->opt.states;
    int i;

    for (i = 0; i < v->nalloc; i++)
        if (v->alloc[i].state && s->level[i] == EITHER &&
            s->always + v->alloc[i].size <= room) {
            s->level[i] = IN_L1;
            s->always += v->alloc[i].size;
            s->exact = false;
        }
}

/* How many of the n allocations that cross a boundary may be in either level:
 * the time to solve doubles with each, and of thousands few are. */
static int most_free(const Tiler *t, int n)
{
    if (t->opt.effort > 1)
        return MOST_FREE;
    if (n >= MANY_LAYERS)
        return LEAST_FREE;
    return t->opt.crowded ? MORE_FREE : FEW_FREE;
}

/* What links read and write while cores work has to lie in L1. */
static void find_near(Solver *s)
{
    const Tiler *t = s->t;
    int i, k;

    s->near = NEWN(s->mem, bool, t->q->s->nalloc + 1);
    for (i = 0; i < t->q->nlayer; i++)
        for (k = 0; k < t->layer[i].nalloc; k++)
            s->near[t->layer[i].alloc[k]] |=
                exchange_begins(t->layer[i].node->op);
}

bool solve_allows(const Solver *s, const Scene *c)
{
    int i;

    for (i = 0; i < c->nborn; i++)
        if (s->near[c->born[i]] && c->in_l2 >> i & 1)
            return false;
    return true;
}

void solve_force_levels(Solver *s)
{
    const Allocs *v = s->t->q->s;
    int i, most, n = 0;
    int *list = NEWN(s->mem, int, v->nalloc + 1);
    Heavy *heavy = NEWN(s->mem, Heavy, v->nalloc + 1);
    int *uses = count_uses(s);

    find_near(s);
    s->level = NEWN(s->mem, unsigned char, v->nalloc + 1);
    for (i = 0; i < v->nalloc; i++)
        s->level[i] = v->alloc[i].size > s->t->a.room || s->t->q->last[i] < 0 ||
                             (s->t->opt.spilled.of[i] &&
                              !s->t->opt.spill_optional)
                         ? IN_L2 : EITHER;
    force_states(s);
    for (i = 0; i <= s->t->q->nlayer; i++) {
        n = next_cross(s, i, list, n);
        most = most_free(s->t, n);
        if (n > most)
            force_heavy(s, list, n, most, uses, heavy);
    }
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void solve_make_cross(Solver *s)
{
    int *list = NEWN(s->mem, int, s->t->q->s->nalloc + 1), i, n = 0;

    s->cross = NEWN(s->mem, Cross, s->t->q->nlayer + 1);
    for (i = 0; i <= s->t->q->nlayer; i++) {
        Cross *x = &s->cross[i];

        x->n = n = next_cross(s, i, list, n);
        qsort(list, (size_t)n, sizeof *list, by_number);
        memcpy(x->alloc, list, (size_t)n * sizeof *list);
        x->state = NEWN(s->mem, State, 1 << n);
    }
}

bool solve_is_in_l2(const Solver *s, const Scene *c, int alloc)
{
    const Cross *x = &s->cross[MAX(c->layer, 0)];
    int i;

    if (s->level[alloc] < EITHER)
        return s->level[alloc] == IN_L2;
    for (i = 0; i < x->n; i++)
        if (x->alloc[i] == alloc)
            return c->came >> i & 1;
    for (i = 0; i < c->nborn; i++)
        if (c->born[i] == alloc)
            return c->in_l2 >> i & 1;
    die("an allocation without a level");
}

static void add_live(const Solver *s, const Scene *c, int alloc, bool in_l2,
                     int64_t live[2])
{
    if (!in_l2 || !s->t->opt.spilled.of[alloc] ||
        spill_is_here(s->t, alloc, c->layer, c->n))
        live[in_l2] += s->t->q->s->alloc[alloc].size;
}

static void add_born(int alloc, Scene *c)
{
    int i;

    for (i = 0; i < c->nborn && c->born[i] != alloc; i++)
        ;
    if (i == c->nborn && i < (int)LEN(c->born))
        c->born[c->nborn++] = alloc;
}

/* Of the allocations without a level for life those that the scene uses, which
 * live when it begins. */
static void list_loose(const Solver *s, Scene *c)
{
    int k, i;

    for (k = c->layer; k < c->layer + c->n && s->relaxed; k++)
        for (i = 0; i < s->t->layer[k].nalloc; i++) {
            int alloc = s->t->layer[k].alloc[i];

            if (s->level[alloc] == ANY && s->t->q->first[alloc] <= c->layer &&
                s->t->q->last[alloc] >= c->layer &&
                !fused_within(s->t, alloc, c->layer, c->n))
                add_born(alloc, c);
        }
}

static bool scene_uses(const Solver *s, const Scene *c, int alloc)
{
    int k;

    for (k = 0; k < c->n; k++)
        if (layer_uses(&s->t->layer[c->layer + k], alloc))
            return true;
    return false;
}

/* Allocations that live from layer k on. */
static void list_born(const Solver *s, int k, Scene *c)
{
    int i;

    for (i = s->begin[k]; i < s->begin[k + 1]; i++) {
        int alloc = s->order[i], level = s->level[alloc];

        if (fused_within(s->t, alloc, c->layer, c->n)) {
            if (level == IN_L2 && !s->t->opt.spilled.of[alloc])
                c->live[1] -= s->t->q->s->alloc[alloc].size;
        } else if (level == EITHER ||
                   (level == ANY && scene_uses(s, c, alloc))) {
            add_born(alloc, c);
        }
    }
}

static void add_spilled(const Solver *s, int k, Scene *c)
{
    int i;

    for (i = 0; i < s->nspilled[k]; i++) {
        int alloc = s->spilled[k][i];

        if ((k == c->layer || s->t->q->first[alloc] == k) &&
            !fused_within(s->t, alloc, c->layer, c->n))
            add_live(s, c, alloc, true, c->live);
    }
}

Scene solve_new_scene(const Solver *s, int layer, unsigned came, int n)
{
    Scene c = {.layer = layer, .n = n, .came = came};
    const Cross *x = &s->cross[layer];
    int i, k;

    c.live[0] = s->always;
    c.live[1] = s->in_l2[layer];
    for (i = 0; i < x->n; i++)
        add_live(s, &c, x->alloc[i], came >> i & 1, c.live);
    list_loose(s, &c);
    for (k = layer; k < layer + n; k++) {
        int old = k > layer ? c.nborn : 0;

        c.live[1] += k > layer ? s->fresh[k] : 0;
        add_spilled(s, k, &c);
        list_born(s, k, &c);
        if (c.nborn > old + 1)
            qsort(c.born + old, (size_t)(c.nborn - old), sizeof *c.born,
                  by_number);
    }
    return c;
}

void solve_count_live(const Solver *s, const Scene *c, int64_t live[2])
{
    int i;

    memcpy(live, c->live, sizeof c->live);
    for (i = 0; i < c->nborn; i++)
        if (s->level[c->born[i]] != ANY)
            add_live(s, c, c->born[i], c->in_l2 >> i & 1, live);
}
