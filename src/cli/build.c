/* Builds a project and runs it: for the verbs that do. */
#include "cli/cli.h"

/* The program took more of a memory than was kept for it: what it took, for
 * the planner to go by, if that is in its hands; of a tiled plan constants are,
 * whatever there may be of buffers. */
static bool make_room(Job *j, const Run *run)
{
    bool any = false;
    int i;

    if (run->ok || run->status != ERR_FIT)
        return false;
    for (i = 0; i < j->soc->nmem; i++) {
        Mem *m = &j->soc->mems[i];

        if (run->missing[i] <= 0 || !(m->program ||
                                      m->holds & HOLDS_buffers) ||
            (job_limits(j, m) && !j->r.plan->tiled))
            continue;
        m->program = m->size - m->reserved + run->missing[i] -
                     j->r.plan->consts[i] - j->r.plan->used[i] -
                     (m->holds & HOLDS_code ? j->r.plan->program_room : 0);
        any = true;
    }
    return any;
}

static void say_again(const Job *j, const Run *run)
{
    if (j->o.verbose)
        fprintf(stderr, "planned again: %s\n", run->why);
}

/* Builds and runs; plans again where only the linker found how much code there
 * is. */
static void try_builds(Job *j, const RunOpts *o, Run *run)
{
    enum { ROUNDS = 4 };
    int64_t begin;
    int i;

    for (i = 1;; i++) {
        job_gen(j, o->dir);
        err_file(NULL); /* from here on the tools are at fault */
        begin = now_ns();
        *run = j->watch ? dev_watch(j->o.mem, j->r.plan, o, j->watch)
                        : dev_run(j->o.mem, j->r.plan, o);
        if (i == ROUNDS || !make_room(j, run))
            return;
        say_again(j, run);
        err_file(j->r.model);
        j->start_ns += now_ns() - begin;
        j->o.force = true; /* over what we wrote */
        job_plan(j);
    }
}

void job_run(Job *j, const RunOpts *o, Run *run)
{
    try_builds(j, o, run);
    if (!run->ok) {
        if (run->status == ERR_FIT)
            j->r.missing = run->missing;
        err(run->status, "%s", run->why);
    }
    j->r.run = run;
}

const char *job_dir(const Job *j)
{
    return j->o.keep ? j->o.keep
        : arena_fmt(j->o.mem, "%s/%s", dir_temp(j->o.mem), j->o.name);
}
