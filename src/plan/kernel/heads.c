/* Products of heads brought to accelerators: a job for each head, or for some
 * heads of few channels together, whose matrix, a value too, the cores pack.
 *
 *     y = matmul a b            ->   y = concat (pconv (slice a) (slice w)) ...
 *                                    w = pack b, or of b with its axes changed
 *     y = iattend q k v ...     ->   s = pconv q k'      of each head
 *                                    w = powers s, itamax s, or iweigh s
 *                                    z = pconv w v'
 *                                    y = ishare z w, weights being powers
 *
 * Without an accelerator attention comes apart where its quick kernels have no
 * room for their scratch: into products of all heads, with the same between.
 *
 * A unit whose inputs have no sign gets q + 128.  Sums are 128 sums of a row of k
 * more then, which the addend of its column is less: cores make addends of k.
 *
 * The next head's scores are under way while cores make weights of one's: its
 * job comes first. */
#include "plan/kernel/bring.h"
#include "plan/kernel/part.h"
#include "ir/attend.h"
#include "ir/dims.h"

#include <string.h>

enum { BYTES = 256, LEAST = -128, GREATEST = 127,
       WORTH = 12,   /* of so many parts of the time one must be gained */
       WORD = 4,      /* codes side by side */
       HALF = 2,      /* bytes of a word that has a bit of each of 16 */
       GROUPS = 2,    /* of heads, or more: a job beside another's weights */
       AGAIN = 300 }; /* cycles until a short kernel's code is there again */

int64_t heads_of(const Node *n)
{
    Shape x = n->arg[0]->shape, w;
    int i;

    if (n->op != OP_matmul || n->arg[1]->data)
        return 1;
    w = n->arg[1]->shape;
    if (w.rank < 3 || w.rank != x.rank || attr_int(n, A_transa) ||
        attr_has(n, A_count) || shape_varies(w) || shape_varies(x) ||
        !layer_follows_columns(n))
        return 1;
    for (i = 0; i < w.rank - 2; i++)
        if (w.dim[i] != x.dim[i])
            return 1;
    return shape_product(w, 0, w.rank - 2);
}

/* The axes of s of more than one element: their sizes, and in which order perm
 * has them; how many. */
static int axes_of(Shape s, const int64_t *perm, int64_t size[RANK],
                   int64_t order[RANK])
{
    int at[RANK], n = 0, i;

    for (i = 0; i < s.rank; i++) {
        at[i] = n;
        if (s.dim[i] > 1)
            size[n++] = s.dim[i];
    }
    n = 0;
    for (i = 0; i < s.rank; i++)
        if (s.dim[perm[i]] > 1)
            order[n++] = at[perm[i]];
    return n;
}

/* The same bytes of v in the same order, made before for another; NULL: none. */
static Val *turned_before(const Bringer *b, const Val *v, Shape s,
                          const int64_t *perm)
{
    int64_t size[2][RANK], order[2][RANK], by[RANK];
    int n = axes_of(s, perm, size[0], order[0]), i;
    const Node *t;

    for (t = b->at->prev; t; t = t->prev) {
        const Val *x = t->op == OP_transpose ? t->arg[0] : NULL;

        if (!x || val_shown(x) != val_shown(v))
            continue;
        for (i = 0; i < x->shape.rank; i++)
            by[i] = attr_at(t, A_perm, i, i);
        if (axes_of(x->shape, by, size[1], order[1]) == n &&
            !memcmp(size[0], size[1], (size_t)n * sizeof *size[0]) &&
            !memcmp(order[0], order[1], (size_t)n * sizeof *order[0]))
            return t->res[0];
    }
    return NULL;
}

/* v as axes of these sizes, then the axes by perm, if it changes any that
 * matter. */
