/* check: everything that is not supported, at once. */
#include "cli/cli.h"

int verb_check(int argc, char **argv)
{
    Job *j = job_new("check", argc, argv);
    Str out = {.mem = j->o.mem};

    j->o.front.list_all = true;
    job_front(j);
    job_pass(j);
    if (!j->soc) {
        printf("%s: supported; %lld MACs\n", j->o.model,
               (long long)report_macs(&j->r));
        return OK;
    }
    job_plan(j);
    if (!quiet) {
        report_text(&j->r, j->o.explain, &out);
        fputs(out.s, stdout);
    }
    printf("%s: supported, fits %s\n", j->o.model, j->soc->name);
    return OK;
}
