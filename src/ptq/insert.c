/* Where integers are to be: quantize and dequantize go behind values.
 *
 *     y = conv x w b                  xd = dequantize xq sx zx
 *     z = clip y flo=0         ->     wd = dequantize wq sw
 *                                     y = conv xd wd bd
 *                                     z = clip y flo=0
 *                                     zq = quantize z sz zz
 *
 * No grid stands
 *
 *   behind what only moves elements: it has the grid of what it moves
 *   between a sum and the factors, addends and clips behind it: one epilogue
 *   within a tree of elementwise operators over one value: one table
 *   where there is one: behind dequantize, before quantize
 *
 * What a normalization reads has 16 bits, since its mean and root are of all of
 * a row, and so has what is summed into that; and what is an output, for the
 * steps of 8 bits make equals of answers that are near.  Weights follow
 * (weights.c). */
#include "ptq/calib.h"

#include <math.h>
#include <string.h>

typedef struct Grids {
    Graph *q;
    Graph *g;            /* the float graph, of the same names */
    Seen **seen;         /* by id of g */
    const PtqOpts *o;
    Arena *mem;
    Val **root;          /* by id of q: an elementwise tree's leaf */
    bool *sum;           /* an epilogue may follow */
    bool *joins;         /* its one reader is of the same epilogue */
    Node ***reader;
    int *nreader;
    int n;
    Inserted *list;
} Grids;

/* --- what operators are --- */

static bool is_float(const Val *v)
{
    return v && v->type == T_f32;
}

bool moves(const Node *n)
{
    switch (n->op) {
    case OP_reshape: case OP_transpose: case OP_slice: case OP_expand:
    case OP_gather: case OP_gatherelem: case OP_gathernd: case OP_maxpool:
    case OP_rmax: case OP_rmin:
        return !n->arg[0]->data;
    case OP_pad:
        return attr_int(n, A_mode) || attr_num(n, A_alpha) == 0;
    default:
        return false;
    }
}

bool has_weights(const Node *n)
{
    return n->op == OP_conv || n->op == OP_convt || n->op == OP_matmul;
}

static bool sums(const Node *n)
{
    switch (n->op) {
    case OP_conv: case OP_convt: case OP_matmul: case OP_avgpool:
    case OP_mean: case OP_sum: case OP_sumpool:
        return true;
    case OP_add: case OP_sub: case OP_mul:
        return n->narg == 2 && !n->arg[0]->data && !n->arg[1]->data;
    default:
        return false;
    }
}

static bool normalizes(const Node *n)
{
    return n->op == OP_layernorm || n->op == OP_rmsnorm;
}

/* Do integers take its place, with a grid before and behind? */
static bool known(const Node *n)
{
    return sums(n) || moves(n) || normalizes(n) || n->op == OP_softmax ||
           n->op == OP_concat || (op_info[n->op].family == FAM_map &&
                                  n->op != OP_cast && n->op != OP_where);
}

/* One number, or one for each place along one axis? */
static bool along_one_axis(const Val *v)
{
    int i, axes = 0;

    for (i = 0; i < v->shape.rank; i++)
        axes += v->shape.dim[i] > 1;
    return axes < 2;
}

/* The operand that is not constant, of a factor, an addend or a clip. */
static Val *epilogue_of(const Node *n)
{
    int i;

    if (n->op == OP_clip)
        return n->arg[0];
    if ((n->op != OP_add && n->op != OP_sub && n->op != OP_mul) ||
        n->narg != 2)
        return NULL;
    i = n->arg[0]->data ? 1 : 0;
    return !n->arg[i]->data && n->arg[1 - i]->data &&
           along_one_axis(n->arg[1 - i]) &&
           shape_same(n->arg[i]->shape, n->res[0]->shape) ? n->arg[i] : NULL;
}

/* --- what belongs together --- */

static bool one_reader(const Grids *d, const Val *v)
{
    return d->nreader[v->id] == 1 && !val_is_output(d->q, v);
}

/* The leaf of an elementwise tree; NULL: n is none, or has several. */
static Val *leaf(const Grids *d, const Node *n)
{
    Val *at = NULL, *v;
    int i;

    if (op_info[n->op].family != FAM_map || n->op == OP_cast)
        return NULL;
    for (i = 0; i < n->narg; i++) {
        v = n->arg[i];
        if (!v || (v->data && val_count(v) == 1 && is_float(v)))
            continue;
        if (v->data || !is_float(v) || (at && d->root[v->id] != at) ||
            !shape_same(v->shape, n->res[0]->shape))
            return NULL;
        at = d->root[v->id];
    }
    return at;
}

