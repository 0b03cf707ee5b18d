/* Grids: which scale and zero point.
 *
 * Zero is always on the grid: padding, and what a relu cuts off, are exact.
 * By error (BY_MSE): both ends of what was seen are drawn in by the same
 * factors, and that one is taken whose sum of squares is least, of clipping
 * and of rounding, the latter a twelfth of a step squared an element.  By
 * divergence (BY_KL): that one whose histogram, each step's elements spread
 * over the bins of it that had any, diverges least from the one that was seen
 * (Migacz, 8-bit inference with TensorRT, 2017). */
#include "ptq/calib.h"

#include <math.h>

enum { FACTORS = 80 };
static const double LEAST = 0.2;      /* of the factors */
static const double PERCENTILE = 1e-4; /* outside, at each end */

const char *const range_by_name[NRANGEBY] = {"mse", "minmax", "percentile",
                                              "kl"};

int64_t steps_round(const Steps *s, double x)
{
    const TypeInfo *k = &type_info[s->type];
    double q = rint(x / (double)s->scale) + (double)s->zero;

    return (int64_t)fmin(fmax(q, (double)k->lo), (double)k->hi);
}

static double centre(const Seen *s, int i)
{
    return ((double)i + 0.5 - BINS / 2) * s->reach / (BINS / 2);
}

static Steps steps_between(double lo, double hi, Type t, bool even)
{
    const TypeInfo *k = &type_info[t];
    double n = (double)(k->hi - k->lo), step;
    Steps s = {1, 0, t};

    lo = fmin(lo, 0);
    hi = fmax(hi, 0);
    even |= k->bytes > 1;
    if (even) {
        hi = fmax(-lo, hi);
        lo = -hi;
        n = (double)(2 * k->hi);
    }
    step = (hi - lo) / n;
    if (!(step > 1e-30))
        return s;
    s.scale = (float)step;
    s.zero = even ? 0 : k->lo + (int64_t)rint(-lo / (double)s.scale);
    return s;
}

static double loss(const Seen *s, const Steps *to)
{
    const TypeInfo *k = &type_info[to->type];
    double lo = (double)to->scale * (double)(k->lo - to->zero);
    double hi = (double)to->scale * (double)(k->hi - to->zero);
    double round = (double)to->scale * (double)to->scale / 12, sum = 0, x;
    int i;

    for (i = 0; i < BINS; i++) {
        if (!s->bin[i])
            continue;
        x = fmin(fmax(centre(s, i), s->lo), s->hi);
        x = x < lo ? lo - x : x > hi ? x - hi : 0;
        sum += (double)s->bin[i] * (x * x + (x > 0 ? 0 : round));
    }
    return sum;
}

/* The step that the middle of bin i is rounded to. */
static int step_of(const Seen *s, const Steps *to, int i)
{
    double x = fmin(fmax(centre(s, i), s->lo), s->hi);

    return (int)(steps_round(to, x) - type_info[to->type].lo);
}

/* The first or the last bin within the grid, for bin i. */
static int inside(const Seen *s, double lo, double hi, int i)
{
    while (i < BINS - 1 && centre(s, i) < lo)
        i++;
    while (i > 0 && centre(s, i) > hi)
        i--;
    return i;
}

/* Of what was seen, what lies outside being at the ends, from what is left:
 * each step's elements spread over the bins of it that had any. */
static double divergence(const Seen *s, const Steps *to)
{
    const TypeInfo *t = &type_info[to->type];
    double lo = (double)to->scale * ((double)(t->lo - to->zero) - 0.5);
    double hi = (double)to->scale * ((double)(t->hi - to->zero) + 0.5);
    double mass[256] = {0}, seen[BINS] = {0}, all = 0, kl = 0, p, q;
    int bins[256] = {0}, i, k;

    for (i = 0; i < BINS; i++) {
        k = s->bin[i] ? inside(s, lo, hi, i) : i;
        seen[k] += (double)s->bin[i];
        if (!s->bin[i] || k != i)
            continue;
        k = step_of(s, to, i);
        bins[k]++;
        mass[k] += (double)s->bin[i];
        all += (double)s->bin[i];
    }
    for (i = 0; i < BINS; i++) {
        if (!(seen[i] > 0))
            continue;
        k = step_of(s, to, i);
        p = seen[i] / (double)s->n;
        q = bins[k] ? mass[k] / bins[k] / all : 1e-9;
        kl += p * log(p / q);
    }
    return kl;
}

static Steps by_least(const Seen *s, Type t, bool even,
                      double (*lost)(const Seen *s, const Steps *to))
{
    Steps best = steps_between(s->lo, s->hi, t, even), now;
    double least = lost(s, &best), l;
    int i;

    for (i = 1; i < FACTORS; i++) {
        double f = 1 - (1 - LEAST) * i / FACTORS;

        now = steps_between(s->lo * f, s->hi * f, t, even);
        l = lost(s, &now);
        if (l < least) {
            least = l;
            best = now;
        }
    }
    return best;
}

/* Where this part of the elements lies below, or above. */
static double percentile(const Seen *s, double part, bool above)
{
    int64_t n = 0, most = (int64_t)(part * (double)s->n);
    int i, k;

    for (i = 0; i < BINS; i++) {
        k = above ? BINS - 1 - i : i;
        n += s->bin[k];
        if (n > most)
            return fmin(fmax(centre(s, k), s->lo), s->hi);
    }
    return above ? s->hi : s->lo;
}

Steps steps_of(const Seen *s, Type t, bool even, RangeBy by)
{
    if (type_info[t].bytes > 1) /* steps are fine enough to hold all */
        return steps_between(s->lo, s->hi, t, even);
    switch (by) {
    case BY_MSE: return by_least(s, t, even, loss);
    case BY_KL: return by_least(s, t, even, divergence);
    case BY_PERCENTILE:
        return steps_between(percentile(s, PERCENTILE, false),
                             percentile(s, PERCENTILE, true), t, even);
    default: return steps_between(s->lo, s->hi, t, even);
    }
}

static double weight_loss(const float *w, int64_t n, int64_t apart, double s,
                          int most)
{
    double sum = 0, q, d;
    int64_t i;

    for (i = 0; i < n; i++) {
        q = rint((double)w[i * apart] / s);
        q = fmin(fmax(q, -most), most);
        d = (double)w[i * apart] - q * s;
        sum += d * d;
    }
    return sum;
}

float scale_of_weights(const float *w, int64_t n, int64_t apart, int most)
{
    double top = 0, best, least, l;
    int64_t i;
    int k;

    for (i = 0; i < n; i++)
        top = fmax(top, fabs((double)w[i * apart]));
    if (!(top > 1e-30))
        return 1;
    best = top / most;
    least = weight_loss(w, n, apart, best, most);
    for (k = 1; k < FACTORS; k++) {
        double s = top / most * (1 - 0.6 * k / FACTORS);

        l = weight_loss(w, n, apart, s, most);
        if (l < least) {
            least = l;
            best = s;
        }
    }
    return (float)best;
}
