/* Products of one row with constants: mul and add of a column behind its
 * weights,
 *
 *     y = matmul a b _ mul add transb=1   ->   y = rowmatmul a w
 *
 * where a kernel takes no more cycles for it: a tile is then one transfer, not
 * three.  b stays as it is where others read it too: it would lie there twice. */
#include "plan/plan.h"
#include "kern/matmul/scales.h"

#include <string.h>

/* The four bytes of v, the lowest first. */
static void put_scale(int8_t *to, int64_t v)
{
    int i;

    for (i = 0; i < 4; i++)
        to[i] = (int8_t)(uint8_t)((uint64_t)v >> 8 * i);
}

static int64_t scale_of(const Val *v, int64_t column)
{
    return val_int(v, val_count(v) > 1 ? column : 0);
}

static Val *with_scales(Graph *g, const Node *n)
{
    const Val *b = n->arg[1];
    int64_t rows = b->shape.dim[b->shape.rank - 2], i;
    int64_t k = b->shape.dim[b->shape.rank - 1], step = k + ROW_SCALES;
    Val *w = graph_const(g, b->name, T_s8, SHAPE(rows, step), NULL);
    int8_t *to = w->data;

    for (i = 0; i < rows; i++, to += step) {
        memcpy(to, (const int8_t *)b->data + i * k, (size_t)k);
        put_scale(to + k, scale_of(n->arg[3], i));
        put_scale(to + k + 4, scale_of(n->arg[4], i));
    }
    val_range(w);
    return w;
}

/* One for all columns, or one for each, of 32 bits at most. */
static bool is_scale(const Val *v, int64_t columns)
{
    return v && v->data && type_info[v->type].bytes <= 4 && v->type != T_u32 &&
           (val_count(v) == 1 || (val_count(v) == columns &&
                                  v->shape.dim[v->shape.rank - 1] == columns));
}

static bool may_take(const Node *n)
{
    const Val *a = n->arg[0], *b = n->arg[1];
    int rank = b->shape.rank;

    return n->narg == 5 && b->data && b->nuse == 1 && b->type == T_s8 &&
           rank >= 2 && val_count(b) == shape_product(b->shape, rank - 2, rank) &&
           val_count(b) > 0 && attr_int(n, A_transb) &&
           !attr_int(n, A_transa) && !attr_has(n, A_count) &&
           !attr_int(n, A_round) && !n->arg[2] && !node_varies(n) &&
           val_count(a) == a->shape.dim[a->shape.rank - 1] &&
           is_scale(n->arg[3], b->shape.dim[rank - 2]) &&
           is_scale(n->arg[4], b->shape.dim[rank - 2]);
}

static void scale_layer(const Chooser *c, Graph *g, Node *n)
{
    Node was = *n;
    int64_t before = chooser_cycles(c, g, n);
    Val *w = with_scales(g, n);

    n->op = OP_rowmatmul;
    n->arg = NEWN(g->mem, Val *, 2);
    n->arg[0] = was.arg[0];
    n->arg[1] = w;
    n->narg = 2;
    if (chooser_cycles(c, g, n) > before)
        *n = was;
}

void scale_rows(const Chooser *c, Graph *g)
{
    Node *n;

    graph_uses(g);
    for (n = g->first; n; n = n->next)
        if (n->op == OP_matmul && may_take(n))
            scale_layer(c, g, n);
    graph_sweep(g);
}
