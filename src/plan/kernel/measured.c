/* What was measured decides, where a ledger says so; and what is to be measured
 * next.
 *
 * Candidates of a node are the kernels and variants that may compute it.  The
 * first is the one that heads alone choose; of the others those come into
 * question whose heads say little enough, a third of them, or all if that is
 * wanted.  Times of kernels are compared in one unit, that in which the first
 * was measured. */
#include "plan/kernel/offer.h"

#include <stdlib.h>
#include <string.h>

enum {
    FAR_BEHIND = 4, /* times what the best head says: out of question */
    FEW = 2         /* are all measured */
};

uint64_t task_of(const Node *node)
{
    return node->task ? node->task : ledger_task(node);
}

static uint64_t key_of(const Chooser *c, const Node *node, const Kern *k)
{
    return ledger_key(c->ledger, k, task_of(node));
}

/* Must it not be chosen? */
static bool is_denied(const Chooser *c, const Node *node, const Kern *k)
{
    const uint64_t key = key_of(c, node, k);

    return ledger_find(c->ledger, key, LEDGER_wrong) >= 0 ||
           ledger_find(c->ledger, key, LEDGER_slower) >= 0;
}

/* Is there nothing to be measured of it? */
static bool is_ruled_out(const Chooser *c, const Node *node, const Kern *k)
{
    return k->row || is_denied(c, node, k) ||
           ledger_find(c->ledger, key_of(c, node, k), LEDGER_unfit) >= 0;
}

static int by_offer(const void *a, const void *b)
{
    return offer_better(b, a) ? 1 : offer_better(a, b) ? -1 : 0;
}

/* The best that is no variant comes first, the others in order. */
static void sort_offers(Offer *v, int n)
{
    Offer first;
    int i;

    qsort(v, (size_t)n, sizeof *v, by_offer);
    for (i = 0; i < n && kern_is_variant(v[i].kern); i++)
        ;
    if (i == n)
        return;
    first = v[i];
    memmove(v + 1, v, (size_t)i * sizeof *v);
    v[0] = first;
}

/* How many of n offers, in order, come into question. */
static int in_question(const Chooser *c, const Offer *v, int n)
{
    int64_t least = n > 1 ? MIN(v[0].cycles, v[1].cycles) : 0;
    int i, kept = n;

    for (i = 1; i < n && v[i].cycles / FAR_BEHIND <= least; i++)
        ;
    kept = MIN(kept, i);
    return c->exhaustive ? kept : MIN(kept, MAX(FEW, kept / 3));
}

/* In which unit was the first one measured? */
static int unit_of(const Chooser *c, const Node *node, const Kern *first)
{
    int unit;

    for (unit = 0; unit < LEDGER_UNITS; unit++)
        if (ledger_find(c->ledger, key_of(c, node, first), unit) >= 0)
            break;
    return unit;
}

/* Of successive halving: all are measured once, the better half twice, the
 * better quarter four times. */
static int wanted(const Chooser *c, const Node *node, const Measured *m, int i)
{
    int64_t v = ledger_find(c->ledger, key_of(c, node, m->list[i].kern),
                            m->unit), w;
    int rank = 0, times = 1, k;

    if (!c->halving || m->unit == LEDGER_UNITS)
        return 1;
    for (k = 0; k < m->n; k++) {
        const Kern *other = m->list[k].kern;

        w = ledger_find(c->ledger, key_of(c, node, other), m->unit);
        if (w < 0 && !is_ruled_out(c, node, other))
            return 1;
        rank += w >= 0 && (w < v || (w == v && k < i));
    }
    while ((rank + 1) * 2 * times <= m->n)
        times *= 2;
    return times;
}

static int times_measured(const Chooser *c, const Node *node, const Kern *k)
{
    const uint64_t key = key_of(c, node, k);
    int unit, most = 0;

    for (unit = 0; unit < LEDGER_UNITS; unit++)
        most = MAX(most, ledger_count(c->ledger, key, unit));
    return most;
}

