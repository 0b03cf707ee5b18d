/* Questions that passes ask about operators, nodes and constants. */
#include "pass/pass.h"

#include <math.h>
#include <string.h>

Val *arg_of(const Node *n, int i)
{
    return i >= 0 && i < n->narg ? n->arg[i] : NULL;
}

/* Finds a word in a list of words with spaces; "b" also matches "b?". */
static int word_index(const char *list, const char *word)
{
    size_t n = strlen(word), k;
    int i = 0;

    for (; *list; list += k + (list[k] == ' '), i++) {
        k = strcspn(list, " ");
        if (!strncmp(list, word, n) && (k == n || list[n] == '?'))
            return i;
    }
    return -1;
}

int op_operand(OpCode op, const char *name)
{
    return word_index(op_info[op].args, name);
}

bool op_takes(OpCode op, const char *attr)
{
    return word_index(op_info[op].attrs, attr) >= 0;
}

bool has_epilogue(const Node *n)
{
    return arg_of(n, op_operand(n->op, "mul")) != NULL;
}

bool has_clip(const Node *n)
{
    return attr_has(n, A_lo) || attr_has(n, A_hi) || attr_has(n, A_flo) ||
           attr_has(n, A_fhi);
}

Node *sole_producer(const Val *v)
{
    return v && v->nuse == 1 && v->def && v->def->nres == 1 ? v->def : NULL;
}

bool is_const(const Val *v)
{
    return v && v->data;
}

bool all_equal(const Val *v, double x)
{
    int64_t i, n;

    if (!is_const(v))
        return false;
    n = val_count(v);
    for (i = 0; i < n; i++)
        if (val_num(v, i) != x)
            return false;
    return true;
}

int64_t dim_from_end(const Val *v, int i)
{
    return i < v->shape.rank ? v->shape.dim[v->shape.rank - 1 - i] : 1;
}

bool fits_in(const Val *c, Shape s)
{
    int i;

    if (c->shape.rank > s.rank)
        return false;
    for (i = 0; i < c->shape.rank; i++) {
        int64_t d = dim_from_end(c, i);

        if (d != 1 && d != s.dim[s.rank - 1 - i])
            return false;
    }
    return true;
}

/* c broadcasts to s and differs along that axis only. */
bool along_axis(const Val *c, Shape s, int axis)
{
    int i;

    if (!fits_in(c, s))
        return false;
    for (i = 0; i < c->shape.rank; i++)
        if (dim_from_end(c, i) != 1 && s.rank - 1 - i != axis)
            return false;
    return true;
}

void perm_to_last(int64_t *perm, int rank)
{
    int i;

    for (i = 0; i < rank; i++)
        perm[i] = i == 0 ? 0 : i < rank - 1 ? i + 1 : 1;
}

void perm_to_first(int64_t *perm, int rank)
{
    int i;

    for (i = 0; i < rank; i++)
        perm[i] = i == 0 ? 0 : i == 1 ? rank - 1 : i - 1;
}

bool perm_is_identity(const int64_t *perm, int rank)
{
    int i;

    for (i = 0; i < rank; i++)
        if (perm[i] != i)
            return false;
    return true;
}

/* Only axes of size one move: the elements stay in their order. */
bool perm_keeps_order(const int64_t *perm, Shape s)
{
    int64_t last = -1;
    int i;

    for (i = 0; i < s.rank; i++) {
        if (s.dim[perm[i]] == 1)
            continue;
        if (perm[i] < last)
            return false;
        last = perm[i];
    }
    return true;
}

static bool only_moves(OpCode op)
{
    return op == OP_reshape || op == OP_transpose || op == OP_slice ||
           op == OP_expand || op == OP_maxpool;
}

/* Bounds that the operators guarantee of a float value; infinite if none. */
void float_bounds(const Val *v, double *lo, double *hi)
{
    const Node *n = v->def;

    while (n && only_moves(n->op) && !has_clip(n))
        n = n->arg[0]->def;
    *lo = -INFINITY;
    *hi = INFINITY;
    if (!n)
        return;
    if (op_takes(n->op, "flo")) {
        *lo = attr_num(n, A_flo);
        *hi = attr_num(n, A_fhi);
    } else if (n->op == OP_sigmoid || n->op == OP_softmax ||
               n->op == OP_hardsigmoid) {
        *lo = 0;
        *hi = 1;
    } else if (n->op == OP_abs || n->op == OP_exp || n->op == OP_sqrt) {
        *lo = 0;
    }
}

bool nothing_padded(const Node *n)
{
    const int64_t *pad;
    int i, k = attr_list(n, A_pad, &pad);

    for (i = 0; i < k; i++)
        if (pad[i])
            return false;
    return true;
}
