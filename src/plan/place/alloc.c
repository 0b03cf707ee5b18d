/* Which values share storage.
 *
 * At first every value has an allocation of its own.  Then allocations are
 * united:
 *
 * - a reshape is its operand under another shape: always;
 * - a transpose, slice or expand that keeps elements in one run, and a concat
 * whose argument can be made in its place, are views: nothing is copied;
 * - a result takes over an operand that nobody reads later, where the kernel's
 * head allows it (`inplace`).
 *
 * What is written is a piece: some bytes, from the node that writes them to the
 * last reader of any view of them.  Two allocations may be united if no two of
 * their pieces are alive in the same bytes at the same time.  Views and places
 * taken over are kept only where the largest sum of live bytes, which no
 * packing can beat, does not grow by them.
 *
 * Whatever is tried changes only what it concerns, and is noted down, so that
 * it can be taken back. */
#include "plan/plan.h"

#include <limits.h>
#include <string.h>

enum { VIEW_ALIGN = 4 }; /* kernels may read small elements by words */

typedef struct Chunk {
    const Val *val;
    int64_t off, size; /* within val */
    int birth;
} Chunk;

/* What was changed, to be taken back. */
typedef struct Change {
    enum { LAST, ALLOC, UNION } kind;
    int id;          /* value; allocation; one that became part of .. */
    int into;        /* .. this one */
    int64_t delta;   /* where in it */
    int last;        /* as it was */
    Alloc alloc;
} Change;

/* The values of an allocation are a binary tree, so that those which live at a
 * time are found without looking at all. */
typedef struct Branch {
    int up, left, right; /* -1: none */
    int from, to;        /* nothing here lives outside of these positions */
} Branch;

typedef struct Worker {
    Allocs *s;
    Arena *mem;      /* scratch */
    int nval;
    const Val **val; /* by Val.id */
    int64_t *bytes;
    int *pos;        /* by Node.id */
    int *last;       /* by Val.id: position of the last reader */
    bool *over;      /* by Val.id: of a state, whose last reader writes the next
                        value over it */
    int64_t **joined; /* by Node.id: where arguments of a concat lie in its
                         result, and its end, if that is one run of them */
    Branch *tree;    /* those below nval are values, by Val.id */
    int ntree;
    int *root;       /* by allocation: its values */
    Profile *live;   /* bytes, by position + 1 */
    int64_t area;    /* bytes times positions, of all */
    int npeak;       /* positions where as much lives as at any */
    Change *change;
    int nchange;
    /* when changes began to be noted */
    int64_t old_bound, old_area;
    int old_npeak;
} Worker;

static bool is_view(const Allocs *s, const Node *n, int arg)
{
    return s->view[n->id][arg];
}

/* Places of the arguments within the result, if it is one run of them, each at
 * one place whatever the run-time numbers are; else NULL. */
static int64_t *join(Arena *mem, const Node *n)
{
    const Val *y = n->res[0];
    int64_t axis = attr_int(n, A_axis), *at;
    int j;

    axis += axis < 0 ? y->shape.rank : 0;
    for (j = 0; j < axis; j++)
        if (y->shape.dim[j] != 1)
            return NULL;
    for (j = 0; j + 1 < n->narg; j++)
        if (shape_varies(n->arg[j]->shape))
            return NULL;
    at = NEWN(mem, int64_t, n->narg + 1);
    for (j = 0; j < n->narg; j++)
        at[j + 1] = at[j] + val_bytes(n->arg[j]);
    return at;
}

/* Keeps elements in order if axes longer than 1 stay in order. */
static bool keeps_order(const Node *n)
{
    const Val *x = n->arg[0];
    int64_t before = -1, axis;
    int i;

    for (i = 0; i < x->shape.rank; i++) {
        axis = attr_at(n, A_perm, i, x->shape.rank - 1 - i);
        if (x->shape.dim[axis] == 1)
            continue;
        if (axis < before)
            return false;
        before = axis;
    }
    return true;
}

/* Where in x the slice begins, bytes, if it is one run, whatever the run-time
 * numbers are; else -1. */
