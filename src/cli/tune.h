/* What the files of tune share. */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "cli/cli.h"

typedef struct Tune {
    Job *j;
    Ledger *l;
    const char *path;      /* of the ledger */
    RunOpts run;
    int runs;              /* of ours */
    int samples;           /* runs that measure, of all */
    int argc;              /* the words after the verb */
    char **argv;
} Tune;

/* tune.c: a plan in which layers have kernels that are to be measured, others
 * in each part; how many there are.  A run of that plan into the ledger.  Lines
 * into the ledger. */
int tune_plan(Tune *t, int part);
void tune_measure(Tune *t);
void tune_append(Tune *t, const char *text);

/* worker.c: parts 1 to n at the same time, by other processes of ours, perhaps
 * on other machines that see the same files. */
void tune_workers(Tune *t, int n);

#endif
