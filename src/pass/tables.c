/* Chains of elementwise operators on 8-bit integers become one look-up:
 *
 *     y = igelu x                  t = requant of igelu of 0,1,..127,-128,..-1
 *     z = requant y mul add   ->   z = gather t x
 *
 * The table is what the operators make of every value x can have, so nothing
 * changes; negative values count from its end, as gather does.  It replaces
 * two operators or more, or one that is slow, where there are more elements
 * than the table has.  What stood between, often wider than x, needs no memory
 * any more. */
#include "pass/pass.h"

enum { LEAST = 256 }; /* elements worth a table */

/* Which operand of an elementwise operator is the only one that is not just a
 * constant number; -1 if it is not so. */
static int variable_index(const Node *n)
{
    const Val *y = n->res[0];
    int i, at = -1;

    if (op_info[n->op].family != FAM_map || n->op == OP_quantize ||
        !val_is_int(y) || y->type == T_b8)
        return -1;
    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];

        if (!v || (is_const(v) && val_count(v) == 1))
            continue;
        if (at >= 0 || is_const(v) || !val_is_int(v) || v->type == T_b8 ||
            !shape_same(v->shape, y->shape))
            return -1;
        at = i;
    }
    return at;
}

static bool is_byte(const Val *v)
{
    return v->type == T_s8 || v->type == T_u8;
}

static bool is_slow(const Node *n)
{
    return n->op == OP_igelu || n->op == OP_ihardswish || n->op == OP_idiv ||
           n->op == OP_pow || n->op == OP_div || n->op == OP_mod;
}

/* The farthest operator before n from which a chain of bytes leads to it. */
static Node *find_start(Node *n)
{
    Node *start = NULL, *p = n;
    int i, count = 0;

    for (; p && (i = variable_index(p)) >= 0; p = sole_producer(p->arg[i])) {
        count++;
        if (is_byte(p->arg[i]) && (count > 1 || is_slow(p)))
            start = p;
    }
    return start;
}

/* Every value that x can have, those below zero last. */
static Val *all_values(Graph *g, const Val *x)
{
    int64_t lo = MIN(x->lo, 0), hi = MAX(x->hi, 0), n = hi - lo + 1, i;
    Val *v = const_vector(g, "table", n, T_s16);

    for (i = 0; i < n; i++)
        val_set(v, i, i <= hi ? i : i - n);
    val_narrow(v);
    return v;
}

/* n once more, on v in place of its variable operand. */
static Val *again(Graph *g, Node *at, const Node *n, Val *v)
{
    Val *arg[NARG];
    int i, k = variable_index(n);
    Node *m;

    for (i = 0; i < n->narg; i++)
        arg[i] = i == k ? v : !n->arg[i] ? NULL
               : const_as(g, n->arg[i], shape_of(0, NULL));
    m = edit_node(g, at, n->op, n, n->narg, arg);
    attr_copy(g, m, n);
    node_infer(g, m);
    return m->res[0];
}

/* The chain from start to n on all values; folding makes it a constant. */
static Val *make_table(Graph *g, Node *n, const Node *start)
{
    const Node *chain[64], *p = n;
    int k = 0;
    Val *v = all_values(g, start->arg[variable_index(start)]);

    for (; p != start; p = p->arg[variable_index(p)]->def)
        chain[k++] = p;
    chain[k++] = start;
    while (k--)
        v = again(g, n, chain[k], v);
    return v;
}

static int length(const Node *n, const Node *start)
{
    int k = 1;

    for (; n != start; n = n->arg[variable_index(n)]->def)
        k++;
    return k;
}

void pass_tables(Graph *g)
{
    Node *n, *start;
    Val *x, *table;
    int i;

    for (n = g->last; n && g->exact; n = n->prev) {
        start = val_count(n->res[0]) >= LEAST ? find_start(n) : NULL;
        if (!start || length(n, start) > 64 || n->narg > NARG)
            continue;
        x = start->arg[variable_index(start)];
        table = make_table(g, n, start);
        x->nuse++;
        for (i = n->narg - 1; i > 1; i--)
            edit_arg(g, n, i, NULL);
        n->narg = 2;
        n->op = OP_gather;
        n->attr = NULL;
        edit_pair(g, n, table, x);
        x->nuse--;
        attr_set_int(g, n, A_axis, 0);
        node_infer(g, n);
    }
}
