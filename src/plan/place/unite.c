/* Allocations are united, and parted again: which bytes of them are alive when,
 * and a log of changes that takes them back. */
#include "plan/place/unite.h"

#include <limits.h>
#include <string.h>

enum { VIEW_ALIGN = 4 }; /* kernels may read small elements by words */

bool alloc_is_view(const Allocs *s, const Node *n, int arg)
{
    return s->view[n->id][arg];
}

bool alloc_all_views(const Allocs *s, const Node *n)
{
    int i;

    if (n->op != OP_concat)
        return alloc_is_view(s, n, 0);
    for (i = 0; i < n->narg && alloc_is_view(s, n, i); i++)
        ;
    return i == n->narg;
}

/* What comes behind branch t and all that is below it; -1: nothing. */
static int behind(const Worker *w, int t)
{
    const Branch *tree = w->tree;

    while (tree[t].up >= 0 && tree[tree[t].up].right == t)
        t = tree[t].up;
    return tree[t].up < 0 ? -1 : tree[tree[t].up].right;
}

/* The first value from branch t on; -1: there is none. */
static int find_value(const Worker *w, int t, int from, int to)
{
    while (t >= 0) {
        const Branch *b = &w->tree[t];

        if (b->to < from || to < b->from)
            t = behind(w, t);
        else if (t < w->nval)
            return t;
        else
            t = b->left;
    }
    return -1;
}

Walk alloc_walk_while(const Worker *w, int alloc, int from, int to)
{
    int root = w->root[alloc];

    return (Walk){find_value(w, root, from, to), 0, from, to};
}

Walk alloc_walk(const Worker *w, int alloc)
{
    return alloc_walk_while(w, alloc, INT_MIN, INT_MAX);
}

static void next_value(const Worker *w, Walk *at)
{
    at->val = find_value(w, behind(w, at->val), at->from, at->to);
    at->part = 0;
}

bool alloc_next_piece(const Worker *w, Walk *at, Chunk *p)
{
    while (at->val >= 0) {
        const Val *v = w->val[at->val];
        const Node *n = v->def;
        const int64_t *off = n ? w->joined[n->id] : NULL;
        int k = at->part++;

        if (at->part >= (off ? n->narg : 1))
            next_value(w, at);
        if (n && alloc_is_view(w->s, n, off ? k : 0))
            continue;
        *p = (Chunk){v, off ? off[k] : 0,
                     off ? off[k + 1] - off[k] : w->bytes[v->id],
                     n ? w->pos[n->id] : POS_IN};
        return true;
    }
    return false;
}

int alloc_death(const Worker *w, const Chunk *p)
{
    return p->val->data ? w->s->nseq + 1 : MAX(w->last[p->val->id], p->birth);
}

static void note(Worker *w, Change c)
{
    GROW(w->mem, w->change, (size_t)w->nchange);
    w->change[w->nchange++] = c;
}

static void count_alloc(Worker *w, const Alloc *t, int sign)
{
    if (t->konst || !t->size || t->to < t->from)
        return;
    profile_add(w->live, t->from + 1, t->to + 1, sign * t->size);
    w->area += sign * t->size * (t->to - t->from + 1);
}

void alloc_put(Worker *w, int id, Alloc t)
{
    count_alloc(w, &w->s->alloc[id], -1);
    w->s->alloc[id] = t;
    count_alloc(w, &t, 1);
    w->s->bound = profile_most(w->live, &w->npeak);
}

static void set_alloc(Worker *w, int id, Alloc t)
{
    note(w, (Change){.kind = ALLOC, .id = id, .alloc = w->s->alloc[id]});
    alloc_put(w, id, t);
}

void alloc_read_later(Worker *w, const Val *v, int pos)
{
    const Node *n = v->def;
    int alloc = w->s->place[v->id].buf, i, k;
    Alloc t = w->s->alloc[alloc];

    if (w->last[v->id] >= pos)
        return;
    note(w, (Change){.kind = LAST, .id = v->id, .last = w->last[v->id]});
    w->last[v->id] = pos;
    for (k = v->id; k >= 0 && w->tree[k].to < pos; k = w->tree[k].up)
        w->tree[k].to = pos;
    if (t.to < pos) {
        t.to = pos;
        set_alloc(w, alloc, t);
    }
    for (i = 0; n && i < n->narg; i++)
        if (n->arg[i] && alloc_is_view(w->s, n, n->op == OP_concat ? i : 0))
            alloc_read_later(w, n->arg[i], pos);
}

/* Values of allocation b move to allocation a. */
static void move_values(Worker *w, int b, int a, int64_t delta)
{
    Walk i;

    for (i = alloc_walk(w, b); i.val >= 0; next_value(w, &i)) {
        w->s->place[i.val].buf = a;
        w->s->place[i.val].off += delta;
    }
}

void alloc_join_trees(Worker *w, int a, int right)
{
    int left = w->root[a], top = w->ntree++;
    const Branch *x = &w->tree[left], *y = &w->tree[right];

    w->tree[top] = (Branch){-1, left, right, MIN(x->from, y->from),
                            MAX(x->to, y->to)};
    w->tree[left].up = w->tree[right].up = top;
    w->root[a] = top;
}

static void unite(Worker *w, int a, int b, int64_t delta)
{
    Alloc x = w->s->alloc[a], y = w->s->alloc[b];

    x.varies |= y.varies;
    x.in |= y.in;
    x.out |= y.out;
    x.konst |= y.konst;
    x.state |= y.state;
    x.size = MAX(x.size, y.size + delta);
    x.from = MIN(x.from, y.from);
    x.to = MAX(x.to, y.to);
    y.size = 0;
    y.from = w->s->nseq + 1;
    y.to = POS_IN - 1;
    set_alloc(w, a, x);
    set_alloc(w, b, y);
    note(w, (Change){.kind = UNION, .id = b, .into = a, .delta = delta});
    move_values(w, b, a, delta);
    alloc_join_trees(w, a, w->root[b]);
}

