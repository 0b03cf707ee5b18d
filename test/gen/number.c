/* number SEED COUNT TARGET DIR: random networks whose sizes follow run-time
 * numbers.  Each is planned once, proved, generated and built once; it must
 * give what the evaluator does at every value, one run after the other.  Plans
 * that follow a number wrongly must be found out. */
#include "dev/dev.h"
#include "gen/gen.h"
#include "pass/pass.h"
#include "test/lib/rng.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 400 };

typedef struct Net {
    Graph *g;
    Rng *r;
    Val *val[32];
    int nval;
} Net;

static Val *keep(Net *t, Val *v)
{
    if (v && t->nval < (int)LEN(t->val))
        t->val[t->nval++] = v;
    return v;
}

static Val *some(Net *t, int rank)
{
    int i, from = pick(t->r, t->nval);

    for (i = 0; i < t->nval; i++)
        if (t->val[(from + i) % t->nval]->shape.rank == rank)
            return t->val[(from + i) % t->nval];
    return NULL;
}

static Val *alike(Net *t, const Val *v)
{
    int i, from = pick(t->r, t->nval);

    for (i = 0; i < t->nval; i++)
        if (shape_same(t->val[(from + i) % t->nval]->shape, v->shape))
            return t->val[(from + i) % t->nval];
    return NULL;
}

static Node *op(Net *t, OpCode code, int n, Val *a, Val *b)
{
    Val *arg[] = {a, b};

    return graph_node(t->g, NULL, code, NULL, n, arg);
}

/* Bytes again, so that sums stay small. */
static Val *bytes(Net *t, Node *n)
{
    Val *arg[3];

    node_infer(t->g, n);
    if (type_info[n->res[0]->type].bytes == 1)
        return n->res[0];
    arg[0] = n->res[0];
    arg[1] = graph_const_int(t->g, T_s32, 3);
    arg[2] = graph_const_int(t->g, T_s32, 5);
    n = graph_node(t->g, NULL, OP_requant, NULL, 3, arg);
    attr_set_int(t->g, n, A_shift, 6);
    attr_set_int(t->g, n, A_lo, -128);
    attr_set_int(t->g, n, A_hi, 127);
    node_infer(t->g, n);
    return n->res[0];
}

static Val *weights(Net *t, Shape s)
{
    Val *w = graph_const(t->g, "w", T_s8, s, NULL);
    int64_t i;

    for (i = 0; i < val_count(w); i++)
        val_set(w, i, between(t->r, -9, 9));
    val_range(w);
    return w;
}

static Val *sliced(Net *t, Val *x, int axis, Size start, Size count)
{
    Shape zero = {.rank = x->shape.rank}, one = zero, all = x->shape;
    Node *n = op(t, OP_slice, 1, x, NULL);
    int i;

    for (i = 0; i < one.rank; i++)
        one.dim[i] = 1;
    shape_put(&zero, axis, start);
    shape_put(&all, axis, count);
    attr_set_shape(t->g, n, A_start, zero);
    attr_set_shape(t->g, n, A_step, one);
    attr_set_shape(t->g, n, A_count, all);
    node_infer(t->g, n);
    return n->res[0];
}

/* The last row or column; all but that; or the first k. */
static Val *part(Net *t, Val *x)
{
    int axis = pick(t->r, x->shape.rank);
    Size d = size_at(x->shape, axis), less = d;
    int64_t least = d.n - (d.vary.num ? d.vary.by * (d.vary.num->hi -
                                                     d.vary.num->lo) : 0);

    less.n--;
    if (least < 1)
        return NULL;
    if (least == 1 || pick(t->r, 2)) /* importers leave no empty values */
        return sliced(t, x, axis, less, size_const(1));
    return sliced(t, x, axis, size_const(pick(t->r, 2)), less);
}

static Val *reshaped(Net *t, Val *x, Shape s)
{
    Node *n = op(t, OP_reshape, 1, x, NULL);

    attr_set_shape(t->g, n, A_shape, s);
    node_infer(t->g, n);
    return n->res[0];
}

/* [r,8] in heads: [2,r,4]. */
static Val *heads(Net *t, Val *x)
{
    static const int64_t perm[] = {1, 0, 2};
    Shape s = {.rank = 3, .dim = {0, 2, 4}};
    Node *n;

    if (!size_is(size_at(x->shape, 1), 8))
        return NULL;
    shape_put(&s, 0, size_at(x->shape, 0));
    n = op(t, OP_transpose, 1, reshaped(t, x, s), NULL);
    attr_set_list(t->g, n, A_perm, 3, perm);
    node_infer(t->g, n);
    return n->res[0];
}

static Val *turned(Net *t, Val *x)
{
    Node *n = op(t, OP_transpose, 1, x, NULL);

    node_infer(t->g, n);
    return n->res[0];
}

