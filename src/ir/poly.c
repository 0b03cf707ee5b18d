/* Polynomials in run-time numbers: how what is derived from sizes follows them.
 *
 * What kernels are told are products of sizes, each a * n + b, and sums of
 * such; so it is enough to know them at a few values.  Newton's divided
 * differences make the polynomial, one number after the other; then it is
 * compared with what it stands for at every value. */
#include "ir/ir.h"

#include <string.h>

enum { POINTS = 4 }; /* one more than the greatest power */

/* A block of coefficients by power of each number: 4 x 4 x ... */
typedef struct Fit {
    const Graph *g;
    Arena *mem;
    unsigned set;
    int m;
    void (*f)(void *arg, const int64_t *value, int64_t *y);
    void *arg;
} Fit;

/* Up to the greatest value; of a number with fewer values beyond it, for below
 * the least a size may be less than 0. */
static int64_t first_point(const Number *k)
{
    return MAX(k->lo, k->hi - POINTS + 1);
}

/* Values at first .. first + 3 become coefficients; false: fractions. */
static bool interpolate(int64_t y[POINTS], int64_t first)
{
    int64_t c[POINTS] = {0}, root;
    int i, k;

    for (k = 1; k < POINTS; k++)
        for (i = POINTS - 1; i >= k; i--) {
            if ((y[i] - y[i - 1]) % k)
                return false;
            y[i] = (y[i] - y[i - 1]) / k;
        }
    for (k = POINTS - 1; k >= 0; k--) { /* c = c * (n - root) + y[k] */
        root = first + k;
        for (i = POINTS - 1; i > 0; i--)
            c[i] = c[i - 1] - root * c[i];
        c[0] = y[k] - root * c[0];
    }
    memcpy(y, c, sizeof c);
    return true;
}

/* cell[point or power of number 0][of 1]..[of all m] */
static bool fit_numbers(const Fit *t, int64_t *cell, int cells)
{
    int k, i, j, step = cells;
    int64_t y[POINTS];

    for (k = 0; k < t->g->nnum; k++) {
        if (!(t->set >> k & 1))
            continue;
        step /= POINTS;
        for (i = 0; i < cells * t->m; i++) {
            if (i / t->m / step % POINTS)
                continue;
            for (j = 0; j < POINTS; j++)
                y[j] = cell[i + j * step * t->m];
            if (!interpolate(y, first_point(t->g->num[k])))
                return false;
            for (j = 0; j < POINTS; j++)
                cell[i + j * step * t->m] = y[j];
        }
    }
    return true;
}

static void sample(const Fit *t, int64_t *cell, int cells)
{
    int64_t value[MOST_NUMBERS];
    int i, k, step;

    for (i = 0; i < cells; i++) {
        step = cells;
        for (k = 0; k < t->g->nnum; k++) {
            value[k] = t->g->num[k]->hi;
            if (!(t->set >> k & 1))
                continue;
            step /= POINTS;
            value[k] = first_point(t->g->num[k]) + i / step % POINTS;
        }
        t->f(t->arg, value, cell + i * t->m);
    }
}

static void add_term(Arena *mem, Poly *p, int64_t coef, const Fit *t, int i,
                     int cells)
{
    Monomial *q;
    int k, step = cells;

    GROW(mem, p->term, (size_t)p->n);
    q = &p->term[p->n++];
    *q = (Monomial){.coef = coef};
    for (k = 0; k < t->g->nnum; k++)
        if (t->set >> k & 1) {
            step /= POINTS;
            q->power[k] = (unsigned char)(i / step % POINTS);
        }
}

static int64_t power(int64_t v, int n)
{
    int64_t y = 1;

    while (n--)
        y *= v;
    return y;
}

int64_t poly_at(const Poly *p, const int64_t *value)
{
    int64_t sum = 0, y;
    int i, k;

    for (i = 0; i < p->n; i++) {
        y = p->term[i].coef;
        for (k = 0; k < MOST_NUMBERS; k++)
            if (p->term[i].power[k])
                y *= power(value[k], p->term[i].power[k]);
        sum += y;
    }
    return sum;
}

