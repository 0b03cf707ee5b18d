/* States of a search for an order: what is done, what is live, and which are
 * known. */
#include "plan/order/state.h"

#include <stdlib.h>
#include <string.h>

static int class_of(const int *class, const Val *v)
{
    return class[val_shown(v)->id];
}

static void add_once(int *list, int *n, int v)
{
    int i;

    for (i = 0; i < *n; i++)
        if (list[i] == v)
            return;
    list[(*n)++] = v;
}

static int read_index(const Job *j, int class)
{
    int i;

    for (i = 0; j->read[i] != class; i++)
        ;
    return i;
}

static void make_job(Order *o, Job *j, const Node *n, const int *class,
                     const int *maker, const Choice *c)
{
    int i;

    j->node = n;
    j->tmp = c->scratch;
    j->gathers = n->op == OP_concat;
    j->read = NEWN(o->mem, int, n->narg + 1);
    j->need = NEWN(o->mem, int, n->narg + 2);
    j->made = NEWN(o->mem, int, n->nres);
    for (i = 0; i < n->narg; i++)
        if (n->arg[i]) {
            int k = class_of(class, n->arg[i]);

            add_once(j->read, &j->nread, k);
            if (maker[k] >= 0)
                add_once(j->need, &j->nneed, maker[k]);
        }
    for (i = 0; i < j->nread; i++)
        o->class[j->read[i]].nread++;
    for (i = 0; i < n->nres; i++)
        j->made[j->nmade++] = class[n->res[i]->id];
    for (i = 0; i < n->narg && n->nres == 1; i++)
        if (n->arg[i] && choice_shares(c, i) &&
            val_bytes(n->arg[i]) == val_bytes(n->res[0]) &&
            type_info[n->arg[i]->type].bytes ==
            type_info[n->res[0]->type].bytes)
            j->takes |= 1u << read_index(j, class_of(class, n->arg[i]));
}

void order_make_jobs(Order *o, Graph *g, const Choice *c)
{
    int *class = NEWN(o->mem, int, graph_nval(g) + 1);
    int *maker = NEWN(o->mem, int, graph_nval(g) + 1), i, last = -1;
    bool beside = false;
    const Node *n;
    const Val *v;

    o->class = NEWN(o->mem, Class, graph_nval(g) + 1);
    for (v = g->vals; v; v = v->next) {
        maker[o->nclass] = -1;
        o->class[o->nclass].size = v->data ? 0 : val_bytes(v);
        class[v->id] = o->nclass++;
    }
    for (n = g->first; n; n = n->next)
        o->njob += n->op != OP_reshape;
    o->job = NEWN(o->mem, Job, o->njob + 1);
    for (i = 0, n = g->first; n; n = n->next) {
        bool exchange = op_info[n->op].family == FAM_exchange;
        int k;

        if (n->op == OP_reshape)
            continue;
        make_job(o, &o->job[i], n, class, maker, &c[n->id]);
        if (exchange && last >= 0) /* on all chips in one order */
            add_once(o->job[i].need, &o->job[i].nneed, last);
        if (beside) /* what is sent meanwhile is taken when the graph says */
            add_once(o->job[i].need, &o->job[i].nneed, i - 1);
        beside = exchange_begins(n->op) || (beside && !exchange_ends(n->op));
        last = exchange ? i : last;
        for (k = 0; k < n->nres; k++)
            maker[class[n->res[k]->id]] = i;
        i++;
    }
    for (i = 0; i < g->nin; i++)
        o->class[class[g->in[i]->id]].in = true;
    for (i = 0; i < g->nout; i++) {
        Class *k = &o->class[class_of(class, g->out[i])];

        k->out = true;
        k->nread++;
    }
}

bool order_is_done(const State *s, int job)
{
    return s->done[job / 64] >> job % 64 & 1;
}

void order_count_left(Order *o, const State *s)
{
    int i, k;

    for (i = 0; i < o->nclass; i++)
        o->left[i] = o->class[i].nread;
    for (i = 0; i < o->njob; i++)
        for (k = 0; order_is_done(s, i) && k < o->job[i].nread; k++)
            o->left[o->job[i].read[k]]--;
}

bool order_is_ready(const Order *o, const State *s, int job)
{
    const Job *j = &o->job[job];
    int i;

    if (order_is_done(s, job))
        return false;
    for (i = 0; i < j->nneed; i++)
        if (!order_is_done(s, j->need[i]))
            return false;
    return true;
}

