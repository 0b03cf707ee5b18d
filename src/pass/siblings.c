/* Products of one row with several constant matrices become one product
 * (horizontal fusion), of which each takes its part:
 *
 *     a = matmul x v m0 a0 transb=1       y = matmul x u m a transb=1
 *     b = matmul x w m1 a1 transb=1  ->   a = slice y
 *                                         b = slice y
 *
 * u, m and a are v and w, m0 and m1, a0 and a1 one behind the other.  The row is
 * short, as in a decoder: a call costs more than what it computes.  Slices of a
 * row are where it lies. */
#include "pass/pass.h"

#include <string.h>

/* Products that become one, and elements of their matrices: of larger ones a
 * call costs little, and numbers for each column take flash. */
enum { MOST = 8, ELEMENTS = 16384 };

typedef struct Siblings {
    Node *node[MOST];
    int n;
    int64_t columns; /* of all */
} Siblings;

static bool is_number(const Val *v)
{
    return is_const(v) && val_count(v) == 1 && val_int(v, 0) >= INT32_MIN &&
           val_int(v, 0) <= INT32_MAX;
}

/* A row of bytes by a matrix of bytes, scaled by one number. */
static bool is_row_product(const Graph *g, const Node *n)
{
    const Val *x, *w;

    if (n->op != OP_matmul)
        return false;
    x = n->arg[0];
    w = n->arg[1];
    return !is_const(x) && is_const(w) && w->shape.rank == 2 &&
           x->type == T_s8 && w->type == T_s8 &&
           val_count(x) == x->shape.dim[x->shape.rank - 1] &&
           !shape_varies(x->shape) && !attr_int(n, A_transa) &&
           attr_int(n, A_transb) && !attr_has(n, A_count) &&
           !attr_int(n, A_round) && !node_arg(n, "bias") &&
           !node_arg(n, "shifts") && node_arg(n, "mul") &&
           is_number(node_arg(n, "mul")) && is_number(node_arg(n, "add")) &&
           !val_is_output(g, n->res[0]);
}

static bool are_alike(const Node *a, const Node *b)
{
    return a->arg[0] == b->arg[0] &&
           attr_int(a, A_shift) == attr_int(b, A_shift) &&
           attr_int(a, A_lo) == attr_int(b, A_lo) &&
           attr_int(a, A_hi) == attr_int(b, A_hi) &&
           a->res[0]->type == b->res[0]->type;
}

static int64_t columns_of(const Node *n)
{
    return n->arg[1]->shape.dim[0];
}

static void find_siblings(const Graph *g, Node *first, Siblings *s)
{
    Node *n;

    s->n = 0;
    s->columns = 0;
    for (n = first; n && s->n < MOST; n = n->next)
        if (is_row_product(g, n) && are_alike(first, n) &&
            (s->columns + columns_of(n)) * n->arg[1]->shape.dim[1] <=
                ELEMENTS) {
            s->columns += columns_of(n);
            s->node[s->n++] = n;
        }
}

/* All matrices, one below the other. */
static Val *join_weights(Graph *g, const Siblings *s)
{
    const Val *w = s->node[0]->arg[1];
    int64_t dim[2] = {s->columns, w->shape.dim[1]};
    Val *all = graph_const(g, w->name, T_s8, shape_of(2, dim), NULL);
    char *to = all->data;
    int i;

    for (i = 0; i < s->n; i++) {
        w = s->node[i]->arg[1];
        memcpy(to, w->data, (size_t)val_bytes(w));
        to += val_bytes(w);
    }
    val_range(all);
    return all;
}

/* A number for each column, or the one that all have. */
static Val *join_numbers(Graph *g, const Siblings *s, const char *name)
{
    Val *one = node_arg(s->node[0], name), *all;
    bool same = true;
    int64_t at = 0, k;
    int i;

    for (i = 1; i < s->n; i++)
        same &= val_int(node_arg(s->node[i], name), 0) == val_int(one, 0);
    if (same)
        return one;
    all = const_vector(g, one->name, s->columns, T_s32);
    for (i = 0; i < s->n; i++)
        for (k = 0; k < columns_of(s->node[i]); k++)
            val_set(all, at++, val_int(node_arg(s->node[i], name), 0));
    val_range(all);
    return all;
}

/* Columns [from, from + those of n) of y stand for n's result. */
static void take_part(Graph *g, Node *n, Val *y, int64_t from)
{
    int rank = y->shape.rank, i;
    int64_t start[RANK] = {0}, step[RANK], count[RANK];
    Node *part = edit_node(g, n, OP_slice, n, 1, &y);

    for (i = 0; i < rank; i++) {
        step[i] = 1;
        count[i] = y->shape.dim[i];
    }
    start[rank - 1] = from;
    count[rank - 1] = columns_of(n);
    attr_set_list(g, part, A_start, rank, start);
    attr_set_list(g, part, A_step, rank, step);
    attr_set_list(g, part, A_count, rank, count);
    node_infer(g, part);
    edit_name(part->res[0], n->res[0]);
    edit_replace(g, n->res[0], part->res[0]);
    edit_drop(g, n);
}

static void join(Graph *g, const Siblings *s)
{
    Node *first = s->node[0];
    Node *all = edit_node(g, first, OP_matmul, first, 5, (Val *[]){
        first->arg[0], join_weights(g, s), NULL, join_numbers(g, s, "mul"),
        join_numbers(g, s, "add"),
    });
    int64_t from = 0, columns;
    int i;

    attr_copy(g, all, first);
    node_infer(g, all);
    for (i = 0; i < s->n; i++) {
        columns = columns_of(s->node[i]);
        take_part(g, s->node[i], all->res[0], from);
        from += columns;
    }
}

void pass_siblings(Graph *g)
{
    Node *n, *next;
    Siblings s;

    for (n = g->first; n && g->exact; n = next) {
        next = n->next;
        if (!is_row_product(g, n))
            continue;
        find_siblings(g, n, &s);
        if (s.n < 2)
            continue;
        join(g, &s);
        next = g->first; /* nodes behind are gone */
    }
}
