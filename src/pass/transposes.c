/* Transpositions move down, towards the outputs, until they meet one that
 * undoes them, a product that takes them in, or something in their way:
 *
 *     t = transpose x perm=0,2,1      u = relu x
 *     u = relu t
 *     v = transpose u perm=0,2,1      y = matmul a u transb=1
 *     w = transpose u perm=0,2,1
 *     y = matmul a v            ->
 *
 * Below what works on single elements they go as they are; below a
 * concatenation, slice, padding, reduction or a row operator the axes that the
 * node names are renumbered.  Where only axes of size one move, a
 * transposition is a reshape, which costs nothing; below a reshape that but
 * adds or drops such axes it goes too. */
#include "pass/pass.h"

#include <string.h>

enum { WALKS = 8, FEW = 4 };

/* The permutation of the transposition that makes v, or NULL. */
static const int64_t *perm_of(const Val *v)
{
    const int64_t *perm;

    if (!v || !v->def || v->def->op != OP_transpose)
        return NULL;
    return attr_list(v->def, A_perm, &perm) ? perm : NULL;
}

static bool same_perm(const Val *u, const int64_t *perm)
{
    const int64_t *p = perm_of(u);

    return p && !memcmp(p, perm, (size_t)u->shape.rank * sizeof *p);
}

static void inverse(const int64_t *perm, int rank, int64_t *back)
{
    int i;

    for (i = 0; i < rank; i++)
        back[perm[i]] = i;
}

/* --- what a transposition turns into --- */

static bool to_reshape(Graph *g, Node *n)
{
    const int64_t *perm;
    Shape s = n->res[0]->shape;

    if (!attr_list(n, A_perm, &perm) ||
        !perm_keeps_order(perm, n->arg[0]->shape))
        return false;
    n->op = OP_reshape;
    n->attr = NULL;
    attr_set_shape(g, n, A_shape, s);
    return true;
}

static void set_flag(Graph *g, Node *n, AttrCode c, bool on)
{
    if (on)
        attr_set_int(g, n, c, 1);
    else
        attr_drop(n, c);
}

/* Where element i of a transposition's result lies in its operand. */
static int64_t source(const Node *n, const int64_t *perm, int64_t i)
{
    const Shape *x = &n->arg[0]->shape, *y = &n->res[0]->shape;
    int64_t at[RANK], off = 0;
    int k;

    for (k = y->rank - 1; k >= 0; k--) {
        at[perm[k]] = i % y->dim[k];
        i /= y->dim[k];
    }
    for (k = 0; k < x->rank; k++)
        off = off * x->dim[k] + at[k];
    return off;
}

/* transpose, reshape, transpose back to the old order of elements:
 * [n,hw,c] -> [n,c,hw] -> [n,c,h,w] -> [n,h,w,c] */
static bool undoes(Graph *g, Node *n)
{
    Node *r = n->arg[0]->def, *t;
    const int64_t *out = perm_of(n->res[0]), *in;
    Shape s = n->res[0]->shape;
    int64_t i, count = shape_count(s);

    if (!r || r->op != OP_reshape || !out || shape_varies(s) ||
        !(in = perm_of(r->arg[0])))
        return false;
    t = r->arg[0]->def;
    for (i = 0; i < count; i++)
        if (source(t, in, source(n, out, i)) != i)
            return false;
    edit_arg(g, n, 0, t->arg[0]);
    n->op = OP_reshape;
    n->attr = NULL;
    attr_set_shape(g, n, A_shape, s);
    return true;
}

static bool swaps_last_two(const int64_t *perm, int rank)
{
    int i;

    for (i = 0; i < rank - 2; i++)
        if (perm[i] != i)
            return false;
    return rank >= 2 && perm[rank - 1] == rank - 2;
}

/* The rows of the operand become columns again by transa or transb: all of
 * the transposition goes, or what is left of it moves whole rows. */
