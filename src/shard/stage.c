/* Pipelines: chip i has the i-th of so many stretches of a network's layers, as
 * its nodes stand, and their constants.  What later layers read goes from chip
 * to chip, a value at a time; an output is given by the chip that computes
 * it. */
#include "shard/build.h"

/* What is known of a cut before node i. */
typedef struct Cost {
    double work;   /* cycles of all nodes before */
    double consts; /* bytes of what they read first */
    double live;   /* bytes that go over the cut, */
    int values;    /* of so many values */
    bool never;    /* a state is on both sides, or what varies goes over it */
} Cost;

/* The last node that reads v; outputs are read where they are made. */
static int *last_uses(const Shard *s)
{
    int *last = NEWN(s->mem, int, graph_nval(s->whole) + 1), i, k;

    for (i = 0; i < s->nnode; i++)
        for (k = 0; k < s->share[i].node->narg; k++)
            if (s->share[i].node->arg[k])
                last[s->share[i].node->arg[k]->id] = i;
    return last;
}

static bool node_reads(const Node *n, const Val *v)
{
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] == v)
            return true;
    return false;
}

/* Is v, which a node makes, read beyond a cut before node `at`? */
static bool is_live(const Val *v, const int *last, int at)
{
    return v->def && v->def->id < at && last[v->id] >= at;
}

/* Of a state all that reads it and what becomes of it are on one chip: no cut
 * between. */
static void keep_states(const Shard *s, const int *last, Cost *c)
{
    const Graph *g = s->whole;
    int i, k, from, to;

    for (i = 0; i < g->nin; i++) {
        const Val *in = g->in[i], *next = graph_next_state(g, in);

        if (!next)
            continue;
        to = MAX(last[in->id], next->def ? next->def->id : 0);
        for (from = 0; from < to; from++)
            if (from == (next->def ? next->def->id : 0) ||
                node_reads(s->share[from].node, in))
                break;
        for (k = from + 1; k <= to; k++)
            c[k].never = true;
    }
}

static Cost *costs(const Shard *s, const int *last)
{
    Cost *c = NEWN(s->mem, Cost, s->nnode + 1);
    bool *seen = NEWN(s->mem, bool, graph_nval(s->whole) + 1);
    int i, k;

    for (i = 0; i < s->nnode; i++) {
        const Node *n = s->share[i].node;

        c[i + 1].work = c[i].work + cost_node(s, &s->share[i]);
        c[i + 1].consts = c[i].consts;
        for (k = 0; k < n->narg; k++) {
            const Val *v = n->arg[k];

            if (v && v->data && !seen[v->id])
                c[i + 1].consts += (double)val_bytes(v);
            if (v)
                seen[v->id] = true;
        }
        for (k = i + 1; k <= last[n->res[0]->id]; k++) {
            c[k].live += (double)val_bytes(n->res[0]);
            c[k].values++;
            c[k].never |= shape_varies(n->res[0]->shape);
        }
    }
    keep_states(s, last, c);
    return c;
}

/* Cycles of nodes [a, b) on one chip. */
static double stage_cycles(const Shard *s, const Cost *c, int a, int b)
{
    return c[b].work - c[a].work + cost_far(s, c[b].consts - c[a].consts) +
           (c[b].values ? cost_near(s, c[b].live, c[b].values) : 0);
}

/* The slowest stage is as quick as can be: best[b] of k stages of nodes [0, b),
 * each of which has a node; from[k][b]: where the last one begins, from 1.
 * false: there are not so many. */
static bool choose(Shard *s, const Cost *c)
{
    int n = s->nnode, chips = s->o.chips, k, a, b;
    double *best = NEWN(s->mem, double, n + 1);
    int **from = NEWN(s->mem, int *, chips + 1);

    for (k = 1; k <= chips; k++) {
        double *next = NEWN(s->mem, double, n + 1);

        from[k] = NEWN(s->mem, int, n + 1);
        for (b = k; b <= n; b++)
            for (a = k > 1 ? b - 1 : 0; a >= k - 1; a--) {
                double t = MAX(best[a], stage_cycles(s, c, a, b));

                if (k > 1 && (c[a].never || !from[k - 1][a]))
                    continue;
                if (!from[k][b] || t < next[b]) {
                    next[b] = t;
                    from[k][b] = a + 1;
                }
                if (c[b].work - c[a].work > next[b])
                    break;
            }
        best = next;
    }
    if (chips > n || !from[chips][n])
        return false;
    s->stage[chips] = b = n;
    for (k = chips; k > 0; k--)
        s->stage[k - 1] = b = from[k][b] - 1;
    return true;
}