static int64_t slice_off(const Node *n)
{
    const Val *x = n->arg[0], *y = n->res[0];
    int64_t off = 0;
    bool inner = false; /* an axis further out is longer than 1 */
    int i;

    for (i = 0; i < x->shape.rank; i++) {
        Size all = size_at(x->shape, i), len = size_at(y->shape, i);
        Size start = attr_size(n, A_start, i, size_const(0));

        if (inner && !size_same(len, all))
            return -1;
        if (slice_step(n, i) != 1 || start.vary.num || (off && all.vary.num))
            return -1;
        off = off * all.n + start.n;
        inner |= !size_is(len, 1);
    }
    return off * type_info[x->type].bytes;
}

/* The offset of result in operand (concat: of operand i in result) if a view
 * is possible; -1: it must be copied. */
static int64_t view_off(const Worker *w, const Node *n, int i)
{
    switch (n->op) {
    case OP_reshape:
        return 0;
    case OP_transpose:
        return keeps_order(n) ? 0 : -1;
    case OP_slice:
        return slice_off(n);
    case OP_expand:
        return shapes_as_many(n->arg[0]->shape, n->res[0]->shape) ? 0 : -1;
    case OP_concat:
        return w->joined[n->id] ? w->joined[n->id][i] : -1;
    default:
        return -1;
    }
}

/* Whether the whole of a node is a view: no step is needed. */
static bool all_views(const Allocs *s, const Node *n)
{
    int i;

    if (n->op != OP_concat)
        return is_view(s, n, 0);
    for (i = 0; i < n->narg && is_view(s, n, i); i++)
        ;
    return i == n->narg;
}

/* --- pieces --- */

/* Values that may live from one position to another, one after the other. */
typedef struct Walk {
    int val, part;   /* to come; no value: -1 */
    int from, to;
} Walk;

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

static Walk walk_while(const Worker *w, int alloc, int from, int to)
{
    int root = w->root[alloc];

    return (Walk){find_value(w, root, from, to), 0, from, to};
}

/* All of an allocation. */
static Walk walk(const Worker *w, int alloc)
{
    return walk_while(w, alloc, INT_MIN, INT_MAX);
}

static void next_value(const Worker *w, Walk *at)
{
    at->val = find_value(w, behind(w, at->val), at->from, at->to);
    at->part = 0;
}

/* false: there is none any more. */
static bool next_piece(const Worker *w, Walk *at, Chunk *p)
{
    while (at->val >= 0) {
        const Val *v = w->val[at->val];
        const Node *n = v->def;
        const int64_t *off = n ? w->joined[n->id] : NULL;
        int k = at->part++;

        if (at->part >= (off ? n->narg : 1))
            next_value(w, at);
        if (n && is_view(w->s, n, off ? k : 0))
            continue;
        *p = (Chunk){v, off ? off[k] : 0,
                     off ? off[k + 1] - off[k] : w->bytes[v->id],
                     n ? w->pos[n->id] : POS_IN};
        return true;
    }
    return false;
}

static int death(const Worker *w, const Chunk *p)
{
    return p->val->data ? w->s->nseq + 1 : MAX(w->last[p->val->id], p->birth);
}

/* --- changes --- */

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

static void put_alloc(Worker *w, int id, Alloc t)
{
    count_alloc(w, &w->s->alloc[id], -1);
    w->s->alloc[id] = t;
    count_alloc(w, &t, 1);
    w->s->bound = profile_most(w->live, &w->npeak);
}

static void set_alloc(Worker *w, int id, Alloc t)
{
    note(w, (Change){.kind = ALLOC, .id = id, .alloc = w->s->alloc[id]});
    put_alloc(w, id, t);
}

/* Value v is read at pos; what it is a view of is read then too. */
static void read_later(Worker *w, const Val *v, int pos)
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
        if (n->arg[i] && is_view(w->s, n, n->op == OP_concat ? i : 0))
            read_later(w, n->arg[i], pos);
}

