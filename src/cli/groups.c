/* Attention by groups of heads where memory is limited, on chips of one core:
 * as many groups as take the fewest cycles of plans that fit.  (On others the
 * planner cuts it.) */
#include "cli/cli.h"

enum { MOST_TRIALS = 8 };

void job_groups(Job *j, int64_t groups)
{
    heads_by_groups(j->g, groups);
    pass_one(j->g, "cse");
    pass_one(j->g, "widen");
    graph_number(j->g);
}

/* Trials of all heads at once, and of the groups that divide them. */
static int trials_of(Trial *t, int64_t heads)
{
    int n = 0;
    int64_t i;

    for (i = 1; i <= heads && n < MOST_TRIALS; i++)
        if (heads % i == 0)
            t[n++] = (Trial){.groups = i};
    return n;
}

void job_fit_groups(Job *j)
{
    Trial t[MOST_TRIALS];
    int64_t heads = heads_grouped(j->g);
    int i, n, best = -1;

    if (j->trial || j->soc->ncore > 1 || heads < 2 ||
        j->o.objective != AIM_time || j->heads_stay)
        return;
    n = trials_of(t, heads);
    trials_run(j, t, 1);
    if (!t[0].got.status && !j->o.nmem)
        return;
    trials_run(j, t + 1, n - 1);
    for (i = 0; i < n; i++)
        if (!t[i].got.status &&
            (best < 0 || t[i].got.cycles < t[best].got.cycles))
            best = i;
    if (best > 0)
        job_groups(j, t[best].groups);
}
