/* Networks of little work are planned without the chip's accelerators, too:
 * what jobs take to begin and to be waited for is not in what a layer gains. */
#include "cli/cli.h"

enum { MOST_MACS = 1 << 20 };

/* The names of all that are in use, with commas; NULL: there are none. */
static const char *engines_of(const Job *j)
{
    const char *names = NULL;
    int i;

    for (i = 0; i < j->soc->nengine; i++) {
        const Engine *e = &j->soc->engine[i];

        if (e->kind == ENGINE_accel && !e->off)
            names = names ? arena_fmt(j->o.mem, "%s,%s", names, e->name)
                          : e->name;
    }
    return names;
}

void job_fit_engines(Job *j)
{
    Trial t[2] = {{.no_engine = NULL}, {.no_engine = engines_of(j)}};

    if (j->trial || j->part || j->o.no_engine || !t[1].no_engine ||
        j->o.objective != AIM_time || graph_macs(j->g) > MOST_MACS)
        return;
    trials_run(j, t, 2);
    if (!t[0].got.status && !t[1].got.status &&
        t[1].got.cycles < t[0].got.cycles)
        j->o.no_engine = t[1].no_engine;
}
