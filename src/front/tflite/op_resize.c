/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: along each axis every element is
 * made of two neighbours, or is one. */
#include "front/tflite/import.h"

#include <math.h>

typedef struct Scaling {
    int64_t in, out;
    bool align, half;
} Scaling;

static Scaling scaling_of(const Call *c, int axis, int64_t size, bool align,
                          bool half)
{
    int64_t list[2];

    if (list_at(c, 1, 2, list) != 2 || list[axis] < 1 || list[axis] > 1 << 20)
        call_err(c, "wanted two sizes of 1 to 2^20");
    return (Scaling){size, list[axis], align, half};
}

static int64_t bounded(int64_t v, int64_t most)
{
    return clamp64(v, 0, most);
}

/* --- nearest --- */

static int64_t nearest(const Scaling *s, int64_t i)
{
    float scale = s->align && s->out > 1
        ? (float)(s->in - 1) / (float)(s->out - 1)
        : (float)s->in / (float)s->out;
    float at = ((float)i + (s->half ? 0.5f : 0)) * scale;

    return bounded(s->align ? (int64_t)roundf(at) : (int64_t)floorf(at),
                   s->in - 1);
}

static Val *pick(Call *c, Val *x, int axis, const Scaling *s)
{
    Shape list = {.rank = 1, .dim = {s->out}};
    int64_t *at = NEWN(c->mem, int64_t, (size_t)s->out), i;

    for (i = 0; i < s->out; i++)
        at[i] = nearest(s, i);
    room(c, s->out);
    return take(c, x, ints(c, T_s64, list, at), axis);
}

void lite_resize_nearest_neighbor(Call *c)
{
    Val *x = image(c, 0);
    int i;

    same_scale(c, need(c, 0), out(c, 0));
    for (i = 0; i < 2; i++) {
        Scaling s = scaling_of(c, i, x->shape.dim[2 + i], option8(c, 0, 0),
                               option8(c, 1, 0));

        if (s.in != s.out)
            x = pick(c, x, 2 + i, &s);
    }
    give_image(c, 0, x);
}

/* --- bilinear --- */

enum { BITS = 10 };

/* Of integers: places in 1024ths. */
static void whole_taps(const Scaling *s, int64_t i, int64_t *at, int64_t *w)
{
    int64_t one = 1 << BITS, p;
    int64_t scale = s->align && s->out > 1
        ? (one * (s->in - 1) + (s->out - 1) / 2) / (s->out - 1)
        : (one * s->in + s->out / 2) / s->out;

    p = i * scale;
    if (s->half)
        p += scale / 2 - one / 2;
    at[0] = MAX(p / one, 0);
    at[1] = MIN((p + one - 1) / one, s->in - 1);
    w[1] = p - one * at[0];
    w[0] = one - w[1];
    at[0] = bounded(at[0], s->in - 1);
    at[1] = bounded(at[1], s->in - 1);
}

static void real_taps(const Scaling *s, int64_t i, int64_t *at, float *w)
{
    float scale = s->align && s->out > 1
        ? (float)(s->in - 1) / (float)(s->out - 1)
        : (float)s->in / (float)s->out;
    float p = s->half ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
    float low = floorf(p);

    at[0] = bounded((int64_t)low, s->in - 1);
    at[1] = bounded((int64_t)ceilf(p), s->in - 1);
    w[1] = p - low;
    if (p < 0)
        w[1] = 0;
    w[0] = 1 - w[1];
}

static Val *blend(Call *c, Val *x, int axis, const Scaling *s)
{
    Shape list = {.rank = 2, .dim = {s->out, 2}};
    size_t n = 2 * (size_t)s->out;
    int64_t *at = NEWN(c->mem, int64_t, n), *w = NEWN(c->mem, int64_t, n), i;
    float *r = NEWN(c->mem, float, n);
    Node *node;
    Val *weights;

    room(c, 2 * s->out);
    for (i = 0; i < s->out; i++)
        if (val_is_int(x))
            whole_taps(s, i, at + 2 * i, w + 2 * i);
        else
            real_taps(s, i, at + 2 * i, r + 2 * i);
    weights = val_is_int(x) ? ints(c, T_s64, list, w) : nums(c, list, r);
    node = node_of(c, OP_taps, 3, x, ints(c, T_s64, list, at), weights);
    attr_set_int(c->g, node, A_axis, axis);
    return done(c, node);
}

/* Sums of products with 2^20 in all, to the nearest; ties go away from 0, for
 * the factor is a little more than 2^-20. */
static Val *settle(Call *c, Val *x, const Tensor *y)
{
    enum { MORE = 28 };
    Shape none = {0};
    int64_t lo, hi, mul = ((int64_t)1 << MORE) + 1;
    int64_t add = (int64_t)1 << (2 * BITS + MORE - 1);
    Node *n = node_of(c, OP_requant, 3, x, ints(c, T_s64, none, &mul),
                      ints(c, T_s64, none, &add));

    bounds(c, y, ACT_none, &lo, &hi);
    attr_set_int(c->g, n, A_shift, 2 * BITS + MORE);
    attr_set_int(c->g, n, A_lo, lo);
    attr_set_int(c->g, n, A_hi, hi);
    return done(c, n);
}

void lite_resize_bilinear(Call *c)
{
    Val *x = image(c, 0);
    bool whole = val_is_int(x);
    int i;

    same_scale(c, need(c, 0), out(c, 0));
    for (i = 0; i < 2; i++) {
        Scaling s = scaling_of(c, i, x->shape.dim[2 + i], option8(c, 2, 0),
                               option8(c, 3, 0));
        x = blend(c, x, 2 + i, &s);
    }
    give_image(c, 0, whole ? settle(c, x, out(c, 0)) : x);
}
