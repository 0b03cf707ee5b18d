/* compile: a model -> a C project. */
#include "cli/cli.h"

#include <string.h>

static void check_runtime(const Job *j)
{
    const char *name = j->o.runtime;

    if (name && strcmp(name, "pmsis"))
        err(ERR_USAGE, "--runtime %s: pmsis is the only other one", name);
    if (name && strcmp(j->soc->rt, "pulp"))
        err(ERR_USAGE, "--runtime %s: %s is no chip of the PULP family", name,
            j->soc->name);
    if (j->o.package && name)
        err(ERR_USAGE, "--package %s and --runtime %s: one of them",
            j->o.package, name);
    if (j->o.package)
        gen_check_package(j->o.package, j->soc);
}

/* The example that is drawn is left out where the reference kernels would take
 * longer than some ten seconds for it; one that is given is asked for. */
static bool wants_example(const Job *j)
{
    const int64_t most = 10 * 1000 * 1000 * 1000LL;

    if (j->vectors || graph_macs(j->g) <= most)
        return true;
    warn("the project has no self-test: computing its example takes more "
         "than %lld million multiply-accumulates; -i IN.npz gives one that is "
         "computed all the same", (long long)most / 1000000);
    return false;
}

int verb_compile(int argc, char **argv)
{
    Job *j = job_new("compile", argc, argv);
    Str out = {.mem = j->o.mem};
    const char *dir = j->o.out;

    j->project = true;
    if (j->soc)
        check_runtime(j);
    if (!dir && j->soc)
        dir = arena_fmt(j->o.mem, "%s_%s", j->o.name, j->soc->name);
    if (dir)
        gen_check_place(dir, j->o.force);
    job_front(j);
    job_pass(j);
    job_plan(j);
    if (wants_example(j))
        job_example(j);
    job_gen(j, dir);
    job_text(j, &out);
    str_fmt(&out, "\nwrote %s in %.1f ms\n", dir, j->r.compile_ms);
    job_say(j, &out);
    job_files(j);
    return OK;
}
