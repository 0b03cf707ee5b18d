/* Results of accelerators beside other values, and their sums:
 *
 *     y = pconv x w m a
 *     z = concat r y            ->   z = pinterleave x w m a r
 *     z = add y r mul add       ->   b = pinterleave x w m a r
 *                                    z = pconv b w' mul' add', of one tap
 *
 * The job that makes y leaves room for r between blocks of 32 channels, and
 * another one brings it there.  A unit adds up channels: blocks of y and of r side
 * by side are 64 of them, and w' has ones on two diagonals.  So cores do nothing
 * until z is there.  A transpose of [2,n,32] to [n,2,32] is such a concat, too:
 * heads.c makes it of two groups of heads. */
#include "plan/kernel/bring.h"
#include "kern/conv/words.h"

enum { LEAST_GAIN = 700 }; /* cycles */

typedef struct Residual {
    const Chooser *c;
    Graph *g;
    Way *w;
    int64_t room;
    Val *copies, *scales; /* weights and scales of r, which all share; */
    Val *sums;            /* weights of sums */
} Residual;

/* One on `count` diagonals, packed. */
static Val *diagonals(Residual *s, Node *at, int count)
{
    Bringer b = {.g = s->g, .n = at, .at = at, .k = {1, 1}, .m = INTERLEAVE,
                 .c = count * INTERLEAVE, .port = *s->w->port};
    Val *v;

    b.w = bring_identities(s->g, at->name, INTERLEAVE, count);
    v = bring_weights(&b, s->w->words);
    *s->w->port = b.port;
    return v;
}

/* Constants that all sums share. */
static void prepare(Residual *s, Node *at)
{
    int64_t one[INTERLEAVE], i;

    if (s->sums)
        return;
    for (i = 0; i < INTERLEAVE; i++)
        one[i] = 1;
    s->copies = diagonals(s, at, 1);
    s->sums = diagonals(s, at, 2);
    s->scales = bring_numbers(s->g, at->name, T_u8, INTERLEAVE, one);
}

/* The job that makes v under another shape for one reader alone; NULL: there is
 * none. */
static Node *job_behind(const Graph *g, const Val *v)
{
    Node *n = v->def;

    while (v->nuse == 1 && !val_is_output(g, v) && n && n->op == OP_reshape) {
        v = n->arg[0];
        n = v->def;
    }
    if (v->nuse != 1 || val_is_output(g, v) || !n || n->op != OP_pconv ||
        attr_at(n, A_count, 1, 0) < 1 || attr_int(n, A_group) > 1 ||
        type_info[v->type].bytes != 1 ||
        v->shape.dim[v->shape.rank - 1] % INTERLEAVE || !node_arg(n, "mul"))
        return NULL;
    return n;
}

/* Is n a sum of two values of as many bytes, with one scale? */
static bool is_sum(Node *n)
{
    const Val *x = n->arg[0], *y = n->arg[1];

    return n->op == OP_add && !node_varies(n) && x != y && x->type == y->type &&
           shape_same(x->shape, y->shape) && node_arg(n, "mul") &&
           bring_is_alike(&(Bringer){.n = n});
}

static int64_t bytes_near(const Node *n)
{
    int64_t sum = val_bytes(n->res[0]);
    int i;

    for (i = 0; i < n->narg; i++)
        sum += n->arg[i] && !n->arg[i]->port ? val_bytes(n->arg[i]) : 0;
    return sum;
}

/* What the job makes, with r beside; first: before it. */
static Node *interleave(Residual *s, Node *at, const Node *job, Val *r,
                        bool first)
{
    Val *arg[] = {job->arg[0], job->arg[1], job->arg[2], job->arg[3],
                  job->arg[4], r, s->copies, s->scales};
    Node *y = graph_node(s->g, at, OP_pinterleave, job->name, LEN(arg), arg);

    attr_copy(s->g, y, job);
    attr_set_int(s->g, y, A_p4, s->copies->port > 0);
    attr_set_int(s->g, y, A_reverse, first);
    y->origin = job->origin;
    node_infer(s->g, y);
    return y;
}

/* The sum, of pixels of blocks beside one another; NULL: it is none for the
 * unit. */
static Node *add_up(Residual *s, Node *n, Node *both)
{
    int64_t pixels = both->res[0]->shape.dim[0];
    Shared shared = {.arg = {NULL, s->sums}};
    Bringer b = {.g = s->g, .n = n, .at = n, .stride = {1, 1}, .every = {1, 1},
                 .k = {1, 1}, .m = INTERLEAVE, .c = 2 * INTERLEAVE,
                 .sign = s->w->words.sign, .shared = &shared};

    b.w = bring_identities(s->g, n->name, INTERLEAVE, 2);
    if (!bring_may(&b) || (n->arg[0]->type == T_s8 && !b.sign))
        return NULL;
    b.x = bring_reshaped(&b, both->res[0], SHAPE(1, pixels, 1, 2 * INTERLEAVE));
    return bring_job(&b, s->w->words);
}

/* What the operand of a transposition is under another shape, if nothing else
 * reads it. */