bool poly_same(const Poly *a, const Poly *b)
{
    int i;

    for (i = 0; i < a->n && i < b->n; i++)
        if (a->term[i].coef != b->term[i].coef ||
            memcmp(a->term[i].power, b->term[i].power,
                   sizeof a->term[i].power) != 0)
            return false;
    return a->n == b->n;
}

bool poly_const(const Poly *p)
{
    static const unsigned char none[MOST_NUMBERS];

    return !p->n || (p->n == 1 && !memcmp(p->term->power, none, sizeof none));
}

static void put_monomial(const Monomial *q, const char *const *name,
                         bool first, Str *out)
{
    int64_t size = q->coef < 0 ? -q->coef : q->coef;
    bool factors = false;
    int k, i;

    str_put(out, q->coef < 0 ? first ? "-" : " - " : first ? "" : " + ");
    for (k = 0; k < MOST_NUMBERS; k++)
        for (i = 0; i < q->power[k]; i++) {
            str_fmt(out, factors ? " * %s" : "%s", name[k]);
            factors = true;
        }
    if (!factors)
        str_fmt(out, "%lld", (long long)size);
    else if (size != 1)
        str_fmt(out, " * %lld", (long long)size);
}

void poly_put(const Poly *p, const char *const *name, Str *out)
{
    int i;

    for (i = p->n - 1; i >= 0; i--)
        put_monomial(&p->term[i], name, i == p->n - 1, out);
    if (!p->n)
        str_put(out, "0");
}

/* --- all values --- */

/* Of two numbers and more the ends, and what lies near them: a polynomial of
 * these powers that holds there holds everywhere. */
static int64_t next_value(const Number *k, int64_t v, bool alone)
{
    v++;
    if (!alone && v == k->lo + POINTS && v < k->hi - POINTS)
        v = k->hi - POINTS;
    return v;
}

bool values_next(const Graph *g, unsigned set, int64_t *value)
{
    bool alone = !(set & (set - 1));
    int k;

    for (k = 0; k < g->nnum; k++) {
        const Number *n = g->num[k];

        if (!(set >> k & 1))
            continue;
        value[k] = next_value(n, value[k], alone);
        if (value[k] <= n->hi)
            return true;
        value[k] = n->lo;
    }
    return false;
}

void values_first(const Graph *g, unsigned set, int64_t *value)
{
    int k;

    for (k = 0; k < g->nnum; k++)
        value[k] = set >> k & 1 ? g->num[k]->lo : g->num[k]->hi;
}

static bool holds(const Fit *t, const Poly *p)
{
    int64_t value[MOST_NUMBERS], *y = NEWN(t->mem, int64_t, t->m + 1);
    int i;

    values_first(t->g, t->set, value);
    do {
        t->f(t->arg, value, y);
        for (i = 0; i < t->m; i++)
            if (poly_at(&p[i], value) != y[i])
                return false;
    } while (values_next(t->g, t->set, value));
    return true;
}

Poly *polys_fit(Arena *mem, const Graph *g, unsigned set, int m,
                void (*f)(void *arg, const int64_t *value, int64_t *y),
                void *arg)
{
    Arena *own = arena_new();
    Fit t = {g, own, set, m, f, arg};
    Poly *p = NEWN(mem, Poly, (size_t)m + 1);
    int64_t *cell;
    int i, j, k, cells = 1;
    bool ok;

    for (k = 0; k < g->nnum; k++)
        cells *= set >> k & 1 ? POINTS : 1;
    cell = NEWN(own, int64_t, (size_t)cells * (size_t)m + 1);
    sample(&t, cell, cells);
    ok = fit_numbers(&t, cell, cells);
    for (i = 0; ok && i < cells; i++)
        for (j = 0; j < m; j++)
            if (cell[i * m + j])
                add_term(mem, &p[j], cell[i * m + j], &t, i, cells);
    ok = ok && holds(&t, p);
    arena_end(own);
    return ok ? p : NULL;
}