static Val *turned(Bringer *b, Val *v, Shape s, const int64_t *perm)
{
    Shape to = s;
    int64_t last = -1;
    bool same = true;
    Val *before;
    int i;

    for (i = 0; i < s.rank; i++) {
        to.dim[i] = s.dim[perm[i]];
        if (to.dim[i] > 1) {
            same &= perm[i] > last;
            last = perm[i];
        }
    }
    before = same ? v : turned_before(b, v, s, perm);
    if (before)
        return bring_reshaped(b, before, to);
    v = bring_node(b, OP_transpose, bring_reshaped(b, v, s), A_perm, s.rank,
                   perm);
    node_infer(b->g, v->def);
    return v;
}

/* Matrices [heads,m,c] packed, below one another. */
static Val *matrices(Bringer *b, Words p, Val *v)
{
    Shape s = v->shape;

    return bring_packed(b, p, bring_reshaped(
        b, v, SHAPE(s.dim[0] * s.dim[1], 1, 1, s.dim[2])));
}

/* What job i has of v, which has so much for each row of weights, or all there
 * is. */
static Val *of_job(Bringer *b, Val *v, int64_t i)
{
    return v->shape.dim[0] > b->m
               ? part_slice(b->g, b->at, v, 0, i * b->m, b->m) : v;
}

/* The job of image i of x[images,rows,1,c], or of all there is; NULL: scales do
 * not fit. */
static Val *image_job(Bringer *b, Words p, Val *x, Val *w, int64_t i)
{
    Node *y;

    b->x = x->shape.dim[0] > 1 ? part_slice(b->g, b->at, x, 0, i, 1) : x;
    b->shared->arg[1] = w;
    if (b->made)
        b->shared->arg[4] = of_job(b, b->made, i);
    y = bring_job(b, p);
    return y ? y->res[0] : NULL;
}

/* That of head i, whose weights w has beside those of others. */
static Val *head_job(Bringer *b, Words p, Val *x, Val *w, int64_t i)
{
    return image_job(b, p, x, of_job(b, w, i), i);
}

/* ---- products ---- */

static Val *see_heads(Bringer *b, int64_t heads, Words p)
{
    Node *n = b->n;
    Shape s = n->arg[1]->shape;
    bool swap = !attr_int(n, A_transb);
    int64_t rows = n->arg[0]->shape.dim[s.rank - 2], i;
    Val *x, *w, **all = NEWN(b->g->mem, Val *, heads + 1);

    b->m = s.dim[s.rank - 1 - !swap];
    b->c = s.dim[s.rank - 1 - swap];
    b->w = n->arg[1];
    b->bias = node_arg(n, "bias");
    if (!bring_may(b))
        return NULL;
    w = swap ? turned(b, n->arg[1], SHAPE(heads, b->c, b->m),
                      (int64_t[3]){0, 2, 1})
             : bring_reshaped(b, n->arg[1], SHAPE(heads, b->m, b->c));
    x = bring_reshaped(b, bring_unsigned(b, n->arg[0], w),
                       SHAPE(heads, rows, 1, b->c));
    if (!bring_scale(b))
        return NULL;
    w = matrices(b, p, w);
    for (i = 0; i < heads; i++)
        if (!(all[i] = head_job(b, p, x, w, i)))
            return NULL;
    x = bring_reshaped(b, part_joined(b->g, n, all, (int)heads, 0),
                       n->res[0]->shape);
    return b->sums ? bring_scaled(b, x) : x;
}

int64_t made_gain(const Chooser *c, const Graph *g, const Node *before,
                  const Node *n, int64_t room, int64_t *cold)
{
    int64_t gain = job_gain(c, g, before ? before->next : g->first, n, room,
                            n->op == OP_iattend, cold);
    const Node *at;

    for (at = n->prev; gain > 0 && at != before; at = at->prev)
        gain -= at->op == OP_reshape || at->placed ? 0 : AGAIN;
    return gain > 0 && gain * WORTH >= chooser_cycles(c, g, n) ? gain : 0;
}

/* The cycles that nodes behind `before` gain; then y takes the place of n,
 * unless that is but tried. */