static bool into_operand(Graph *g, Node *n, int i)
{
    Val *v = n->arg[i];
    const int64_t *perm = perm_of(v);
    AttrCode flag = i ? A_transb : A_transa;
    int64_t rest[RANK];
    int rank = v->shape.rank;

    if (!perm || perm[rank - 2] != rank - 1)
        return false;
    memcpy(rest, perm, sizeof rest[0] * (size_t)rank);
    rest[rank - 2] = perm[rank - 1];
    rest[rank - 1] = perm[rank - 2];
    edit_arg(g, n, i, edit_transpose(g, n, n, v->def->arg[0], rest));
    set_flag(g, n, flag, !attr_int(n, flag));
    return true;
}

/* One number per column becomes one per row, and the other way round. */
static Val *flip(Graph *g, Val *c)
{
    static const int64_t perm[] = {1, 0};

    return c && val_count(c) > 1
               ? const_transpose(g, const_at_rank(g, c, 2), perm) : c;
}

static bool can_flip(const Val *c)
{
    return !c || val_count(c) == 1 || (is_const(c) && c->shape.rank <= 2);
}

/* transpose (a b)  ->  (transpose b) (transpose a) */
static bool into_product(Graph *g, Node *n)
{
    Node *m = sole_producer(n->arg[0]);
    const int64_t *perm = perm_of(n->res[0]);
    Val *a, *b;
    int i, ta, tb, rank = n->res[0]->shape.rank;

    if (!m || m->op != OP_matmul || !perm || !swaps_last_two(perm, rank) ||
        attr_has(m, A_count))
        return false;
    for (i = 2; i < m->narg; i++)
        if (!can_flip(m->arg[i]))
            return false;
    a = m->arg[0];
    b = m->arg[1];
    ta = !attr_int(m, A_transa);
    tb = !attr_int(m, A_transb);
    edit_pair(g, m, b, a);
    set_flag(g, m, A_transa, tb);
    set_flag(g, m, A_transb, ta);
    for (i = 2; i < m->narg; i++)
        edit_arg(g, m, i, flip(g, m->arg[i]));
    edit_take(g, m, n);
    return true;
}

/* --- moving down --- */

/* Takes the transposition off an operand; a constant gets its inverse. */
static void take_off(Graph *g, Node *n, int i, const int64_t *perm, int rank)
{
    Val *v = n->arg[i];
    int64_t back[RANK];

    if (perm_of(v)) {
        edit_arg(g, n, i, v->def->arg[0]);
    } else if (is_const(v) && val_count(v) > 1) {
        inverse(perm, rank, back);
        edit_arg(g, n, i,
                 const_transpose(g, const_at_rank(g, v, rank), back));
    }
}

/* Every operand is transposed alike, a constant, or one element. */
static bool all_alike(const Node *n, const int64_t *perm, int rank)
{
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];

        if (!v || (is_const(v) && v->shape.rank <= rank) ||
            (val_count(v) == 1 && v->shape.rank <= rank &&
             op_info[n->op].family == FAM_map))
            continue;
        if (v->shape.rank != rank || v->nuse != 1 || !same_perm(v, perm))
            return false;
    }
    return true;
}

void renumber_list(Graph *g, Node *n, AttrCode c, const int64_t *perm,
                   int rank)
{
    const int64_t *old;
    int64_t list[2 * RANK];
    int i, len = attr_list(n, c, &old);

    if (!len)
        return;
    for (i = 0; i < len; i++)
        list[i / rank * rank + perm[i % rank]] = old[i];
    attr_set_list(g, n, c, len, list);
}

static void renumber_axes(Graph *g, Node *n, const int64_t *perm, int rank)
{
    int64_t list[RANK];
    bool set[RANK], to[RANK] = {false};
    int i, len = 0;

    node_axes(n, set);
    for (i = 0; i < rank; i++)
        to[perm[i]] = set[i];
    for (i = 0; i < rank; i++)
        if (to[i])
            list[len++] = i;
    attr_set_list(g, n, A_axes, len, list);
}