static void look(Grids *d, Node *n)
{
    Val *y = n->res[0], *x = epilogue_of(n), *at;

    d->root[y->id] = y;
    if (x && d->sum[x->id] && one_reader(d, x)) {
        d->sum[y->id] = n->op != OP_clip;
        d->joins[x->id] = true;
        return;
    }
    at = leaf(d, n);
    if (at)
        d->root[y->id] = at;
    else if (sums(n))
        d->sum[y->id] = true;
}

static void look_at_all(Grids *d)
{
    size_t n = (size_t)graph_nval(d->q) + 1;
    Node *k;
    Val *v;
    int i;

    graph_number(d->q);
    d->root = NEWN(d->mem, Val *, n);
    d->sum = NEWN(d->mem, bool, n);
    d->joins = NEWN(d->mem, bool, n);
    d->reader = NEWN(d->mem, Node **, n);
    d->nreader = NEWN(d->mem, int, n);
    for (v = d->q->vals; v; v = v->next)
        d->root[v->id] = v;
    for (k = d->q->first; k; k = k->next)
        for (i = 0; i < k->narg; i++) {
            if (!(v = k->arg[i]))
                continue;
            GROW(d->mem, d->reader[v->id], (size_t)d->nreader[v->id]);
            d->reader[v->id][d->nreader[v->id]++] = k;
        }
    for (k = d->q->first; k; k = k->next)
        look(d, k);
}

/* Within a tree: all who read it are of the same tree. */
static bool inside(const Grids *d, const Val *v)
{
    int i;

    if (d->root[v->id] == v || val_is_output(d->q, v))
        return false;
    for (i = 0; i < d->nreader[v->id]; i++)
        if (d->root[d->reader[v->id][i]->res[0]->id] != d->root[v->id])
            return false;
    return true;
}

static bool has_grid(const Grids *d, const Val *v)
{
    int i;

    if (v->def && v->def->op == OP_dequantize)
        return true;
    for (i = 0; i < d->nreader[v->id]; i++)
        if (d->reader[v->id][i]->op != OP_quantize)
            return false;
    return i > 0 && !val_is_output(d->q, v);
}

static bool wants_grid(const Grids *d, const Val *v)
{
    int i;
    bool any = v->def && known(v->def);

    if (!is_float(v) || v->data || d->joins[v->id] || inside(d, v) ||
        has_grid(d, v) || (v->def && moves(v->def)))
        return false;
    for (i = 0; i < d->nreader[v->id]; i++)
        any |= known(d->reader[v->id][i]);
    return any;
}

/* Does what reads v, moved or not, say yes? */
static bool read_by(const Grids *d, const Val *v, bool (*is)(const Node *n))
{
    int i;

    for (i = 0; i < d->nreader[v->id]; i++) {
        const Node *n = d->reader[v->id][i];

        if (is(n) || (moves(n) && read_by(d, n->res[0], is)))
            return true;
    }
    return false;
}

/* Operators that read 16 bits as they read 8. */
static bool reads_wide(const Node *n)
{
    return has_weights(n) || normalizes(n) || moves(n) ||
           n->op == OP_add || n->op == OP_sub ||
           n->op == OP_mean || n->op == OP_avgpool;
}

static bool takes_wide_below(const Grids *d, const Val *v)
{
    int i;

    for (i = 0; i < d->nreader[v->id]; i++) {
        const Node *n = d->reader[v->id][i];

        if (!reads_wide(n) || (moves(n) && !takes_wide_below(d, n->res[0])))
            return false;
    }
    return true;
}

/* A function of 16 bits would be a table of 65 536. */
static bool takes_wide(const Grids *d, const Val *v)
{
    return v->def && (sums(v->def) || epilogue_of(v->def) ||
                      normalizes(v->def)) && takes_wide_below(d, v);
}

static bool is_wide(const Grids *d, const Val *v);

/* Summed only, into values of 16 bits?  Else a branch of 8 bits would decide
 * how fine the sum is. */