static int64_t settle(const Chooser *c, Graph *g, Node *n, Node *before, Val *y,
                      Way *w, int64_t room, bool try)
{
    int64_t gain = y ? made_gain(c, g, before, n, room, &w->cold) : 0;

    if (gain && !try)
        layer_replace(g, n, y->def, y);
    else
        layer_undo(g, before, n);
    return gain;
}

int64_t bring_heads(const Chooser *c, Graph *g, Node *n, Way *w, int64_t room,
                    bool try)
{
    Shared shared = {0};
    Bringer b = {.g = g, .n = n, .at = n, .before = n->prev, .stride = {1, 1},
                 .every = {1, 1}, .k = {1, 1}, .sums = w->sums,
                 .sign = w->words.sign, .shared = &shared};
    Val *y = bring_fits(&b, w) ? see_heads(&b, heads_of(n), w->words) : NULL;

    return settle(c, g, n, b.before, y, w, room, try);
}

/* ---- attention ---- */

/* An attention and its two products, which are nodes only to be brought. */
typedef struct Apart {
    Graph *g;
    Node *n;
    AttendSide q, k, v;
    bool divided;       /* once a row: weights are powers */
    bool halves;        /* or a greatest one halved */
    Val *powers;        /* then by what a score is below the greatest */
    Val *scores;        /* a table, by bytes without sign; NULL: changes
                           nothing */
    Val *parts;         /* weights by parts of a whole: a table; NULL: none */
    Val *scale;         /* of ishare */
    int64_t group;      /* heads of a job */
    Bringer score, sum;
    Shared of_score, of_sum;
    Words words;
} Apart;

/* Are all tables there, and weights made by an operator of their own? */
static bool take_tables(Apart *a)
{
    const Node *n = a->n;
    const Val *scores = node_arg(n, "scores"), *powers = node_arg(n, "powers");
    const Val *scale = node_arg(n, "scale");
    int64_t x[BYTES], i;
    bool same = true;
    struct attend_dims d;

    if (!scores->data || !powers->data || !scale->data)
        return false;
    fill_attend(n, &d);
    if (d.quotients || d.both)
        return false;
    a->divided = !node_arg(n, "parts");
    a->halves = !node_arg(n, "mask") && d.halves;
    if (!a->divided && !a->halves)
        return true;
    for (i = 0; i < BYTES; i++) {
        same &= val_int(scores, i) == i + LEAST;
        x[(i + LEAST) & (BYTES - 1)] = val_int(scores, i);
    }
    if (!same)
        a->scores = bring_numbers(a->g, n->name, T_s8, BYTES, x);
    for (i = 0; i < BYTES; i++)
        x[i] = val_int(powers, BYTES - 1 - i);
    if (a->divided) {
        a->powers = bring_numbers(a->g, n->name, T_u8, BYTES, x);
        x[0] = val_int(scale, 2), x[1] = val_int(scale, 3);
        a->scale = bring_numbers(a->g, n->name, T_s32, 2, x);
    }
    return true;
}

/* Weights that are none below 0 need no sign. */
static Val *parts_table(Graph *g, Val *v, bool sign)
{
    int64_t x[BYTES], i;

    if (!v || sign || v->type != T_s8 || v->lo < 0 || !v->data)
        return v;
    for (i = 0; i < BYTES; i++)
        x[i] = val_int(v, i);
    return bring_numbers(g, v->name, T_u8, BYTES, x);
}

/* A product of rows of x by m rows of w, elements of scale from `at` on its
 * factor and addend; at < 0: it is not scaled. */
