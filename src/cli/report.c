/* report: memory, time and energy per layer before any hardware is there. */
#include "cli/cli.h"

int verb_report(int argc, char **argv)
{
    Job *j = job_new("report", argc, argv);
    Str text = {.mem = j->o.mem}, html = {.mem = j->o.mem};

    job_front(j);
    job_pass(j);
    job_plan(j);
    report_text(&j->r, j->o.explain, &text);
    fputs(text.s, stdout);
    if (j->o.html) {
        report_html(&j->r, &html);
        file_write(j->o.html, html.s, html.n);
    }
    return OK;
}
