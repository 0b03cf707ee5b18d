/* Results that overlap their operands: where a layer goes through a value tile
 * by tile, what it writes may take the place of what it has read, a little
 * behind.  The two buffers then keep a distance, and may overlap; a run of
 * layers makes a group of such buffers, which is placed as one. */
#include "plan/place/overlap.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

#include <stdlib.h>
#include <string.h>

/* An allocation in L2. */
typedef struct Member {
    int group;          /* the allocation that leads it; -1: not in the memory
                           */
    int64_t off;        /* bytes from there */
    int writer;         /* the allocation that writes behind what is read here;
                           -1: none */
} Member;

typedef struct Overlapper {
    Tiler *t;
    const Solution *sol;
    const int64_t *room;
    Member *v;          /* by allocation */
    int *list, n;       /* the allocations in L2 */
    bool *done;         /* by layer: overlapped */
    int64_t *lo, *hi;   /* by leader, while it is measured */
} Overlapper;

static void find_members(Overlapper *m)
{
    const Allocs *s = m->t->q->s;
    int i;

    for (i = 0; i < s->nalloc; i++) {
        m->v[i] = (Member){-1, 0, -1};
        if (s->alloc[i].size && !s->alloc[i].konst && m->sol->in_l2[i] &&
            !m->t->opt.spilled.of[i]) {
            m->v[i].group = i;
            m->list[m->n++] = i;
        }
    }
}

static void widen(Overlapper *m, int alloc)
{
    const Member *v = &m->v[alloc];

    m->lo[v->group] = MIN(m->lo[v->group], v->off);
    m->hi[v->group] = MAX(m->hi[v->group],
                          v->off + m->t->q->s->alloc[alloc].size);
}

/* Bytes that are too many of those from the first to the last of each group;
 * layer k: of what lives there; -1: of each group alone. */
static int64_t too_many(Overlapper *m, int k, int64_t room)
{
    int64_t live = 0, sum = 0;
    int lo = k < 0 ? k : k - m->sol->cand[k]->before;
    int hi = k < 0 ? k : k + m->sol->cand[k]->after, j;

    if (k >= 0)
        live = m->sol->cand[k]->l2_bytes +
               spill_resident(m->t, m->sol->within, lo, hi - lo + 1);
    for (j = 0; j < m->n; j++) {
        m->lo[m->list[j]] = INT64_MAX;
        m->hi[m->list[j]] = INT64_MIN;
    }
    for (j = 0; j < m->n; j++) {
        int i = m->list[j];

        if (k < 0 || (m->t->q->first[i] <= hi && lo <= m->t->q->last[i]))
            widen(m, i);
    }
    for (j = 0; j < m->n; j++) {
        int g = m->list[j];
        int64_t n = m->lo[g] < INT64_MAX ? m->hi[g] - m->lo[g] : 0;

        live += n;
        sum += MAX(0, n - room);
    }
    return k < 0 ? sum : MAX(0, live - room);
}

/* Bytes that are too many, over all layers and groups. */
static int64_t excess(Overlapper *m)
{
    int64_t sum = 0, most = 0;
    int k;

    for (k = 0; k < m->t->q->nlayer; k++) {
        most = MAX(most, m->room[k]);
        sum += too_many(m, k, m->room[k]);
    }
    return sum + too_many(m, -1, most);
}

/* The same before anything overlaps. */
static int64_t excess_apart(const Overlapper *m)
{
    const Tiler *t = m->t;
    int64_t *live = NEWN(t->mem, int64_t, t->q->nlayer + 2), most = 0, sum = 0;
    int64_t *fresh = NEWN(t->mem, int64_t, t->q->nlayer + 2), now;
    int j, k, lo, hi;

    for (j = 0; j < m->n; j++) {
        int i = m->list[j], from = MAX(0, t->q->first[i]);

        if (t->q->last[i] < from)
            continue;
        fresh[from] += t->q->s->alloc[i].size;
        live[from] += t->q->s->alloc[i].size;
        live[t->q->last[i] + 1] -= t->q->s->alloc[i].size;
    }
    for (k = 1; k < t->q->nlayer; k++)
        live[k] += live[k - 1];
    for (k = 0; k < t->q->nlayer; k++) {
        const Cand *cand = m->sol->cand[k];

        lo = k - cand->before;
        hi = k + cand->after;
        now = live[lo] + cand->l2_bytes +
              spill_resident(t, m->sol->within, lo, hi - lo + 1);
        for (j = lo + 1; j <= hi; j++)
            now += fresh[j];
        sum += MAX(0, now - m->room[k]);
        most = MAX(most, m->room[k]);
    }
    for (j = 0; j < m->n; j++)
        sum += MAX(0, t->q->s->alloc[m->list[j]].size - most);
    return sum;
}