static const Node *concat_behind(const Node *n)
{
    const Val *x = n->arg[0];

    while (x->nuse == 1 && x->def && x->def->op == OP_reshape)
        x = x->def->arg[0];
    return x->nuse == 1 && x->def && x->def->op == OP_concat ? x->def : NULL;
}

/* Two values of one block of channels each that n puts side by side, as a concat
 * or as a transpose of one.  false: it does not. */
static bool takes_two(const Node *n, Val *two[2])
{
    const Node *both = n;
    Shape y = n->res[0]->shape;
    int64_t axis, i;

    if (n->op == OP_transpose) {
        Shape x = n->arg[0]->shape;

        both = concat_behind(n);
        if (x.rank != 3 || x.dim[0] != 2 || attr_at(n, A_perm, 0, 0) != 1 ||
            attr_at(n, A_perm, 2, 0) != 2 || !both)
            return false;
    }
    if (both->op != OP_concat || both->narg != 2 || node_varies(n))
        return false;
    axis = attr_int(both, A_axis);
    axis += axis < 0 ? both->res[0]->shape.rank : 0;
    if (axis != (both == n ? y.rank - 1 : 0))
        return false;
    for (i = 0; i < 2; i++) {
        Shape s = both->arg[i]->shape;

        two[i] = both->arg[i];
        if (s.dim[s.rank - 1] != INTERLEAVE)
            return false;
    }
    return two[0] != two[1] && two[0]->type == two[1]->type &&
           val_count(two[0]) == val_count(two[1]);
}

/* The node that brings what `job` makes and r together for n, before it; z: what
 * n is then.  NULL: it does not fit. */
static Node *together(Residual *s, Node *n, Node *job, Val *r, bool first,
                      Val **z)
{
    Node *both = interleave(s, n, job, r, first), *y = both;

    if (bytes_near(both) > s->room)
        return NULL;
    if (n->op == OP_add)
        y = add_up(s, n, both);
    if (y)
        *z = layer_reshaped(s->g, n, y->res[0], n->res[0]->shape);
    return y;
}

/* Nodes that n and its job take the place of, beside these. */
static int64_t copies_cycles(const Residual *s, const Node *n)
{
    const Node *both = n->op == OP_transpose ? concat_behind(n) : NULL;
    int64_t cold;

    return both && !both->placed
               ? nodes_cycles(s->c, s->g, both, both->next, false, &cold) : 0;
}

/* Cycles that n gains by jobs, `job` and those that copy and add up r; then it
 * becomes those. */
static int64_t bring_beside(Residual *s, Node *n, Node *job, Val *r, bool first,
                            bool try)
{
    Node *before = n->prev, *y;
    int64_t gain = 0, now, cold;
    Val *z = NULL;

    prepare(s, n);
    y = together(s, n, job, r, first, &z);
    now = y ? nodes_cycles(s->c, s->g, before->next, n, false, &s->w->cold)
            : -1;
    if (now >= 0)
        gain = nodes_cycles(s->c, s->g, job, job->next, false, &cold) +
               nodes_cycles(s->c, s->g, n, n->next, false, &cold) +
               copies_cycles(s, n) - now;
    if (gain < LEAST_GAIN)
        gain = 0;
    if (gain && !try)
        layer_replace(s->g, n, y, z);
    else
        layer_undo(s->g, before, n);
    return gain;
}

static bool is_before(const Node *a, const Node *b)
{
    while (a && a != b)
        a = a->next;
    return a != NULL;
}

/* Is r there before the job begins, or made by another one?  What cores make
 * beside the job would have to be there first. */
static bool is_early(const Val *r, const Node *job)
{
    const Node *n = r->def;

    while (n && n->op == OP_reshape)
        n = n->arg[0]->def;
    return !n || n->op == OP_pconv || is_before(n, job);
}

/* The later of two values is the job's, if one is. */
static int64_t bring_two(Residual *s, Node *n, bool try)
{
    Val *two[2] = {n->arg[0], n->narg > 1 ? n->arg[1] : NULL};
    Node *job[2];
    int i, k;

    if (n->op != OP_add && n->op != OP_transpose && n->op != OP_concat)
        return 0;
    graph_uses(s->g);
    if (!is_sum(n) && !takes_two(n, two))
        return 0;
    for (i = 0; i < 2; i++)
        job[i] = job_behind(s->g, two[i]);
    k = job[1] && (!job[0] || is_before(job[0], job[1]));
    return job[k] && is_early(two[1 - k], job[k])
               ? bring_beside(s, n, job[k], two[1 - k], k == 1, try) : 0;
}

static int64_t bring_all(Residual *s, bool try)
{
    int64_t all = 0;
    Node *n, *next;

    for (n = s->g->first; n; n = next) {
        next = n->next;
        all += bring_two(s, n, try);
    }
    return all;
}

void bring_residuals(const Chooser *c, Graph *g, Way *w, int64_t room)
{
    Residual s = {.c = c, .g = g, .w = w, .room = room};
    int64_t port = *w->port;

    if (w->words.mode != 1 || w->words.tile != INTERLEAVE)
        return;
    if (bring_all(&s, true) > w->cold)
        bring_all(&s, false);
    else
        *w->port = port;
    graph_sweep(g);
}
