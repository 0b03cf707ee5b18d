/* Random graphs in kernel form: everything that bears on storage (chains,
 * branches, views, in-place operators, values read twice), with small kernels
 * where it does not matter what is computed. */
#include "plan/plan.h"
#include "test/lib/rng.h"

typedef struct Maker {
    Graph *g;
    Rng r;
    Val *val[256];
    int nval;
} Maker;

/* A value so far: often a recent one, so that graphs are deep. */
static Val *some(Maker *m)
{
    int back = pick(&m->r, 3) ? MIN(m->nval, 3) : m->nval;

    return m->val[m->nval - 1 - pick(&m->r, back)];
}

/* Another value of the same shape; v itself if there is none. */
static Val *alike(Maker *m, Val *v)
{
    int i, from = pick(&m->r, m->nval);

    for (i = 0; i < m->nval; i++) {
        Val *w = m->val[(from + i) % m->nval];

        if (w != v && w->type == v->type && !w->data &&
            shape_same(w->shape, v->shape))
            return w;
    }
    return v;
}

static Node *new_node(Maker *m, OpCode op, int n, Val *const *arg)
{
    return graph_node(m->g, NULL, op, NULL, n, arg);
}

static void keep(Maker *m, Node *n)
{
    node_infer(m->g, n);
    m->val[m->nval++] = n->res[0];
}

static void make_map(Maker *m)
{
    static const OpCode one[] = {OP_abs, OP_neg, OP_exp, OP_softmax, OP_tanh};
    Val *v = some(m), *arg[2] = {v, alike(m, v)};
    int n = v->type == T_f32 ? (int)LEN(one) : 2;

    if (pick(&m->r, 2))
        keep(m, new_node(m, one[pick(&m->r, n)], 1, arg));
    else
        keep(m, new_node(m, pick(&m->r, 2) ? OP_add : OP_mul, 2, arg));
}

/* To a narrower or wider type: a result of another size. */
static void make_cast(Maker *m)
{
    static const Type to[] = {T_s8, T_s32, T_f32};
    Val *v = some(m);
    Node *n = new_node(m, OP_cast, 1, &v);

    attr_set_int(m->g, n, A_to, to[pick(&m->r, LEN(to))]);
    keep(m, n);
}

static void make_reshape(Maker *m)
{
    Val *v = some(m);
    Node *n = new_node(m, OP_reshape, 1, &v);
    int64_t dim[3] = {1, 1, val_count(v)};
    int d = 1 + pick(&m->r, 4);

    if (dim[2] % d == 0) {
        dim[pick(&m->r, 2)] = d;
        dim[2] /= d;
    }
    attr_set_list(m->g, n, A_shape, 3, dim);
    keep(m, n);
}

static void make_slice(Maker *m)
{
    Val *v = some(m);
    int64_t start[RANK], step[RANK], count[RANK];
    int axis, i, rank = v->shape.rank;
    Node *n;

    if (!rank)
        return;
    axis = pick(&m->r, rank);
    for (i = 0; i < rank; i++) {
        start[i] = 0;
        step[i] = 1;
        count[i] = v->shape.dim[i];
    }
    start[axis] = pick(&m->r, (int)v->shape.dim[axis]);
    count[axis] = 1 + pick(&m->r, (int)(v->shape.dim[axis] - start[axis]));
    n = new_node(m, OP_slice, 1, &v);
    attr_set_list(m->g, n, A_start, rank, start);
    attr_set_list(m->g, n, A_step, rank, step);
    attr_set_list(m->g, n, A_count, rank, count);
    keep(m, n);
}

static void make_transpose(Maker *m)
{
    Val *v = some(m);
    int64_t perm[RANK];
    int i, j, rank = v->shape.rank;
    Node *n;

    for (i = 0; i < rank; i++) {
        j = pick(&m->r, i + 1);
        perm[i] = perm[j];
        perm[j] = i;
    }
    n = new_node(m, OP_transpose, 1, &v);
    attr_set_list(m->g, n, A_perm, rank, perm);
    keep(m, n);
}

static void make_concat(Maker *m)
{
    Val *arg[4];
    Node *n;
    int i, count = 2 + pick(&m->r, 3), rank;

    arg[0] = some(m);
    rank = arg[0]->shape.rank;
    if (!rank || val_count(arg[0]) > 4096)
        return;
    for (i = 1; i < count; i++)
        arg[i] = alike(m, arg[0]);
    for (i = 1; i < count; i++)
        if (!shape_same(arg[i]->shape, arg[0]->shape))
            arg[i] = arg[0];
    n = new_node(m, OP_concat, count, arg);
    attr_set_int(m->g, n, A_axis, pick(&m->r, 2) ? 0 : pick(&m->r, rank));
    keep(m, n);
}

static void make_matmul(Maker *m)
{
    Val *a = some(m), *arg[2];
    Shape s = {.rank = 2};
    Node *n;

    if (a->shape.rank < 2 || a->type != T_f32)
        return;
    s.dim[0] = a->shape.dim[a->shape.rank - 1];
    s.dim[1] = 1 + pick(&m->r, 24);
    if (s.dim[0] > 256)
        return;
    arg[0] = a;
    arg[1] = graph_const(m->g, NULL, T_f32, s, NULL);
    n = new_node(m, OP_matmul, 2, arg);
    keep(m, n);
}

static void add_inputs(Maker *m)
{
    int i, n = 1 + pick(&m->r, 2);

    for (i = 0; i < n; i++) {
        int64_t dim[3] = {1 + pick(&m->r, 2), 1 + pick(&m->r, 6),
                          1 + pick(&m->r, 16)};
        Val *v = graph_val(m->g, NULL, T_f32, shape_of(3, dim));

        graph_input(m->g, v);
        m->val[m->nval++] = v;
    }
    if (!pick(&m->r, 3))
        m->val[m->nval++] = graph_const(m->g, NULL, T_f32,
                                        m->val[0]->shape, NULL);
}

/* What nobody reads becomes an output, and now and then what somebody does:
 * an input, a constant, an output once more. */
static void add_outputs(Maker *m)
{
    int i;

    graph_uses(m->g);
    for (i = 0; i < m->nval; i++)
        if ((!m->val[i]->nuse && m->val[i]->def) || !pick(&m->r, 24))
            graph_output(m->g, m->val[i]);
    if (!m->g->nout || !pick(&m->r, 8))
        graph_output(m->g, m->val[m->nval - 1]);
}

static inline Graph *random_graph(Arena *a, uint64_t seed, int size)
{
    static void (*const make[])(Maker *) = {
        make_map, make_map, make_map, make_matmul, make_cast, make_reshape,
        make_slice, make_transpose, make_concat,
    };
    Maker m = {.g = graph_new(a, "random"), .r = {seed}};
    int i;

    add_inputs(&m);
    for (i = 0; i < size; i++)
        make[pick(&m.r, LEN(make))](&m);
    add_outputs(&m);
    graph_uses(m.g);
    graph_number(m.g);
    graph_check(m.g, "random");
    return m.g;
}
