/* Lossless removal of dead structure: channels that are constant whatever the
 * input, or that nobody looks at, are computed no more.
 *
 *     y = conv x w           a row of w is zero, so a channel of y is 5:
 *     z = relu y             w loses that row,
 *     u = conv z v      ->   v loses a column, and u gets a bias of 5 times
 *                            the column's sum
 *
 * Each channel of each value is a slot (spans.c says where the channels are).
 * Operators that work on channels apart (elementwise ones, pools, depthwise
 * convolutions, concatenations) tie the slots of operand and result: they go
 * together or stay together.  Products join channels instead: they need an
 * input channel if some output channel that is needed has a weight for it,
 * unless the channel is constant and gives the same everywhere: without
 * padding, or where the padding has the value of the channel.  What the
 * outputs of the network need, directly or not, is alive (a marking, as in
 * garbage collection); the rest goes (prune.c).  Integers come out the same to
 * the bit.
 *
 * The pass `dead4` is the same but for few channels that fill words of four. */
#include "pass/pass.h"

enum { WORD = 4, FEW = 8 }; /* channels a word; few are less than 1 in FEW */

typedef struct Dead {
    Graph *g;
    Arena *mem;
    Chans *all; /* by Val.id */
    int nslot;
    int *up;    /* union-find: towards the slot that stands for all tied */
    bool *alive; /* of slots that stand for others */
    bool *done;  /* result slots whose needs are marked */
    bool changed;
} Dead;

/* Disjoint sets with path halving. */
static int find(const Dead *d, int s)
{
    while (d->up[s] != s)
        s = d->up[s] = d->up[d->up[s]];
    return s;
}

static void tie(Dead *d, int s, int t)
{
    s = find(d, s);
    t = find(d, t);
    d->up[s] = t;
    d->alive[t] |= d->alive[s];
}

static bool known(const Dead *d, const Val *v)
{
    return v && d->all[v->id].axis >= 0;
}

static bool is_alive(const Dead *d, const Val *v, int64_t c)
{
    return d->alive[find(d, d->all[v->id].slot + (int)c)];
}

static void mark(Dead *d, const Val *v, int64_t c)
{
    int s = find(d, d->all[v->id].slot + (int)c);

    d->changed |= !d->alive[s];
    d->alive[s] = true;
}

static void pin(Dead *d, const Val *v)
{
    int64_t c;

    for (c = 0; known(d, v) && c < d->all[v->id].n; c++)
        mark(d, v, c);
}

/* --- which slots go together --- */

static void tie_alike(Dead *d, const Val *x, const Val *y)
{
    const Chans *a = &d->all[x->id], *b = &d->all[y->id];
    int64_t c, each = a->n ? b->n / a->n : 0;

    for (c = 0; c < b->n && each; c++)
        tie(d, a->slot + (int)(c / each), b->slot + (int)c);
}

/* A convolution that keeps channels apart. */
static bool is_depthwise(const Node *n)
{
    return n->op == OP_conv && n->arg[1]->shape.dim[1] == 1 &&
           attr_int(n, A_group) == n->arg[0]->shape.dim[1];
}

static bool is_product(const Node *n)
{
    Family f = op_info[n->op].family;

    return f == FAM_matmul ||
           ((f == FAM_conv || f == FAM_convt) && attr_int(n, A_group) == 1);
}

/* The axis of its first operand that a product sums over. */
static int sum_axis(const Node *n)
{
    return n->op == OP_matmul ? n->arg[0]->shape.rank - 1 : 1;
}

static void tie_map(Dead *d, const Node *n)
{
    const Val *y = n->res[0];
    const Chans *k = &d->all[y->id];
    int i, from_end = y->shape.rank - 1 - k->axis;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];

        if (!v || is_const(v))
            continue;
        if (!known(d, v) ? dim_from_end(v, from_end) != 1
                         : d->all[v->id].n != k->n)
            pin(d, known(d, v) ? v : y);
        else if (known(d, v))
            tie_alike(d, v, y);
    }
}