static void put_product(Apart *a, Bringer *b, Shared *shared, Type t,
                        int64_t rows, int64_t c, int64_t m, int at, int shift)
{
    Node *n = a->n;
    const Val *scale = node_arg(n, "scale");
    Val *arg[5] = {graph_val(a->g, n->name, t, SHAPE(rows, c)),
                   graph_val(a->g, n->name, T_s8, SHAPE(m, c))};
    Node *y;
    int i;

    for (i = 0; i < 2 && at >= 0; i++)
        arg[3 + i] = bring_numbers(a->g, n->name, T_s32, 1,
                                   (int64_t[1]){val_int(scale, at + i)});
    y = graph_node(a->g, n, OP_matmul, n->name, at < 0 ? 2 : 5, arg);
    attr_set_int(a->g, y, A_transb, 1);
    if (at >= 0) {
        attr_set_int(a->g, y, A_shift, shift);
        attr_set_int(a->g, y, A_lo, at ? attr_int(n, A_lo) : LEAST);
        attr_set_int(a->g, y, A_hi, at ? attr_int(n, A_hi) : GREATEST);
    }
    y->origin = n->origin;
    node_infer(a->g, y);
    *b = (Bringer){.g = a->g, .n = y, .at = n, .w = y->arg[1], .m = m, .c = c,
                   .k = {1, 1}, .stride = {1, 1}, .every = {1, 1},
                   .sums = at < 0, .sign = a->words.sign, .shared = shared};
}

/* Heads of side i, rows of `width`; columns: of what they are the columns. */
static Val *side_of(Apart *a, int i, bool columns)
{
    AttendSide s = attend_side(a->n, i);
    bool rows_first = attend_rows_first(a->n, i);
    Shape x = rows_first ? SHAPE(s.rows, s.heads, s.width)
                         : SHAPE(s.heads, s.rows, s.width);
    int64_t perm[3] = {rows_first, columns ? 2 : !rows_first,
                       columns ? !rows_first : 2};

    return turned(&a->score, a->n->arg[i], x, perm);
}

/* The mask of head i, of its rows or of all. */
static Val *mask_of(Apart *a, int64_t i)
{
    Val *v = node_arg(a->n, "mask");
    AttendMask m;

    if (!v)
        return NULL;
    m = attend_mask(a->n);
    v = bring_reshaped(&a->score, v, SHAPE(m.heads, m.rows, m.keys));
    return m.heads > 1 ? part_slice(a->g, a->n, v, 0, i, 1) : v;
}

/* Weights by all tables of the attention. */
static Val *parts_of(Apart *a, Val *s, Val *mask)
{
    const Node *n = a->n;
    Val *arg[] = {s, node_arg(n, "scores"), node_arg(n, "powers"), a->parts,
                  mask};
    Node *y = graph_node(a->g, a->n, OP_iweigh, n->name, arg[4] ? 5 : 4, arg);

    attr_set_int(a->g, y, A_p1, attr_int(n, A_p1));
    y->origin = n->origin;
    node_infer(a->g, y);
    return y->res[0];
}

/* Weights of rows of scores. */
static Val *weights_of(Apart *a, Val *s, Val *mask)
{
    Val *arg[2] = {s, a->powers};
    Node *y;

    if (!a->divided && !a->halves)
        return parts_of(a, s, mask);
    if (a->scores) {
        y = graph_node(a->g, a->n, OP_gather, a->n->name, 2,
                       (Val *[]){a->scores, s});
        attr_set_int(a->g, y, A_axis, 0);
        y->origin = a->n->origin;
        node_infer(a->g, y);
        arg[0] = y->res[0];
    }
    y = graph_node(a->g, a->n, a->divided ? OP_powers : OP_itamax, a->n->name,
                   a->divided ? 2 : 1, arg);
    if (!a->divided)
        attr_set_int(a->g, y, A_hi, attr_int(a->n, A_p1));
    y->origin = a->n->origin;
    node_infer(a->g, y);
    return y->res[0];
}

/* Results of rows of sums and of weights. */
static Val *results_of(Apart *a, Val *sums, Val *w)
{
    Node *y;

    if (!a->divided)
        return sums;
    y = graph_node(a->g, a->n, OP_ishare, a->n->name, 3,
                   (Val *[]){sums, w, a->scale});
    attr_set_int(a->g, y, A_shift, attr_int(a->n, A_shift));
    attr_set_int(a->g, y, A_lo, attr_int(a->n, A_lo));
    attr_set_int(a->g, y, A_hi, attr_int(a->n, A_hi));
    y->origin = a->n->origin;
    node_infer(a->g, y);
    return y->res[0];
}

