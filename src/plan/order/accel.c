/* An order in which accelerators and cores work side by side: jobs one after the
 * other, none of which reads what another writes, in the order in which cores
 * want their results; and before cores wait for a job, other work. */
#include "plan/plan.h"

#include <string.h>

enum { AHEAD = 24,    /* nodes that are looked at */
       LEAST = 1000 }; /* cycles that are worth it */

static bool reads(const Node *n, const Node *of)
{
    int i, k;

    for (i = 0; i < n->narg; i++)
        for (k = 0; k < of->nres; k++)
            if (n->arg[i] && val_shown(n->arg[i]) == of->res[k])
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
        if (seq[k]->op != OP_reshape && !is_job(c, seq[k]) &&
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

/* Does n read through that reshape? */
static bool reads_through(const Node *n, const Node *reshape)
{
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i];

        for (; v && v->def && v->def->op == OP_reshape; v = v->def->arg[0])
            if (v->def == reshape)
                return true;
    }
    return false;
}

/* Brings seq[i], and reshapes that it reads, before seq[k]; returns where seq[k]
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

    while (k >= 0 && seq[k]->op == OP_reshape)
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

/* May it come earlier, as far as what it reads allows?  (A state is written when
 * all have read it.) */
static bool is_free(const Choice *c, const Node *n)
{
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && n->arg[i]->state)
            return false;
    for (i = 0; i < n->nres; i++)
        if (n->res[i]->state)
            return false;
    return c[n->id].kern && !is_job(c, n);
}

/* Has each value that it reads, through reshapes, been made before seq[k]? */
static bool is_ready(const int *at, const Node *n, int k)
{
    int i;

    for (i = 0; i < n->narg; i++) {
        const Val *v = n->arg[i] ? val_shown(n->arg[i]) : NULL;

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

/* Not where chips exchange something: others wait for that. */
static bool fill_waits(const Choice *c, Node **seq, int n, int *at)
{
    bool any = false;
    int i, k;

    for (i = 0; i < n; i++) {
        if (op_info[seq[i]->op].family == FAM_exchange)
            return false;
        at[seq[i]->id] = i;
    }
    for (i = 0; i < n; i++) {
        if (!is_job(c, seq[i]))
            continue;
        k = wanted_at(c, seq, n, i);
        if (k < n)
            any |= fill_wait(c, seq, n, k, wait_of(c, seq, i, k), at);
    }
    return any;
}

bool order_accel(const Choice *c, Node **seq, int n)
{
    Arena *mem = arena_new();
    int *at, i, most = 0;
    bool any;

    for (i = 0; i < n; i++)
        most = MAX(most, seq[i]->id);
    at = NEWN(mem, int, most + 1);
    any = sort_jobs(c, seq, n);
    any |= fill_waits(c, seq, n, at);
    arena_end(mem);
    return any;
}
