/* Elements of x at places that a grid names, between those there are.
 *
 * op       gridsample
 * types    x:f32 grid:f32 -> y:f32
 * isa      any
 * split    n to
 * stack    512
 * cycles   n * to[0] * to[1] * to[2] * (400 + c * (20 + 15 * taps))
 *
 * x[n][c][size..], grid[n][to..][axes], y[n][c][to..]; the last of a grid's
 * numbers is of the first axis, -1 and 1 being its ends: the centres of the
 * outer elements if `corners`, else their edges.  mode 0: linear, 1: the
 * nearest (ties to even), 2: cubic, Keys (1981) with -3/4; pads 0: outside are
 * zeros, 1: the edge, 2: a mirror image, each element that a result is made of
 * by itself (as onnxruntime and PyTorch do).  taps: how many those are.
 */
#include "kern/kern.h"

#include <math.h>

/* The elements of an axis that count, -1: none, and how much. */
struct along {
    int32_t n, at[4];
    float w[4];
};

/* v, which is outside, mirrored at lo and hi as often as it takes. */
static float mirrored(float v, float lo, float hi)
{
    const float range = hi - lo;
    float d = v < lo ? lo - v : v - hi, times;

    if (!(range > 0))
        return lo;
    times = floorf(d / range);
    d -= times * range;
    d = d > 0 ? d < range ? d : range : 0; /* of large v it is anything */
    return (fmodf(times, 2) == 0) == (v < lo) ? lo + d : hi - d;
}

/* v brought so near the axis that it is an int32_t; it may be NaN. */
static float place(const struct grid_dims *k, float v, int32_t n)
{
    const float last = (float)(n - 1);
    const float lo = k->corners ? 0 : -0.5f;
    const float hi = k->corners ? last : last + 0.5f;

    if (k->mode == 1)
        v = rintf(v);
    if (v >= lo && v <= hi)
        return v;
    if (k->pads == 2)
        return mirrored(v, lo, hi);
    return v > -8 ? v < last + 8 ? v : last + 8 : -8;
}

static int32_t element(const struct grid_dims *k, int32_t i, int32_t n)
{
    const int32_t period = k->corners ? 2 * n - 2 : 2 * n;

    if (i >= 0 && i < n)
        return i;
    if (k->pads == 0)
        return -1;
    if (k->pads == 1 || n == 1)
        return i < 0 ? 0 : n - 1;
    if (!k->corners)
        i = i < 0 ? -1 - i : i;
    i = (i % period + period) % period;
    if (i < n)
        return i;
    return k->corners ? period - i : period - 1 - i;
}

static void weights(int mode, float d, float w[4])
{
    const float a = -0.75f, e = 1 - d;

    if (mode == 1) {
        w[0] = 1;
    } else if (mode == 0) {
        w[0] = e;
        w[1] = d;
    } else {
        w[0] = ((a * (d + 1) - 5 * a) * (d + 1) + 8 * a) * (d + 1) - 4 * a;
        w[1] = ((a + 2) * d - (a + 3)) * d * d + 1;
        w[2] = ((a + 2) * e - (a + 3)) * e * e + 1;
        w[3] = ((a * (e + 1) - 5 * a) * (e + 1) + 8 * a) * (e + 1) - 4 * a;
    }
}

/* Of grid number g on an axis of n elements. */
static void find(const struct grid_dims *k, float g, int32_t n,
                 struct along *s)
{
    static const uint8_t taps[] = {2, 1, 4};
    float v = k->corners ? (g + 1) / 2 * (float)(n - 1)
                         : ((g + 1) * (float)n - 1) / 2;
    int32_t first;

    v = place(k, v, n);
    first = (int32_t)floorf(v);
    weights(k->mode, v - (float)first, s->w);
    s->n = taps[k->mode];
    first -= k->mode == 2;
    for (int32_t i = 0; i < s->n; i++)
        s->at[i] = element(k, first + i, n);
}

/* The weighted sum of elements of a channel. */
static float sample(const struct grid_dims *k, const struct along s[3],
                    const X *x)
{
    float sum = 0;

    for (int32_t d = 0; d < s[0].n; d++)
        for (int32_t h = 0; h < s[1].n; h++) {
            const int32_t row = s[0].at[d] * k->size[1] + s[1].at[h];
            const float f = s[0].w[d] * s[1].w[h];

            if (s[0].at[d] < 0 || s[1].at[h] < 0)
                continue;
            for (int32_t w = 0; w < s[2].n; w++)
                if (s[2].at[w] >= 0)
                    sum += f * s[2].w[w] *
                           x[(ptrdiff_t)row * k->size[2] + s[2].at[w]];
        }
    return sum;
}

void FN(const struct grid_dims *k, const struct io *io)
{
    const int32_t plane = k->to[0] * k->to[1] * k->to[2];
    const ptrdiff_t each = (ptrdiff_t)k->size[0] * k->size[1] * k->size[2];
    struct along s[3] = {{1, {0}, {1}}, {1, {0}, {1}}, {1, {0}, {1}}};
    int32_t i, end;

    span(k->n * plane, io->core, io->ncore, &i, &end);
    for (; i < end; i++) {
        const GRID *g = (const GRID *)io->in[1] + (ptrdiff_t)i * k->axes;
        const int32_t n = i / plane;
        const X *x = (const X *)io->in[0] + n * k->c * each;
        Y *y = (Y *)io->out[0] + ((ptrdiff_t)n * k->c) * plane + i % plane;

        for (int32_t a = 0; a < k->axes; a++)
            find(k, g[a], k->size[2 - a], &s[2 - a]);
        for (int32_t c = 0; c < k->c; c++)
            y[(ptrdiff_t)c * plane] = (Y)sample(k, s, x + c * each);
    }
}