/* Values of allocation b move to allocation a. */
static void move_values(Worker *w, int b, int a, int64_t delta)
{
    Walk i;

    for (i = walk(w, b); i.val >= 0; next_value(w, &i)) {
        w->s->place[i.val].buf = a;
        w->s->place[i.val].off += delta;
    }
}

/* Branch `right` joins those of allocation a. */
static void join_trees(Worker *w, int a, int right)
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

    x.in |= y.in;
    x.out |= y.out;
    x.konst |= y.konst;
    x.state |= y.state;
    x.from = MIN(x.from, y.from);
    x.to = MAX(x.to, y.to);
    y.size = 0;
    y.from = w->s->nseq + 1;
    y.to = POS_IN - 1;
    set_alloc(w, a, x);
    set_alloc(w, b, y);
    note(w, (Change){.kind = UNION, .id = b, .into = a, .delta = delta});
    move_values(w, b, a, delta);
    join_trees(w, a, w->root[b]);
}

static void part(Worker *w, const Change *c)
{
    const Branch *top = &w->tree[--w->ntree];

    w->root[c->into] = top->left;
    w->tree[top->left].up = w->tree[top->right].up = -1;
    move_values(w, c->id, c->id, -c->delta);
}

/* Takes back all changes but the first n. */
static void go_back(Worker *w, int n)
{
    while (w->nchange > n) {
        const Change *c = &w->change[--w->nchange];

        switch (c->kind) {
        case LAST: w->last[c->id] = c->last; break;
        case ALLOC: put_alloc(w, c->id, c->alloc); break;
        case UNION: part(w, c); break;
        }
    }
}

static void mark(Worker *w)
{
    w->nchange = 0;
    w->old_bound = w->s->bound;
    w->old_area = w->area;
    w->old_npeak = w->npeak;
}

/* --- what may be united --- */

static bool overlap(int64_t a, int64_t an, int64_t b, int64_t bn)
{
    return a < b + bn && b < a + an;
}

/* May result and operand of the node at pos lie on each other?  p was read by
 * it for the last time, q is written by it. */
static bool taken_over(const Worker *w, const Chunk *p, const Chunk *q,
                       int at)
{
    return at >= 0 && death(w, p) == at && q->birth == at;
}

/* No piece of allocation b, at delta in allocation a, may live where one of a
 * does.  */
static bool pieces_agree(const Worker *w, int a, int b, int64_t delta, int at)
{
    const Ref *place = w->s->place;
    const Branch *all = &w->tree[w->root[b]];
    Walk i = walk_while(w, a, all->from, all->to), j;
    Chunk p, q;

    while (next_piece(w, &i, &p)) {
        int64_t pat = place[p.val->id].off + p.off;

        j = walk_while(w, b, p.birth, death(w, &p));
        while (next_piece(w, &j, &q)) {
            int64_t qat = place[q.val->id].off + q.off + delta;

            if (!overlap(pat, p.size, qat, q.size) ||
                death(w, &p) < q.birth || death(w, &q) < p.birth)
                continue;
            if (!taken_over(w, &p, &q, at) && !taken_over(w, &q, &p, at))
                return false;
        }
    }
    return true;
}

static bool has_pieces(const Worker *w, int alloc)
{
    Walk i = walk(w, alloc);
    Chunk p;

    return next_piece(w, &i, &p);
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
    for (i = walk(w, b); i.val >= 0; next_value(w, &i)) {
        int64_t align = MAX(VIEW_ALIGN, type_info[w->val[i.val]->type].bytes);

        if ((s->place[i.val].off + delta) % align)
            return false;
    }
    return !delta || !(y->in || y->out);
}

/* Makes value v begin `off` bytes into value x, if their allocations allow.
 * at: the node at that position takes over an operand; -1: none does. */
