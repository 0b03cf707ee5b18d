/* Attention of rows of heads becomes that of groups of heads, one after
 * another, for the sake of memory: only one group's rows of q, k and v are
 * there at a time.
 *
 *     q = matmul x wq, reshape            for each group of heads:
 *     k = matmul x wk, reshape              q = matmul x (its rows of wq) ...
 *     v = matmul x wv, reshape      ->      a = iattend q k v
 *     y = iattend q k v                   y = concat a a a a
 *
 * There are as many groups as make the greatest sum of these values the least.
 */
#include "ir/attend.h"
#include "pass/pass.h"

enum { SIDES = 3, MOST_GROUPS = NARG };

/* A side of an attention: a product, and the reshape that tells heads; NULL: it
 * has one head for all. */
typedef struct Side {
    Node *product, *shape;
} Side;

static bool find_side(Val *v, Side *s)
{
    s->shape = sole_producer(v);
    if (!s->shape || s->shape->op != OP_reshape || shape_varies(v->shape))
        return false;
    s->product = sole_producer(s->shape->arg[0]);
    return columns_apart(s->product) &&
           columns_count(s->product) ==
               shape_product(v->shape, v->shape.rank - 2, v->shape.rank);
}

/* Has each head a mask of its own? */
static bool own_masks(const Node *n)
{
    return node_arg(n, "mask") && attend_mask(n).heads > 1;
}

static bool find_sides(const Node *n, Side side[SIDES])
{
    int i;

    if (n->op != OP_iattend || attr_int(n, A_p2) != ATTEND_ROWS_FIRST ||
        attr_has(n, A_count) ||
        (own_masks(n) && !is_const(node_arg(n, "mask"))))
        return false;
    for (i = 0; i < SIDES; i++)
        if (attend_side(n, i).heads == 1)
            side[i] = (Side){NULL, NULL};
        else if (!find_side(n->arg[i], &side[i]))
            return false;
    return true;
}

/* What is read for all groups of a side. */
static const Val *stays(const Node *n, const Side side[SIDES], int i)
{
    const Val *v = n->arg[i];

    if (side[i].product)
        return side[i].product->arg[0];
    return v->def && v->def->op == OP_reshape ? v->def->arg[0] : v;
}

/* Bytes at most of what is there at a time, in so many groups: what is joined
 * lies beside its parts in the end. */
static int64_t greatest_sum(const Node *n, const Side side[SIDES],
                            int64_t groups)
{
    int64_t x = 0, rows = 0, y = val_bytes(n->res[0]), during;
    int i, j;

    for (i = 0; i < SIDES; i++) {
        const Val *v = stays(n, side, i);

        if (side[i].product)
            rows += val_bytes(n->arg[i]);
        for (j = 0; j < i && stays(n, side, j) != v; j++)
            ;
        x += j == i ? val_bytes(v) : 0;
    }
    during = x + y * (groups - 1) / groups + rows / groups;
    return groups > 1 ? MAX(during, 2 * y) : during;
}

static int64_t best_groups(const Node *n, const Side side[SIDES])
{
    int64_t heads = attend_side(n, 0).heads, best = 1, i;

    for (i = 2; i <= MIN(heads, MOST_GROUPS); i++)
        if (heads % i == 0 && greatest_sum(n, side, i) <
                                  greatest_sum(n, side, best))
            best = i;
    return best;
}

/* The n numbers from `from` on. */
static int64_t *numbers(Graph *g, int64_t from, int64_t n)
{
    int64_t *list = NEWN(g->mem, int64_t, n), k;

    for (k = 0; k < n; k++)
        list[k] = from + k;
    return list;
}

/* Group number i of so many: its rows of a side. */
static Val *group_side(Graph *g, Node *at, Side s, int64_t i, int64_t groups)
{
    int64_t n = columns_count(s.product) / groups;
    Shape heads = s.shape->res[0]->shape;
    Node *part;

    part = columns_some(g, at, s.product, n, numbers(g, i * n, n));
    heads.dim[heads.rank - 2] /= groups;
    part = edit_node(g, at, OP_reshape, s.shape, 1, &part->res[0]);
    attr_set_shape(g, part, A_shape, heads);
    node_infer(g, part);
    return part->res[0];
}

/* Its masks. */
static Val *group_mask(Graph *g, const Node *n, int64_t i, int64_t groups)
{
    AttendMask m = attend_mask(n);
    Val *all = const_as(g, node_arg(n, "mask"), SHAPE(m.heads, m.rows, m.keys));
    int64_t some = m.heads / groups;

    return const_pick(g, all, 0, some, numbers(g, i * some, some));
}

static Val *group_of(Graph *g, Node *n, const Side side[SIDES], int64_t i,
                     int64_t groups)
{
    Val *arg[NARG];
    Node *part;
    int k;

    for (k = 0; k < n->narg; k++)
        arg[k] = k < SIDES && side[k].product
                     ? group_side(g, n, side[k], i, groups) : n->arg[k];
    if (own_masks(n))
        arg[n->narg - 1] = group_mask(g, n, i, groups);
    part = edit_node(g, n, OP_iattend, n, n->narg, arg);
    attr_copy(g, part, n);
    node_infer(g, part);
    return part->res[0];
}

static void part_heads(Graph *g, Node *n, const Side side[SIDES],
                       int64_t groups)
{
    Val *group[MOST_GROUPS];
    Node *all;
    int64_t i;

    for (i = 0; i < groups; i++)
        group[i] = group_of(g, n, side, i, groups);
    all = edit_node(g, n, OP_concat, n, (int)groups, group);
    attr_set_int(g, all, A_axis, n->res[0]->shape.rank - 2);
    node_infer(g, all);
    edit_replace(g, n->res[0], all->res[0]);
    edit_drop(g, n);
}

bool heads_by_groups(Graph *g, int64_t groups)
{
    Side side[SIDES];
    Node *n, *next;
    bool changed = false;
    int64_t some;

    for (n = g->first; n; n = next) {
        next = n->next;
        if (!find_sides(n, side))
            continue;
        some = groups ? groups : best_groups(n, side);
        if (some > 1 && attend_side(n, 0).heads % some == 0) {
            part_heads(g, n, side, some);
            changed = true;
        }
    }
    return changed;
}

int64_t heads_grouped(const Graph *g)
{
    Side side[SIDES];
    const Node *n;
    int64_t most = 0;

    for (n = g->first; n; n = n->next)
        if (find_sides(n, side))
            most = MAX(most, attend_side(n, 0).heads);
    return MIN(most, MOST_GROUPS);
}

void pass_heads(Graph *g)
{
    heads_by_groups(g, 0);
}