/* Which of the layers like this one it is, from 0, and how many there are. */
static int place_among(const Graph *g, const Node *node,
                       int *all)
{
    uint64_t task = task_of(node);
    const Node *n;
    int place = 0;
    bool before = true;

    *all = 0;
    for (n = g->first; n; n = n->next) {
        before = before && n != node;
        if (n->op == OP_reshape || n->op == OP_concat ||
            task_of(n) != task)
            continue;
        ++*all;
        place += before;
    }
    return place;
}

/* What this node takes now: layers alike take different ones, and so do the
 * parts that are measured at the same time. */
static void pick_open(const Chooser *c, const Graph *g, const Node *node,
                      Measured *m)
{
    int alike, at = place_among(g, node, &alike), i;

    at += (c->part - 1) * alike;
    for (i = 0; i < m->n; i++) {
        const Kern *k = m->list[i].kern;
        int left = is_ruled_out(c, node, k) ? 0 :
            wanted(c, node, m, i) - times_measured(c, node, k);

        if (left <= 0)
            continue;
        m->open++;
        if (at-- == 0)
            m->forced = k;
    }
}

Measured measured_of(const Chooser *c, const Graph *g, const Node *node,
                     Offer *list, int n)
{
    Measured m = {list, n, LEDGER_UNITS, 0, NULL};

    if (!c->ledger || node->op == OP_concat || !n)
        return m;
    sort_offers(list, n);
    if (list[0].kern->row) { /* a job is not measured by the cores' time */
        m.n = 0;
        return m;
    }
    m.unit = unit_of(c, node, list[0].kern);
    m.n = in_question(c, list, n);
    if (c->part)
        pick_open(c, g, node, &m);
    return m;
}

/* Cycles of a head, as it turned out. */
static int64_t corrected(int64_t cycles, int64_t permille)
{
    return cycles == INT64_MAX ? cycles : cycles * permille / 1000;
}

void measured_take(const Chooser *c, const Node *node, const Measured *m,
                   Offer *o)
{
    int64_t v;

    if (m->forced) {
        if (o->kern == m->forced)
            o->rank = FORCED;
        return;
    }
    if (m->unit == LEDGER_UNITS && kern_is_variant(o->kern))
        o->cycles = INT64_MAX;
    if (m->unit == LEDGER_UNITS)
        return;
    v = ledger_find(c->ledger, key_of(c, node, o->kern), m->unit);
    o->measured = v >= 0;
    if (v < 0 || is_denied(c, node, o->kern))
        o->cycles = INT64_MAX;
    else
        o->cycles = m->unit == LEDGER_permille ? corrected(o->cycles, v) : v;
}

void measured_tile(const Chooser *c, const Node *tile, Offer *o)
{
    int64_t v;

    if (tile->forced == o->kern)
        o->rank = FORCED;
    if (!tile->task || tile->forced == o->kern)
        return;
    v = ledger_find(c->ledger, key_of(c, tile, o->kern), LEDGER_permille);
    if (v >= 0)
        o->cycles = corrected(o->cycles, v);
    if (is_denied(c, tile, o->kern) || (v < 0 && kern_is_variant(o->kern)))
        o->cycles = INT64_MAX;
}

/* Where it is to be measured, it is set against what is predicted without. */
void measured_beside(const Chooser *c, Plan *p)
{
    const Step *s;
    int64_t v;
    int i;

    for (i = 0; c->ledger && !c->part && i < p->nlayer; i++) {
        s = &p->step[p->layer[i].first];
        if (!s->kern || s->kern->row || !plan_is_alone(p, i))
            continue;
        v = ledger_find(c->ledger, key_of(c, s->node, s->kern), LEDGER_beside);
        p->layer[i].beside = v < 0 ? 0 : MAX(1, v);
    }
}