static bool lay(Worker *w, const Val *x, const Val *v, int64_t off, int at)
{
    Allocs *s = w->s;
    int a = s->place[x->id].buf, b = s->place[v->id].buf;
    int64_t delta = s->place[x->id].off + off - s->place[v->id].off;

    if (a == b)
        return at < 0 && !delta;
    if (delta < 0 || delta + s->alloc[b].size > s->alloc[a].size) {
        int c = a;

        a = b;
        b = c;
        delta = -delta;
        if (delta < 0 || delta + s->alloc[b].size > s->alloc[a].size)
            return false;
    }
    if (!values_agree(w, a, b, delta) || !pieces_agree(w, a, b, delta, at))
        return false;
    unite(w, a, b, delta);
    return true;
}

/* How operand i may lie under the result: both begin together and the result
 * is no larger, or both end together and the result is larger; a kernel that
 * goes through both in order never meets itself.  The shorter elements must be
 * single bytes, which in C may alias anything: of 16 bits on 32 a compiler
 * might store one too early.  Returns the result's offset in the operand. */
enum { SAME, SMALLER, LARGER, NOT };

static int fit_of(const Node *n, int i, const Choice *c)
{
    const Val *x = n->arg[i], *y = n->res[0];
    int xb, yb;

    if (!(c->inplace >> i & 1) || !x || x->data ||
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

/* Drops the views of n that were tried since mark(). */
static void hide(Worker *w, const Node *n)
{
    memset(w->s->view[n->id], 0, (size_t)n->narg);
    go_back(w, 0);
}

/* ---- states ---- */

/* Nothing is written where a state is that will still be read; the node that
 * reads it last may, if its head allows that. */
static bool states_agree(const Worker *w)
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
        k = walk_while(w, at.buf, INT_MIN, w->last[s->id]);
        while (next_piece(w, &k, &q))
            if (q.val != s && q.birth + w->over[s->id] <= w->last[s->id] &&
                overlap(at.off, val_bytes(s),
                        w->s->place[q.val->id].off + q.off, q.size))
                return false;
    }
    return true;
}

/* Position of the node that makes v, through reshapes; -1: none does. */
static int made_at(const Worker *w, const Val *v)
{
    while (v->def && v->def->op == OP_reshape)
        v = v->def->arg[0];
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
            fit_of(n, i, &w->s->choice[n->id]) != SAME)
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
        all_views(w->s, w->s->seq[pos]))
        return;
    mark(w);
    w->s->view[copy->id][0] = 1;
    read_later(w, copy->arg[0], w->last[y->id]);
    w->over[s->id] = w->last[s->id] == pos && may_write_over(w, pos, s);
    if (!lay(w, s, copy->arg[0], 0, w->over[s->id] ? pos : -1) ||
        !states_agree(w)) {
        w->over[s->id] = false;
        hide(w, copy);
    }
}

static void keep_states(Worker *w)
{
    int i;

    for (i = 0; i < w->s->g->nout; i++)
        if (w->s->g->out[i]->state)
            make_in_place(w, w->s->g->out[i]);
}

/* Turns argument i of n into a view; false: it cannot be one. */
static bool show(Worker *w, const Node *n, int i)
{
    int64_t off = view_off(w, n, i);
    int before = w->nchange;
    const Val *y = n->res[0];

    if (off < 0 || is_view(w->s, n, i))
        return false;
    w->s->view[n->id][i] = 1;
    read_later(w, n->arg[i], w->last[y->id]);
    if (states_agree(w) && (n->op == OP_concat
                                ? lay(w, y, n->arg[i], off, -1)
                                : lay(w, n->arg[i], y, off, -1)))
        return true;
    w->s->view[n->id][i] = 0;
    go_back(w, before);
    return false;
}

/* All arguments of a concat that can be made in its place, together. */
static int show_all(Worker *w, const Node *n)
{
    int i, j, count = 0;

    for (i = 0; i < n->narg; i++) {
        for (j = 0; j < i && n->arg[j] != n->arg[i]; j++)
            ;
        count += j == i && show(w, n, i);
    }
    return count;
}

