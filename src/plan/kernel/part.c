/* A layer in two parts, one of an accelerator, one of the cores, which work at
 * the same time:
 *
 *     y = matmul x w ...    ->    a = matmul (slice x, the first rows) w ...
 *                                 b = matmul (slice x, the others) w ...
 *                                 y = concat a b
 *
 * a goes to the accelerator.  Products and convolutions of one tap or three by
 * three, of stride 1, are cut so, whose rows lie one after the other: slices, of
 * which those for windows overlap, and concat are places, not copies. */
#include "plan/kernel/part.h"
#include "plan/kernel/offer.h"

#include <string.h>

enum { COLD = 2400,  /* cycles until the code of the cores' kernel is there, and
                        that of the kernel that it takes the place of again */
       WORTH = 8,    /* of so many parts of the time one must be gained, */
       LEAST = 1000, /* and cycles */
       WORD = 4,
       PLACES = 32 };  /* to cut at */

/* May rows of a convolution be cut?  Windows are 1x1 without padding, or 3x3. */
static bool may_cut(const Node *n)
{
    const int64_t *kernel = n->arg[1]->shape.dim + 1;
    int i;

    if (n->arg[1]->shape.rank != 4 || kernel[0] != kernel[1] ||
        (kernel[0] != 1 && kernel[0] != 3))
        return false;
    for (i = 0; i < 2; i++)
        if (attr_at(n, A_stride, i, 1) != 1 ||
            attr_at(n, A_dilation, i, 1) != 1 ||
            (kernel[0] == 1 && (attr_at(n, A_pad, i, 0) ||
                                attr_at(n, A_pad, 2 + i, 0))))
            return false;
    return true;
}

/* The axis of rows in x and y, before which all are 1; -1: none. */
static int rows_axis(const Node *n)
{
    const Val *x = n->arg[0], *y = n->res[0];
    int axis = n->op == OP_conv ? 1 : x->shape.rank - 2, i;

    if (x->shape.rank != y->shape.rank || axis < 0 ||
        (n->op == OP_conv && !may_cut(n)))
        return -1;
    for (i = 0; i < axis; i++)
        if (x->shape.dim[i] != 1)
            return -1;
    return axis;
}

/* Rows around a row that its window reaches, and those of padding above. */
static int64_t reach_of(const Node *n)
{
    return n->op == OP_conv ? n->arg[1]->shape.dim[1] - 1 : 0;
}

static int64_t up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

Val *part_slice(Graph *g, Node *n, Val *x, int axis, int64_t from,
                int64_t count)
{
    int64_t start[RANK] = {0}, step[RANK];
    Node *s = graph_node(g, n, OP_slice, n->name, 1, &x);
    Shape all = x->shape;
    int i;

    for (i = 0; i < all.rank; i++)
        step[i] = 1;
    start[axis] = from;
    attr_set_list(g, s, A_start, all.rank, start);
    attr_set_list(g, s, A_step, all.rank, step);
    all.dim[axis] = count;
    attr_set_shape(g, s, A_count, all);
    s->origin = n->origin;
    s->placed = true;
    node_infer(g, s);
    return s->res[0];
}

/* The same layer of x. */
static Node *layer_of(Graph *g, Node *n, Val *x)
{
    Node *p = graph_node(g, n, n->op, n->name, n->narg, n->arg);

    p->arg[0] = x;
    attr_copy(g, p, n);
    p->origin = n->origin;
    return p;
}

/* Rows [at, at + len) of the result. */
static Node *part_of(Graph *g, Node *n, int axis, int64_t at, int64_t len)
{
    int64_t all = n->arg[0]->shape.dim[axis], pad[4];
    int64_t from = at - attr_at(n, A_pad, 0, 0), to = from + len + reach_of(n);
    int64_t start = MAX(0, from);
    Node *p = layer_of(g, n, part_slice(g, n, n->arg[0], axis, start,
                                     MIN(to, all) - start));
    int i;

    for (i = 0; i < 4; i++)
        pad[i] = attr_at(n, A_pad, i, 0);
    pad[0] = MAX(0, -from);
    pad[2] = MAX(0, to - all);
    if (n->op == OP_conv)
        attr_set_list(g, p, A_pad, 4, pad);
    node_infer(g, p);
    return p;
}

/* Bytes of a row of v. */
static int64_t row_bytes(const Val *v, int axis)
{
    return val_bytes(v) / v->shape.dim[axis];
}