static Val *product(Net *t, Val *x)
{
    Val *b = some(t, x->shape.rank);
    int last = x->shape.rank - 1;
    Node *n;

    if (x->shape.rank == 2 && !x->shape.vary[1].num && pick(t->r, 2))
        return bytes(t, op(t, OP_matmul, 2, x, weights(t, shape_of(
            2, (int64_t[]){x->shape.dim[1], pick(t->r, 2) ? 8 : 3}))));
    if (!b || !size_same(size_at(b->shape, last), size_at(x->shape, last)) ||
        !size_same(size_at(b->shape, 0), size_at(x->shape, 0)))
        b = x;
    n = op(t, OP_matmul, 2, x, b);
    attr_set_int(t->g, n, A_transb, 1);
    return bytes(t, n);
}

static Val *convolved(Net *t, Val *x)
{
    Shape s = {.rank = 3};
    int64_t c = x->shape.dim[0];
    Node *n;

    if (x->shape.vary[0].num)
        return NULL;
    s.dim[0] = 1;
    shape_put(&s, 1, size_at(x->shape, 0));
    shape_put(&s, 2, size_at(x->shape, 1));
    n = op(t, OP_conv, 2, reshaped(t, x, s),
           weights(t, shape_of(3, (int64_t[]){4, c, 3})));
    attr_set_list(t->g, n, A_pad, 2, (int64_t[]){1, 1});
    x = bytes(t, n);
    shape_put(&s, 1, size_const(4));
    memmove(s.dim, s.dim + 1, 2 * sizeof *s.dim);
    memmove(s.vary, s.vary + 1, 2 * sizeof *s.vary);
    s.rank = 2;
    return reshaped(t, x, s);
}

static Val *grown(Net *t)
{
    Val *x = some(t, 2), *y = NULL;
    Node *n;

    if (!x || !(x = pick(t->r, 3) ? x : some(t, 3) ? some(t, 3) : x))
        return NULL;
    switch (pick(t->r, 10)) {
    case 0:
        return bytes(t, op(t, OP_add, 2, x, alike(t, x)));
    case 1:
        return bytes(t, op(t, OP_abs, 1, x, NULL));
    case 2:
        return part(t, x);
    case 3:
        return x->shape.rank == 2 ? heads(t, x) : NULL;
    case 4:
        return turned(t, x);
    case 5:
        return x->shape.rank == 2 ? convolved(t, x) : NULL;
    case 6:
        y = alike(t, x);
        n = op(t, OP_concat, 2, x, y);
        attr_set_int(t->g, n, A_axis, pick(t->r, x->shape.rank));
        return bytes(t, n);
    case 7:
        n = op(t, OP_sum, 1, x, NULL);
        attr_set_list(t->g, n, A_axes, 1,
                      (int64_t[]){pick(t->r, x->shape.rank)});
        attr_set_int(t->g, n, A_keep, 1);
        return bytes(t, n);
    case 8:
        n = op(t, OP_itamax, 1, x, NULL);
        attr_set_int(t->g, n, A_hi, 255);
        return bytes(t, n);
    default:
        return product(t, x);
    }
}

static void add_input(Net *t, Size rows)
{
    Shape s = {.rank = 2, .dim = {0, 8}};
    Val *v;

    shape_put(&s, 0, rows);
    v = graph_val(t->g, NULL, T_s8, s);
    graph_input(t->g, v);
    keep(t, v);
}

static Graph *draw(Arena *a, Rng *r)
{
    Graph *g = graph_new(a, "random");
    Net t = {.g = g, .r = r};
    Number *k;
    Val *last = NULL, *v;
    int i;

    g->exact = true;
    k = graph_number_new(g, "n", pick(r, 3), between(r, 3, 20));
    add_input(&t, (Size){k->hi, {k, 1}});
    add_input(&t, (Size){2 * k->hi + 1, {k, 2}});
    if (pick(r, 3) == 0) {
        k = graph_number_new(g, "other", 1, between(r, 2, 5));
        add_input(&t, (Size){k->hi, {k, 1}});
    }
    for (i = 0; i < 12; i++) {
        v = grown(&t);
        if (v && val_count(v) < 1 << 14)
            last = keep(&t, v);
    }
    if (!last)
        return NULL;
    graph_output(g, last);
    for (i = 0; i < 2; i++) {
        v = t.val[pick(r, t.nval)];
        if (!val_is_output(g, v))
            graph_output(g, v);
    }
    graph_sweep(g);
    return g;
}

/* ---- runs ---- */

static jmp_buf stopped;

static void stop(const Trouble *t)
{
    if (getenv("V"))
        fprintf(stderr, "%s\n", t->message);
    longjmp(stopped, t->status);
}

static int values(const Graph *g, int64_t *value)
{
    unsigned set = (1u << g->nnum) - 1;
    int64_t at[MOST_NUMBERS] = {0};
    int n = 0;

    values_first(g, set, at);
    do {
        memcpy(value + n++ * MOST_NUMBERS, at, sizeof at);
    } while (n < RUNS && values_next(g, set, at));
    return n;
}

static int64_t all_bytes(const Val *v, const int64_t *value, int runs)
{
    int64_t sum = 0;

    while (runs--)
        sum += val_bytes_at(v, value + runs * MOST_NUMBERS);
    return sum;
}