/* Views of node n, where the largest sum of live bytes does not grow. */
static void try_views(Worker *w, const Node *n)
{
    int i;

    if (n->op == OP_reshape || view_off(w, n, 0) < 0)
        return;
    mark(w);
    if (n->op == OP_concat && show_all(w, n)) {
        if (w->s->bound <= w->old_bound)
            return;
        hide(w, n);
    }
    for (i = 0; i < (n->op == OP_concat ? n->narg : 1); i++) {
        mark(w);
        if (!show(w, n, i) || w->s->bound <= w->old_bound)
            continue;
        w->s->view[n->id][i] = 0;
        go_back(w, 0);
    }
}

static int64_t shift_of(const Node *n, int i)
{
    return MIN(0, val_bytes(n->arg[i]) - val_bytes(n->res[0]));
}

/* Operands may share bytes with the result only as they may lie under it. */
static bool operands_agree(const Allocs *s, const Node *n)
{
    Ref y = s->place[n->res[0]->id];
    int i;

    for (i = 0; i < n->narg; i++) {
        Ref x = n->arg[i] ? s->place[n->arg[i]->id] : (Ref){-1, 0};

        if (x.buf == y.buf &&
            overlap(x.off, val_bytes(n->arg[i]), y.off,
                    val_bytes(n->res[0])) &&
            (fit_of(n, i, &s->choice[n->id]) == NOT ||
             y.off != x.off + shift_of(n, i)))
            return false;
    }
    return true;
}

/* Is less memory needed than at mark(), or as much at fewer positions? */
static bool is_better(const Worker *w, int fit)
{
    if (w->s->bound != w->old_bound)
        return w->s->bound < w->old_bound;
    return fit == SAME ? w->area <= w->old_area : w->npeak < w->old_npeak;
}

/* The result of the node at pos takes over the first operand that fits so.  One
 * that is smaller keeps the whole alive, for one that is larger the whole lives
 * earlier: they do so only where that helps. */
static void take_over(Worker *w, int pos, int fit)
{
    const Node *n = w->s->seq[pos];
    const Choice *c = &w->s->choice[n->id];
    int i;

    if (n->nres != 1 || all_views(w->s, n))
        return;
    for (i = 0; i < n->narg; i++) {
        if (fit_of(n, i, c) != fit)
            continue;
        mark(w);
        if (lay(w, n->arg[i], n->res[0], shift_of(n, i), pos)) {
            if (operands_agree(w->s, n) && is_better(w, fit))
                return;
            go_back(w, 0);
        }
    }
}

static void share_reshapes(Worker *w)
{
    int i;

    for (i = 0; i < w->s->nseq; i++) {
        mark(w);
        if (w->s->seq[i]->op == OP_reshape && !show(w, w->s->seq[i], 0))
            die("reshape %s cannot be an alias", w->s->seq[i]->name);
    }
}

/* The next value of a state belongs where the state is. */
static void place_output(Allocs *s, const Val *v)
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

/* Copies to where states are come last: nobody reads a state behind them. */
static void states_last(const Graph *g, Node **seq, int n)
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

static Allocs *new_allocs(Arena *mem, Graph *g, const Choice *c, Node **seq,
                          int nseq)
{
    Allocs *s = NEW(mem, Allocs);
    int i, nval = graph_nval(g);
    Val *v;

    states_last(g, seq, nseq);
    *s = (Allocs){.mem = mem, .g = g, .choice = c, .seq = seq, .nseq = nseq};
    s->place = NEWN(mem, Ref, nval + 1);
    s->alloc = NEWN(mem, Alloc, nval + 1);
    s->view = NEWN(mem, unsigned char *, nseq + 1);
    for (i = 0; i < nseq; i++)
        s->view[seq[i]->id] = NEWN(mem, unsigned char, seq[i]->narg + 1);
    for (v = g->vals; v; v = v->next) {
        s->place[v->id] = (Ref){s->nalloc, 0};
        s->alloc[s->nalloc++] = (Alloc){
            .size = val_bytes(v), .konst = v->data != NULL, .val = v,
            .from = nseq + 1, .to = POS_IN - 1,
        };
    }
    for (i = 0; i < g->nin; i++)
        s->alloc[s->place[g->in[i]->id].buf].in = true;
    for (i = 0; i < g->nout; i++)
        place_output(s, g->out[i]);
    return s;
}

