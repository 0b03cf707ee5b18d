/* Rounding of matrices to few bits, in groups along a row.
 *
 * To the nearest, or with what is lost made good by the weights that follow
 * (Frantar et al., GPTQ, 2022): with H the sum of x x' of what the rows meet,
 * and U upper triangular, U' U the inverse of H, column after column is
 * rounded, and its error, divided by U's diagonal, goes times U's row into the
 * columns behind it.  A group's scale is chosen when its turn comes, from the
 * weights as they are then.
 *
 * Behind that, in turns, the scales of a row that are best for its integers
 * (least squares under H), and single integers moved by one as long as that
 * makes (w - q s)' H (w - q s) less. */
#include "ptq/calib.h"

#include <math.h>
#include <string.h>

uint16_t half_of(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float half_value(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The lower triangle of a [n][n] becomes L, L L' being a; false: a is not
 * positive definite. */
static bool cholesky(double *a, int64_t n)
{
    int64_t i, j, k;

    for (j = 0; j < n; j++) {
        for (k = 0; k < j; k++)
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        if (!(a[j * n + j] > 0))
            return false;
        a[j * n + j] = sqrt(a[j * n + j]);
        for (i = j + 1; i < n; i++) {
            for (k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
    return true;
}

/* The inverse of a from its L: column by column of the identity. */
static void invert(Arena *a, const double *l, int64_t n, double *y)
{
    double *up = NEWN(a, double, (size_t)(n * n)); /* L', for runs of memory */
    double *x = NEWN(a, double, (size_t)n), v;
    int64_t c, i, k;

    for (i = 0; i < n; i++)
        for (k = 0; k <= i; k++)
            up[k * n + i] = l[i * n + k];
    for (c = 0; c < n; c++) {
        memset(x, 0, (size_t)n * sizeof *x);
        for (i = c; i < n; i++) {
            for (k = c, v = i == c; k < i; k++)
                v -= l[i * n + k] * x[k];
            x[i] = v / l[i * n + i];
        }
        for (i = n - 1; i >= 0; i--) {
            for (k = i + 1, v = x[i]; k < n; k++)
                v -= up[i * n + k] * x[k];
            x[i] = v / l[i * n + i];
        }
        for (i = 0; i < n; i++)
            y[i * n + c] = x[i];
    }
}

/* U of the inverse of h, a hundredth of its mean diagonal added: U' U; NULL:
 * there is none. */
static double *upper(Arena *a, const double *h, int64_t n)
{
    double *l = NEWN(a, double, (size_t)(n * n)), *u, mean = 0;
    int64_t i, j;

    memcpy(l, h, (size_t)(n * n) * sizeof *l);
    for (i = 0; i < n; i++)
        mean += h[i * n + i] / (double)n;
    for (i = 0; i < n; i++)
        l[i * n + i] += 0.01 * mean;
    if (!(mean > 0) || !cholesky(l, n))
        return NULL;
    u = NEWN(a, double, (size_t)(n * n));
    invert(a, l, n, u);
    if (!cholesky(u, n))
        return NULL;
    for (i = 0; i < n; i++) /* L L' with U = L': U' U */
        for (j = i + 1; j < n; j++) {
            u[i * n + j] = u[j * n + i];
            u[j * n + i] = 0;
        }
    return u;
}

/* The least integer that a weight may be.  Of 8 bits -128 is none: two rows in
 * halves (kern/matmul/halves.h) have no room for it. */
static int least_weight(int most)
{
    return most == INT8_MAX ? -most : -most - 1;
}

static double nearest(double v, int most)
{
    return fmin(fmax(rint(v), least_weight(most)), most);
}

/* The nearest scale that there is: of 8 bits, and a multiple of unit. */
static uint16_t scale_near(double s, double unit)
{
    if (unit > 0)
        s = fmax(rint(s / unit), 1) * unit;
    return half_of((float)s);
}

/* The scale of n weights that loses least, each loss weighed. */
static float best_scale(const double *w, const double *by, int64_t n, int most,
                        double unit)
{
    double top = 0, least = INFINITY, s, q, d, sum;
    float best = 1;
    int64_t i;
    int k;

    for (i = 0; i < n; i++)
        top = fmax(top, fabs(w[i]));
    if (!(top > 1e-30))
        return unit > 0 ? (float)unit : 1;
    for (k = 0; k <= 60; k++) {
        s = (double)half_value(scale_near(top / most * (1.1 - 0.7 * k / 60),
                                          unit));
        for (i = 0, sum = 0; i < n; i++) {
            q = nearest(w[i] / s, most);
            d = w[i] - q * s;
            sum += d * d * by[i];
        }
        if (sum < least) {
            least = sum;
            best = (float)s;
        }
    }
    return best;
}

typedef struct Work {
    int64_t k, group;
    int most;
    double unit;
    const double *u; /* NULL: to the nearest */
    double *w, *by;  /* a row; what the loss of each counts */
} Work;

static void round_row(Work *r, int8_t *y, uint16_t *scale)
{
    int64_t i, j, end;
    double s = 1, q, e;

    for (i = 0; i < r->k; i++) {
        if (i % r->group == 0) {
            end = MIN(i + r->group, r->k);
            s = (double)best_scale(r->w + i, r->by + i, end - i, r->most,
                                   r->unit);
            scale[i / r->group] = half_of((float)s);
        }
        q = nearest(r->w[i] / s, r->most);
        y[i] = (int8_t)q;
        if (!r->u)
            continue;
        e = (r->w[i] - q * s) / r->u[i * r->k + i];
        for (j = i + 1; j < r->k; j++)
            r->w[j] -= e * r->u[i * r->k + j];
    }
}

/* --- better scales, better integers --- */

typedef struct Polish {
    int64_t k, group, groups;
    int most;
    double unit;
    const double *h, *w; /* of a row */
    double *off;         /* H (w - q s) */
    double *a, *b;       /* [groups][groups], [groups] */
    int8_t *q;
    uint16_t *scale;
} Polish;

static double scale_at(const Polish *p, int64_t i)
{
    return (double)half_value(p->scale[i / p->group]);
}

static void find_off(Polish *p)
{
    int64_t i, j;

    memset(p->off, 0, (size_t)p->k * sizeof *p->off);
    for (j = 0; j < p->k; j++) {
        double d = p->w[j] - p->q[j] * scale_at(p, j);

        for (i = 0; i < p->k; i++)
            p->off[i] += p->h[j * p->k + i] * d;
    }
}

/* (w - q s)' H (w - q s) */
static double row_loss(Polish *p)
{
    double sum = 0;
    int64_t i;

    find_off(p);
    for (i = 0; i < p->k; i++)
        sum += p->off[i] * (p->w[i] - p->q[i] * scale_at(p, i));
    return sum;
}

/* The integer that gains most by a step of one, until none gains. */
static void descend(Polish *p)
{
    int64_t i, j, best, turn;
    int step, to;

    find_off(p);
    for (turn = 0; turn < 4 * p->k; turn++) {
        double most = 1e-12, gain, s;

        for (i = 0, best = -1, to = 0; i < p->k; i++) {
            s = scale_at(p, i);
            step = p->off[i] > 0 ? 1 : -1;
            if (p->q[i] + step < least_weight(p->most) ||
                p->q[i] + step > p->most)
                continue;
            gain = 2 * step * s * p->off[i] - s * s * p->h[i * p->k + i];
            if (gain > most) {
                most = gain;
                best = i;
                to = step;
            }
        }
        if (best < 0)
            return;
        p->q[best] = (int8_t)(p->q[best] + to);
        s = to * scale_at(p, best);
        for (j = 0; j < p->k; j++)
            p->off[j] -= s * p->h[best * p->k + j];
    }
}

/* Solves a x = b in place, a being positive definite. */
static bool solve(double *a, double *b, int64_t n)
{
    int64_t i, k;

    if (!cholesky(a, n))
        return false;
    for (i = 0; i < n; i++) {
        for (k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (i = n - 1; i >= 0; i--) {
        for (k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return true;
}

static void refit(Polish *p)
{
    int64_t i, j, n = p->groups;

    memset(p->a, 0, (size_t)(n * n) * sizeof *p->a);
    memset(p->b, 0, (size_t)n * sizeof *p->b);
    for (i = 0; i < p->k; i++)
        for (j = 0; j < p->k; j++) {
            double h = p->q[i] * p->h[i * p->k + j];

            p->a[i / p->group * n + j / p->group] += h * p->q[j];
            p->b[i / p->group] += h * p->w[j];
        }
    if (!solve(p->a, p->b, n))
        return;
    for (i = 0; i < n; i++)
        if (p->b[i] > 0)
            p->scale[i] = scale_near(p->b[i], p->unit);
}

static void polish(Polish *p)
{
    Arena *a = arena_new();
    int8_t *q = NEWN(a, int8_t, (size_t)p->k);
    uint16_t *s = NEWN(a, uint16_t, (size_t)p->groups);
    double least = row_loss(p), now;
    int turn;

    for (turn = 0; turn < 6; turn++) {
        memcpy(q, p->q, (size_t)p->k);
        memcpy(s, p->scale, (size_t)p->groups * sizeof *s);
        refit(p);
        descend(p);
        now = row_loss(p);
        if (now < least * 0.9999) {
            least = now;
            continue;
        }
        if (now > least) {
            memcpy(p->q, q, (size_t)p->k);
            memcpy(p->scale, s, (size_t)p->groups * sizeof *s);
        }
        break;
    }
    arena_end(a);
}

Rounded round_rows(Arena *mem, const float *w, int64_t m, int64_t k, int bits,
                   int64_t group, const double *h, double unit)
{
    Arena *a = arena_new();
    int64_t groups = (k + group - 1) / group, i, j;
    Rounded y = {NEWN(mem, int8_t, (size_t)(m * k)),
                 NEWN(mem, uint16_t, (size_t)(m * groups)), group};
    Work r = {.k = k, .group = group, .most = bits == 4 ? 7 : 127,
              .unit = unit, .u = h ? upper(a, h, k) : NULL,
              .w = NEWN(a, double, (size_t)k),
              .by = NEWN(a, double, (size_t)k)};
    double *row = NEWN(a, double, (size_t)k);
    Polish p;

    for (j = 0; j < k; j++)
        r.by[j] = r.u ? 1 / (r.u[j * k + j] * r.u[j * k + j]) : 1;
    p = (Polish){.k = k, .group = group, .groups = groups, .most = r.most,
                 .unit = unit, .h = h, .w = row,
                 .off = NEWN(a, double, (size_t)k),
                 .a = NEWN(a, double, (size_t)(groups * groups)),
                 .b = NEWN(a, double, (size_t)groups)};
    for (i = 0; i < m; i++) {
        for (j = 0; j < k; j++)
            r.w[j] = row[j] = (double)w[i * k + j];
        p.q = y.w + i * k;
        p.scale = y.scale + i * groups;
        round_row(&r, p.q, p.scale);
        if (r.u)
            polish(&p);
    }
    arena_end(a);
    return y;
}

double rounded_sqnr(const float *w, const Rounded *r, int64_t m, int64_t k,
                    const double *h)
{
    Arena *a = arena_new();
    double *d = NEWN(a, double, (size_t)k), signal = 0, noise = 0;
    int64_t groups = (k + r->group - 1) / r->group, i, j, l;

    for (i = 0; i < m; i++, w += k) {
        for (j = 0; j < k; j++)
            d[j] = (double)w[j] - r->w[i * k + j] *
                (double)half_value(r->scale[i * groups + j / r->group]);
        for (j = 0; j < k; j++)
            for (l = 0; l < k; l++) {
                signal += (double)w[j] * (double)w[l] * h[j * k + l];
                noise += d[j] * d[l] * h[j * k + l];
            }
    }
    arena_end(a);
    return noise > 0 ? 10 * log10(signal / noise) : INFINITY;
}
