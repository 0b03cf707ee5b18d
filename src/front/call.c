/* What every importer asks of its node: operands, axes, shapes. */
#include "front/build.h"

#include <stdio.h>

static const int64_t MAX_COUNT = (int64_t)1 << 28;

_Noreturn void call_err(const Call *c, const char *fmt, ...)
{
    char what[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    err(ERR_MODEL, "node '%s' (%s): %s", c->name, c->op, what);
}

Val *arg_at(const Call *c, int i)
{
    return i < c->narg ? c->arg[i] : NULL;
}

Val *must(const Call *c, int i)
{
    if (!arg_at(c, i))
        call_err(c, "input %d is missing", i + 1);
    return c->arg[i];
}

int axis_of(const Call *c, int64_t axis, int rank)
{
    if (axis < -rank || axis >= rank)
        call_err(c, "axis %lld of a tensor with %d dimensions",
                 (long long)axis, rank);
    return (int)(axis < 0 ? axis + rank : axis);
}

void axes_of(const Call *c, int n, int64_t *axes, int rank)
{
    int i;
    unsigned seen = 0;

    for (i = 0; i < n; i++) {
        axes[i] = axis_of(c, axes[i], rank);
        if (seen & 1u << axes[i])
            call_err(c, "axis %d twice", (int)axes[i]);
        seen |= 1u << axes[i];
    }
}

Shape shape_checked(const char *what, int rank, const int64_t *dim)
{
    Shape s = {.rank = rank};
    int64_t n = 1;
    int i;

    if (rank > RANK)
        err(ERR_MODEL, "%s has %d dimensions; %d is the most", what, rank,
            RANK);
    for (i = 0; i < rank; i++) {
        if (dim[i] < 0 || dim[i] > MAX_COUNT)
            err(ERR_MODEL, "%s has a dimension of %lld; wanted 0 to %lld",
                what, (long long)dim[i], (long long)MAX_COUNT);
        s.dim[i] = dim[i];
        n *= MAX(1, dim[i]);
        if (n > MAX_COUNT)
            err(ERR_MODEL, "%s has more than %lld elements", what,
                (long long)MAX_COUNT);
    }
    return s;
}
