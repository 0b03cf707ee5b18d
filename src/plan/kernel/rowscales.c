/* Products of one row with constants: mul and add of a column behind its
 * weights,
 *
 *     y = matmul a b _ mul add transb=1   ->   y = rowmatmul a w
 *
 * where a kernel takes no more cycles for it: a tile is then one transfer, not
 * three.  b stays as it is where others read it too: it would lie there twice.
 * A weighted sum behind goes along:
 *
 *     z = wadd r y c                      ->   z = rowmatmul a w r */
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

static Val *with_scales(Graph *g, const Node *n)
{
    const Val *b = n->arg[1];
    int64_t rows = b->shape.dim[b->shape.rank - 2], i;
    int64_t k = b->shape.dim[b->shape.rank - 1], step = k + ROW_SCALES;
    Val *w = graph_const(g, b->name, T_s8, SHAPE(rows, step), NULL);
    int8_t *to = w->data;

    for (i = 0; i < rows; i++, to += step) {
        memcpy(to, (const int8_t *)b->data + i * k, (size_t)k);
        put_scale(to + k, val_int(n->arg[3], i));
        put_scale(to + k + 4, val_int(n->arg[4], i));
    }
    val_range(w);
    return w;
}

/* One for each column, of 32 bits at most; one for all is no transfer. */
static bool is_scale(const Val *v, int64_t columns)
{
    return v && v->data && type_info[v->type].bytes <= 4 && v->type != T_u32 &&
           v->shape.rank > 0 && val_count(v) == columns &&
           v->shape.dim[v->shape.rank - 1] == columns;
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

static bool reads(const Node *n, const Val *v)
{
    int i;

    for (i = 0; i < n->narg && n->arg[i] != v; i++)
        ;
    return i < n->narg;
}

static bool fits_32(int64_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

/* The weighted sum that alone reads the product and is clipped alike, of factors
 * of 32 bits; NULL: there is none. */
static Node *sum_behind(const Node *n)
{
    Node *s = n->next;

    while (s && !reads(s, n->res[0]))
        s = s->next;
    if (!s || n->res[0]->nuse != 1 || s->op != OP_wadd || !s->arg[2]->data ||
        val_count(s->arg[2]) != 1 || !fits_32(val_int(s->arg[2], 0)) ||
        !fits_32(attr_int(s, A_p0)) || !fits_32(attr_int(s, A_p1)) ||
        attr_int(s, A_lo) != attr_int(n, A_lo) ||
        attr_int(s, A_hi) != attr_int(n, A_hi) ||
        !shape_same(s->arg[0]->shape, s->arg[1]->shape))
        return NULL;
    return s;
}

/* Node n as the product of a and w, and the weighted sum of that with r.  false,
 * and as it was: kernels would take more than `most` cycles. */
static bool rewrite(const Chooser *c, Graph *g, Node *n, Val *a, Val *w, Val *r,
                    int64_t most)
{
    Node was = *n;
    Val y = *n->res[0];

    n->op = OP_rowmatmul;
    n->narg = r ? 3 : 2;
    n->arg = NEWN(g->mem, Val *, 3);
    n->arg[0] = a;
    n->arg[1] = w;
    n->arg[2] = r;
    node_infer(g, n);
    if (n->res[0]->type == y.type && chooser_cycles(c, g, n) <= most)
        return true;
    *n = was;
    *n->res[0] = y;
    return false;
}

/* Product n and sum s as one node, in place of the sum. */
static void add_sum(const Chooser *c, Graph *g, Node *n, Node *s)
{
    int own = s->arg[1] == n->res[0];
    int64_t p0 = attr_int(s, own ? A_p0 : A_p1);
    int64_t p1 = attr_int(s, own ? A_p1 : A_p0);
    int64_t p2 = attr_int(s, A_shift), p3 = val_int(s->arg[2], 0);
    int64_t most = chooser_cycles(c, g, n) + chooser_cycles(c, g, s);
    Attr *was = s->attr;

    s->attr = NULL;
    attr_copy(g, s, n);
    attr_set_int(g, s, A_p0, p0);
    attr_set_int(g, s, A_p1, p1);
    attr_set_int(g, s, A_p2, p2);
    attr_set_int(g, s, A_p3, p3);
    if (rewrite(c, g, s, n->arg[0], n->arg[1], s->arg[!own], most))
        s->name = n->name;
    else
        s->attr = was;
}

void scale_rows(const Chooser *c, Graph *g)
{
    Node *n, *s;

    graph_uses(g);
    for (n = g->first; n; n = n->next) {
        if (n->op != OP_matmul || !may_take(n) ||
            !rewrite(c, g, n, n->arg[0], with_scales(g, n), NULL,
                     chooser_cycles(c, g, n)))
            continue;
        s = sum_behind(n);
        if (s)
            add_sum(c, g, n, s);
    }
    graph_sweep(g);
}