/* A tree for every allocation, of the values that begin in it. */
static void plant(Worker *w)
{
    const Val *v;

    for (v = w->s->g->vals; v; v = v->next) {
        int alloc = w->s->place[v->id].buf;
        int birth = v->def ? w->pos[v->def->id] : POS_IN;
        int to = v->data ? w->s->nseq + 1 : MAX(w->last[v->id], birth);

        w->tree[v->id] = (Branch){-1, -1, -1, birth, to};
        if (w->root[alloc] < 0)
            w->root[alloc] = v->id;
        else
            join_trees(w, alloc, v->id);
    }
}

static void find_last(Worker *w)
{
    const Allocs *s = w->s;
    int i, j;

    for (i = 0; i < w->nval; i++)
        w->last[i] = POS_IN;
    for (i = 0; i < s->g->nout; i++)
        w->last[s->g->out[i]->id] = s->nseq;
    for (i = 0; i < s->nseq; i++)
        for (j = 0; j < s->seq[i]->narg; j++)
            if (s->seq[i]->arg[j]) {
                int *last = &w->last[s->seq[i]->arg[j]->id];

                *last = MAX(*last, i);
            }
}

/* Last readers and lives of allocations, while nothing is a view. */
static void find_lives(Worker *w)
{
    const Allocs *s = w->s;
    int i;

    find_last(w);
    plant(w);
    for (i = 0; i < s->nalloc; i++) {
        Alloc t = s->alloc[i];
        Walk at = walk(w, i);
        Chunk p;

        while (next_piece(w, &at, &p)) {
            t.from = MIN(t.from, p.birth);
            t.to = MAX(t.to, death(w, &p));
        }
        put_alloc(w, i, t);
    }
}

static void count_scratch(Worker *w)
{
    const Allocs *s = w->s;
    int i;

    for (i = 0; i < s->nseq; i++)
        profile_add(w->live, i + 1, i + 1, s->choice[s->seq[i]->id].scratch);
}

static Worker *new_worker(Allocs *s)
{
    Arena *mem = arena_new();
    Worker *w = NEW(mem, Worker);
    const Val *v;
    int i;

    *w = (Worker){.mem = mem, .s = s, .nval = graph_nval(s->g)};
    w->val = NEWN(mem, const Val *, w->nval + 1);
    w->bytes = NEWN(mem, int64_t, w->nval + 1);
    w->pos = NEWN(mem, int, s->nseq + 1);
    w->last = NEWN(mem, int, w->nval + 1);
    w->over = NEWN(mem, bool, w->nval + 1);
    w->joined = NEWN(mem, int64_t *, s->nseq + 1);
    w->tree = NEWN(mem, Branch, 2 * w->nval + 1);
    w->ntree = w->nval;
    w->root = NEWN(mem, int, w->nval + 1);
    w->live = profile_new(mem, s->nseq + 2);
    memset(w->root, -1, (size_t)(w->nval + 1) * sizeof *w->root);
    for (v = s->g->vals; v; v = v->next) {
        w->val[v->id] = v;
        w->bytes[v->id] = val_bytes(v);
    }
    for (i = 0; i < s->nseq; i++) {
        const Node *n = s->seq[i];

        w->pos[n->id] = i;
        w->joined[n->id] = n->op == OP_concat ? join(mem, n) : NULL;
    }
    count_scratch(w);
    find_lives(w);
    return w;
}

Allocs *alloc_values(Arena *mem, Graph *g, const Choice *c, Node **seq,
                     int nseq)
{
    Allocs *s = new_allocs(mem, g, c, seq, nseq);
    Worker *w = new_worker(s);
    int i;

    share_reshapes(w);
    keep_states(w);
    for (i = 0; i < nseq; i++)
        try_views(w, seq[i]);
    for (i = 0; i < NOT * nseq; i++)
        take_over(w, i % nseq, i / nseq);
    arena_end(w->mem);
    return s;
}