int shard_stage_of(const Shard *s, int node)
{
    int i = 0;

    while (s->stage[i + 1] <= node)
        i++;
    return i;
}

static void list_exchanges(Shard *s, const int *last)
{
    const Val *v;
    int i;

    for (i = 1; i < s->o.chips; i++)
        for (v = s->whole->vals; v; v = v->next)
            if (is_live(v, last, s->stage[i])) {
                GROW(s->mem, s->exchange, (size_t)s->nexchange);
                s->exchange[s->nexchange++] =
                    (Exchange){.layer = v->name, .halo = true,
                               .bytes = val_bytes(v)};
            }
}

const char *shard_stages(Shard *s)
{
    const Graph *g = s->whole;
    int *last = last_uses(s), i;
    Cost *c = costs(s, last);

    s->stage = NEWN(s->mem, int, s->o.chips + 1);
    s->out_at = NEWN(s->mem, int *, s->o.chips);
    if (!s->o.neighbours)
        return "chips that are joined so make no pipeline: chips i and i + 1 "
            "are to be connected";
    if (s->nnode < s->o.chips)
        return arena_fmt(s->mem, "'%s' has %d layers, too few for a pipeline "
                         "of %d chips", g->name, s->nnode, s->o.chips);
    if (!choose(s, c))
        return arena_fmt(s->mem, "'%s' has too few cuts for a pipeline of %d "
                         "chips: a state is on one chip, and no value goes on "
                         "whose size is known at run time only", g->name,
                         s->o.chips);
    for (i = 0; i < s->o.chips; i++)
        s->latency += stage_cycles(s, c, s->stage[i], s->stage[i + 1]);
    list_exchanges(s, last);
    return NULL;
}

int shard_out(const Shard *s, int chip, int out)
{
    return s->stage ? s->out_at[chip][out] : out;
}

/* --- graphs --- */

/* Pieces of v that two chips have room for. */
static int pieces_of(const Shard *s, const Val *v)
{
    int64_t bytes = 2 * val_bytes(v), n = s->o.room ? bytes / s->o.room + 1 : 1;

    return (int)MIN(n, val_count(v));
}

static Val *shaped(Build *b, Val *x, Shape s)
{
    Val *y = graph_node(b->g, NULL, OP_reshape, NULL, 1, &x)->res[0];

    attr_set_shape(b->g, y->def, A_shape, s);
    node_infer(b->g, y->def);
    return y;
}

/* x beside n elements of the chip before, or of which n go to the next. */
static Val *handed(Build *b, const Val *v, Val *x, int64_t before, int64_t down)
{
    Val *y = build_exchange(b, OP_halo, v->name, x, NULL);
    int64_t start[HALO_n] = {[HALO_before] = before, [HALO_down] = down};

    attr_set_int(b->g, y->def, A_axis, 0);
    attr_set_list(b->g, y->def, A_start, HALO_n, start);
    if (val_is_int(v)) {
        attr_set_int(b->g, y->def, A_lo, v->lo);
        attr_set_int(b->g, y->def, A_hi, v->hi);
    }
    node_infer(b->g, y->def);
    return y;
}

static void give(Build *b, const Val *v)
{
    int64_t all = val_count(v), from, to;
    int n = pieces_of(b->s, v), i;
    Val *x = shaped(b, build_typed(b, b->has[v->id], v->type), SHAPE(all));

    for (i = 0; i < n; i++) {
        from = all * i / n;
        to = all * (i + 1) / n;
        graph_output(b->g, handed(b, v, n > 1 ? build_slice(b, x, 0, from,
                                                            SHAPE(to - from))
                                        : x, 0, to - from));
    }
}

