/* How each exchange is made: the quickest way for its bytes, by the latency and
 * rate of links and how they join chips.
 *
 * Chips are numbered in mixed radix.  In a phase those meet that differ in one
 * digit, the greatest first: of a sum each gives the others the shares of the
 * blocks that they are in, and keeps those of its own (recursive halving, of as
 * many chips at a time as the digit has values); a gather goes back the same way
 * (recursive doubling).  One phase of all chips is a direct scatter or gather:
 * least latency, most messages.  log2 N phases of pairs have fewest messages, and
 * are the recursive doubling of a sum of which all want all, which has half the
 * messages of a binary tree, up and down, one after the other.  In
 * a ring shares go round among neighbours.  After Thakur, Rabenseifner, Gropp:
 * Optimization of collective communication operations in MPICH (2005). */
#include "shard/shard.h"

#include <math.h>

/* Messages of a byte that leave at once: bytes through the way out and the way
 * in of each chip, with what it hands on.  Half duplex, out is in; shared, all
 * are chip 0's. */
typedef struct Sent {
    double out[CHIPS_MOST], in[CHIPS_MOST];
    Load sum;
} Sent;

static void send(const Shard *s, Sent *l, int from, int to)
{
    double *in = s->o.half || s->o.shared ? l->out : l->in;
    int n = s->o.chips, hops = 0, next;

    for (; from != to; from = next, hops++) {
        double *a = &l->out[s->o.shared ? 0 : from], *b;

        next = s->o.next ? s->o.next[from * n + to] : to;
        b = &in[s->o.shared ? 0 : next];
        ++*a;
        *b += a != b;
        l->sum.most = MAX(l->sum.most, MAX(*a, *b));
        l->sum.bytes++;
    }
    l->sum.hops = MAX(l->sum.hops, hops);
}

/* Of blocks of `all` chips to all of those blocks of `step` that are as far on;
 * step 0: to the next in a ring. */
static Load load_of(const Shard *s, int all, int step)
{
    Sent l = {.sum.hops = 0};
    int i, k, n = s->o.chips;

    for (i = 0; i < n; i++)
        for (k = step ? i % step : 0; k < (step ? all : 1); k += step + !step)
            if (!step)
                send(s, &l, i, (i + 1) % n);
            else if (k != i % all)
                send(s, &l, i, i - i % all + k);
    return l.sum;
}

/* They are asked for many times. */
static Load load(const Shard *s, int all, int step)
{
    Load *l = &s->load[all * (CHIPS_MOST + 1) + step];

    if (!l->hops)
        *l = load_of(s, all, step);
    return *l;
}

/* A round of messages of so many bytes, from `peers` chips to each.  Who hands a
 * message on has all of it first; one core sends all pieces to a peer.  As
 * measured of rt/link/pulp.c: cycles of a round, between messages of a core, of
 * adding a number; what each core waits for it adds as it comes. */
static void add_round(const Shard *s, Traffic x, Load l, double bytes,
                      double peers, Way *w)
{
    enum { PER_ROUND = 70, PER_MESSAGE = 140, PER_NUMBER = 3 };
    double link = l.hops * s->o.link_cycles +
                  MAX(l.most, l.hops) * bytes / s->o.link_rate;

    w->link += link;
    w->bytes += l.bytes * bytes;
    w->cycles += PER_ROUND +
                 MAX(link, PER_MESSAGE * x.pieces * ceil(peers / s->o.cores)) +
                 (x.sum ? PER_NUMBER * MIN(peers, s->o.cores) * bytes / 4 /
                              s->o.cores : 0);
}

/* Of blocks of `all` chips blocks of `step`. */
static void add_phase(const Shard *s, Traffic x, int all, int step, Way *w)
{
    double bytes = x.share * (x.whole ? 1 : step);

    add_round(s, x, load(s, all, step), bytes, all / step - 1, w);
    w->step[w->n++] = step;
}

/* Cycles of what comes before the first message and after the last, most of them
 * for code; and for that of phase n. */