/* Do two allocations of the memory overlap, `by` bytes between their groups? */
static bool overlap(const Overlapper *m, int a, int b, int64_t by)
{
    const Alloc *s = m->t->q->s->alloc;
    int64_t from = m->v[a].off, at = m->v[b].off + by;

    return from < at + s[b].size && at < from + s[a].size;
}

/* Is all that x has in common with its writer y the place where layer k, or
 * its fused group, writes?  Others may have written to y while x lives. */
static bool meets_place(const Overlapper *m, int k, int x, int y, int64_t by)
{
    const LayerInst *w = &m->t->layer[k];
    const Oper *o = cand_result(w, m->sol->cand[k]);
    int64_t at = m->v[y].off + by, from = at + o->place.off;
    int64_t end = from + val_bytes(o->val), x_at = m->v[x].off;

    return m->t->q->first[y] >= k ||
           (MAX(x_at, at) >= from &&
            MIN(x_at + m->t->q->s->alloc[x].size,
                at + m->t->q->s->alloc[y].size) <= end);
}

/* May x's group and that of y be one, `by` bytes apart? */
static bool may_join(const Overlapper *m, int k, int x, int y, int64_t by)
{
    const Tiler *t = m->t;
    int i, j;

    for (i = 0; i < m->n; i++)
        for (j = 0; j < m->n; j++) {
            int a = m->list[i], b = m->list[j];

            if (m->v[a].group == m->v[x].group &&
                m->v[b].group == m->v[y].group && (a != x || b != y) &&
                t->q->first[a] <= t->q->last[b] &&
                t->q->first[b] <= t->q->last[a] &&
                overlap(m, a, b, by))
                return false;
        }
    return meets_place(m, k, x, y, by);
}

static void join_groups(Overlapper *m, int to, int from, int64_t by)
{
    int i;

    for (i = 0; i < m->t->q->s->nalloc; i++)
        if (m->v[i].group == from) {
            m->v[i].group = to;
            m->v[i].off += by;
        }
}

/* The allocations of layer k, or of the fused group that begins with it, that
 * may be overlapped; false: none. */
static bool find_pair(const Overlapper *m, int k, int *x, int *y, int64_t *by)
{
    const LayerInst *w = &m->t->layer[k];
    const Cand *cand = m->sol->cand[k];

    if (m->done[k] || cand->before || cand->saves <= 0)
        return false;
    *x = w->oper[cand->over].alloc;
    *y = cand_result(w, cand)->alloc;
    *by = m->v[*x].off - cand->distance - m->v[*y].off;
    return m->v[*x].group >= 0 && m->v[*y].group >= 0 &&
           m->v[*x].group != m->v[*y].group;
}

static void copy_state(const Overlapper *m, Overlapper *to)
{
    int i;

    to->t = m->t;
    to->sol = m->sol;
    to->room = m->room;
    to->list = m->list;
    to->n = m->n;
    for (i = 0; i < m->t->q->s->nalloc; i++)
        to->v[i] = m->v[i];
    for (i = 0; i < m->t->q->nlayer; i++)
        to->done[i] = m->done[i];
}

static Overlapper *new_overlapper(Tiler *t, const Solution *sol,
                                  const int64_t *room)
{
    Overlapper *m = NEW(t->mem, Overlapper);
    int n = t->q->s->nalloc + 1;

    *m = (Overlapper){.t = t, .sol = sol, .room = room,
                  .v = NEWN(t->mem, Member, n), .list = NEWN(t->mem, int, n),
                  .done = NEWN(t->mem, bool, t->q->nlayer + 1),
                  .lo = NEWN(t->mem, int64_t, n),
                  .hi = NEWN(t->mem, int64_t, n)};
    return m;
}

static bool overlap_at(Overlapper *m, int k)
{
    int64_t by;
    int x, y;

    if (!find_pair(m, k, &x, &y, &by) || !may_join(m, k, x, y, by))
        return false;
    m->v[x].writer = y;
    join_groups(m, m->v[x].group, m->v[y].group, by);
    m->done[k] = true;
    return true;
}

/* From layer k on: it alone, then with as many neighbours as make it better. */
static int64_t try_run(Overlapper *m, Overlapper *trial, Overlapper *best,
                       int k)
{
    int64_t least = INT64_MAX, now, by;
    int i, step, x, y;

    if (!find_pair(m, k, &x, &y, &by))
        return least;
    copy_state(m, trial);
    if (!overlap_at(trial, k))
        return least;
    least = excess(trial);
    copy_state(trial, best);
    for (step = -1; step <= 1; step += 2) {
        copy_state(best, trial);
        for (i = k + step; i >= 0 && i < m->t->q->nlayer; i += step) {
            if (m->sol->cand[i]->before)
                continue;
            if (!overlap_at(trial, i))
                break;
            now = excess(trial);
            if (now < least) {
                least = now;
                copy_state(trial, best);
            }
        }
    }
    return least;
}