/* An exchange has something of its own: an element, which is left away. */
static Val *taken(Build *b, const Val *v)
{
    int64_t all = val_count(v), len;
    int n = pieces_of(b->s, v), i;
    Val **piece = NEWN(b->g->mem, Val *, n);
    Val *own = graph_const(b->g, NULL, v->type, SHAPE(1), NULL);

    val_range(own);
    for (i = 0; i < n; i++) {
        len = all * (i + 1) / n - all * i / n;
        piece[i] = build_slice(b, handed(b, v, own, len, 0), 0, 0, SHAPE(len));
    }
    return shaped(b, n > 1 ? build_join(b, v->name, 0, n, piece) : piece[0],
                  v->shape);
}

/* Values that go over a cut, one after another on both sides. */
static void pass(Build *b, const int *last, int cut, bool in)
{
    const Val *v;

    for (v = b->s->whole->vals; v; v = v->next)
        if (!is_live(v, last, cut))
            continue;
        else if (in)
            b->has[v->id] = taken(b, v);
        else
            give(b, v);
}

/* Exchanges of cuts before this one. */
static int tags_before(const Shard *s, const int *last, int chip)
{
    const Val *v;
    int i, n = 0;

    for (i = 1; i < chip; i++)
        for (v = s->whole->vals; v; v = v->next)
            n += is_live(v, last, s->stage[i]) ? pieces_of(s, v) : 0;
    return n;
}

/* Is it, of one chip, with what becomes of it? */
bool shard_owns(const Shard *s, int chip, const Val *in)
{
    const Val *next = graph_next_state(s->whole, in);

    return !s->stage || !next ||
           chip == (next->def ? shard_stage_of(s, next->def->id) : 0);
}

/* An input that is an output is given by chip 0. */
static void put_outputs(Build *b)
{
    Shard *s = b->s;
    int i;

    s->out_at[b->chip] = NEWN(s->mem, int, s->whole->nout + 1);
    for (i = 0; i < s->whole->nout; i++) {
        const Val *v = s->whole->out[i];
        int chip = v->def ? shard_stage_of(s, v->def->id) : 0;

        s->out_at[b->chip][i] = chip == b->chip ? b->g->nout : -1;
        if (chip == b->chip)
            build_output(b, v, b->has[v->id]);
    }
}

Graph *shard_stage(Shard *s, int chip)
{
    Build b = build_begin(s, chip);
    int *last = last_uses(s), i;

    b.tag = tags_before(s, last, chip);
    if (chip)
        pass(&b, last, s->stage[chip], true);
    for (i = s->stage[chip]; i < s->stage[chip + 1]; i++)
        build_node(&b, &s->share[i]);
    put_outputs(&b);
    if (chip + 1 < s->o.chips)
        pass(&b, last, s->stage[chip + 1], false);
    graph_sweep(b.g);
    graph_check(b.g, "shard");
    return b.g;
}

/* --- checks --- */

/* The next that takes of the chip before, or gives to the one behind. */
static const Node *next_of(const Node *n, int which)
{
    while (n && (n->op != OP_halo || !attr_at(n, A_start, which, 0)))
        n = n->next;
    return n;
}

const char *shard_check_stages(Arena *mem, const Shard *s)
{
    int i;

    for (i = 0; i + 1 < s->o.chips; i++) {
        const Node *a = next_of(s->g[i]->first, HALO_down);
        const Node *b = next_of(s->g[i + 1]->first, HALO_before);

        for (; a && b; a = next_of(a->next, HALO_down),
                       b = next_of(b->next, HALO_before))
            if (attr_int(a, A_p0) != attr_int(b, A_p0) ||
                a->res[0]->type != b->res[0]->type ||
                attr_at(a, A_start, HALO_down, 0) !=
                    attr_at(b, A_start, HALO_before, 0))
                return arena_fmt(mem, "chip %d gives '%s' where chip %d takes "
                                 "'%s'", i, a->name, i + 1, b->name);
        if (a || b)
            return arena_fmt(mem, "'%s' of chips %d and %d is no exchange",
                             (a ? a : b)->name, i, i + 1);
    }
    return NULL;
}
