/* What fuzzers of readers of models share: the evaluator's list of kernels is
 * made once and stays. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include "test/lib/fuzz.h"

#include "ir/ir.h"

static void warm(void)
{
    static bool done;
    Arena *a;
    Graph *g;
    Val *x;

    if (done)
        return;
    done = true;
    a = __real_arena_new();
    g = graph_new(a, "warm");
    x = graph_const_f32(g, 1);
    node_can_eval(graph_node(g, NULL, OP_abs, "abs", 1, &x));
}

static int fuzz_model(void (*read)(Arena *a, const uint8_t *p, size_t n),
                      const uint8_t *p, size_t n)
{
    warm();
    if (n)
        fuzz(read, p, n);
    return 0;
}

#endif
