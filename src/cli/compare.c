/* Results against expected ones. */
#include "cli/cli.h"

#include <math.h>

static bool same_float(double a, double b, double tol)
{
    double d = fabs(a - b);

    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b))
        return a == b;
    return d <= tol || d <= tol * MAX(fabs(a), fabs(b));
}

Diff compare(const Val *v, const void *got, const Array *want, double tol)
{
    Diff d = {.match = true, .first = -1};
    Val w = *v;
    int64_t i;

    w.data = (void *)(uintptr_t)got;
    for (i = 0; i < want->n; i++) {
        bool exact = val_is_int(v);
        double a = exact ? (double)val_int(&w, i) : val_num(&w, i);
        double b = array_get(want, i);

        if (exact)
            b = rint(b);
        if (fabs(a - b) > d.max_abs)
            d.max_abs = fabs(a - b);
        if (exact ? a == b : same_float(a, b, tol))
            continue;
        if (!d.ndiff++)
            d.first = i;
    }
    d.match = !d.ndiff;
    return d;
}
