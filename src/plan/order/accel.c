/* An order in which accelerators and cores work side by side: jobs one after the
 * other, none of which reads what another writes, in the order in which cores
 * want their results; and before cores wait for a job, other work. */
#include "plan/plan.h"

#include <string.h>

enum { AHEAD = 24,    /* nodes that are looked at */
       LEAST = 1000 }; /* cycles that are worth it */

/* What is read through reshapes, which have no kernel. */
static const Val *read_by(const Node *n, int arg)
{
    const Val *v = n->arg[arg];

    while (v && v->def && v->def->op == OP_reshape)
        v = v->def->arg[0];
    return v;
}

static bool reads(const Node *n, const Node *of)
{
    int i, k;

    for (i = 0; i < n->narg; i++)
        for (k = 0; k < of->nres; k++)
            if (read_by(n, i) == of->res[k])
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

/* Brings seq[i], and reshapes that it reads, before seq[k]; returns where seq[k]
 * is then. */
static int bring_up(Node **seq, int i, int k)
{
    int j, arg;

    for (j = k; j < i; j++)
        for (arg = 0; seq[j]->op == OP_reshape && arg < seq[i]->narg; arg++) {
            const Val *v = seq[i]->arg[arg];

            while (v && v->def && v->def->op == OP_reshape && v->def != seq[j])
                v = v->def->arg[0];
            if (v && v->def == seq[j]) {
                move_up(seq, j, k++);
                break;
            }
        }
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

/* Returns the cycles of jobs that cores need not wait for any more. */
static int64_t sort_jobs(const Choice *c, Node **seq, int n)
{
    int64_t gain = 0;
    int i, k, to;

    for (i = 1; i < n; i++)
        for (k = i; (to = job_before(c, seq, n, k)) < k;) {
            gain += c[seq[to]->id].cycles;
            k = bring_up(seq, k, to) - 1;
        }
    return gain;
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
        const Val *v = read_by(n, i);

        if (v && v->def && at[v->def->id] >= k)
            return false;
    }
    return true;
}

/* Of the nodes behind seq[k], which waits for a job, those of the cores that need
 * not, until they take so many cycles; returns what they take of these. */
static int64_t fill_wait(const Choice *c, Node **seq, int n, int k,
                         int64_t cycles, int *at)
{
    int64_t left = cycles;
    int i, j, last = MIN(n, k + AHEAD);

    for (i = k + 1; i < last && left > LEAST; i++) {
        if (!is_free(c, seq[i]) || !is_ready(at, seq[i], k))
            continue;
        left -= c[seq[i]->id].cycles;
        k = bring_up(seq, i, k);
        for (j = 0; j <= i; j++)
            at[seq[j]->id] = j;
    }
    return cycles - MAX(0, left);
}

/* Of the job seq[i]: cycles that cores have nothing to do. */
static int64_t wait_of(const Choice *c, Node *const *seq, int i, int k)
{
    int64_t cycles = c[seq[i]->id].cycles;

    while (++i < k)
        cycles -= is_job(c, seq[i]) ? 0 : c[seq[i]->id].cycles;
    return cycles;
}

/* Not where chips exchange something: others wait for that. */
static int64_t fill_waits(const Choice *c, Node **seq, int n, int *at)
{
    int64_t gain = 0;
    int i, k;

    for (i = 0; i < n; i++) {
        if (op_info[seq[i]->op].family == FAM_exchange)
            return 0;
        at[seq[i]->id] = i;
    }
    for (i = 0; i < n; i++) {
        if (!is_job(c, seq[i]))
            continue;
        k = wanted_at(c, seq, n, i);
        if (k < n)
            gain += fill_wait(c, seq, n, k,
                              MAX(0, wait_of(c, seq, i, k)), at);
    }
    return gain;
}

int64_t order_accel(const Choice *c, Node **seq, int n)
{
    Arena *mem = arena_new();
    int *at, i, most = 0;
    int64_t gain;

    for (i = 0; i < n; i++)
        most = MAX(most, seq[i]->id);
    at = NEWN(mem, int, most + 1);
    gain = sort_jobs(c, seq, n);
    gain += fill_waits(c, seq, n, at);
    arena_end(mem);
    return gain;
}