/* Operands of layer k that end there, outside of inputs. */
static unsigned dying(const Overlapper *m, int k)
{
    const LayerInst *w = &m->t->layer[k];
    unsigned set = tiler_dying(m->t, k);
    int o;

    for (o = 0; o < w->noper; o++)
        if (set >> o & 1 && m->v[w->oper[o].alloc].group < 0)
            set &= ~(1u << o);
    return set;
}

static void find_distances(Overlapper *m)
{
    int k;

    for (k = 0; k < m->t->q->nlayer; k++)
        if (!m->sol->cand[k]->before)
            tiler_overlap(m->t, &m->t->layer[k], m->sol->cand[k], dying(m, k));
}

/* Returns what is still too many. */
static int64_t choose_overlaps(Overlapper *m)
{
    Overlapper *trial, *run, *best;
    int64_t now = excess_apart(m), least, got;
    int k;

    if (now <= 0)
        return now;
    trial = new_overlapper(m->t, m->sol, m->room);
    run = new_overlapper(m->t, m->sol, m->room);
    best = new_overlapper(m->t, m->sol, m->room);
    find_distances(m);
    while (now > 0) {
        least = now;
        for (k = 0; k < m->t->q->nlayer; k++) {
            got = try_run(m, trial, run, k);
            if (got < least) {
                least = got;
                copy_state(run, best);
            }
        }
        if (least >= now)
            break;
        copy_state(best, m);
        now = least;
    }
    return now;
}

int64_t overlap_allocs(Tiler *t, const Solution *sol, const int *buf,
                       const int64_t *room)
{
    Overlapper *m = new_overlapper(t, sol, room);
    int64_t over;
    int i;

    find_members(m);
    over = choose_overlaps(m);
    t->a.overlapped = false;
    t->a.lead = NEWN(t->mem, int, t->p->nbuf + 1);
    t->a.off = NEWN(t->mem, int64_t, t->p->nbuf + 1);
    for (i = 0; i < t->p->nbuf; i++)
        t->a.lead[i] = i;
    for (i = 0; i < t->q->s->nalloc; i++)
        if (buf[i] >= 0 && m->v[i].group >= 0) {
            t->a.lead[buf[i]] = buf[m->v[i].group];
            t->a.off[buf[i]] = m->v[i].off;
            if (m->v[i].writer >= 0) {
                t->a.overlapped = true;
                t->p->buf[buf[i]].over = buf[m->v[i].writer] + 1;
            }
        }
    t->a.nlead = t->p->nbuf;
    return over;
}

/* --- addresses of groups --- */

/* Groups of several go first. */
static const int64_t GROUP = INT64_C(1) << 50;

typedef struct Placing {
    Plan *p;
    int mem;
    int *list, n;       /* buffers there, those of a group side by side: */
    int *first;         /* by leader, where these begin; and where they end */
    int64_t *weight;    /* by leader: the heavier are placed first */
} Placing;

static int lead_of(const Tiler *t, int buf)
{
    return buf < t->a.nlead ? t->a.lead[buf] : buf;
}

static int64_t off_of(const Tiler *t, int buf)
{
    return buf < t->a.nlead ? t->a.off[buf] : 0;
}

static const Placing *sorted;

static int by_weight(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;

    if (sorted->weight[i] != sorted->weight[j])
        return sorted->weight[i] > sorted->weight[j] ? -1 : 1;
    return i < j ? -1 : i > j;
}

static bool clash(const Buf *a, int64_t at, const Buf *b)
{
    return a->from < b->to && b->from < a->to && at < b->addr + b->size &&
           b->addr < at + a->size;
}

/* How far a group that begins at `at` must move up; 0: it need not. */
static int64_t blocked(const Tiler *t, const Placing *x, const int *done,
                       int ndone, int lead, int64_t at)
{
    int i, k;

    for (i = x->first[lead]; i < x->first[lead + 1]; i++) {
        const Buf *a = &x->p->buf[x->list[i]];
        int64_t here = at + off_of(t, x->list[i]);

        if (here < 0)
            return -here;
        for (k = 0; k < ndone; k++)
            if (clash(a, here, &x->p->buf[done[k]]))
                return x->p->buf[done[k]].addr + x->p->buf[done[k]].size -
                       here;
    }
    return 0;
}

