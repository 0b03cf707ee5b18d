/* Weights of two rows in halves of 16 bits, as kernels of Cortex-M load them:
 *
 *     y = matmul a b ... transb=1   ->   y = pmatmul a b' ... transb=1
 *
 * where a kernel takes fewer cycles for it; then also where it takes hardly
 * more, for two kernels are twice the code.  b stays as it is where others read
 * it too: it would lie there twice. */
#include "plan/plan.h"
#include "kern/matmul/halves.h"

enum { COLUMNS = 4, LEAST = -128, NEAR = 112 };

/* Two rows from i * k on.  false: a half does not fit 16 bits. */
static bool put_pair(int8_t *to, const int8_t *b, int64_t k)
{
    int64_t i;

    for (i = 0; i < k; i++) {
        int64_t at = i / COLUMNS * 2 * COLUMNS +
                     half_at((int32_t)(i % COLUMNS));

        if (b[k + i] == LEAST && b[i] < 0)
            return false;
        to[at] = b[i];
        to[at + 1] = (int8_t)(b[k + i] - (b[i] < 0));
    }
    return true;
}

/* b'; NULL: it cannot be. */
static Val *in_pairs(Graph *g, const Val *b)
{
    Val *to = graph_const(g, b->name, b->type, b->shape, NULL);
    int64_t k = b->shape.dim[b->shape.rank - 1], i;

    for (i = 0; i < val_count(b); i += 2 * k)
        if (!put_pair((int8_t *)to->data + i, (const int8_t *)b->data + i, k))
            return NULL;
    val_range(to);
    return to;
}

static bool may_pair(const Node *n)
{
    const Val *b = n->arg[1];

    return b->data && b->nuse == 1 && b->type == T_s8 && val_count(b) > 0 &&
           attr_int(n, A_transb) && !attr_has(n, A_count) &&
           b->shape.dim[b->shape.rank - 2] % 2 == 0 &&
           b->shape.dim[b->shape.rank - 1] % COLUMNS == 0;
}

/* One product, if it then takes fewer cycles than `most` percent of its own. */
static bool pair_layer(const Chooser *c, Graph *g, Node *n, int most)
{
    Val *b = n->arg[1], *to;
    int64_t before = chooser_cycles(c, g, n);

    to = in_pairs(g, b);
    if (!to)
        return false;
    n->op = OP_pmatmul;
    n->arg[1] = to;
    if (chooser_cycles(c, g, n) * 100 < before * most)
        return true;
    n->op = OP_matmul;
    n->arg[1] = b;
    return false;
}

void pair_layers(const Chooser *c, Graph *g)
{
    bool any = false;
    int i;
    Node *n;

    graph_uses(g);
    for (i = 0; i < 1 + any; i++)
        for (n = g->first; n; n = n->next)
            if (n->op == OP_matmul && may_pair(n))
                any |= pair_layer(c, g, n, i ? NEAR : 100);
    graph_sweep(g);
}
