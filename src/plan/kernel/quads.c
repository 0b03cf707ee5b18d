/* Weights of four rows side by side, as kernels of Cortex-M load them:
 *
 *     y = groupmatmul x w scale mode=m -> y = groupmatmul x w' s' mode=m+4
 *
 * where a kernel takes fewer cycles for it.  w stays as it is where others read
 * it too: it would lie there twice. */
#include "plan/plan.h"

#include <string.h>

enum { QUADS = 4, FOUR_BITS = 2, ROWS = 4 };

/* Column i of row m, of 8 or 4 bits. */
static int weight_at(const Val *w, int64_t k, int mode, int64_t m, int64_t i)
{
    int v;

    i += m * k;
    if (!(mode & FOUR_BITS))
        return ((const int8_t *)w->data)[i];
    v = ((const uint8_t *)w->data)[i / 2] >> i % 2 * 4 & 15;
    return (v ^ 8) - 8;
}

/* Half i of w'. */
static void put_half(Val *w, int64_t i, int v)
{
    uint8_t *p = (uint8_t *)w->data + 2 * i;

    p[0] = (uint8_t)v;
    p[1] = (uint8_t)((unsigned)v >> 8);
}

/* Four rows from m on: kern/ref/groupmatmul_f32.c says where they lie. */
static void put_rows(Val *to, const Val *w, int64_t k, int mode, int64_t m)
{
    int64_t i, at = mode & FOUR_BITS ? m / ROWS * k : m / 2 * k;
    int v[ROWS], r;

    for (i = 0; i < k; i++) {
        for (r = 0; r < ROWS; r++)
            v[r] = weight_at(w, k, mode, m + r, i);
        if (mode & FOUR_BITS) {
            put_half(to, at + i, v[3] * 4096 + (v[2] + 8) * 256 +
                                     (v[1] + 8) * 16 + v[0] + 8);
            continue;
        }
        put_half(to, at + i / 2 * 4 + i % 2, 256 * v[1] + v[0] + 128);
        put_half(to, at + i / 2 * 4 + i % 2 + 2, 256 * v[3] + v[2] + 128);
    }
}

static Val *side_by_side(Graph *g, const Val *w, int64_t k, int mode)
{
    Val *to = graph_const(g, w->name, w->type, w->shape, NULL);
    int64_t m;

    for (m = 0; m < w->shape.dim[0]; m += ROWS)
        put_rows(to, w, k, mode, m);
    val_range(to);
    return to;
}

static Val *scales_side_by_side(Graph *g, const Val *v)
{
    Val *to = graph_const(g, v->name, v->type, v->shape, NULL);
    size_t n = (size_t)type_info[v->type].bytes;
    int64_t groups = v->shape.dim[1], i, j;

    for (i = 0; i < v->shape.dim[0]; i++)
        for (j = 0; j < groups; j++)
            memcpy((char *)to->data +
                       n * (size_t)(i / ROWS * ROWS * groups + j * ROWS +
                                    i % ROWS),
                   (const char *)v->data + n * (size_t)(i * groups + j), n);
    val_range(to);
    return to;
}

static bool may_interleave(const Node *n)
{
    const Val *w = n->arg[1];
    int64_t mode = attr_int(n, A_mode);

    return w->data && n->arg[2]->data && w->nuse == 1 && (mode & 1) &&
           !(mode & QUADS) && w->shape.dim[0] % ROWS == 0 &&
           (mode & FOUR_BITS || w->type == T_s8);
}

void interleave_layers(const Chooser *c, Graph *g)
{
    Node *n;

    graph_uses(g);
    for (n = g->first; n; n = n->next) {
        Val *w = n->narg > 1 ? n->arg[1] : NULL;
        int64_t before, mode;

        if (n->op != OP_groupmatmul || !may_interleave(n))
            continue;
        mode = attr_int(n, A_mode);
        before = chooser_cycles(c, g, n);
        attr_set_int(g, n, A_mode, mode | QUADS);
        if (chooser_cycles(c, g, n) >= before) {
            attr_set_int(g, n, A_mode, mode);
            continue;
        }
        n->arg[1] = side_by_side(g, w, n->arg[0]->shape.dim[
            n->arg[0]->shape.rank - 1], (int)mode);
        n->arg[2] = scales_side_by_side(g, n->arg[2]);
    }
    graph_sweep(g);
}
