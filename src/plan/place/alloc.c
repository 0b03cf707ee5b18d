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
#include "plan/place/state.h"

#include <limits.h>
#include <string.h>

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

/* ---- states ---- */

/* Turns argument i of n into a view; false: it cannot be one. */
static bool show(Worker *w, const Node *n, int i)
{
    int64_t off = view_off(w, n, i);
    int before = w->nchange;
    const Val *y = n->res[0];

    if (off < 0 || alloc_is_view(w->s, n, i))
        return false;
    w->s->view[n->id][i] = 1;
    alloc_read_later(w, n->arg[i], w->last[y->id]);
    if (states_agree(w) && (n->op == OP_concat
                                ? alloc_lay(w, y, n->arg[i], off, -1, false)
                                : alloc_lay(w, n->arg[i], y, off, -1, false)))
        return true;
    w->s->view[n->id][i] = 0;
    alloc_go_back(w, before);
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

/* Views of node n, where the largest sum of live bytes does not grow; of what is
 * a place by intent wherever they are possible. */
static void try_views(Worker *w, const Node *n)
{
    int i;

    if (n->op == OP_reshape || view_off(w, n, 0) < 0)
        return;
    alloc_mark(w);
    if (n->op == OP_concat && show_all(w, n)) {
        if (n->placed || w->s->bound <= w->old_bound)
            return;
        alloc_hide(w, n);
    }
    for (i = 0; i < (n->op == OP_concat ? n->narg : 1); i++) {
        alloc_mark(w);
        if (!show(w, n, i) || n->placed || w->s->bound <= w->old_bound)
            continue;
        w->s->view[n->id][i] = 0;
        alloc_go_back(w, 0);
    }
}

enum { ALIGN = 8 };

static int64_t shift_of(const Node *n, int i, const Choice *c)
{
    if (alloc_fit_of(n, i, c) == AHEAD)
        return -((c->ahead + ALIGN - 1) & -ALIGN);
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
            alloc_overlap(x.off, val_bytes(n->arg[i]), y.off,
                          val_bytes(n->res[0])) &&
            (alloc_fit_of(n, i, &s->choice[n->id]) == NOT ||
             y.off != x.off + shift_of(n, i, &s->choice[n->id])))
            return false;
    }
    return true;
}

/* Is less memory needed than at alloc_mark(), or as much at fewer positions? */
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

    if (n->nres != 1 || alloc_all_views(w->s, n))
        return;
    for (i = 0; i < n->narg; i++) {
        if (alloc_fit_of(n, i, c) != fit)
            continue;
        alloc_mark(w);
        if (alloc_lay(w, n->arg[i], n->res[0], shift_of(n, i, c), pos,
                      fit == AHEAD)) {
            if (operands_agree(w->s, n) && is_better(w, fit))
                return;
            alloc_go_back(w, 0);
        }
    }
}

static void share_reshapes(Worker *w)
{
    int i;

    for (i = 0; i < w->s->nseq; i++) {
        alloc_mark(w);
        if (w->s->seq[i]->op == OP_reshape && !show(w, w->s->seq[i], 0))
            die("reshape %s cannot be an alias", w->s->seq[i]->name);
    }
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
            .varies = shape_varies(v->shape),
            .from = nseq + 1, .to = POS_IN - 1,
        };
    }
    for (i = 0; i < g->nin; i++)
        s->alloc[s->place[g->in[i]->id].buf].in = true;
    for (i = 0; i < g->nout; i++)
        state_place_output(s, g->out[i]);
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
            alloc_join_trees(w, alloc, v->id);
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
        Walk at = alloc_walk(w, i);
        Chunk p;

        while (alloc_next_piece(w, &at, &p)) {
            t.from = MIN(t.from, p.birth);
            t.to = MAX(t.to, alloc_death(w, &p));
        }
        alloc_put(w, i, t);
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
    states_keep(w);
    for (i = 0; i < nseq; i++)
        try_views(w, seq[i]);
    for (i = 0; i < NOT * nseq; i++)
        take_over(w, i % nseq, i / nseq);
    arena_end(w->mem);
    return s;
}
