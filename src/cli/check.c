/* check: everything that is not supported, at once. */
#include "cli/cli.h"

int verb_check(int argc, char **argv)
{
    Job *j = job_new("check", argc, argv);
    Str out = {.mem = j->o.mem};

    j->o.front.list_all = true;
    job_front(j);
    job_pass(j);
    if (j->soc) {
        job_plan(j);
        job_text(j, &out);
        str_fmt(&out, "%s: supported, fits %s\n", j->r.model, j->soc->name);
    } else {
        str_fmt(&out, "%s: supported; %lld MACs\n", j->r.model,
                (long long)report_macs(&j->r));
    }
    job_say(j, &out);
    return OK;
}
