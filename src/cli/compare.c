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

/* Sums over elements where both are finite. */
typedef struct Sums {
    double error, a, b, ab; /* of squares and products */
} Sums;

static void add_element(Sums *s, double a, double b)
{
    if (!isfinite(a) || !isfinite(b))
        return;
    s->error += (a - b) * (a - b);
    s->a += a * a;
    s->b += b * b;
    s->ab += a * b;
}

Diff compare(const Val *v, const void *got, const Array *want, double tol)
{
    Diff d = {.match = true, .first = -1};
    bool exact = val_is_int(v);
    Sums s = {0};
    Val w = *v;
    int64_t i;

    w.data = (void *)(uintptr_t)got;
    for (i = 0; i < want->n; i++) {
        double a = exact ? (double)val_int(&w, i) : val_num(&w, i);
        double b = array_get(want, i);

        if (exact)
            b = rint(b);
        if (fabs(a - b) > d.max_abs)
            d.max_abs = fabs(a - b);
        add_element(&s, a, b);
        if (exact ? a == b : same_float(a, b, tol))
            continue;
        if (!d.ndiff++)
            d.first = i;
    }
    d.match = !d.ndiff;
    d.rmse = sqrt(s.error / (double)MAX(1, want->n));
    d.cosine = s.ab / sqrt(s.a) / sqrt(s.b);
    return d;
}
