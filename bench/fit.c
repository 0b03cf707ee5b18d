/* fit MODEL -t TARGET [OPTIONS of report]: what the heads of a plan's kernels
 * make of their fitted numbers (kern/fit.tsv).  A line a layer: its number,
 * its kernel, cycles predicted for all its calls, and NAME=CYCLES for each
 * number that counts: how many more a number greater by one predicts. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { MORE = 16 }; /* by which numbers are raised, for quotients round */

/* Cycles of a core in all calls of a layer, by the heads as they are. */
static int64_t predicted(const Plan *p, int layer, const Kern *k)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        Asked x;

        if (s->layer != layer || s->kind != STEP_start || s->kern != k)
            continue;
        x = kern_ask(s->tile ? s->tile : s->node, &s->dims);
        sum += (kern_answer(&x, k, s->sig, k->cycles) + k->ncore - 1) /
               k->ncore;
    }
    return sum;
}

/* The rows of k with the number of the row at `row` raised. */
static const char *raised(Arena *a, const char *fit, const char *row)
{
    const char *value = strchr(strchr(row, '\t') + 1, '\t') + 1;
    char *end;
    long v = strtol(value, &end, 10);

    return arena_fmt(a, "%.*s%ld%s", (int)(value - fit), fit, v + MORE, end);
}

/* Name and effect of each number of k in this layer. */
static void numbers(Arena *a, const Plan *p, int layer, Kern *k, int64_t is)
{
    const char *fit = k->fit, *row;
    size_t n = strlen(k->name) + 1;

    for (row = fit; row && !strncmp(row, fit, n);
         row = strchr(row, '\n'), row += row != NULL) {
        int64_t now;

        k->fit = raised(a, fit, row);
        k->exprs->first = NULL;
        now = predicted(p, layer, k);
        if (now != is)
            printf("\t%.*s=%.4f", (int)strcspn(row + n, "\t"), row + n,
                   (double)(now - is) / MORE);
    }
    k->fit = fit;
    k->exprs->first = NULL;
}

int main(int argc, char **argv)
{
    Job *j = job_new("report", argc - 1, argv + 1);
    const Plan *p;
    int i, s;

    job_front(j);
    job_pass(j);
    job_plan(j);
    p = j->r.plan;
    for (i = 0; i < p->nlayer; i++) {
        for (s = 0; s < p->nstep; s++)
            if (p->step[s].layer == i && p->step[s].kern &&
                p->step[s].kern->fit)
                break;
        if (s < p->nstep) {
            const Kern *k = p->step[s].kern;
            int64_t is = predicted(p, i, k);

            printf("%d\t%s\t%lld", i, k->name, (long long)is);
            numbers(j->o.mem, p, i, (Kern *)(uintptr_t)k, is);
            printf("\n");
        }
    }
    return 0;
}
