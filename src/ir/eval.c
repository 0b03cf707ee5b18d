/* Runs a graph with the plain kernels, which are its meaning.
 *
 * The kernels are built with integers 64 bits wide (tools/mkeval); operands are
 * widened before a node and its results narrowed behind it, so the compiler
 * computes the exact value whatever the types.  A result outside the range
 * that was inferred is a mistake of ours and stops the program.
 *
 * Nodes may be in front form: what works along an inner axis is turned so that
 * the axis is the last, and back. */
#include "ir/ir.h"

#include <string.h>

enum { EVAL_MAX = 1 << 26 }; /* elements */

/* A plain kernel and the wide instance that takes a node. */
typedef struct Choice {
    const Kern *kern;
    const EvalRow *row;
} Choice;

static Kern **plain_kernels(int *n)
{
    static Kern **list;
    static int count;
    int i, all;

    if (!list) {
        list = kern_load(arena_new(), NULL, &all);
        for (i = 0; i < all; i++)
            if (str_starts(list[i]->path, "kern/ref/"))
                list[count++] = list[i];
    }
    *n = count;
    return list;
}

static char letter(const Val *v)
{
    return !v ? 'n' : val_is_int(v) ? 'i' : 'f';
}

/* Does the row take these operands?  Absent ones match anything; behind the
 * letters of operands and result is the way of rounding, if it is not 0. */
static bool row_takes(const EvalRow *r, const KernSig *sig, const Node *n)
{
    int i, letters = sig->narg + n->nres;
    int64_t round = attr_int(n, A_round);
    const Val *v;

    if ((int)strlen(r->types) != letters + (round != 0) ||
        (round && r->types[letters] != '0' + round))
        return false;
    for (i = 0; i < sig->narg; i++) {
        v = i < n->narg ? n->arg[i] : NULL;
        if (v && r->types[i] != letter(v))
            return false;
    }
    for (i = 0; i < n->nres; i++)
        if (r->types[sig->narg + i] != letter(n->res[i]))
            return false;
    return true;
}

static Choice choose(const Node *n)
{
    Choice c = {NULL, NULL};
    const KernSig *sig;
    int i, count;
    Kern **list = plain_kernels(&count);

    for (i = 0; i < count; i++) {
        sig = kern_takes(list[i], n);
        if (!sig)
            continue;
        for (c.row = eval_rows; c.row->kern; c.row++)
            if (!strcmp(c.row->kern, list[i]->name) &&
                row_takes(c.row, sig, n)) {
                c.kern = list[i];
                return c;
            }
    }
    c.row = NULL;
    return c;
}

bool node_can_eval(const Node *n)
{
    return n->op == OP_reshape || choose(n).row;
}

/* --- native and wide --- */

static void *widen(Arena *a, const Val *v, const void *data)
{
    int64_t i, n = val_count(v), *w;

    if (v->type == T_f32 || v->type == T_s64)
        return (void *)(uintptr_t)data;
    w = NEWN(a, int64_t, (size_t)n + 1);
    switch (v->type) {
#define TYPE(name, ctype, bytes, kind, npy, onnx)                      \
    case T_##name:                                                     \
        for (i = 0; i < n; i++)                                        \
            w[i] = (int64_t)((const ctype *)data)[i];                  \
        break;
#include "ir/type.def"
    default: die("value '%s' has no type", v->name);
    }
    return w;
}

/* First as the type wraps, then as the operator clips. */
static void narrow(const Node *n, const Val *v, const int64_t *w, void *data)
{
    int64_t i, x, count = val_count(v);
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi);
    Val y = *v;

    y.data = data;
    for (i = 0; i < count; i++) {
        x = w[i] < lo ? lo : w[i] > hi ? hi : w[i];
        val_set(&y, i, x);
        x = val_int(&y, i);
        if (x < v->lo || x > v->hi)
            die("node '%s' (%s): element %lld is %lld, outside the range "
                "%lld..%lld inferred", n->name, op_info[n->op].name,
                (long long)i, (long long)x, (long long)v->lo,
                (long long)v->hi);
    }
}

/* --- indices --- */

static void check_index(const Node *n, int64_t i, int64_t len, bool negative)
{
    if (i >= len || i < (negative ? -len : 0))
        err_node(n, "index %lld into an axis of %lld elements", (long long)i,
                 (long long)len);
}

