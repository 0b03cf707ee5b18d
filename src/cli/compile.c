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
}

int verb_compile(int argc, char **argv)
{
    Job *j = job_new("compile", argc, argv);
    Str out = {.mem = j->o.mem};
    const char *dir = j->o.out;

    j->project = true;
    if (!dir && j->soc)
        dir = arena_fmt(j->o.mem, "%s_%s", j->o.name, j->soc->name);
    if (dir)
        gen_check_place(dir, j->o.force);
    job_front(j);
    job_pass(j);
    job_plan(j);
    check_runtime(j);
    job_example(j);
    job_gen(j, dir);
    report_text(&j->r, j->o.explain, &out);
    str_fmt(&out, "\nwrote %s in %.1f ms\n", dir, j->r.compile_ms);
    job_say(j, &out);
    job_files(j);
    return OK;
}