/* May n work on what stands before the transposition?  Renumbers its axes. */
static bool renumber(Graph *g, Node *n, const int64_t *perm, int rank)
{
    switch (op_info[n->op].family) {
    case FAM_map:
        return n->op != OP_quantize && n->op != OP_dequantize;
    case FAM_row:
        return perm[rank - 1] == rank - 1 && node_axis(n, rank) == rank - 1;
    case FAM_concat:
        attr_set_int(g, n, A_axis, perm[node_axis(n, rank)]);
        return true;
    case FAM_pad:
        renumber_list(g, n, A_pad, perm, rank);
        return true;
    case FAM_slice:
        renumber_list(g, n, A_start, perm, rank);
        renumber_list(g, n, A_step, perm, rank);
        renumber_list(g, n, A_count, perm, rank);
        return true;
    case FAM_reduce:
        if (!attr_int(n, A_keep) ||
            (has_epilogue(n) &&
             val_count(n->arg[1]) + val_count(n->arg[2]) > 2))
            return false;
        renumber_axes(g, n, perm, rank);
        return true;
    default:
        return false;
    }
}

/* Operands of rows and reductions other than the first stay as they are. */
static bool only_first(const Node *n)
{
    return op_info[n->op].family == FAM_row ||
           op_info[n->op].family == FAM_reduce;
}

/* Where a result is larger than its operands a transposition costs more below,
 * unless it ends right there. */
static bool ends_below(const Node *n, const Node *reader, const int64_t *perm,
                       int rank)
{
    if (!reader || n->res[0]->nuse != 1)
        return false;
    return reader->op == OP_transpose ||
           (reader->op == OP_matmul && perm[rank - 2] == rank - 1);
}

static bool move_below(Graph *g, Node *n, const Node *reader)
{
    int64_t perm[RANK];
    int i, k, rank = n->res[0]->shape.rank;
    int64_t before = 0;
    Node *m;

    for (k = 0; k < n->narg && !perm_of(n->arg[k]); k++)
        ;
    if (k == n->narg || n->arg[k]->shape.rank != rank || n->nres != 1)
        return false;
    memcpy(perm, perm_of(n->arg[k]), sizeof *perm * (size_t)rank);
    for (i = 0; i < n->narg; i++)
        if (perm_of(n->arg[i]))
            before += val_bytes(n->arg[i]);
    if (!all_alike(n, perm, rank) ||
        (val_bytes(n->res[0]) > before &&
         !ends_below(n, reader, perm, rank)) ||
        !renumber(g, n, perm, rank))
        return false;
    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && (i == 0 || !only_first(n)))
            take_off(g, n, i, perm, rank);
    m = edit_after(g, n, OP_transpose);
    node_infer(g, n);
    attr_set_list(g, m, A_perm, rank, perm);
    node_infer(g, m);
    return true;
}

/* A product of two values that are computed takes the transposition in itself:
 * rows stay rows. */
static bool goes_into(const Node *n, const Node *reader)
{
    return n->res[0]->nuse == 1 && reader && reader->op == OP_matmul &&
           !is_const(reader->arg[0]) && !is_const(reader->arg[1]);
}

/* The axes of more than one element. */
static int longer_axes(Shape s, int axis[RANK])
{
    int i, n = 0;

    for (i = 0; i < s.rank; i++)
        if (s.dim[i] != 1)
            axis[n++] = i;
    return n;
}

/* Below a reshape n that but adds or drops axes of size one: x is reshaped
 * alike, and n transposes that. */
static bool move_below_ones(Graph *g, Node *n)
{
    Shape y = n->res[0]->shape, s = y;
    const Val *t = n->arg[0];
    const int64_t *old = perm_of(t);
    int64_t perm[RANK];
    int i, k, nt, at, from[RANK], to[RANK];
    Node *shaped;

    if (!old || t->nuse != 1 || shape_varies(y) || shape_varies(t->shape))
        return false;
    nt = longer_axes(t->shape, from);
    if (longer_axes(y, to) != nt)
        return false;
    for (i = 0; i < y.rank; i++)
        perm[i] = i;
    for (i = 0; i < nt; i++) {
        if (t->shape.dim[from[i]] != y.dim[to[i]])
            return false;
        for (k = at = 0; k < nt; k++)
            at += old[from[k]] < old[from[i]];
        perm[to[i]] = to[at];
        s.dim[to[at]] = y.dim[to[i]];
    }
    shaped = edit_node(g, n, OP_reshape, n, 1, &t->def->arg[0]);
    attr_set_shape(g, shaped, A_shape, s);
    node_infer(g, shaped);
    edit_arg(g, n, 0, shaped->res[0]);
    n->op = OP_transpose;
    n->attr = NULL;
    attr_set_list(g, n, A_perm, y.rank, perm);
    return true;
}

