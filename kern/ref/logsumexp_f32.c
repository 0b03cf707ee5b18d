/* Logarithm of the sum of exponentials.
 *
 * op       logsumexp
 * types    x:f32 -> y:f32
 * isa      any
 * split    n
 * stack    336
 * cycles   170 * x.n
 */
#include "kern/row/reduce.h"

/* The sum is kept relative to the greatest element so far. */
struct sum {
    float top, sum;
};

static struct sum more(struct sum a, float x)
{
    if (x > a.top) {
        a.sum = a.sum * expf(a.top - x) + 1;
        a.top = x;
    } else if (x == a.top) {
        a.sum += 1;
    } else {
        a.sum += expf(x - a.top);
    }
    return a;
}

static struct sum none(float x)
{
    struct sum a = {x, 0};

    return a;
}

REDUCE(struct sum, none(x), more(a, x), a.top + logf(a.sum))
