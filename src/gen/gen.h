/* gen: a plan -> a C project. */
#ifndef GEN_H
#define GEN_H

#include "plan/plan.h"

typedef struct GenOpts {
    const char *name;    /* C prefix */
    const char *dir;     /* made; must not exist, or be empty, unless force */
    bool force;
    bool bin;            /* weights as .bin with an assembler include */
    void *const *example;  /* one array per input for the self-test */
    const Eval *expected;  /* of the example; NULL: none */
    double tolerance;
    const char *version;
} GenOpts;

void gen_project(const Plan *p, const GenOpts *o);

#endif
