/* Which of the numbers that a kernel is told of its node follow run-time
 * numbers, and how. */
#include "ir/ir.h"

#include <string.h>

typedef struct Asking {
    const Node *n;
    int part, words;
} Asking;

static void words_at(void *arg, const int64_t *value, int64_t *y)
{
    const Asking *q = arg;
    Arena *own = arena_new();
    const Node *n = node_at(own, q->n, value);
    Dims d;
    int32_t w;
    int i;

    dims_fill_part(n, q->part, &d);
    for (i = 0; i < q->words; i++) {
        memcpy(&w, (const char *)&d + 4 * i, sizeof w);
        y[i] = w;
    }
    arena_end(own);
}

Follow *dims_follow(Arena *mem, const Graph *g, const Node *n, int part,
                    int *count)
{
    const DimsInfo *info = dims_of(n->op);
    Asking q = {n, part, info ? info->size / 4 : 0};
    unsigned set = node_numbers(n);
    Follow *f;
    Poly *p;
    int i;

    *count = 0;
    if (!set || !info)
        return NULL;
    p = polys_fit(mem, g, set, q.words, words_at, &q);
    if (!p)
        err_node(n, "its sizes are no polynomials in the run-time numbers "
                 "with powers up to 3");
    f = NEWN(mem, Follow, (size_t)q.words + 1);
    for (i = 0; i < q.words; i++)
        if (!poly_const(&p[i]))
            f[(*count)++] = (Follow){i, p[i]};
    return f;
}
