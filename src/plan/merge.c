/* Results that follow their operands: where a layer goes through a value tile
 * by tile, what it writes may take the place of what it has read, a little
 * behind.  Both are then one buffer, for as long as either lives; so a chain
 * of layers is merged as a whole or not at all, whichever asks for less. */
#include "plan/tiling.h"

#include <limits.h>

/* A store, or several that are one buffer. */
typedef struct Group {
    int64_t lo, hi;     /* extent, by the distances of its stores */
    int first, last;    /* works between which it lives */
} Group;

typedef struct Merger {
    Tiler *t;
    const Solution *sol;
    const int64_t *room;
    int *group;         /* by store; -1: not in the next memory */
    int64_t *off;       /* by store: its distance within the group */
    Group *v;
    bool *done;         /* by work: merged */
} Merger;

static void add_life(Group *g, int from, int to)
{
    g->first = MIN(g->first, from);
    g->last = MAX(g->last, to);
}

static void make_groups(Merger *m)
{
    const Stores *s = m->t->s;
    int i, k;

    for (i = 0; i < s->nstore; i++) {
        const Store *v = &s->store[i];

        m->group[i] = -1;
        if (!v->size || v->konst || !m->sol->far[i])
            continue;
        m->group[i] = i;
        m->v[i] = (Group){0, v->size, INT_MAX, -1};
        for (k = 0; k < m->t->nwork; k++)
            if (m->t->work[k].pos >= v->from && m->t->work[k].pos <= v->to)
                add_life(&m->v[i], k, k);
    }
}

/* Bytes that are too many, over all works. */
static int64_t excess(const Merger *m)
{
    int64_t sum = 0, live;
    int i, k;

    for (k = 0; k < m->t->nwork; k++) {
        live = m->sol->way[k]->outer_bytes;
        for (i = 0; i < m->t->s->nstore; i++)
            if (m->group[i] == i && m->v[i].first <= k && k <= m->v[i].last)
                live += m->v[i].hi - m->v[i].lo;
        sum += MAX(0, live - m->room[k]);
    }
    return sum;
}

static void join_groups(Merger *m, int to, int from, int64_t by)
{
    Group *a = &m->v[to], *b = &m->v[from];
    int i;

    a->lo = MIN(a->lo, b->lo + by);
    a->hi = MAX(a->hi, b->hi + by);
    add_life(a, b->first, b->last);
    for (i = 0; i < m->t->s->nstore; i++)
        if (m->group[i] == from) {
            m->group[i] = to;
            m->off[i] += by;
        }
}

/* The stores of work k that may be merged; false: none. */
static bool find_pair(const Merger *m, int k, int *x, int *y, int64_t *by)
{
    const Work *w = &m->t->work[k];
    const Way *way = m->sol->way[k];

    if (m->done[k] || way->saves <= 0)
        return false;
    *x = w->oper[way->over].store;
    *y = w->oper[w->noper - 1].store;
    *by = m->off[*x] - way->lag - m->off[*y];
    return m->group[*x] >= 0 && m->group[*y] >= 0 &&
           m->group[*x] != m->group[*y];
}


static void copy_state(const Merger *m, Merger *to)
{
    int i;

    to->t = m->t;
    to->sol = m->sol;
    to->room = m->room;
    for (i = 0; i < m->t->s->nstore; i++) {
        to->group[i] = m->group[i];
        to->off[i] = m->off[i];
        to->v[i] = m->v[i];
    }
    for (i = 0; i < m->t->nwork; i++)
        to->done[i] = m->done[i];
}

static Merger *new_merger(Tiler *t, const Solution *sol, const int64_t *room)
{
    Merger *m = NEW(t->mem, Merger);
    int n = t->s->nstore + 1;

    *m = (Merger){t, sol, room, NEWN(t->mem, int, n),
                  NEWN(t->mem, int64_t, n), NEWN(t->mem, Group, n),
                  NEWN(t->mem, bool, t->nwork + 1)};
    return m;
}

static bool merge_at(Merger *m, int k)
{
    int64_t by;
    int x, y;

    if (!find_pair(m, k, &x, &y, &by))
        return false;
    join_groups(m, m->group[x], m->group[y], by);
    m->done[k] = true;
    return true;
}

/* From work k on: it alone, then with as many neighbours as make it better. */
static int64_t try_chain(Merger *m, Merger *trial, Merger *best, int k)
{
    int64_t least = INT64_MAX, now;
    int i, step;

    copy_state(m, trial);
    if (!merge_at(trial, k))
        return least;
    least = excess(trial);
    copy_state(trial, best);
    for (step = -1; step <= 1; step += 2)
        for (i = k + step; i >= 0 && i < m->t->nwork; i += step) {
            if (!merge_at(trial, i))
                break;
            now = excess(trial);
            if (now < least) {
                least = now;
                copy_state(trial, best);
            }
        }
    return least;
}

/* Operands of work k that end there, outside of inputs. */
static unsigned dying(const Merger *m, int k)
{
    const Work *w = &m->t->work[k];
    unsigned set = 0;
    int o;

    for (o = 0; o < w->noper; o++) {
        const Oper *x = &w->oper[o];

        if (x->val && !x->konst && !x->out && m->group[x->store] >= 0 &&
            m->v[x->store].last == k && !m->t->s->store[x->store].in)
            set |= 1u << o;
    }
    return set;
}

static void find_lags(Merger *m)
{
    int k;

    for (k = 0; k < m->t->nwork; k++)
        tiler_lag(m->t, &m->t->work[k], m->sol->way[k], dying(m, k));
}

static void choose_merges(Merger *m)
{
    Merger *trial = new_merger(m->t, m->sol, m->room);
    Merger *chain = new_merger(m->t, m->sol, m->room);
    Merger *best = new_merger(m->t, m->sol, m->room);
    int64_t now = excess(m), least, got;
    int k;

    if (now > 0)
        find_lags(m);
    while (now > 0) {
        least = now;
        for (k = 0; k < m->t->nwork; k++) {
            got = try_chain(m, trial, chain, k);
            if (got < least) {
                least = got;
                copy_state(chain, best);
            }
        }
        if (least >= now)
            return;
        copy_state(best, m);
        now = least;
    }
}

/* The values of all stores of a group move into the buffer of its first. */
static void move_values(Merger *m, int *buf)
{
    Plan *p = m->t->p;
    const Val *v;
    int i;

    for (v = m->t->s->g->vals; v; v = v->next) {
        int store = m->t->s->place[v->id].buf, g;

        if (p->place[v->id].buf < 0 || m->group[store] < 0)
            continue;
        g = m->group[store];
        p->place[v->id].buf = buf[g];
        p->place[v->id].off += m->off[store] - m->v[g].lo;
    }
    for (i = 0; i < m->t->s->nstore; i++) {
        Buf *b = buf[i] >= 0 ? &p->buf[buf[i]] : NULL;
        int g = m->group[i];

        if (!b || g < 0 || g == i)
            continue;
        if (b->kind != BUF_temp)
            p->buf[buf[g]].kind = b->kind;
        b->size = 0;
    }
    for (i = 0; i < m->t->s->nstore; i++)
        if (buf[i] >= 0 && m->group[i] == i) {
            p->buf[buf[i]].size = m->v[i].hi - m->v[i].lo;
            p->buf[buf[i]].align = MAX(p->buf[buf[i]].align, 8);
        }
}

int64_t merge_stores(Tiler *t, const Solution *sol, int *buf, const int64_t *room)
{
    Merger *m = new_merger(t, sol, room);

    make_groups(m);
    choose_merges(m);
    move_values(m, buf);
    return excess(m);
}