static void tie_concat(Dead *d, const Node *n)
{
    const Val *y = n->res[0];
    const Chans *k = &d->all[y->id];
    bool along = node_axis(n, y->shape.rank) == k->axis;
    int i, at = 0;
    int64_t c, size;

    for (i = 0; i < n->narg; i++, at += along ? (int)size : 0) {
        const Val *v = n->arg[i];

        size = v->shape.dim[k->axis];
        for (c = 0; c < size && !is_const(v); c++)
            if (known(d, v))
                tie(d, d->all[v->id].slot + (int)c, k->slot + at + (int)c);
            else
                mark(d, y, at + c);
    }
}

static void pin_rest(Dead *d, const Node *n, int first)
{
    int i;

    for (i = first; i < n->narg; i++)
        pin(d, n->arg[i]);
}

static void tie_conv(Dead *d, const Node *n)
{
    const Val *x = n->arg[0], *y = n->res[0];

    pin_rest(d, n, 1);
    if (is_depthwise(n) && known(d, x) && d->all[x->id].axis == 1) {
        tie_alike(d, x, y);
    } else if (!is_product(n)) {
        pin(d, x);
        pin(d, y);
    } else if (known(d, x) && d->all[x->id].axis != sum_axis(n)) {
        pin(d, x);
    }
}

static void tie_node(Dead *d, const Node *n)
{
    if (!known(d, n->res[0])) {
        pin_rest(d, n, 0);
        return;
    }
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_convt: case FAM_matmul: tie_conv(d, n); break;
    case FAM_map: tie_map(d, n); break;
    case FAM_concat: tie_concat(d, n); break;
    default:
        tie_alike(d, n->arg[0], n->res[0]);
        pin_rest(d, n, 1);
    }
}

/* --- what is alive --- */

/* Would the bias be the same everywhere without channel i of x? */
static bool goes_into_bias(const Dead *d, const Node *n, int64_t i)
{
    const Val *x = n->arg[0], *b = arg_of(n, 2);
    Span s = d->all[x->id].span[i];
    bool zero = val_is_int(x) ? s.lo == 0 : s.real == 0;

    if (!span_fixed(x, s) || (b && !is_const(b)))
        return false;
    if (n->op == OP_convt)
        return zero;
    if (n->op == OP_matmul || nothing_padded(n))
        return true;
    return val_is_int(x) ? s.lo == attr_int(n, A_padvalue) : zero;
}

static bool any_weight(const Val *w, int64_t at, int64_t n)
{
    int64_t i;

    for (i = at; i < at + n; i++)
        if (val_num(w, i) != 0)
            return true;
    return false;
}

/* Is there a weight from input channel i to output channel m? */
static bool has_weight(const Node *n, int64_t m, int64_t i)
{
    const Val *w = n->arg[1];
    int64_t a = w->shape.dim[0], b = w->shape.dim[1];
    int64_t taps = val_count(w) / MAX(a * b, 1);
    bool rows = n->op == OP_conv || (n->op == OP_matmul &&
                                     attr_int(n, A_transb));

    return any_weight(w, (rows ? m * b + i : i * b + m) * taps, taps);
}

static void mark_needs(Dead *d, const Node *n)
{
    const Val *x = n->arg[0], *y = n->res[0];
    const Chans *in = &d->all[x->id], *out = &d->all[y->id];
    int64_t m, i;

    if (!known(d, y) || !is_product(n) || in->axis != sum_axis(n))
        return;
    for (m = 0; m < out->n; m++) {
        if (d->done[out->slot + m] || !is_alive(d, y, m))
            continue;
        d->done[out->slot + m] = true;
        for (i = 0; i < in->n; i++)
            if (!is_alive(d, x, i) && has_weight(n, m, i) &&
                !goes_into_bias(d, n, i))
                mark(d, x, i);
    }
}

/* Tensors do not become empty: one channel stays. */
static void mark_one(Dead *d, const Val *v)
{
    int64_t c;

    if (!known(d, v) || !d->all[v->id].n)
        return;
    for (c = 0; c < d->all[v->id].n; c++)
        if (is_alive(d, v, c))
            return;
    mark(d, v, 0);
}

