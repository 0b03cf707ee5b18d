/* A norm of equal weights is a factor for each root:
 *
 *     y = irmsnorm x {w,w,..}  ->  y = rootscale x {f,f,..}
 *
 * f has 16 bits behind the point, and is the least of those by which every x is
 * what irmsnorm makes of it, in rows of that root; where a root has none, the
 * norm stays.  It is for bytes: of a division, a multiplication and bounds of an
 * element a multiplication and instructions' own bounds are left. */
#include "pass/pass.h"

enum { POINT = 16, LEAST = 1024 }; /* elements worth a table */

static bool is_byte(const Val *v)
{
    return v->type == T_s8 || v->type == T_u8;
}

/* Do results have all values of their type, and none is negative where x is
 * not? */
static bool is_plain(const Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1], *y = n->res[0];

    return n->op == OP_irmsnorm && is_byte(x) && is_const(w) && w->lo == w->hi &&
           w->lo > 0 && w->hi <= INT32_MAX && is_byte(y) &&
           attr_int(n, A_lo) == type_info[y->type].lo &&
           attr_int(n, A_hi) == type_info[y->type].hi &&
           val_count(y) >= LEAST;
}

/* What irmsnorm makes of x in rows of that root. */
static int64_t scaled(const Node *n, int64_t x, int64_t root)
{
    int64_t y = (x * n->arg[1]->lo / root) >> attr_int(n, A_shift);

    return MIN(MAX(y, attr_int(n, A_lo)), attr_int(n, A_hi));
}

/* -1: there is none. */
static int64_t factor(const Node *n, int64_t root)
{
    const TypeInfo *type = &type_info[n->arg[0]->type];
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi), unit = 1 << POINT;
    int64_t least = 0, most = INT32_MAX / MAX(-type->lo, type->hi), x, y;

    /* y <= x f / unit < y + 1, where y is not a bound */
    for (x = 1; x <= type->hi; x++) {
        y = scaled(n, x, root);
        least = MAX(least, (y * unit + x - 1) / x);
        if (y < hi)
            most = MIN(most, ((y + 1) * unit - 1) / x);
    }
    for (x = type->lo; x < 0; x++) {
        y = scaled(n, x, root);
        least = MAX(least, ((-y - 1) * unit - x) / -x);
        if (y > lo)
            most = MIN(most, -y * unit / -x);
    }
    return least <= most ? least : -1;
}

static int64_t greatest_root(Type t)
{
    int64_t most = MAX(-type_info[t].lo, type_info[t].hi), root = most;

    while ((root + 1) * (root + 1) <= most * most + 1)
        root++;
    return root;
}

/* NULL: a root has none. */
static Val *make_factors(Graph *g, const Node *n)
{
    int64_t f[UINT8_MAX], count = greatest_root(n->arg[0]->type), i;
    Val *t;

    for (i = 0; i < count; i++)
        if ((f[i] = factor(n, i + 1)) < 0)
            return NULL;
    t = const_vector(g, "factors", count, T_s32);
    for (i = 0; i < count; i++)
        val_set(t, i, f[i]);
    val_narrow(t);
    return t;
}

void pass_roots(Graph *g)
{
    Node *n;
    Val *t;

    for (n = g->first; n && g->exact; n = n->next) {
        if (!is_plain(n) || !(t = make_factors(g, n)))
            continue;
        edit_arg(g, n, 1, t);
        n->op = OP_rootscale;
        attr_set_int(g, n, A_shift, POINT);
        node_infer(g, n);
    }
}
