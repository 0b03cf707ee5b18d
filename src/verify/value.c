/* The numbers of the bytes of values.
 *
 * Bytes that are only moved keep their numbers: what a reshape, transpose,
 * slice, windows, expand or concat makes is made of the bytes of its operands.  Every
 * other result is made of bytes of its own. */
#include "verify/verify.h"

#include <string.h>

static void dense_strides(Shape s, int64_t *stride)
{
    int i;

    for (i = s.rank - 1; i >= 0; i--)
        stride[i] = i == s.rank - 1 ? 1 : stride[i + 1] * s.dim[i + 1];
}

bool keeps_bytes(const Node *n)
{
    return n->op == OP_transpose || n->op == OP_slice ||
           n->op == OP_windows || n->op == OP_expand ||
           n->op == OP_concat || n->op == OP_reshape;
}

/* For a node that only moves elements: element i of the result is element
 * base + sum of i[d] * stride[d] of the operand. */
static int64_t strides_of(const Node *n, int64_t *stride)
{
    Shape x = n->arg[0]->shape, y = n->res[0]->shape;
    int64_t from[RANK] = {0}, base = 0;
    int i, d;

    dense_strides(n->op == OP_reshape ? y : x, from);
    if (n->op == OP_windows) {
        stride[0] = from[0];
        stride[5] = from[3];
        for (i = 0; i < 2; i++) {
            stride[1 + i] = from[1 + i] * attr_at(n, A_stride, i, 1);
            stride[3 + i] = from[1 + i] * attr_at(n, A_dilation, i, 1);
        }
        return 0;
    }
    for (i = 0; i < y.rank; i++) {
        d = i - (y.rank - x.rank);
        stride[i] = from[i];
        if (n->op == OP_transpose)
            stride[i] = from[attr_at(n, A_perm, i, x.rank - 1 - i)];
        if (n->op == OP_slice)
            base += from[i] * attr_at(n, A_start, i, 0);
        if (n->op == OP_slice)
            stride[i] = from[i] * slice_step(n, i);
        if (n->op == OP_expand)
            stride[i] = d < 0 || x.dim[d] == 1 ? 0 : from[d];
    }
    return base;
}

/* Is the result one run of the operand? */
static bool is_run(const Node *n, const int64_t *stride)
{
    int64_t dense[RANK];
    int i;

    dense_strides(n->res[0]->shape, dense);
    for (i = 0; i < n->res[0]->shape.rank; i++)
        if (n->res[0]->shape.dim[i] != 1 && stride[i] != dense[i])
            return false;
    return true;
}

static Name part_of(Name x, int64_t off)
{
    return x.each ? (Name){0, x.each + off}
                  : (Name){x.base + (uint32_t)off, NULL};
}

static void copy_numbers(uint32_t *to, Name x, int64_t off, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++)
        to[i] = x.each ? x.each[off + i] : x.base + (uint32_t)(off + i);
}

/* The next index of a shape, the last axis first. */
static void count_up(Shape s, int64_t *i)
{
    int a;

    for (a = s.rank - 1; a >= 0 && ++i[a] == s.dim[a]; a--)
        i[a] = 0;
}

static Name name_moved(Arena *mem, const Node *n, Name x)
{
    const Val *y = n->res[0];
    int64_t stride[RANK] = {0}, i[RANK] = {0}, base, k, at, count;
    int a, b = type_info[y->type].bytes;
    uint32_t *each;

    base = strides_of(n, stride);
    count = val_count(y);
    if (is_run(n, stride) || !count)
        return part_of(x, base * b);
    each = NEWN(mem, uint32_t, count * b);
    for (k = 0; k < count; k++) {
        for (at = base, a = 0; a < y->shape.rank; a++)
            at += i[a] * stride[a];
        copy_numbers(each + k * b, x, at * b, b);
        count_up(y->shape, i);
    }
    return (Name){0, each};
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

static Name name_concat(Arena *mem, const Node *n, const Name *name)
{
    int64_t rows = concat_rows(n), row = val_bytes(n->res[0]) / MAX(rows, 1);
    int64_t off = 0, len, r;
    uint32_t *each = NEWN(mem, uint32_t, val_bytes(n->res[0]) + 1);
    int i;

    for (i = 0; i < n->narg; i++) {
        len = val_bytes(n->arg[i]) / MAX(rows, 1);
        for (r = 0; r < rows; r++)
            copy_numbers(each + r * row + off, name[n->arg[i]->id], r * len,
                         len);
        off += len;
    }
    return (Name){0, each};
}

static void name_new(Name *name, const Val *v, int64_t *next)
{
    name[v->id] = (Name){(uint32_t)*next, NULL};
    *next += val_bytes(v);
}

Name *names_all(Arena *mem, const Graph *g)
{
    Name *name = NEWN(mem, Name, graph_nval(g) + 1);
    int64_t next = 1;
    const Val *v;
    const Node *n;
    int i;

    for (v = g->vals; v; v = v->next)
        if (!v->def)
            name_new(name, v, &next);
    for (n = g->first; n && next <= UINT32_MAX; n = n->next)
        if (n->op == OP_concat)
            name[n->res[0]->id] = name_concat(mem, n, name);
        else if (keeps_bytes(n))
            name[n->res[0]->id] = name_moved(mem, n, name[n->arg[0]->id]);
        else
            for (i = 0; i < n->nres; i++)
                name_new(name, n->res[i], &next);
    return next <= UINT32_MAX ? name : NULL;
}