static bool apply(Graph *g, Node *n, const Node *reader)
{
    if (n->op == OP_reshape)
        return move_below_ones(g, n);
    if (n->op == OP_transpose)
        return to_reshape(g, n) || undoes(g, n) ||
               (!goes_into(n, reader) && into_product(g, n));
    if (n->op == OP_matmul && (into_operand(g, n, 0) || into_operand(g, n, 1)))
        return true;
    return move_below(g, n, reader);
}

/* One walk; reader: some reader of each value, by Val.id.  What is made on the
 * way is seen by the next walk. */
static bool walk(Graph *g, Node **reader)
{
    Node *n, *next;
    bool changed = false;
    int i;

    for (n = g->first; n; n = n->next)
        for (i = 0; i < n->narg; i++)
            if (n->arg[i])
                reader[n->arg[i]->id] = n;
    for (n = g->first; n; n = next) {
        Val *r = n->res[0];

        next = n->next;
        if (!apply(g, n, reader[r->id]))
            continue;
        changed = true;
        if (r->nuse && r->def == n)
            node_infer(g, n);
    }
    return changed;
}

/* The first rows of something, which are then multiplied: their number. */
static void multiply_rows(Graph *g, Node *n)
{
    Node *p = n->arg[1]->def;
    Shape x, y, one = {.rank = 1};
    int i;

    if (!p || p->op != OP_slice || !shape_varies(p->res[0]->shape) ||
        is_const(p->arg[0]) || attr_has(n, A_count))
        return;
    x = p->arg[0]->shape;
    y = p->res[0]->shape;
    for (i = 0; i < x.rank; i++)
        if (attr_at(p, A_start, i, 0) || slice_step(p, i) != 1 ||
            attr_size(p, A_start, i, size_const(0)).vary.num ||
            (i != x.rank - 2 && !size_same(size_at(x, i), size_at(y, i))))
            return;
    shape_put(&one, 0, size_at(y, x.rank - 2));
    edit_arg(g, n, 1, p->arg[0]);
    attr_set_shape(g, n, A_count, one);
    node_infer(g, n);
}

/* Of bytes that are transposed anyway, the columns become rows: products of
 * bytes walk both operands in steps of one.  For few rows or columns it does not pay.
 *
 *     t = transpose x perm=0,2,1,3      t = transpose x perm=0,2,3,1
 *     y = matmul a t                ->  y = matmul a t transb=1 */
static void bytes_to_rows(Graph *g, Node *n)
{
    Val *b = n->arg[1];
    const int64_t *perm = perm_of(b);
    int64_t rows[RANK];
    const Shape *a = &n->arg[0]->shape;
    int rank = b->shape.rank;

    if (!perm || b->nuse != 1 || attr_int(n, A_transb) ||
        attr_int(n, A_transa) || type_info[b->type].bytes != 1 ||
        type_info[n->arg[0]->type].bytes != 1 || shape_varies(b->shape) ||
        a->rank < 2 || a->dim[a->rank - 2] < FEW ||
        b->shape.dim[rank - 1] < FEW)
        return;
    memcpy(rows, perm, sizeof rows[0] * (size_t)rank);
    rows[rank - 2] = perm[rank - 1];
    rows[rank - 1] = perm[rank - 2];
    edit_arg(g, n, 1, edit_transpose(g, n, n, b->def->arg[0], rows));
    set_flag(g, n, A_transb, 1);
}

void pass_transposes(Graph *g)
{
    bool changed = true;
    Node *n;
    int i;

    for (i = 0; changed && i < WALKS; i++) {
        Arena *a = arena_new();

        graph_number(g);
        changed = walk(g, NEWN(a, Node *, (size_t)graph_nval(g) + 1));
        pass_identity(g);
        arena_end(a);
    }
    for (n = g->first; n; n = n->next)
        if (n->op == OP_matmul) {
            bytes_to_rows(g, n);
            multiply_rows(g, n);
        }
}
