/* Orders in which accelerators and cores work side by side: jobs one after the
 * other, none of which reads what another writes, in the order in which cores
 * want their results; before cores wait for a job, other work; and in one of the
 * two, jobs that cores would wait for begin earlier. */
#include "plan/plan.h"

#include <string.h>

enum { AHEAD = 24,    /* nodes that are looked at */
       LEAST = 1000,   /* cycles that are worth it */
       ROUNDS = 3 };   /* of all, each of which may make room for another */

/* Is it but another name of what it reads, or of a part of that? */
static bool is_alias(const Node *n)
{
    return n->op == OP_reshape || (n->op == OP_slice && n->placed);
}

/* What v is, or is part of. */
static const Val *source(const Val *v)
{
    while (v->def && is_alias(v->def))
        v = v->def->arg[0];
    return v;
}

static bool reads(const Node *n, const Node *of)
{
    int i, k;

    for (i = 0; i < n->narg; i++)
        for (k = 0; k < of->nres; k++)
            if (n->arg[i] && source(n->arg[i]) == of->res[k])
                return true;
    return false;
}

static bool is_job(const Choice *c, const Node *n)
{
    return c[n->id].kern && c[n->id].engine != ENG_cores;
}

/* Where the first of the cores' nodes that reads a result of seq[i] is; n:
 * nowhere. */
static int wanted_at(const Choice *c, Node *const *seq, int n, int i)
{
    int k;

    for (k = i + 1; k < n; k++)
        if (!is_alias(seq[k]) && !is_job(c, seq[k]) &&
            reads(seq[k], seq[i]))
            return k;
    return n;
}

/* seq[i] comes to place `to`, before it. */
static void move_up(Node **seq, int i, int to)
{
    Node *n = seq[i];

    memmove(&seq[to + 1], &seq[to], (size_t)(i - to) * sizeof *seq);
    seq[to] = n;
}

/* Does n read what that alias names? */
static bool reads_through(const Node *n, const Node *alias)
{
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];

        for (; v && v->def && is_alias(v->def); v = v->def->arg[0])
            if (v->def == alias)
                return true;
    }
    return false;
}

/* Brings seq[i], and aliases that it reads, before seq[k]; returns where seq[k]
 * is then. */
static int bring_up(Node **seq, int i, int k)
{
    int j;

    for (j = k; j < i; j++)
        if (reads_through(seq[i], seq[j]))
            move_up(seq, j, k++);
    move_up(seq, i, k++);
    return k;
}

/* The job that seq[i] may come before; i: none, or it is none itself. */
static int job_before(const Choice *c, Node *const *seq, int n, int i)
{
    int k = i - 1;

    while (k >= 0 && is_alias(seq[k]))
        k--;
    if (k < 0 || !is_job(c, seq[i]) || !is_job(c, seq[k]) ||
        c[seq[i]->id].engine != c[seq[k]->id].engine ||
        reads(seq[i], seq[k]) ||
        wanted_at(c, seq, n, i) >= wanted_at(c, seq, n, k))
        return i;
    return k;
}

static bool sort_jobs(const Choice *c, Node **seq, int n)
{
    bool any = false;
    int i, k, to;

    for (i = 1; i < n; i++)
        for (k = i; (to = job_before(c, seq, n, k)) < k; any = true)
            k = bring_up(seq, k, to) - 1;
    return any;
}

/* ---- other work before a job is waited for ---- */

/* A state is written when all have read it. */
static bool has_state(const Node *n)
{
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && n->arg[i]->state)
            return true;
    for (i = 0; i < n->nres; i++)
        if (n->res[i]->state)
            return true;
    return false;
}

/* Is it work of the cores that may come earlier, as far as what it reads allows? */
static bool is_free(const Choice *c, const Node *n)
{
    return c[n->id].kern && !is_job(c, n) && !has_state(n);
}

/* Has each value that it reads, through aliases, been made before seq[k]? */
static bool is_ready(const int *at, const Node *n, int k)
{
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i] ? source(n->arg[i]) : NULL;

        if (v && v->def && at[v->def->id] >= k)
            return false;
    }
    return true;
}

/* Of the nodes behind seq[k], which waits for a job, those of the cores that need
 * not, until they take so many cycles. */
static bool fill_wait(const Choice *c, Node **seq, int n, int k,
                      int64_t cycles, int *at)
{
    bool any = false;
    int i, j, last = MIN(n, k + AHEAD);

    for (i = k + 1; i < last && cycles > LEAST; i++) {
        if (!is_free(c, seq[i]) || !is_ready(at, seq[i], k))
            continue;
        cycles -= c[seq[i]->id].cycles;
        k = bring_up(seq, i, k);
        for (j = 0; j <= i; j++)
            at[seq[j]->id] = j;
        any = true;
    }
    return any;
}

/* Of the job seq[i], which seq[k] waits for: cycles that cores have nothing to
 * do. */
static int64_t wait_of(const Choice *c, Node *const *seq, int i, int k)
{
    int64_t cycles = c[seq[i]->id].cycles;

    while (++i < k)
        cycles -= is_job(c, seq[i]) ? 0 : c[seq[i]->id].cycles;
    return cycles;
}

/* Jobs that are waited for begin before work of the cores that stands before them,
 * as much as the wait, if they do not read what it makes. */
static bool begin_early(const Choice *c, Node **seq, int n)
{
    bool any = false;
    int64_t wait;
    int i, k, to;

    for (i = 0; i < n; i++) {
        if (!is_job(c, seq[i]) || has_state(seq[i]) ||
            (k = wanted_at(c, seq, n, i)) == n)
            continue;
        wait = wait_of(c, seq, i, k);
        for (to = k = i; wait > LEAST && k > 0; k--) {
            if (is_alias(seq[k - 1]))
                continue;
            if (is_job(c, seq[k - 1]) || reads(seq[i], seq[k - 1]))
                break;
            wait -= c[seq[k - 1]->id].cycles;
            to = k - 1;
        }
        if (to == i)
            continue;
        bring_up(seq, i, to);
        any = true;
    }
    return any;
}

static bool fill_waits(const Choice *c, Node **seq, int n, int *at)
{
    bool any = false;
    int i, k;

    for (i = 0; i < n; i++)
        at[seq[i]->id] = i;
    for (i = 0; i < n; i++) {
        if (!is_job(c, seq[i]))
            continue;
        k = wanted_at(c, seq, n, i);
        if (k < n)
            any |= fill_wait(c, seq, n, k, wait_of(c, seq, i, k), at);
    }
    return any;
}

static bool has_exchange(Node *const *seq, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (op_info[seq[i]->op].family == FAM_exchange)
            return true;
    return false;
}

bool order_accel(const Choice *c, Node **seq, int n, bool early)
{
    Arena *mem = arena_new();
    int *at, i, most = 0;
    bool any = sort_jobs(c, seq, n), more = true;

    for (i = 0; i < n; i++)
        most = MAX(most, seq[i]->id);
    at = NEWN(mem, int, most + 1);
    if (has_exchange(seq, n)) /* chips wait for each other */
        more = false;
    else if (!early)
        any |= fill_waits(c, seq, n, at);
    for (i = 0; early && more && i < ROUNDS; i++) {
        more = begin_early(c, seq, n);
        more |= fill_waits(c, seq, n, at);
        more |= sort_jobs(c, seq, n);
        any |= more;
    }
    arena_end(mem);
    return any;
}
