/* report: memory, time and energy per layer before any hardware is there. */
#include "cli/cli.h"

void job_html(Job *j)
{
    Str html = {.mem = j->o.mem};

    if (!j->o.html)
        return;
    report_html(&j->r, &html);
    file_write(j->o.html, html.s, html.n);
}

int verb_report(int argc, char **argv)
{
    Job *j = job_new("report", argc, argv);
    Str text = {.mem = j->o.mem};

    job_front(j);
    job_pass(j);
    job_plan(j);
    report_text(&j->r, j->o.explain, &text);
    job_say(j, &text);
    job_html(j);
    return OK;
}