int64_t order_need_of(const Order *o, const State *s, const Job *j,
                      int64_t *after)
{
    int64_t peak = s->live + j->tmp, dead = 0, saved = 0;
    bool out = j->nmade && o->class[j->made[0]].out;
    int i;

    *after = s->live;
    for (i = 0; i < j->nmade; i++) {
        const Class *c = &o->class[j->made[i]];

        peak += c->size;
        *after += c->nread ? c->size : 0;
    }
    for (i = 0; i < j->nread; i++) {
        const Class *c = &o->class[j->read[i]];

        if (o->left[j->read[i]] != 1 || c->out)
            continue;
        dead += c->size;
        if (c->in && out)
            continue;
        if (j->gathers)
            saved += c->size;
        else if (!saved && i < SHARING && (j->takes >> i & 1))
            saved = c->size;
    }
    *after -= dead;
    return peak - saved;
}

void order_run_job(Order *o, State *s, int job, int64_t cost, int64_t after)
{
    int i;

    s->done[job / 64] |= UINT64_C(1) << job % 64;
    s->cost = MAX(s->cost, cost);
    s->live = after;
    s->count++;
    for (i = 0; i < o->job[job].nread; i++)
        o->left[o->job[job].read[i]]--;
    s->path[s->npath++] = job;
}

void order_run_free(Order *o, State *s)
{
    int64_t peak, after;
    bool again = true;
    int i;

    while (again) {
        again = false;
        o->looks += o->njob;
        for (i = 0; i < o->njob; i++) {
            if (!order_is_ready(o, s, i))
                continue;
            peak = order_need_of(o, s, &o->job[i], &after);
            if (peak <= s->cost && after <= s->live) {
                order_run_job(o, s, i, peak, after);
                again = true;
            }
        }
    }
}

State order_next_state(Order *o, const State *from, int parent)
{
    State s = {.done = o->done, .there = o->there, .path = o->path,
               .parent = parent};

    if (from) {
        memcpy(s.done, from->done, (size_t)o->words * sizeof *s.done);
        memcpy(s.there, from->there, (size_t)o->nunit * sizeof *s.there);
        s.cost = from->cost;
        s.live = from->live;
        s.count = from->count;
    }
    return s;
}

State order_no_state(Order *o)
{
    State s = order_next_state(o, NULL, -1);
    int i;

    memset(s.done, 0, (size_t)o->words * sizeof *s.done);
    for (i = 0; i < o->nclass; i++)
        if (o->class[i].in)
            s.live += o->class[i].size;
    s.cost = s.live;
    order_count_left(o, &s);
    return s;
}

State order_first_state(Order *o)
{
    State s = order_no_state(o);

    order_run_free(o, &s);
    return s;
}

bool order_earlier(const State *a, const State *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    if (a->count != b->count)
        return a->count > b->count;
    return a->live < b->live;
}

void order_heap_put(Order *o, int s)
{
    int i = o->nheap++;

    GROW(o->mem, o->heap, (size_t)i);
    for (; i && order_earlier(&o->state[s], &o->state[o->heap[(i - 1) / 2]]);
         i = (i - 1) / 2)
        o->heap[i] = o->heap[(i - 1) / 2];
    o->heap[i] = s;
}

int order_heap_get(Order *o)
{
    int top = o->heap[0], last = o->heap[--o->nheap], i = 0, k;

    while ((k = 2 * i + 1) < o->nheap) {
        if (k + 1 < o->nheap &&
            order_earlier(&o->state[o->heap[k + 1]], &o->state[o->heap[k]]))
            k++;
        if (!order_earlier(&o->state[o->heap[k]], &o->state[last]))
            break;
        o->heap[i] = o->heap[k];
        i = k;
    }
    o->heap[i] = last;
    return top;
}

/* The slot of a state with the same jobs done, or a free one. */
static int *find_slot(Order *o, const State *s)
{
    size_t bytes = (size_t)o->words * sizeof *s->done;
    size_t i = hash_mem(s->done, bytes) & (size_t)(o->nslot - 1);

    while (o->slot[i] &&
           memcmp(o->state[o->slot[i] - 1].done, s->done, bytes))
        i = (i + 1) & (size_t)(o->nslot - 1);
    return &o->slot[i];
}

int order_add_state(Order *o, const State *s)
{
    int *slot = find_slot(o, s);
    State *k;

    if (*slot && o->state[*slot - 1].cost <= s->cost)
        return -1;
    GROW(o->mem, o->state, (size_t)o->nstate);
    k = &o->state[o->nstate];
    *k = *s;
    k->done = NEWN(o->mem, uint64_t, o->words);
    k->there = NEWN(o->mem, double, o->nunit);
    k->path = NEWN(o->mem, int, s->npath);
    memcpy(k->done, s->done, (size_t)o->words * sizeof *s->done);
    memcpy(k->there, s->there, (size_t)o->nunit * sizeof *s->there);
    memcpy(k->path, s->path, (size_t)s->npath * sizeof *s->path);
    *slot = o->nstate + 1;
    return o->nstate++;
}

void order_forget(Order *o, int nslot)
{
    o->state = NULL;
    o->nstate = o->nheap = 0;
    o->heap = NULL;
    o->nslot = nslot;
    o->slot = NEWN(o->mem, int, nslot);
}