static void part(Worker *w, const Change *c)
{
    const Branch *top = &w->tree[--w->ntree];

    w->root[c->into] = top->left;
    w->tree[top->left].up = w->tree[top->right].up = -1;
    move_values(w, c->id, c->id, -c->delta);
}

void alloc_go_back(Worker *w, int n)
{
    while (w->nchange > n) {
        const Change *c = &w->change[--w->nchange];

        switch (c->kind) {
        case LAST: w->last[c->id] = c->last; break;
        case ALLOC: alloc_put(w, c->id, c->alloc); break;
        case UNION: part(w, c); break;
        }
    }
}

void alloc_mark(Worker *w)
{
    w->nchange = 0;
    w->old_bound = w->s->bound;
    w->old_area = w->area;
    w->old_npeak = w->npeak;
}

bool alloc_overlap(int64_t a, int64_t an, int64_t b, int64_t bn)
{
    return a < b + bn && b < a + an;
}

/* May result and operand of the node at pos lie on each other?  p was read by
 * it for the last time, q is written by it. */
static bool taken_over(const Worker *w, const Chunk *p, const Chunk *q,
                       int at)
{
    return at >= 0 && alloc_death(w, p) == at && q->birth == at;
}

/* No piece of allocation b, at delta in allocation a, may live where one of a
 * does.  */
static bool pieces_agree(const Worker *w, int a, int b, int64_t delta, int at)
{
    const Ref *place = w->s->place;
    const Branch *all = &w->tree[w->root[b]];
    Walk i = alloc_walk_while(w, a, all->from, all->to), j;
    Chunk p, q;

    while (alloc_next_piece(w, &i, &p)) {
        int64_t pat = place[p.val->id].off + p.off;

        j = alloc_walk_while(w, b, p.birth, alloc_death(w, &p));
        while (alloc_next_piece(w, &j, &q)) {
            int64_t qat = place[q.val->id].off + q.off + delta;

            if (!alloc_overlap(pat, p.size, qat, q.size) ||
                alloc_death(w, &p) < q.birth || alloc_death(w, &q) < p.birth)
                continue;
            if (!taken_over(w, &p, &q, at) && !taken_over(w, &q, &p, at))
                return false;
        }
    }
    return true;
}

static bool has_pieces(const Worker *w, int alloc)
{
    Walk i = alloc_walk(w, alloc);
    Chunk p;

    return alloc_next_piece(w, &i, &p);
}

/* An input is no output, nor are two outputs one; a state is no other's. */
static bool inout_agree(const Alloc *x, const Alloc *y)
{
    if (x->state || y->state)
        return !(x->in || x->out) || !(y->in || y->out);
    return !((x->in || y->in) && (x->out || y->out)) && !(x->out && y->out);
}

/* Constants share with views of them alone.  Elements must stay aligned, inputs
 * and outputs at the start of an allocation, small elements of views at words.
 * */
static bool values_agree(const Worker *w, int a, int b, int64_t delta)
{
    const Allocs *s = w->s;
    const Alloc *x = &s->alloc[a], *y = &s->alloc[b];
    Walk i;

    if (!inout_agree(x, y))
        return false;
    if ((x->konst && (y->out || has_pieces(w, b))) ||
        (y->konst && (x->out || has_pieces(w, a))))
        return false;
    for (i = alloc_walk(w, b); i.val >= 0; next_value(w, &i)) {
        int64_t align = MAX(VIEW_ALIGN, type_info[w->val[i.val]->type].bytes);

        if ((s->place[i.val].off + delta) % align)
            return false;
    }
    return !delta || !(y->in || y->out);
}

bool alloc_lay(Worker *w, const Val *x, const Val *v, int64_t off, int at,
               bool grows)
{
    Allocs *s = w->s;
    int a = s->place[x->id].buf, b = s->place[v->id].buf;
    int64_t delta = s->place[x->id].off + off - s->place[v->id].off;

    if (a == b)
        return at < 0 && !delta;
    if (delta < 0 || (!grows && delta + s->alloc[b].size > s->alloc[a].size)) {
        int c = a;

        a = b;
        b = c;
        delta = -delta;
        if (delta < 0 ||
            (!grows && delta + s->alloc[b].size > s->alloc[a].size))
            return false;
    }
    if (!values_agree(w, a, b, delta) || !pieces_agree(w, a, b, delta, at))
        return false;
    unite(w, a, b, delta);
    return true;
}

int alloc_fit_of(const Node *n, int i, const Choice *c)
{
    const Val *x = n->arg[i], *y = n->res[0];
    int xb, yb;

    if (!i && x && !x->data && !choice_shares(c, 0) && c->ahead >= 0 &&
        c->ncore == 1 && !node_varies(n))
        return AHEAD;
    if (!choice_shares(c, i) || !x || x->data ||
        (c->ncore > 1 && val_bytes(x) != val_bytes(y)))
        return NOT;
    xb = type_info[x->type].bytes;
    yb = type_info[y->type].bytes;
    if (node_varies(n) && (!shapes_as_many(x->shape, y->shape) || yb > xb))
        return NOT;
    if ((xb != yb && MIN(xb, yb) != 1) ||
        (val_count(x) != val_count(y) && n->op != OP_conv))
        return NOT;
    return val_bytes(x) == val_bytes(y) ? SAME :
           val_bytes(x) > val_bytes(y) ? SMALLER : LARGER;
}

void alloc_hide(Worker *w, const Node *n)
{
    memset(w->s->view[n->id], 0, (size_t)n->narg);
    alloc_go_back(w, 0);
}
