/* compile: a model -> a C project. */
#include "cli/cli.h"

int verb_compile(int argc, char **argv)
{
    Job *j = job_new("compile", argc, argv);
    Str out = {.mem = j->o.mem};
    const char *dir = j->o.out;

    job_front(j);
    job_pass(j);
    job_plan(j);
    job_example(j);
    if (!dir)
        dir = arena_fmt(j->o.mem, "%s_%s", j->o.name, j->soc->name);
    job_gen(j, dir);
    if (!quiet) {
        report_text(&j->r, j->o.explain, &out);
        str_fmt(&out, "\nwrote %s in %.1f ms\n", dir, j->r.compile_ms);
        fputs(out.s, stdout);
    }
    return OK;
}
