/* The position of the least element along an axis.
 *
 * op       argmin
 * types    x:int -> y:int
 * isa      any
 * split    n
 * stack    144
 * cycles   14 * x.n
 *
 * mode 0: the first of several; 1: the last.
 */
#include "kern/row/reduce.h"

struct best {
    X x;
    int32_t at;
};

static struct best first(X x)
{
    struct best a = {x, 0};

    return a;
}

static struct best better(struct best a, X x, int32_t at, int last)
{
    struct best b = {x, at};

    return x < a.x || (last && x == a.x) ? b : a;
}

REDUCE(struct best, first(x), better(a, x, n, k->mode), a.at)