static int64_t from_below(const Tiler *t, const Placing *x, const int *done,
                          int ndone, int lead)
{
    int64_t at = 0, up;

    while ((up = blocked(t, x, done, ndone, lead, at)) > 0)
        at += (up + 15) & ~(int64_t)15;
    return at;
}

/* The address at which a group ends with the memory. */
static int64_t at_top(const Tiler *t, const Placing *x, int lead)
{
    int64_t end = 0;
    int i;

    for (i = x->first[lead]; i < x->first[lead + 1]; i++)
        end = MAX(end, off_of(t, x->list[i]) + x->p->buf[x->list[i]].size);
    return (x->p->room[x->mem] - end) & ~(int64_t)15;
}

/* What decides which group is placed before another, by leader. */
typedef enum Order {
    BY_AREA, BY_BIRTH, BY_SIZE,
    FROM_TOP,  /* by birth; the first at the top, */
    BOTH_ENDS, /* or each that cannot be at the bottom */
    NORDER
} Order;

/* The whole group of a leader at its lowest place, or at the top. */
static int place_group(const Tiler *t, const Placing *x, int *done, int ndone,
                       int lead, Order order)
{
    int64_t at = from_below(t, x, done, ndone, lead), top = at_top(t, x, lead);
    int i;

    if (((order == FROM_TOP && !ndone) || (order == BOTH_ENDS && at)) &&
        !blocked(t, x, done, ndone, lead, top))
        at = top;
    for (i = x->first[lead]; i < x->first[lead + 1]; i++) {
        Buf *b = &x->p->buf[x->list[i]];

        b->addr = at + off_of(t, x->list[i]);
        b->align = MAX(b->align, x->p->soc->mems[x->mem].align);
        x->p->used[x->mem] = MAX(x->p->used[x->mem], b->addr + b->size);
        done[ndone++] = x->list[i];
    }
    return ndone;
}

static void weigh(const Tiler *t, Placing *x, Order order)
{
    int i;

    memset(x->weight, 0, (size_t)x->p->nbuf * sizeof *x->weight);
    for (i = 0; i < x->n; i++) {
        const Buf *b = &x->p->buf[x->list[i]];
        int64_t *w = &x->weight[lead_of(t, x->list[i])];

        *w += order == BY_AREA    ? b->size * MAX(1, b->to - b->from)
              : order == BY_SIZE  ? b->size
                                  : x->p->nstep + 1 - b->from;
        if (b->over)
            *w += GROUP;
    }
}

static int64_t place_in_order(const Tiler *t, Placing *x, Order order)
{
    int *done = NEWN(t->mem, int, x->n + 1), ndone = 0, i, n = 0;
    int *leads = NEWN(t->mem, int, x->n + 1);
    bool *seen = NEWN(t->mem, bool, x->p->nbuf + 1);

    weigh(t, x, order);
    for (i = 0; i < x->n; i++) {
        int lead = lead_of(t, x->list[i]);

        if (!seen[lead])
            leads[n++] = lead;
        seen[lead] = true;
    }
    sorted = x;
    qsort(leads, (size_t)n, sizeof *leads, by_weight);
    x->p->used[x->mem] = 0;
    for (i = 0; i < n; i++)
        ndone = place_group(t, x, done, ndone, leads[i], order);
    return x->p->used[x->mem];
}

static bool is_placed(const Placing *x, int buf)
{
    const Buf *b = &x->p->buf[buf];

    return b->kind != BUF_const && b->mem == x->mem && b->size;
}

static void list_groups(const Tiler *t, Placing *x)
{
    int n = x->p->nbuf, *at = NEWN(t->mem, int, n + 1), i;

    x->list = NEWN(t->mem, int, n + 1);
    x->first = NEWN(t->mem, int, n + 2);
    for (i = 0; i < n; i++)
        x->first[lead_of(t, i) + 1] += is_placed(x, i);
    for (i = 0; i < n; i++) {
        x->first[i + 1] += x->first[i];
        at[i] = x->first[i];
    }
    for (i = 0; i < n; i++)
        if (is_placed(x, i))
            x->list[at[lead_of(t, i)]++] = i;
    x->n = x->first[n];
}

int64_t place_groups(Tiler *t, int mem)
{
    Plan *p = t->p;
    Placing x = {.p = p, .mem = mem,
                 .weight = NEWN(t->mem, int64_t, p->nbuf + 1)};
    int64_t least = INT64_MAX, height;
    Order best = BY_AREA, o;

    list_groups(t, &x);
    for (o = BY_AREA; o < NORDER; o++) {
        height = place_in_order(t, &x, o);
        if (height < least) {
            least = height;
            best = o;
        }
    }
    return place_in_order(t, &x, best);
}
