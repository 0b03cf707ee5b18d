/* What values are made of.
 *
 * Bytes that are only moved keep their names: the result of a reshape, of a
 * slice, transpose or expand that is one run of its operand, and of a concat of
 * whole runs is made of the bytes of its operands.  Every other result is made
 * of bytes of its own. */
#include "verify/verify.h"

static void add_part(Arena *mem, Parts *l, Part p)
{
    Part *last = l->n ? &l->v[l->n - 1] : NULL;

    if (!p.n)
        return;
    if (last && last->val == p.val && last->off + last->n == p.off) {
        last->n += p.n;
        return;
    }
    GROW(mem, l->v, (size_t)l->n);
    l->v[l->n++] = p;
}

void parts_of(Arena *mem, const Parts *of, Parts *l, const Val *v,
              int64_t off, int64_t n)
{
    const Parts *from = &of[v->id];
    int i;

    for (i = 0; i < from->n && n; i++) {
        Part p = from->v[i];
        int64_t skip = MIN(off, p.n), take = MIN(n, p.n - skip);

        off -= skip;
        n -= take;
        add_part(mem, l, (Part){p.val, p.off + skip, take});
    }
}

static void dense_strides(Shape s, int64_t *stride)
{
    int i;

    for (i = s.rank - 1; i >= 0; i--)
        stride[i] = i == s.rank - 1 ? 1 : stride[i + 1] * s.dim[i + 1];
}

/* For a node that only moves elements: element i of the result is element
 * base + sum of i[d] * stride[d] of the operand.  false: it does not. */
static bool moves(const Node *n, int64_t *base, int64_t *stride)
{
    Shape x = n->arg[0] ? n->arg[0]->shape : (Shape){0}, y;
    int64_t from[RANK] = {0};
    int i, d;

    y = n->res[0]->shape;
    *base = 0;
    dense_strides(x, from);
    for (i = 0; i < y.rank; i++) {
        switch (n->op) {
        case OP_transpose:
            stride[i] = from[attr_at(n, A_perm, i, x.rank - 1 - i)];
            break;
        case OP_slice:
            stride[i] = from[i] * attr_at(n, A_step, i, 1);
            *base += from[i] * attr_at(n, A_start, i, 0);
            break;
        case OP_expand:
            d = i - (y.rank - x.rank);
            stride[i] = d < 0 || x.dim[d] == 1 ? 0 : from[d];
            break;
        default:
            return false;
        }
    }
    return true;
}

/* Byte offset in the operand of a result that is one run of its bytes; -1: it
 * is not. */
static int64_t run_of(const Node *n)
{
    int64_t base = 0, stride[RANK], dense[RANK];
    int i;

    if (n->op == OP_reshape)
        return 0;
    if (!moves(n, &base, stride))
        return -1;
    dense_strides(n->res[0]->shape, dense);
    for (i = 0; i < n->res[0]->shape.rank; i++)
        if (n->res[0]->shape.dim[i] != 1 && stride[i] != dense[i])
            return -1;
    return base * type_info[n->arg[0]->type].bytes;
}

int64_t concat_rows(const Node *n)
{
    const Shape *s = &n->res[0]->shape;
    int64_t axis = attr_int(n, A_axis), rows = 1;
    int i;

    if (axis < 0)
        axis += s->rank;
    for (i = 0; i < axis; i++)
        rows *= s->dim[i];
    return rows;
}

static void make_of(Arena *mem, Parts *of, const Node *n)
{
    Parts *l = &of[n->res[0]->id];
    int64_t at = n->op == OP_concat ? -1 : run_of(n);
    int i;

    if (n->op == OP_concat && concat_rows(n) == 1) {
        for (i = 0; i < n->narg; i++)
            parts_of(mem, of, l, n->arg[i], 0, val_bytes(n->arg[i]));
    } else if (at >= 0) {
        parts_of(mem, of, l, n->arg[0], at, val_bytes(n->res[0]));
    } else {
        for (i = 0; i < n->nres; i++)
            add_part(mem, &of[n->res[i]->id],
                     (Part){n->res[i], 0, val_bytes(n->res[i])});
    }
}

Parts *parts_all(Arena *mem, const Graph *g)
{
    Parts *of = NEWN(mem, Parts, graph_nval(g) + 1);
    const Val *v;
    const Node *n;

    for (v = g->vals; v; v = v->next)
        if (!v->def)
            add_part(mem, &of[v->id], (Part){v, 0, val_bytes(v)});
    for (n = g->first; n; n = n->next)
        make_of(mem, of, n);
    return of;
}
