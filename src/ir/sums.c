/* The sums of an integer convolution, for the evaluator: what its plain kernel
 * sums, in the same order of results but many products at a time.  Operands fit
 * into 16 bits, and all sums into 32. */
#include "ir/ir.h"

#include <string.h>

enum { LEAST_CHANNELS = 8 }; /* fewer are not worth it */

static int64_t size_of(const Val *v)
{
    return MAX(-v->lo, v->hi);
}

static bool is_short(const Val *v)
{
    return val_is_int(v) && v->lo >= INT16_MIN && v->hi <= INT16_MAX;
}

static bool fits(const Node *n, const struct conv_dims *k)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    int64_t taps = (int64_t)k->kh * k->kw * k->c;

    return k->c >= LEAST_CHANNELS && is_short(x) && is_short(w) &&
           k->padv >= INT16_MIN && k->padv <= INT16_MAX && taps < 1 << 24 &&
           MAX(size_of(x), k->padv < 0 ? -k->padv : k->padv) * size_of(w) <=
               INT32_MAX / taps;
}

static int16_t *shorts(Arena *a, const Val *v, const void *data)
{
    int64_t i, n = val_count(v);
    int16_t *to = NEWN(a, int16_t, (size_t)n + 1);

    switch (v->type) {
#define TYPE(name, ctype, bytes, kind, npy, onnx)                      \
    case T_##name:                                                     \
        for (i = 0; i < n; i++)                                        \
            to[i] = (int16_t)((const ctype *)data)[i];                 \
        break;
#include "ir/type.def"
    default: die("value '%s' has no type", v->name);
    }
    return to;
}

/* The weights of each channel, tap by tap. */
static int16_t *rows_of(Arena *a, const struct conv_dims *k, const int16_t *w)
{
    int64_t taps = (int64_t)k->kh * k->kw * k->c;
    int16_t *all = NEWN(a, int16_t, (size_t)(k->g * k->m * taps)), *to = all;
    int m, i, j, c;

    for (m = 0; m < k->g * k->m; m++)
        for (i = 0; i < k->kh; i++)
            for (j = 0; j < k->kw; j++)
                for (c = 0; c < k->c; c++)
                    *to++ = w[(int64_t)m * k->wm + (int64_t)i * k->wh +
                              (int64_t)j * k->ww + (int64_t)c * k->wc];
    return all;
}

/* What the window at (oy, ox) sees of a group. */
static void take_window(const struct conv_dims *k, const int16_t *x, int oy,
                        int ox, int16_t *to)
{
    int i, j, c;

    for (i = 0; i < k->kh; i++)
        for (j = 0; j < k->kw; j++, to += k->c) {
            int row = oy * k->sh - k->ph + i * k->dh;
            int col = ox * k->sw - k->pw + j * k->dw;
            int64_t at = (int64_t)row * k->xh + (int64_t)col * k->xw;
            bool inside = row >= 0 && row < k->h && col >= 0 && col < k->w;

            for (c = 0; c < k->c; c++)
                to[c] = inside ? x[at + (int64_t)c * k->xc]
                               : (int16_t)k->padv;
        }
}

static int32_t dot(const int16_t *a, const int16_t *b, int n)
{
    int32_t sum = 0;
    int i;

    for (i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

int64_t *conv_sums(Arena *a, const Node *n, const struct conv_dims *k,
                   const void *x, const void *w)
{
    int taps = k->kh * k->kw * k->c, b, g, m, i, j;
    int64_t *sums, *to;
    int16_t *rows, *window;
    const int16_t *from;

    if (!fits(n, k))
        return NULL;
    from = shorts(a, n->arg[0], x);
    rows = rows_of(a, k, shorts(a, n->arg[1], w));
    window = NEWN(a, int16_t, (size_t)taps);
    sums = to = NEWN(a, int64_t, (size_t)val_count(n->res[0]) + 1);
    for (b = 0; b < k->n; b++)
        for (i = 0; i < k->oh; i++)
            for (j = 0; j < k->ow; j++)
                for (g = 0; g < k->g; g++) {
                    take_window(k, from + (int64_t)b * k->xn +
                                       (int64_t)g * k->c * k->xc, i, j, window);
                    for (m = 0; m < k->m; m++)
                        *to++ = dot(window, rows + (int64_t)(g * k->m + m) *
                                                       taps, taps);
                }
    return sums;
}
