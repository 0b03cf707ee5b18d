/* pass: graph to graph, one pass per file, a row each in pass.def. */
#ifndef PASS_H
#define PASS_H

#include "ir/ir.h"

typedef struct Pass {
    const char *name;
    const char *about;
    void (*run)(Graph *g);
    bool keeps; /* user may switch it off with --no-NAME */
} Pass;
extern const Pass passes[];
extern const int npass;

/* Runs all passes in order but those in `off` (names, NULL ends), checking
 * the graph after each; dumps the text after the pass named `dump`. */
void pass_all(Graph *g, const char *const *off, const char *dump);

#endif