/* Cycles of the rows from `at` on by cores; -1: the parts would be copied, for
 * they do not begin at words. */
static int64_t rest_cycles(const Chooser *c, Graph *g, Node *n, int axis,
                           int64_t at)
{
    int64_t rows = n->res[0]->shape.dim[axis], cycles;
    int64_t from = at - attr_at(n, A_pad, 0, 0);
    Node *p;

    if (at * row_bytes(n->res[0], axis) % WORD ||
        from * row_bytes(n->arg[0], axis) % WORD)
        return -1;
    p = part_of(g, n, axis, at, rows - at);
    cycles = chooser_cycles(c, g, p);
    n = p->prev;
    node_remove(g, p);
    node_remove(g, n);
    return cycles;
}

/* Of so many rows of the result: of one tap, in rows of any length. */
static int64_t subtiles(const Node *n, int64_t rows, int64_t side)
{
    const Val *y = n->res[0];
    int64_t width = n->op == OP_conv ? y->shape.dim[2] : 1;

    return reach_of(n) ? up(rows, side) * up(width, side)
                       : up(rows * width, side * side);
}

/* Both parts are there at once; of weights that come in pieces each part would
 * wait for its own. */
static int64_t touched_bytes(const Node *n)
{
    return val_bytes(n->arg[0]) + val_bytes(n->arg[1]) +
           val_bytes(n->res[0]);
}

int64_t part_rows(const Chooser *c, Graph *g, Node *n, const Node *job,
                  int64_t side, int64_t room)
{
    const ProgramTime *time = &c->soc->time;
    const Engine *dma = soc_hop(c->soc, 0);
    int axis = rows_axis(n);
    int64_t slow = 100 + time->beside * CORES_ASK / 100;
    int64_t rows, unit, fixed, best, part = 0, at, a, b;

    if (axis < 0 || !dma || touched_bytes(n) > room / 4 * 3)
        return 0;
    rows = n->res[0]->shape.dim[axis];
    unit = chooser_cycles(c, g, job);
    fixed = time->call + time->meet + COLD +
            (int64_t)dma_cycles(dma, true, val_bytes(n->arg[1]), 1);
    best = unit - MAX(LEAST, unit / WORTH);
    for (at = rows - 1; at > 0 && fixed < best; at -= up(rows, PLACES)) {
        a = unit * subtiles(n, at, side) / subtiles(n, rows, side);
        b = rest_cycles(c, g, n, axis, at);
        if (b >= 0 && fixed + b * slow / 100 > best)
            break;
        b = fixed + b * slow / 100;
        if (b > fixed && MAX(a, b) < best) {
            best = MAX(a, b);
            part = at;
        }
    }
    return part;
}

Val *part_joined(Graph *g, Node *n, Val *const *part, int count, int axis)
{
    Node *y = graph_node(g, n, OP_concat, n->name, count, (Val **)part);

    attr_set_int(g, y, A_axis, axis);
    y->origin = n->origin;
    y->placed = true;
    node_infer(g, y);
    return y->res[0];
}

/* In the place of n: its parts, one after the other along an axis. */
static void join(Graph *g, Node *n, Val *const *part, int count, int axis)
{
    Val *y = part_joined(g, n, part, count, axis), *was = n->res[0];

    y->scale = was->scale;
    y->zero = was->zero;
    graph_replace(g, was, y);
    node_remove(g, n);
}

Node *part_node(Graph *g, Node *n, int64_t rows)
{
    int axis = rows_axis(n);
    int64_t all = n->res[0]->shape.dim[axis];
    Node *a = part_of(g, n, axis, 0, rows);
    Node *b = part_of(g, n, axis, rows, all - rows);

    join(g, n, (Val *[]){a->res[0], b->res[0]}, 2, axis);
    return a;
}

Node *part_image(Graph *g, Node *n, int64_t i)
{
    Node *p = layer_of(g, n, part_slice(g, n, n->arg[0], 0, i, 1));

    node_infer(g, p);
    return p;
}

Node *part_images(Graph *g, Node *n)
{
    int count = (int)n->arg[0]->shape.dim[0], i;
    Val **y = NEWN(g->mem, Val *, count + 1);

    for (i = 0; i < count; i++)
        y[i] = part_image(g, n, i)->res[0];
    join(g, n, y, count, 0);
    return y[0]->def;
}