static Way start(Traffic x)
{
    enum { ONCE = 410, SUM = 160 };

    return (Way){.cycles = ONCE + (x.sum ? SUM : 0)};
}

static double further(Traffic x, int n)
{
    return n < 2 ? 0 : n > 2 || x.sum ? 400 : 100;
}

static Way ring(const Shard *s, Traffic x)
{
    int i, n = s->o.chips;
    Way w = start(x);

    for (i = 1; i < n; i++)
        add_round(s, x, load(s, n, 0), x.share, 1, &w);
    w.n = 1;
    return w;
}

/* The quickest of `w`, which leaves blocks of `all` chips, with all phases that
 * may follow. */
static void search(const Shard *s, Traffic x, int all, Way w, Way *best)
{
    int step;

    if (all == 1 && w.cycles < best->cycles)
        *best = w;
    for (step = 1; step < all; step++)
        if (all % step == 0 && (step == 1 || x.even)) {
            Way next = w;

            add_phase(s, x, all, step, &next);
            next.cycles += further(x, next.n);
            search(s, x, step, next, best);
        }
}

Way way_best(const Shard *s, Traffic x)
{
    Way best = {.cycles = INFINITY}, round;

    search(s, x, s->o.chips, start(x), &best);
    if (!x.even || x.whole)
        return best;
    round = ring(s, x);
    return round.cycles < best.cycles ? round : best;
}

/* What is sent beside work has one phase, as have shares that differ. */
static Way way_of(const Shard *s, const Node *n)
{
    bool gather = exchange_moves(n->op), whole = n->op == OP_allsum;
    int64_t bytes = n->op == OP_gathersend ? s->o.chips * val_bytes(n->arg[0])
                    : val_bytes(gather ? n->res[0] : n->arg[0]);
    bool even = attr_int(n, A_p3) % s->o.chips == 0 && !exchange_begins(n->op);
    Shape y = n->arg[0]->shape;
    Traffic x = {!gather, whole, whole || even,
                 (double)bytes / (whole ? 1 : s->o.chips), 1};

    if (!whole)
        x.pieces = (double)shape_product(y, 0, node_axis(n, y.rank));
    return way_best(s, x);
}

/* Chips get as much each; in a pipeline one gets all. */
static Way way_near(const Shard *s, const Exchange *e)
{
    double each = (double)e->bytes / (s->stage ? 1 : s->o.chips);

    return (Way){.n = 1, .step = {1}, .bytes = (double)e->bytes,
                 .link = s->o.link_cycles +
                         each * cost_wires(s) / s->o.link_rate,
                 .cycles = cost_near(s, each, s->stage ? 1 : 4)};
}

static void set_way(Graph *g, Node *n, const Way *w)
{
    int64_t step[MOST_PHASES];
    int i;

    for (i = 0; i < w->n; i++)
        step[i] = w->step[i];
    attr_set_list(g, n, A_step, w->n, step);
    attr_set_int(g, n, A_time, (int64_t)w->cycles);
}

void shard_ways(Shard *s)
{
    Node *n;
    int i;

    if (!s->o.timed || s->o.chips < 2)
        return;
    s->way = NEWN(s->mem, Way, s->nexchange + 1);
    for (i = 0; i < s->o.chips; i++)
        for (n = s->g[i]->first; n; n = n->next)
            if (op_info[n->op].family == FAM_exchange &&
                !exchange_ends(n->op)) {
                Way *w = &s->way[attr_int(n, A_p0)];

                if (n->op == OP_halo) {
                    *w = way_near(s, &s->exchange[attr_int(n, A_p0)]);
                    continue;
                }
                if (!i)
                    *w = way_of(s, n);
                set_way(s->g[i], n, w);
            }
}

const char *way_name(Arena *mem, const Shard *s, const Way *w)
{
    Str y = {.mem = mem};
    int i, all = s->o.chips;

    if (!w->step[0])
        return "ring";
    if (w->n == 1)
        return "direct";
    for (i = 0; i < w->n; all = w->step[i++])
        str_fmt(&y, "%s%d", i ? "x" : "", all / w->step[i]);
    return y.s;
}