/* ---- heads by groups ---- */

/* Heads that a job has at once: their channels are a tile, the weights of each
 * a block on the diagonal, so a unit takes no longer for all of them than for
 * one.  At least two groups are made, for cores have work beside jobs. */
static int64_t group_of(const Apart *a, Words p)
{
    int64_t heads = a->q.heads, d = a->q.width, g;

    if (d % WORD || a->k.rows % (p.mode ? WORD : p.tile) ||
        (!p.mode && p.word != HALF) || a->k.heads != heads ||
        a->v.heads != heads ||
        (node_arg(a->n, "mask") && attend_mask(a->n).heads > 1))
        return 1;
    for (g = MIN(p.tile / d, heads / GROUPS); g > 1; g--)
        if (heads % g == 0)
            return g;
    return 1;
}

/* q as pixels of each group. */
static Val *pixels_of(Apart *a)
{
    AttendSide s = a->q;
    int64_t g = a->group, of = s.heads / g;
    Val *q = a->n->arg[0];

    if (attend_rows_first(a->n, 0))
        q = turned(&a->score, q, SHAPE(s.rows, of, g * s.width),
                   (int64_t[]){1, 0, 2});
    else
        q = turned(&a->score, q, SHAPE(of, g, s.rows, s.width),
                   (int64_t[]){0, 2, 1, 3});
    return bring_reshaped(&a->score, q, SHAPE(of, s.rows, 1, g * s.width));
}

/* Of heads from i on, whose matrices w has, packed weights. */
static Val *group_blocks(Apart *a, Bringer *b, Val *w, int64_t i)
{
    return bring_blocks(b, a->words, part_slice(b->g, b->at, w, 0, i, a->group));
}

/* Packed columns of v of all groups, or v's columns as rows where its heads are
 * not side by side. */
static Val *columns_of(Apart *a)
{
    AttendSide s = a->v;

    if (!attend_rows_first(a->n, 2) || !a->words.mode)
        return side_of(a, 2, true);
    return bring_columns(&a->sum, a->words,
                         bring_reshaped(&a->sum, a->n->arg[2],
                                        SHAPE(s.rows, s.heads, s.width)),
                         a->group);
}

/* Of these the packed weights of heads from i on. */
static Val *group_columns(Apart *a, Val *v, int64_t i)
{
    Bringer *b = &a->sum;
    int64_t rows = a->group * a->v.width;

    if (v->shape.rank == 2)
        return part_slice(b->g, b->at, v, 0, i / a->group * rows, rows);
    return group_blocks(a, b, v, i);
}

/* Scores of heads from i on. */
static Val *group_scores(Apart *a, Val *q, Val *k, int64_t i)
{
    return image_job(&a->score, a->words, q, group_blocks(a, &a->score, k, i),
                     i / a->group);
}

/* Results of groups, [groups,rows,heads,width]; NULL: scales do not fit. */
static Val *groups_apart(Apart *a)
{
    int64_t heads = a->q.heads, m = a->q.rows, n = a->k.rows, g = a->group, i;
    Val *k = side_of(a, 1, false), *v = columns_of(a);
    Val *q = bring_unsigned(&a->score, pixels_of(a), k);
    Val **y = NEWN(a->g->mem, Val *, heads + 1), *w, *next, *s;

    if (!bring_scale(&a->score))
        return NULL;
    next = group_scores(a, q, k, 0);
    for (i = 0; i < heads; i += g) {
        if (!(s = next))
            return NULL;
        if (i + g < heads)
            next = group_scores(a, q, k, i + g);
        w = weights_of(a, bring_reshaped(&a->score, s, SHAPE(m * g, n)),
                       mask_of(a, i));
        s = image_job(&a->sum, a->words,
                      bring_reshaped(&a->sum, w, SHAPE(1, m, 1, g * n)),
                      group_columns(a, v, i), 0);
        if (!s)
            return NULL;
        s = results_of(a, bring_reshaped(&a->sum, s,
                                         SHAPE(m * g, a->v.width)), w);
        y[i / g] = bring_reshaped(&a->sum, s, SHAPE(1, m, g * a->v.width));
    }
    return part_joined(a->g, a->n, y, (int)(heads / g), 0);
}

