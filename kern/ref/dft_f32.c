/* Fourier transforms of rows, or of windows that slide along them.
 *
 * op       dft
 * types    x:f32 w:f32 v:f32 -> y:f32
 * isa      any
 * split    rows frames
 * scratch  16 * n
 * stack    384
 * cycles   rows * frames * n * (30 + 25 * ways)
 *
 * x[rows][len][c], c 1: real, 2: complex; w[n]: cosine and sine of one turn's
 * n parts; v[n]: a factor per element.  y[rows][frames][out]: the first of n
 * complex results; frame f begins at element f * step, and what lies behind
 * the row is 0.  mode 0: forward, 1: inverse, divided by n.  ways: the sum of
 * n's prime factors, 2 being 1.
 *
 * Stockham's autosort method (Van Loan, Computational Frameworks for the Fast
 * Fourier Transform, 1992, section 1.7): before a step the buffer holds, for
 * each of n / l starts i, the transform of length l of elements i, i + n / l,
 * ...; a step joins p of these into one of length l * p.
 */
#include "kern/kern.h"

struct pass {
    int32_t n, l, p; /* in all, length so far, how many are joined */
    float turn;      /* -1: forward, 1: inverse */
};

/* Pairs: a + w b and a - w b. */
static NOINLINE void dft_two(const struct pass *s, const W *w, const float *a,
                             float *y)
{
    const int32_t m = s->n / (2 * s->l);

    for (int32_t i = 0; i < m; i++) {
        const float *b = a + 2 * m * s->l;
        float *z = y + 2 * s->l;

        for (int32_t j = 0; j < s->l; j++) {
            const float co = w[2 * j * m], si = s->turn * w[2 * j * m + 1];
            const float re = b[0] * co - b[1] * si;
            const float im = b[0] * si + b[1] * co;

            y[0] = a[0] + re;
            y[1] = a[1] + im;
            z[0] = a[0] - re;
            z[1] = a[1] - im;
            a += 2, b += 2, y += 2, z += 2;
        }
        y += 2 * s->l;
    }
}

/* Result j of the transform of length l * p that starts at a. */
static inline void dft_sum(const struct pass *s, const W *w, const float *a,
                           int32_t j, float *y)
{
    const int32_t m = s->n / (s->p * s->l), by = j * m;
    float re = 0, im = 0;

    a += 2 * (j % s->l);
    for (int32_t r = 0, at = 0; r < s->p; r++, a += 2 * m * s->l) {
        const float co = w[2 * at], si = s->turn * w[2 * at + 1];

        re += a[0] * co - a[1] * si;
        im += a[0] * si + a[1] * co;
        at += by;
        at -= at >= s->n ? s->n : 0;
    }
    y[0] = re;
    y[1] = im;
}

static NOINLINE void dft_many(const struct pass *s, const W *w,
                              const float *a, float *y)
{
    const int32_t longer = s->p * s->l;

    for (int32_t i = 0; i < s->n / longer; i++, a += 2 * s->l)
        for (int32_t j = 0; j < longer; j++, y += 2)
            dft_sum(s, w, a, j, y);
}

static int32_t least_factor(int32_t n)
{
    int32_t p = 2;

    while (n % p != 0)
        p = p * p > n ? n : p + 1;
    return p;
}

/* Elements from `at` of a row on, as complex numbers. */
static void dft_load(const struct dft_dims *k, const X *x, int32_t at,
                     const V *v, float *to)
{
    for (int32_t i = 0; i < k->n; i++) {
        const X *from = x + (ptrdiff_t)(at + i) * k->c;
        const int in = at + i < k->len;
        const float f = v ? (float)v[i] : 1;

        to[2 * i] = in ? f * from[0] : 0;
        to[2 * i + 1] = in && k->c > 1 ? f * from[1] : 0;
    }
}

/* Transforms a; gives which of a and b holds the result. */
static const float *dft_run(const struct dft_dims *k, const W *w, float *a,
                            float *b)
{
    struct pass s = {k->n, 1, 1, k->mode ? 1.0f : -1.0f};

    for (; s.l < s.n; s.l *= s.p) {
        float *t = a;

        s.p = least_factor(s.n / s.l);
        if (s.p == 2)
            dft_two(&s, w, a, b);
        else
            dft_many(&s, w, a, b);
        a = b;
        b = t;
    }
    return a;
}

void FN(const struct dft_dims *k, const struct io *io)
{
    const float scale = k->mode ? 1.0f / (float)k->n : 1.0f;
    float *a = io->tmp, *b = a + 2 * k->n;
    int32_t i, end;

    span(k->rows * k->frames, io->core, io->ncore, &i, &end);
    for (; i < end; i++) {
        const X *x = (const X *)io->in[0] +
                     (ptrdiff_t)(i / k->frames) * k->len * k->c;
        Y *y = (Y *)io->out[0] + (ptrdiff_t)i * k->out * 2;
        const float *z;

        dft_load(k, x, i % k->frames * k->step, io->in[2], a);
        z = dft_run(k, io->in[1], a, b);
        for (int32_t j = 0; j < 2 * k->out; j++)
            y[j] = (Y)(scale * z[j]);
    }
}
