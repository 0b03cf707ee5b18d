/* Jobs of an accelerator side by side, none of which reads what another writes,
 * in the order in which the cores want their results: so cores go on while
 * later ones run. */
#include "plan/plan.h"

#include <string.h>

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

bool order_accel(const Choice *c, Node **seq, int n)
{
    bool any = false;
    int i, k, to;

    for (i = 1; i < n; i++)
        for (k = i; (to = job_before(c, seq, n, k)) < k; k = to) {
            Node *job = seq[k];

            memmove(&seq[to + 1], &seq[to], (size_t)(k - to) * sizeof *seq);
            seq[to] = job;
            any = true;
        }
    return any;
}