/* Results of all heads; NULL: scales do not fit. */
static Val *heads_apart(Apart *a)
{
    Graph *g = a->g;
    int64_t heads = a->q.heads, m = a->q.rows, n = a->k.rows, i;
    Val *k = side_of(a, 1, false), *v = side_of(a, 2, true);
    Val *q = bring_unsigned(&a->score, side_of(a, 0, false), k);
    Val **y = NEWN(g->mem, Val *, heads + 1), *w, *next, *s;

    if (!bring_scale(&a->score))
        return NULL;
    q = bring_reshaped(&a->score, q, SHAPE(heads, m, 1, a->q.width));
    k = matrices(&a->score, a->words, k);
    v = matrices(&a->sum, a->words, v);
    next = head_job(&a->score, a->words, q, k, 0);
    for (i = 0; i < heads; i++) {
        if (!(s = next))
            return NULL;
        if (i + 1 < heads)
            next = head_job(&a->score, a->words, q, k, i + 1);
        w = weights_of(a, bring_reshaped(&a->score, s, SHAPE(m, n)),
                       mask_of(a, i));
        s = head_job(&a->sum, a->words,
                     bring_reshaped(&a->sum, w, SHAPE(1, m, 1, n)), v, i);
        if (!s)
            return NULL;
        s = results_of(a, bring_reshaped(&a->sum, s, SHAPE(m, a->v.width)), w);
        y[i] = bring_reshaped(&a->sum, s, SHAPE(1, m, a->v.width));
    }
    return part_joined(g, a->n, y, (int)heads, 0);
}

static bool is_apart(const Apart *a)
{
    return (!node_arg(a->n, "mask") || !a->divided) &&
           !attr_has(a->n, A_count) &&
           !node_varies(a->n) && a->n->arg[0]->type == T_s8 &&
           a->n->arg[1]->type == T_s8 && a->n->arg[2]->type == T_s8 &&
           a->q.rows > 1 && a->k.rows > 3 &&
           bring_may(&a->score) && (a->divided || bring_may(&a->sum));
}

/* The attention and its products, before it; false: it stays. */
static bool take_apart(Apart *a, Graph *g, Node *n, bool by_groups)
{
    int shift = (int)attr_int(n, A_shift);

    *a = (Apart){.g = g, .n = n, .q = attend_side(n, 0),
                 .k = attend_side(n, 1), .v = attend_side(n, 2),
                 .words = a->words};
    if (!take_tables(a))
        return false;
    a->parts = parts_table(g, node_arg(n, "parts"), a->words.sign);
    a->group = by_groups ? group_of(a, a->words) : 1;
    put_product(a, &a->score, &a->of_score, T_s8, a->q.rows,
                a->group * a->q.width, a->group * a->k.rows, 0,
                (int)attr_int(n, A_p0));
    put_product(a, &a->sum, &a->of_sum,
                a->divided || a->halves ? T_u8 : a->parts->type,
                a->q.rows, a->group * a->k.rows, a->group * a->v.width,
                a->divided ? -1 : 2, shift);
    return true;
}

/* Results of heads, or of groups, as the attention has them. */
static Val *in_order(Apart *a, Val *y)
{
    int64_t of = a->q.heads / a->group, m = a->q.rows, e = a->v.width;

    if (attend_rows_first(a->n, 0))
        y = turned(&a->sum, y, SHAPE(of, m, a->group * e),
                   (int64_t[]){1, 0, 2});
    else if (a->group > 1)
        y = turned(&a->sum, y, SHAPE(of, m, a->group, e),
                   (int64_t[]){0, 2, 1, 3});
    return bring_reshaped(&a->sum, y, a->n->res[0]->shape);
}