static bool same_run(Arena *a, Graph *g, const int64_t *value, int t,
                     void **in, void **out)
{
    void **x = NEWN(a, void *, g->nin + 1);
    Eval *e;
    int i;
    bool same = true;

    for (i = 0; i < g->nin; i++)
        x[i] = (char *)in[i] + all_bytes(g->in[i], value, t);
    graph_set_numbers(g, value + t * MOST_NUMBERS);
    e = graph_eval(a, g, x);
    for (i = 0; i < g->nout; i++)
        same &= !memcmp((char *)out[i] + all_bytes(g->out[i], value, t),
                        e->data[g->out[i]->id], (size_t)val_bytes(g->out[i]));
    return same;
}

/* A step that follows a number; NULL: none does. */
static Step *some_follower(const Plan *p, Rng *r)
{
    int i, from = p->nstep ? pick(r, p->nstep) : 0;

    for (i = 0; i < p->nstep; i++)
        if (p->step[(from + i) % p->nstep].nfollow)
            return &p->step[(from + i) % p->nstep];
    return NULL;
}

/* Kernels that are told something else at one value at least: that is found. */
static bool is_found(Arena *a, Plan *p, Rng *r)
{
    Step *s = some_follower(p, r), was;
    Follow *f;
    bool found;

    if (!s)
        return true;
    was = *s;
    f = NEWN(a, Follow, s->nfollow);
    memcpy(f, s->follow, (size_t)s->nfollow * sizeof *f);
    s->follow = f;
    switch (pick(r, 3)) {
    case 0: /* one is forgotten */
        s->nfollow--;
        break;
    case 1: /* right where the number is greatest alone */
        f->is.term = NEWN(a, Monomial, f->is.n);
        memcpy(f->is.term, was.follow->is.term,
               (size_t)f->is.n * sizeof *f->is.term);
        f->is.term[f->is.n - 1].coef++;
        break;
    default: /* another word follows */
        f->at = f->at ? f->at - 1 : f->at + 1;
        break;
    }
    found = verify_plan(a, p) != NULL;
    *s = was;
    return found;
}

static const char *try(Arena *a, Graph *g, Soc *soc, const char *dir, Rng *r,
                       int *runs)
{
    int64_t *value = NEWN(a, int64_t, RUNS * MOST_NUMBERS);
    void **in = NEWN(a, void *, g->nin + 1);
    PlanOpts po = {.host_isa = ""};
    GenOpts go = {.name = "net", .dir = dir, .force = true,
                  .version = "test", .tolerance = 1e-4};
    RunOpts ro = {.dir = dir, .name = "net", .in = in, .value = value};
    const char *bad;
    Graph *meant;
    Run run;
    Plan *p;
    int i, t;
    int64_t k;
    Str text = {.mem = a};

    graph_print(g, &text);
    meant = graph_parse(a, "meant", text.s);
    pass_all(g, NULL, NULL);
    memset(po.limit, 0xff, sizeof po.limit);
    p = plan_make(a, g, soc, &po);
    bad = verify_plan(a, p);
    for (i = 0; i < 4 && !bad; i++)
        if (!is_found(a, p, r))
            bad = "a plan that follows wrongly is not found out";
    if (bad)
        return bad;
    ro.steps = *runs = values(g, value);
    for (i = 0; i < g->nin; i++) {
        int64_t n = all_bytes(g->in[i], value, *runs);

        in[i] = arena_get(a, (size_t)n + 1, 1);
        for (k = 0; k < n; k++)
            ((char *)in[i])[k] = (char)rng(r);
    }
    gen_project(p, &go);
    run = dev_run(a, p, &ro);
    if (!run.ok)
        return run.why;
    for (t = 0; t < *runs; t++)
        if (!same_run(a, meant, value, t, in, run.out))
            return arena_fmt(a, "another result in run %d (%lld)", t,
                             (long long)value[t * MOST_NUMBERS]);
    return NULL;
}

static int plans, refused, failed, all;

static void try_seed(uint64_t seed, const char *chip, const char *dir)
{
    Arena *a = arena_new();
    Rng r = {seed};
    const char *bad;
    int runs = 0;
    Graph *g;

    if (setjmp(stopped)) {
        refused++;
        return;
    }
    g = draw(a, &r);
    if (!g || !g->first)
        return;
    bad = try(a, g, soc_read(a, chip), dir, &r, &runs);
    plans++;
    all += runs;
    if (bad) {
        printf("seed %llu: %s\n", (unsigned long long)seed, bad);
        failed++;
    }
    arena_end(a);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int count = argc > 2 ? atoi(argv[2]) : 5, i;

    if (argc < 5)
        return 2;
    err_hook = stop;
    for (i = 0; plans < count && i < 20 * count; i++)
        try_seed(seed + (uint64_t)i, argv[3], argv[4]);
    printf("seed %llu, %s: %d networks, %d runs, %d refused, %d wrong\n",
           (unsigned long long)seed, argv[3], plans, all, refused, failed);
    return failed || !plans;
}
