/* report: memory, time and energy per layer before any hardware is there. */
#include "cli/cli.h"

static void write_as(Job *j, const char *path,
                     void (*report)(const Report *r, Str *out))
{
    Str out = {.mem = j->o.mem};

    if (!path)
        return;
    report(&j->r, &out);
    file_write(path, out.s, out.n);
}

void job_files(Job *j)
{
    write_as(j, j->o.html, report_html);
    write_as(j, j->o.csv, report_csv);
}

int verb_report(int argc, char **argv)
{
    Job *j = job_new("report", argc, argv);
    Str text = {.mem = j->o.mem};

    if (j->o.compare)
        return report_compare(j);
    if (!sweeps_chips(j)) {
        job_front(j);
        job_pass(j);
        job_plan(j);
    }
    if (j->o.why)
        report_why(j, &text);
    if (j->o.sweep)
        report_sweep(j, &text);
    if (!j->o.why && !j->o.sweep)
        job_text(j, &text);
    job_say(j, &text);
    job_files(j);
    return OK;
}