/* Index tuples: element j of each is along axis first + j. */
static void check_tuples(const Node *n, const int64_t *index, int first)
{
    Shape x = n->arg[0]->shape, s = n->arg[1]->shape;
    int64_t i, count = val_count(n->arg[1]), k = s.dim[s.rank - 1];

    for (i = 0; i < count; i++)
        check_index(n, index[i], x.dim[first + i % k], true);
}

static void check_axis(const Node *n, const int64_t *index, bool negative)
{
    Shape x = n->arg[0]->shape;
    int64_t i, count = val_count(n->arg[1]);

    for (i = 0; i < count; i++)
        check_index(n, index[i], x.dim[node_axis(n, x.rank)], negative);
}

static void check_indices(const Node *n, const int64_t *index)
{
    switch (op_info[n->op].family) {
    case FAM_gather: case FAM_gatherelem: case FAM_scatterelem:
        check_axis(n, index, true);
        break;
    case FAM_taps:
        check_axis(n, index, false);
        break;
    case FAM_gathernd: case FAM_scatternd:
        check_tuples(n, index, (int)attr_int(n, A_p0));
        break;
    default:
        break;
    }
}

/* --- rows along an inner axis --- */

/* from[outer][rows][columns] -> [outer][columns][rows], of bytes each */
static void *turned(Arena *a, const char *from, int64_t outer, int64_t rows,
                    int64_t columns, size_t bytes)
{
    char *to = arena_get(a, (size_t)(outer * rows * columns) + 1, bytes);
    int64_t o, r, c;

    for (o = 0; o < outer; o++)
        for (r = 0; r < rows; r++)
            for (c = 0; c < columns; c++)
                memcpy(to + (size_t)((o * columns + c) * rows + r) * bytes,
                       from + (size_t)((o * rows + r) * columns + c) * bytes,
                       bytes);
    return to;
}

/* --- one node --- */

typedef struct Run {
    Arena *a; /* of this node */
    const Node *n;
    Choice c;
    void *const *arg;
    struct io io;
} Run;

static void call(Run *r, const Dims *d)
{
    int64_t scratch = kern_expr(r->c.kern, r->c.kern->scratch, r->n, d);

    if (scratch > 0)
        r->io.tmp = arena_get(r->a, (size_t)scratch, sizeof(int64_t));
    r->c.row->run(d, &r->io);
}

static void run_concat(Run *r)
{
    Dims d;
    int i;

    for (i = 0; i < r->n->narg; i++) {
        if (!val_count(r->n->arg[i]))
            continue;
        r->io.in[0] = widen(r->a, r->n->arg[i], r->arg[i]);
        dims_fill_concat(r->n, i, &d);
        call(r, &d);
    }
}

/* The node as it would be if its axis were the last. */
static void run_row(Run *r)
{
    Shape x = r->n->arg[0]->shape;
    int i, axis = node_axis(r->n, x.rank);
    Attr last = {.code = A_axis, .i = -1, .next = r->n->attr};
    Val v = *r->n->arg[0], *arg[NARG] = {&v};
    Node n = *r->n;
    int64_t inner = 1, outer;
    size_t bytes = v.type == T_f32 ? sizeof(float) : sizeof(int64_t);
    Dims d;
    void *y = r->io.out[0];

    for (i = axis + 1; i < x.rank; i++)
        inner *= x.dim[i];
    outer = val_count(&v) / inner / x.dim[axis];
    v.shape = SHAPE(outer * inner, x.dim[axis]);
    n.attr = &last;
    n.arg = arg;
    dims_fill_wide(&n, &d);
    if (inner > 1) {
        r->io.in[0] = turned(r->a, r->io.in[0], outer, x.dim[axis], inner,
                             bytes);
        r->io.out[0] = arena_get(r->a, (size_t)val_count(&v), sizeof(int64_t));
    }
    call(r, &d);
    if (inner > 1)
        memcpy(y, turned(r->a, r->io.out[0], outer, inner, x.dim[axis], bytes),
               (size_t)val_count(&v) * bytes);
    r->io.out[0] = y;
}

static void run(Run *r)
{
    Dims d;

    if (r->n->op == OP_concat) {
        run_concat(r);
    } else if (op_info[r->n->op].family == FAM_row) {
        run_row(r);
    } else {
        dims_fill_wide(r->n, &d);
        call(r, &d);
    }
}

