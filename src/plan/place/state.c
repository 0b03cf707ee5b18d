/* Values that live from run to run: where their next values are made. */
#include "plan/place/state.h"

#include <limits.h>
#include <string.h>

bool states_agree(const Worker *w)
{
    const Graph *g = w->s->g;
    Chunk q;
    int i;

    for (i = 0; i < g->nout; i++) {
        const Val *s = g->out[i]->state;
        Walk k;
        Ref at;

        if (!s)
            continue;
        at = w->s->place[s->id];
        k = alloc_walk_while(w, at.buf, INT_MIN, w->last[s->id]);
        while (alloc_next_piece(w, &k, &q))
            if (q.val != s && q.birth + w->over[s->id] <= w->last[s->id] &&
                alloc_overlap(at.off, val_bytes(s),
                              w->s->place[q.val->id].off + q.off, q.size))
                return false;
    }
    return true;
}

/* Position of the node that makes v, through reshapes; -1: none does. */
static int made_at(const Worker *w, const Val *v)
{
    v = val_shown(v);
    return v->def ? w->pos[v->def->id] : -1;
}

/* May the node at pos write its result over state s? */
static bool may_write_over(const Worker *w, int pos, const Val *s)
{
    const Node *n = w->s->seq[pos];
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && w->s->place[n->arg[i]->id].buf ==
                         w->s->place[s->id].buf &&
            alloc_fit_of(n, i, &w->s->choice[n->id]) != SAME)
            return false;
    return true;
}

/* Drops the copy of a state's next value, which is then made in its place. */
static void make_in_place(Worker *w, const Val *y)
{
    const Val *s = y->state;
    const Node *copy = y->def;
    int pos;

    if (!copy)
        return;
    pos = made_at(w, copy->arg[0]);
    if (pos < 0 || w->s->seq[pos]->nres != 1 ||
        alloc_all_views(w->s, w->s->seq[pos]))
        return;
    alloc_mark(w);
    w->s->view[copy->id][0] = 1;
    alloc_read_later(w, copy->arg[0], w->last[y->id]);
    w->over[s->id] = w->last[s->id] == pos && may_write_over(w, pos, s);
    if (!alloc_lay(w, s, copy->arg[0], 0, w->over[s->id] ? pos : -1,
                   false) ||
        !states_agree(w)) {
        w->over[s->id] = false;
        alloc_hide(w, copy);
    }
}

void states_keep(Worker *w)
{
    int i;

    for (i = 0; i < w->s->g->nout; i++)
        if (w->s->g->out[i]->state)
            make_in_place(w, w->s->g->out[i]);
}

void state_place_output(Allocs *s, const Val *v)
{
    Ref *r = &s->place[v->id];

    if (v->state) {
        if (v->state != v)
            s->alloc[r->buf].size = 0;
        *r = s->place[v->state->id];
        s->alloc[r->buf].state = true;
    }
    s->alloc[r->buf].out = true;
}

void states_last(const Graph *g, Node **seq, int n)
{
    int i, to = 0, last = 0;
    Node **copy = NEWN(g->mem, Node *, n + 1);
    bool *makes = NEWN(g->mem, bool, n + 1); /* a state; by Node.id */

    for (i = 0; i < g->nout; i++)
        if (g->out[i]->state && g->out[i]->def)
            makes[g->out[i]->def->id] = true;
    for (i = 0; i < n; i++)
        if (makes[seq[i]->id])
            copy[last++] = seq[i];
        else
            seq[to++] = seq[i];
    for (i = 0; i < last; i++)
        seq[to++] = copy[i];
}