static bool joins_wide(const Grids *d, const Val *v)
{
    int i;

    for (i = 0; i < d->nreader[v->id]; i++) {
        const Node *n = d->reader[v->id][i];

        if (moves(n) ? !joins_wide(d, n->res[0])
            : (n->op != OP_add && n->op != OP_sub) || !is_wide(d, n->res[0]))
            return false;
    }
    return d->nreader[v->id] > 0;
}

/* Is it an output of the network, moved or not, and nothing else? */
static bool is_end(const Grids *d, const Val *v)
{
    int i;

    for (i = 0; i < d->nreader[v->id]; i++) {
        const Node *n = d->reader[v->id][i];

        if (!moves(n) || !is_end(d, n->res[0]))
            return false;
    }
    return i > 0 || val_is_output(d->q, v);
}

/* Has v 16 bits? */
static bool is_wide(const Grids *d, const Val *v)
{
    if (read_by(d, v, normalizes) && !read_by(d, v, has_weights))
        return true;
    return takes_wide(d, v) && (is_end(d, v) || mix_wide(&d->o->mix, v->name) ||
                                joins_wide(d, v));
}

static const Seen *seen_of(const Grids *d, const Val *v)
{
    const Val *of = graph_find(d->g, v->name);
    static const Seen none;

    return of && d->seen[of->id] ? d->seen[of->id] : &none;
}

/* Is it multiplied by what is no constant?  A zero point would have to be
 * subtracted first, and bytes would become 16 bits. */
static bool multiplied(const Node *n)
{
    return n->op == OP_matmul && !n->arg[0]->data && !n->arg[1]->data;
}

/* Twice what was seen: of the outputs, what is greater than in all examples
 * is what matters most. */
static Steps choose_end(const Grids *d, const Val *v)
{
    Seen more = *seen_of(d, v);

    more.lo *= 2;
    more.hi *= 2;
    return steps_of(&more, T_s16, true, BY_MINMAX);
}

/* What a softmax reads of v, scores or what bounds them (mask.c); NULL: v is
 * neither. */
static const Val *bounded(const Grids *d, const Val *v)
{
    while (one_reader(d, v) && d->reader[v->id][0]->op == OP_min)
        v = d->reader[v->id][0]->res[0];
    return v->def && v->def->op == OP_min && one_reader(d, v) &&
           d->reader[v->id][0]->op == OP_softmax ? v : NULL;
}

/* Scores that a constant bias is added to, for each place in rows, before a
 * softmax reads v, or what bounds it; NULL: none such, or with a range that is
 * so much greater that a grid for both would be too coarse. */
static const Val *biased(const Grids *d, const Val *v)
{
    enum { MORE = 5 }; /* fourths */
    const Node *n = v->def;
    const Seen *x, *y = seen_of(d, v);
    int i;

    if (!n || n->op != OP_add || n->narg != 2 || !one_reader(d, v) ||
        (d->reader[v->id][0]->op != OP_softmax && !bounded(d, v)))
        return NULL;
    i = n->arg[0]->data ? 1 : 0;
    x = seen_of(d, n->arg[i]);
    return !n->arg[i]->data && n->arg[!i]->data && !d->joins[n->arg[i]->id] &&
           one_reader(d, n->arg[i]) &&
           shape_same(n->arg[i]->shape, v->shape) && x->n && y->n &&
           4 * (fmax(x->hi, y->hi) - fmin(x->lo, y->lo)) <=
               MORE * (y->hi - y->lo) ? n->arg[i] : NULL;
}

/* A range for scores too; what is below it has no weight with any bias. */
static Seen with_scores(const Grids *d, const Val *v, Seen some)
{
    const Node *n = v->def;
    const Val *bias = n->arg[n->arg[0]->data ? 0 : 1];
    double most = 0;
    int64_t i;

    for (i = 0; i < val_count(bias); i++)
        most = fmax(most, val_num(bias, i));
    some.lo -= most;
    some.hi = fmax(some.hi, seen_of(d, biased(d, v))->hi);
    return some;
}

/* Only what lies between. */
static Seen seen_within(const Seen *s, double lo, double hi)
{
    Seen some = *s;
    double one = s->reach / (BINS / 2);
    int i;

    some.lo = lo;
    some.hi = hi;
    for (i = 0; i < BINS; i++)
        if ((i + 1 - BINS / 2) * one < lo || (i - BINS / 2) * one > hi)
            some.bin[i] = 0;
    return some;
}