/* The sums apart; then bias and epilogue, as of a convolution of them with 1.
 * False: that cannot be done. */
static bool run_sums(Run *r)
{
    static const int64_t one = 1;
    struct conv_dims *k;
    int64_t *sums;
    Dims d;

    if (r->n->op != OP_conv || r->n->res[0]->type == T_f32)
        return false;
    dims_fill_wide(r->n, &d);
    k = &d.conv;
    sums = conv_sums(r->a, r->n, k, r->arg[0], r->arg[1]);
    if (!sums)
        return false;
    r->io.in[0] = sums;
    r->io.in[1] = &one;
    k->g *= k->m;
    k->c = k->m = k->kh = k->kw = k->sh = k->sw = k->xc = 1;
    k->ph = k->pw = k->wm = k->wh = k->ww = k->wc = 0;
    k->h = k->oh;
    k->w = k->ow;
    k->xw = k->g;
    k->xh = k->w * k->xw;
    k->xn = k->h * k->xh;
    call(r, &d);
    return true;
}

static void eval_kernel(const Node *n, void *const *arg, void **res)
{
    Run r = {arena_new(), n, choose(n), arg, {.ncore = 1}};
    const Val *y = n->res[0];
    int i;

    if (!r.c.row)
        err_node(n, "there is no plain kernel for these types");
    r.io.out[0] = y->type == T_f32
                      ? *res
                      : NEWN(r.a, int64_t, (size_t)val_count(y));
    for (i = n->op == OP_conv ? 2 : 0; i < n->narg && n->op != OP_concat; i++)
        if (n->arg[i])
            r.io.in[i] = widen(r.a, n->arg[i], arg[i]);
    if (!run_sums(&r)) {
        for (i = 0; i < 2 && n->op == OP_conv; i++)
            r.io.in[i] = widen(r.a, n->arg[i], arg[i]);
        if (n->narg > 1 && n->op != OP_concat)
            check_indices(n, r.io.in[1]);
        run(&r);
    }
    if (y->type != T_f32)
        narrow(n, y, r.io.out[0], *res);
    arena_end(r.a);
}

void node_eval(Arena *mem, const Node *n, void *const *arg, void **res)
{
    const Val *y = n->res[0];

    if (val_count(y) > EVAL_MAX)
        err_node(n, "a result of %lld elements is too large to evaluate",
                 (long long)val_count(y));
    res[0] = arena_get(mem, (size_t)MAX(val_count(y), 1),
                       (size_t)type_info[y->type].bytes);
    if (n->op == OP_reshape)
        memcpy(res[0], arg[0], (size_t)val_bytes(y));
    else if (val_count(y))
        eval_kernel(n, arg, res);
}

/* --- a graph --- */

static void check_input(const Val *v, const void *data)
{
    Val w = *v;
    int64_t i, x;

    w.data = (void *)(uintptr_t)data;
    for (i = 0; val_is_int(v) && i < val_count(v); i++) {
        x = val_int(&w, i);
        if (x < v->lo || x > v->hi)
            err(ERR_MODEL, "input '%s': element %lld is %lld, outside the "
                "declared range %lld..%lld", v->name, (long long)i,
                (long long)x, (long long)v->lo, (long long)v->hi);
    }
}

Eval *graph_eval(Arena *mem, Graph *g, void *const *in)
{
    Eval *e = NEW(mem, Eval);
    const Val *v;
    const Node *n;
    Arena *a = arena_new();
    void **arg = NULL;
    int i, room = 0, done = 0, all = 0;

    graph_number(g);
    e->mem = mem;
    e->data = NEWN(mem, void *, (size_t)graph_nval(g) + 1);
    for (v = g->vals; v; v = v->next)
        e->data[v->id] = v->data;
    for (i = 0; i < g->nin; i++) {
        check_input(g->in[i], in[i]);
        e->data[g->in[i]->id] = in[i];
    }
    for (n = g->first; n; n = n->next)
        all++;
    for (n = g->first; n; n = n->next) {
        progress("computing the example: node", ++done, all);
        if (n->narg > room)
            arg = NEWN(a, void *, (size_t)(room = n->narg));
        for (i = 0; i < n->narg; i++)
            arg[i] = n->arg[i] ? e->data[n->arg[i]->id] : NULL;
        node_eval(mem, n, arg, &e->data[n->res[0]->id]);
    }
    arena_end(a);
    return e;
}