/* Few channels stay where there are words of four, and would be none: kernels
 * that read words take longer for the odd ones behind the last. */
static void mark_words(Dead *d, const Val *v)
{
    int64_t c, n = known(d, v) ? d->all[v->id].n : 0, alive = 0;

    for (c = 0; c < n; c++)
        alive += is_alive(d, v, c);
    if (n % WORD || (n - alive) * FEW >= n)
        return;
    for (c = 0; c < n && alive % WORD; c++)
        if (!is_alive(d, v, c)) {
            mark(d, v, c);
            alive++;
        }
}

static void mark_all(Dead *d, bool words)
{
    Node *n;
    int i;

    for (i = 0; i < d->g->nout; i++)
        pin(d, d->g->out[i]);
    do {
        d->changed = false;
        for (n = d->g->last; n; n = n->prev)
            mark_needs(d, n);
        for (n = d->g->last; n && !d->changed; n = n->prev)
            mark_one(d, n->res[0]);
        for (n = d->g->last; n && words && !d->changed; n = n->prev)
            mark_words(d, n->res[0]);
    } while (d->changed);
}

/* --- the pass --- */

static Keep kept(const Dead *d, const Val *v)
{
    const Chans *k = &d->all[v->id];
    int64_t *list, n = 0, c;

    if (k->axis < 0)
        return (Keep){NULL, 0};
    list = NEWN(d->mem, int64_t, (size_t)MAX(k->n, 1));
    for (c = 0; c < k->n; c++)
        if (is_alive(d, v, c))
            list[n++] = c;
    return n == k->n ? (Keep){NULL, 0} : (Keep){list, n};
}

static int64_t const_bytes(const Node *n)
{
    int64_t bytes = 0;
    int i;

    for (i = 0; i < n->narg; i++)
        if (is_const(n->arg[i]))
            bytes += val_bytes(n->arg[i]);
    return bytes;
}

/* macs: node_macs of before, by Node.id */
static void remove_dead(Dead *d, const Keep *keep, const int64_t *macs)
{
    Node *n;
    int64_t bytes;

    for (n = d->g->first; n; n = n->next) {
        bytes = const_bytes(n);
        prune(d->g, n, d->all, keep);
        n->bytes_removed += bytes - const_bytes(n);
        n->macs_removed += macs[n->id] - node_macs(n);
    }
}

static void number_slots(Dead *d)
{
    Node *n;
    int i;

    for (n = d->g->first; n; n = n->next)
        if (known(d, n->res[0])) {
            d->all[n->res[0]->id].slot = d->nslot;
            d->nslot += (int)d->all[n->res[0]->id].n;
        }
    d->up = NEWN(d->mem, int, (size_t)d->nslot + 1);
    d->alive = NEWN(d->mem, bool, (size_t)d->nslot + 1);
    d->done = NEWN(d->mem, bool, (size_t)d->nslot + 1);
    for (i = 0; i < d->nslot; i++)
        d->up[i] = i;
}

/* Channels are counted: not of a graph in which they may follow a number. */
static void leave_dead(Graph *g, bool words)
{
    Arena *a = arena_new();
    Dead d = {.g = g, .mem = a};
    Keep *keep;
    int64_t *macs;
    bool any = false;
    Node *n;

    if (g->nnum) {
        arena_end(a);
        return;
    }
    graph_number(g);
    d.all = spans_of(a, g);
    number_slots(&d);
    for (n = g->first; n; n = n->next)
        tie_node(&d, n);
    mark_all(&d, words);
    keep = NEWN(a, Keep, (size_t)graph_nval(g) + 1);
    macs = NEWN(a, int64_t, (size_t)(g->last ? g->last->id : 0) + 1);
    for (n = g->first; n; n = n->next) {
        keep[n->res[0]->id] = kept(&d, n->res[0]);
        any |= keep[n->res[0]->id].list != NULL;
        macs[n->id] = node_macs(n);
    }
    if (any)
        remove_dead(&d, keep, macs);
    arena_end(a);
}

void pass_dead(Graph *g)
{
    leave_dead(g, false);
}

void pass_dead4(Graph *g)
{
    leave_dead(g, true);
}