/* What a softmax alone reads, without what has no weight in any row: it is on
 * the grid's end.  There is what is hidden, too, which is seen far below
 * (mask.c): scores tell better. */
static Steps choose_scores(const Grids *d, const Val *v, Type t)
{
    const Seen *all = seen_of(d, v), *scores = all;
    double least = isfinite(all->least) /* of which 255 exp() is 1/2 */
                   ? all->least - log(510) : all->lo;
    bool hides = bounded(d, v) != NULL;
    const Val *sum = hides ? v->def->arg[0] : v;
    Seen some;
    Steps s;

    if (hides && seen_of(d, v->def->arg[0])->n)
        scores = seen_of(d, v->def->arg[0]);
    some = seen_within(scores, hides ? least : fmax(least, all->lo), all->hi);
    if (biased(d, sum))
        some = with_scores(d, sum, some);
    s = steps_of(&some, t, false, d->o->by);
    if (hides && (double)s.scale * (double)(type_info[t].lo - s.zero) > least)
        return steps_of(&some, t, false, BY_MINMAX);
    return s;
}

static Steps choose(const Grids *d, const Val *v)
{
    Type t = is_wide(d, v) ? T_s16 : T_s8;
    const Val *of = bounded(d, v);

    if (!of && one_reader(d, v) &&
        biased(d, d->reader[v->id][0]->res[0]) == v) {
        of = d->reader[v->id][0]->res[0];
        of = bounded(d, of) ? bounded(d, of) : of;
    }
    if (of && of != v)
        return choose(d, of);
    of = v;
    if (t == T_s16 && is_end(d, v))
        return choose_end(d, v);

    if (v->def && v->def->op == OP_softmax)
        return read_by(d, v, has_weights) ? (Steps){1.0f / 256, 0, T_u8}
                                          : (Steps){1.0f / 256, -128, T_s8};
    if (one_reader(d, v) && d->reader[v->id][0]->op == OP_softmax &&
        seen_of(d, v)->len)
        return choose_scores(d, v, t);
    if (one_reader(d, v) && d->reader[v->id][0]->op == OP_concat)
        of = d->reader[v->id][0]->res[0];
    return steps_of(seen_of(d, of), t, read_by(d, v, multiplied), d->o->by);
}

/* --- values --- */

static void put_grid(Grids *d, Val *v, Steps s)
{
    Graph *q = d->q;
    Val *arg[3] = {NULL, graph_const_f32(q, s.scale),
                   graph_const_int(q, s.type, s.zero)};
    Node *at = v->def ? v->def->next : q->first, *to, *from;
    Inserted *x;

    GROW(d->mem, d->list, (size_t)d->n);
    x = &d->list[d->n++];
    x->name = v->name;
    x->op = !v->def ? "input" : v->def->origin ? v->def->origin
                              : op_info[v->def->op].name;
    x->steps = s;
    to = graph_node(q, at, OP_quantize, arena_fmt(d->mem, "%s.int", v->name),
                    3, arg);
    from = graph_node(q, at, OP_dequantize, NULL, 3, arg);
    graph_replace(q, v, from->res[0]);
    to->arg[0] = v;
    attr_set_int(q, to, A_to, s.type);
    node_infer(q, to);
    from->arg[0] = to->res[0];
    node_infer(q, from);
    x->integer = to->res[0]->name;
}

int insert_grids(Graph *q, Graph *g, Seen **seen, const PtqOpts *o,
                 Inserted **list)
{
    Grids d = {.q = q, .g = g, .seen = seen, .o = o, .mem = q->mem};
    Val *v, **wanted = NULL;
    Steps *s = NULL;
    int i, count = 0;

    look_at_all(&d);
    wanted = NEWN(d.mem, Val *, (size_t)graph_nval(q) + 1);
    s = NEWN(d.mem, Steps, (size_t)graph_nval(q) + 1);
    for (v = q->vals; v; v = v->next)
        if (wants_grid(&d, v) && mix_has(&o->mix, v->name)) {
            wanted[v->id] = v;
            s[v->id] = choose(&d, v);
        }
    count = graph_nval(q);
    for (i = 0; i < count; i++)
        if (wanted[i])
            put_grid(&d, wanted[i], s[i]);
    *list = d.list;
    return d.n;
}