/* Results, if there are any; products of the attention are no longer there. */
static Val *put_together(Apart *a, Val *y)
{
    if (y)
        y = in_order(a, y);
    node_remove(a->g, a->score.n);
    node_remove(a->g, a->sum.n);
    return y;
}

int64_t bring_attention(const Chooser *c, Graph *g, Node *n, Way *w,
                        int64_t room, bool try)
{
    Apart a = {.words = w->words};
    Node *before = n->prev;
    Val *y = NULL;

    if (w->sums || !take_apart(&a, g, n, true))
        return 0;
    if (is_apart(&a) && bring_fits(&a.score, w))
        y = a.group > 1 ? groups_apart(&a) : heads_apart(&a);
    return settle(c, g, n, before, put_together(&a, y), w, room, try);
}

/* ---- attention by cores alone ---- */

/* The matmul of rows x[heads,m,c] by w[of,..]: of heads, or one for all. */
static Val *product_of(Apart *a, const Bringer *b, Val *x, Val *w)
{
    Shape s = x->shape;
    bool one = w->shape.dim[0] == 1;
    const Node *n = b->n;
    Val *arg[5] = {x, w, NULL, node_arg(n, "mul"), node_arg(n, "add")};
    static const AttrCode all[] = {A_transb, A_shift, A_lo, A_hi};
    Node *y;
    int i;

    if (one)
        arg[0] = bring_reshaped(&a->score, x, SHAPE(1, s.dim[0] * s.dim[1],
                                                    s.dim[2]));
    y = graph_node(a->g, a->n, OP_matmul, n->name, arg[3] ? 5 : 2, arg);
    for (i = 0; i < (int)LEN(all); i++)
        if (attr_has(n, all[i]))
            attr_set_int(a->g, y, all[i], attr_int(n, all[i]));
    y->origin = a->n->origin;
    node_infer(a->g, y);
    return bring_reshaped(&a->score, y->res[0],
                          SHAPE(s.dim[0], s.dim[1], b->m));
}

/* May a mask be one of all rows of all heads? */
static bool takes_mask(const Apart *a)
{
    AttendMask m;

    if (!node_arg(a->n, "mask"))
        return true;
    m = attend_mask(a->n);
    return !a->divided && ((m.heads == a->q.heads && m.rows == a->q.rows) ||
                           (m.heads == 1 && m.rows == 1));
}

static Val *products_apart(Apart *a)
{
    int64_t heads = a->q.heads, m = a->q.rows, n = a->k.rows;
    Val *w = product_of(a, &a->score, side_of(a, 0, false),
                        side_of(a, 1, false));
    Val *s;

    w = weights_of(a, bring_reshaped(&a->score, w, SHAPE(heads * m, n)),
                   node_arg(a->n, "mask"));
    s = product_of(a, &a->sum,
                   bring_reshaped(&a->score, w, SHAPE(heads, m, n)),
                   side_of(a, 2, true));
    s = results_of(a, bring_reshaped(&a->score, s,
                                     SHAPE(heads * m, a->v.width)), w);
    return bring_reshaped(&a->score, s, SHAPE(heads, m, a->v.width));
}

void unfuse_attention(const Chooser *c, Graph *g, int64_t room)
{
    Node *n, *next, *before;
    int64_t cold;
    Val *y;

    for (n = g->first; n; n = next) {
        Apart a = {.words.sign = true};

        next = n->next;
        before = n->prev;
        if (n->op != OP_iattend || chooser_has_room(c, g, n, room) ||
            !take_apart(&a, g, n, false))
            continue;
        y = put_together(&a, is_apart(&a) && takes_mask(&a)
                                 ? products_apart(&a) : NULL);
        if (y && job_gain(c, g, before ? before->next : g->first, n, room,
                          false, &cold))
            layer_replace(g, n, y->def, y);
        else
            layer_undo(g, before, n);
    }
    graph_sweep(g);
}
