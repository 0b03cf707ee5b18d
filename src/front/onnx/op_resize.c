/* Resize and Upsample, an axis at a time.
 *
 * Where an output element comes from is known while reading: the nearest mode
 * is a gather by a table of indices, the linear and cubic ones are `taps`, a
 * table of indices and weights.  The cubic kernel is Keys (1981).
 *
 * Sizes and coordinates are computed in float32 with integer lengths, as
 * onnxruntime and ONNX's shape inference have them; ONNX's Python reference
 * differs where a scale times a length is no integer.
 *
 * Integers are summed exactly with weights in fixed point, and cut towards zero
 * at the end; with antialias each axis is rounded.  Both are onnxruntime's. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

enum { TAPS = 64 };

/* Words of the attributes, in the order of the tables below. */
typedef enum Coord {
    HALF_PIXEL, PYTORCH, SYMMETRIC, TF_NEAREST, ALIGN, ASYMMETRIC, CROP
} Coord;
typedef enum Nearest {
    PREFER_FLOOR, PREFER_CEIL, FLOOR, CEIL,
    SIMPLE /* before opset 11: up for scales below 1, else down */
} Nearest;
typedef enum Keep { STRETCH, NOT_LARGER, NOT_SMALLER } Keep;

static const char *const coords[] = {"half_pixel", "pytorch_half_pixel",
    "half_pixel_symmetric", "tf_half_pixel_for_nn", "align_corners",
    "asymmetric", "tf_crop_and_resize", NULL};
static const char *const nearests[] = {"round_prefer_floor",
    "round_prefer_ceil", "floor", "ceil", "simple", NULL};
static const char *const keeps[] = {"stretch", "not_larger", "not_smaller",
    NULL};

typedef struct Resize {
    Coord coord;
    Nearest nearest;
    Keep keep;
    int mode;              /* 0 nearest, 1 linear, 2 cubic */
    double a;              /* cubic coefficient */
    bool inside, smooth;   /* exclude_outside, antialias */
    float scale[RANK], roi[2 * RANK];
    int64_t size[RANK];
    double beyond;         /* extrapolation_value */
} Resize;

/* Where element i comes from in an axis of d elements; the order of operations
 * decides about rounding. */
static float coordinate(const Resize *r, int axis, int64_t i, int64_t d)
{
    float x = (float)i, s = r->scale[axis], last = (float)(d - 1);
    float n = (float)r->size[axis], middle = (float)d / 2;
    float from = r->roi[axis], to = r->roi[axis + RANK];

    switch (r->coord) {
    case PYTORCH: return n > 1 ? (x + 0.5f) / s - 0.5f : 0;
    case SYMMETRIC: /* its sum in float64 */
        return (float)((double)(middle * (1 - n / (s * (float)d)))
                       + (x + 0.5) / (double)s - 0.5);
    case TF_NEAREST: return (x + 0.5f) / s;
    case ALIGN: return n == 1 ? 0 : x * last / (n - 1);
    case ASYMMETRIC: return x / s;
    case CROP:
        return n > 1 ? from * last + x * (to - from) * last / (n - 1)
                     : 0.5f * (from + to) * last;
    default: return (x + 0.5f) / s - 0.5f;
    }
}

/* The same, near enough to the axis to be an integer. */
static double source(const Resize *r, int axis, int64_t i, int64_t d)
{
    return fmax(-0x1p30, fmin(0x1p30, coordinate(r, axis, i, d)));
}

/* A coordinate within 1e-6 of the middle between two elements is the middle:
 * (4 + 0.5) / (6 / 20) - 0.5 is 14.5, and in float32 a little less.  onnxruntime
 * does so since its issue 28291; ONNX's Python reference rounds what float64
 * gives. */
static double or_middle(double x)
{
    double middle = floor(x) + 0.5;

    return fabs(x - middle) <= 1e-6 ? middle : x;
}

static int64_t nearest(const Resize *r, int axis, double x)
{
    switch (r->nearest) {
    case FLOOR: return (int64_t)floor(x);
    case CEIL: return (int64_t)ceil(x);
    case PREFER_CEIL: return (int64_t)floor(or_middle(x) + 0.5);
    case SIMPLE: return (int64_t)(r->scale[axis] < 1 ? ceil(x) : floor(x));
    default: return (int64_t)ceil(or_middle(x) - 0.5);
    }
}

static double kernel(const Resize *r, double x)
{
    double a = r->a;

    x = fabs(x);
    if (r->mode == 1)
        return x < 1 ? 1 - x : 0;
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

/* Elements a side that an output may read. */
static int64_t reach(const Resize *r, int axis)
{
    double s = r->smooth ? fmin(1, r->scale[axis]) : 1;

    return (int64_t)-floor(-r->mode / s);
}

/* Indices and weights of output element i: 2 * reach of them. */
static void taps_of(const Resize *r, int axis, int64_t i, int64_t d,
                    int64_t *at, float *w)
{
    double x = source(r, axis, i, d), base = floor(x), sum = 0, v[2 * TAPS];
    double s = r->smooth ? fmin(1, r->scale[axis]) : 1;
    int64_t near = reach(r, axis), j;

    for (j = 0; j < 2 * near; j++) {
        int64_t k = (int64_t)base - near + 1 + j;
        v[j] = kernel(r, s * ((double)k - x));
        if (r->inside && (k < 0 || k >= d))
            v[j] = 0;
        sum += v[j];
        at[j] = MAX(0, MIN(d - 1, k));
    }
    for (j = 0; j < 2 * near; j++)
        w[j] = (float)(r->inside || r->smooth ? v[j] / sum : v[j]);
}

/* The table of an axis: `per` taps for each of n elements. */
typedef struct Taps {
    Shape s;      /* [n, per] */
    int64_t *at;
    float *w;
} Taps;

static Taps taps_table(Call *c, const Resize *r, int axis, int64_t d)
{
    int64_t n = r->size[axis], per = 2 * reach(r, axis), i;
    Taps t = {.s = {.rank = 2, .dim = {n, per}}};

    if (per > TAPS)
        call_err(c, "shrinks an axis by more than %d", TAPS / 4);
    room(c, n * per);
    t.at = NEWN(c->mem, int64_t, (size_t)(n * per));
    t.w = NEWN(c->mem, float, (size_t)(n * per));
    for (i = 0; i < n; i++)
        taps_of(r, axis, i, d, t.at + i * per, t.w + i * per);
    return t;
}

static Val *tapped(Call *c, const Taps *t, Val *x, Val *w, int axis)
{
    Node *y = node_of(c, OP_taps, 3, x, ints(c, T_s32, t->s, t->at), w);

    attr_set_int(c->g, y, A_axis, axis);
    return done(c, y);
}

static Val *by_taps(Call *c, const Resize *r, Val *x, int axis)
{
    Taps t = taps_table(c, r, axis, x->shape.dim[axis]);

    return tapped(c, &t, floats(c, x), nums(c, t.s, t.w), axis);
}

static Val *by_gather(Call *c, const Resize *r, Val *x, int axis)
{
    int64_t n = r->size[axis], d = x->shape.dim[axis], i, k, *at;
    Shape s = {.rank = 1, .dim = {n}};

    room(c, n);
    at = NEWN(c->mem, int64_t, (size_t)n);
    for (i = 0; i < n; i++) {
        k = nearest(r, axis, source(r, axis, i, d));
        at[i] = MAX(0, MIN(d - 1, k));
    }
    return take(c, x, ints(c, T_s32, s, at), axis);
}

/* A crop that reaches outside the image is filled. */
static Val *fill_outside(Call *c, const Resize *r, Val *y, int axis, int64_t d)
{
    Shape s = {.rank = 1, .dim = {r->size[axis]}};
    Val *mask = graph_const(c->g, NULL, T_b8, s, NULL);
    bool some = false, out;
    int64_t i;
    double x;

    for (i = 0; i < s.dim[0]; i++) {
        x = source(r, axis, i, d);
        out = x < 0 || x > (double)(d - 1);
        some |= out;
        val_set(mask, i, out);
    }
    mask->hi = 1;
    if (!some)
        return y;
    return op3(c, OP_where, to_rank(c, mask, y->shape.rank - axis, 0),
               num_like(c, y, r->beyond), y);
}

/* As onnxruntime: where no size changes, all is copied, whatever the scales. */
static bool same_size(const Resize *r, const Shape *from)
{
    int i = 0;

    while (i < from->rank && r->size[i] == from->dim[i])
        i++;
    return i == from->rank && r->coord != CROP;
}

static bool changes(const Resize *r, const Shape *from, int axis)
{
    return r->size[axis] != from->dim[axis] || r->coord == CROP
        || (r->scale[axis] != 1 && !r->smooth);
}

/* Weights in units of 2^-bits.  With `whole` those of an element come to one,
 * so that equal elements give what they are. */
static Val *fixed(Call *c, const Taps *t, Type type, int bits, bool whole)
{
    int64_t n = t->s.dim[0], per = t->s.dim[1], i, j, rest, most;
    int64_t *w = NEWN(c->mem, int64_t, (size_t)(n * per));

    for (i = 0; i < n; i++) {
        rest = (int64_t)1 << bits;
        for (j = most = i * per; j < (i + 1) * per; j++) {
            w[j] = llround(ldexp(t->w[j], bits));
            rest -= w[j];
            most = w[j] > w[most] ? j : most;
        }
        w[most] += whole ? rest : 0;
    }
    return ints(c, type, t->s, w);
}

/* Bits behind the point that the weights have, 24 at most. */
static int bits_of(const Taps *t)
{
    int64_t i, n = shape_count(t->s);
    int bits = 0;

    for (i = 0; i < n; i++)
        while (bits < 24 && ldexpf(t->w[i], bits) != rintf(ldexpf(t->w[i],
                                                                  bits)))
            bits++;
    return bits;
}

/* (x + add) >> bits, clipped to the type if it is a small one: cubic weights
 * overshoot. */
static Val *shifted(Call *c, Val *x, double add, int bits, Type to)
{
    const TypeInfo *t = &type_info[to];
    Node *n = node_of(c, OP_requant, 3, x, num_like(c, x, 1),
                      num_like(c, x, add));

    attr_set_int(c->g, n, A_shift, bits);
    if (t->bytes < 4) {
        attr_set_int(c->g, n, A_lo, t->lo);
        attr_set_int(c->g, n, A_hi, t->hi);
    }
    return cast(c, done(c, n), to);
}

/* Towards zero, as a cast of floats. */
static Val *cut(Call *c, Val *x, int bits, Type to)
{
    const TypeInfo *t = &type_info[to];

    if (!t->lo)
        return shifted(c, x, 0, bits, to);
    x = op_num(c, OP_div, x, ldexp(1, bits));
    if (t->bytes < 4)
        x = clamp(c, x, (double)t->lo, (double)t->hi);
    return cast(c, x, to);
}

/* All axes in one sum, exact where 62 bits hold it. */
static Val *resize_ints(Call *c, const Resize *r, Val *x)
{
    const Shape from = x->shape;
    int own = 8 * type_info[x->type].bytes, bits[RANK] = {0}, all = 0, n = 0;
    Type to = x->type, sum;
    Taps t[RANK];
    int i;

    for (i = 0; i < from.rank; i++)
        n += changes(r, &from, i);
    for (i = 0; i < from.rank; i++) {
        if (!changes(r, &from, i))
            continue;
        t[i] = taps_table(c, r, i, from.dim[i]);
        bits[i] = MIN(bits_of(&t[i]), (62 - own) / n - 1);
        all += bits[i];
    }
    sum = own + all + n < 32 ? T_s32 : T_s64;
    x = cast(c, x, sum);
    for (i = 0; i < from.rank; i++)
        if (changes(r, &from, i))
            x = tapped(c, &t[i], x, fixed(c, &t[i], sum, bits[i], true), i);
    return cut(c, x, all, to);
}

/* An axis at a time, the last one first, each rounded to the input's type. */
static Val *smooth_ints(Call *c, const Resize *r, Val *x)
{
    enum { BITS = 22 };
    const Shape from = x->shape;
    const Type to = x->type;
    Taps t;
    int i;

    for (i = from.rank; i--;) {
        if (!changes(r, &from, i))
            continue;
        t = taps_table(c, r, i, from.dim[i]);
        x = tapped(c, &t, cast(c, x, T_s64), fixed(c, &t, T_s64, BITS, false),
                   i);
        x = shifted(c, x, 1 << (BITS - 1), BITS, to);
    }
    return x;
}

static Val *resize_axes(Call *c, const Resize *r, Val *x)
{
    const Shape from = x->shape;
    int i;

    for (i = 0; i < from.rank; i++)
        if (changes(r, &from, i))
            x = r->mode ? by_taps(c, r, x, i) : by_gather(c, r, x, i);
    return x;
}

/* In a graph of exact integers, integers are ONNX's floats. */
static Val *resize(Call *c, const Resize *r, Val *x)
{
    const Shape from = x->shape;
    int i;

    if (same_size(r, &from))
        return x;
    if (!r->mode || !val_is_int(x) || c->g->exact)
        x = resize_axes(c, r, x);
    else
        x = r->smooth ? smooth_ints(c, r, x) : resize_ints(c, r, x);
    for (i = 0; i < from.rank; i++)
        if (r->coord == CROP)
            x = fill_outside(c, r, x, i, from.dim[i]);
    return x;
}

static int mode_of(const Call *c)
{
    const char *mode = call_str(c, "mode", "nearest");

    if (!strcmp(mode, "nearest"))
        return 0;
    if (!strcmp(mode, "linear") || !strcmp(mode, "bilinear"))
        return 1;
    if (!strcmp(mode, "cubic"))
        return 2;
    call_err(c, "mode is '%s'; wanted nearest, linear or cubic", mode);
}

/* Sizes from scales; what is not named stays as it is. */
static void set_scales(const Call *c, Resize *r, int n, const int64_t *axes,
                       const Val *v)
{
    const Shape *s = &c->arg[0]->shape;
    int i;

    if (val_count(v) != n)
        call_err(c, "%lld scales for %d axes", (long long)val_count(v), n);
    for (i = 0; i < n; i++) {
        float k = (float)val_num(v, i);
        float to = floorf((float)s->dim[axes[i]] * k);
        if (!(k > 0) || !(to >= 1) || to > 1 << 28)
            call_err(c, "a scale of %g for %lld elements", (double)k,
                     (long long)s->dim[axes[i]]);
        r->scale[axes[i]] = k;
        r->size[axes[i]] = (int64_t)to;
    }
}

static void set_sizes(const Call *c, Resize *r, int n, const int64_t *axes,
                      const Val *v)
{
    const Shape *s = &c->arg[0]->shape;
    bool larger = r->keep == NOT_SMALLER;
    float k, all = larger ? 0 : INFINITY;
    int i;

    if (val_count(v) != n)
        call_err(c, "%lld sizes for %d axes", (long long)val_count(v), n);
    for (i = 0; i < n; i++) {
        k = (float)val_num(v, i) / (float)s->dim[axes[i]];
        if (!(val_num(v, i) >= 1) || !(k < 1 << 28))
            call_err(c, "a size of %g for %lld elements", val_num(v, i),
                     (long long)s->dim[axes[i]]);
        all = larger ? fmaxf(all, k) : fminf(all, k);
        r->scale[axes[i]] = k;
        r->size[axes[i]] = (int64_t)val_num(v, i);
    }
    for (i = 0; i < n && r->keep != STRETCH; i++) {
        r->scale[axes[i]] = all;
        r->size[axes[i]] = MAX(1, (int64_t)roundf(
            (float)s->dim[axes[i]] * all));
    }
}

static int choice(const Call *c, const char *name, const char *const *words,
                  int none)
{
    const char *word = call_str(c, name, words[none]);
    int i;

    for (i = 0; words[i]; i++)
        if (!strcmp(words[i], word))
            return i;
    call_err(c, "attribute '%s' is '%s'", name, word);
}

static Resize resize_of(const Call *c)
{
    Resize r = {.mode = mode_of(c)};
    bool old = onnx(c)->opset < 11 || !strcmp(c->op, "Upsample");
    int i;

    r.coord = (Coord)choice(c, "coordinate_transformation_mode", coords,
                            old ? ASYMMETRIC : HALF_PIXEL);
    r.nearest = (Nearest)choice(c, "nearest_mode", nearests,
                                old ? SIMPLE : PREFER_FLOOR);
    r.keep = (Keep)choice(c, "keep_aspect_ratio_policy", keeps, STRETCH);
    r.a = call_num(c, "cubic_coeff_a", -0.75);
    r.inside = call_int(c, "exclude_outside", 0);
    r.smooth = call_int(c, "antialias", 0);
    r.beyond = call_num(c, "extrapolation_value", 0);
    for (i = 0; i < c->arg[0]->shape.rank; i++) {
        r.scale[i] = r.roi[i + RANK] = 1;
        r.size[i] = c->arg[0]->shape.dim[i];
    }
    return r;
}

static int resized(const Call *c, int64_t *axes)
{
    int i, rank = c->arg[0]->shape.rank, n = call_ints(c, "axes", RANK, axes);

    for (i = 0; n < 0 && i < rank; i++)
        axes[i] = i;
    axes_of(c, n, axes, rank);
    return n < 0 ? rank : n;
}

static void set_roi(const Call *c, Resize *r, int n, const int64_t *axes,
                    const Val *v)
{
    int i;

    if (!v || r->coord != CROP)
        return;
    if (val_count(v) != 2 * n)
        call_err(c, "roi has %lld numbers; wanted %d",
                 (long long)val_count(v), 2 * n);
    for (i = 0; i < n; i++) {
        r->roi[axes[i]] = (float)val_num(v, i);
        r->roi[axes[i] + RANK] = (float)val_num(v, i + n);
    }
}

void import_resize(Call *c)
{
    Resize r = resize_of(c);
    bool old = c->narg == 2; /* opset 10: X, scales */
    Val *scales = arg_known(c, old ? 1 : 2), *sizes = arg_known(c, 3);
    int64_t axes[RANK];
    int n = resized(c, axes);

    set_roi(c, &r, n, axes, old ? NULL : arg_known(c, 1));
    if (sizes && val_count(sizes))
        set_sizes(c, &r, n, axes, sizes);
    else if (scales && val_count(scales))
        set_scales(c, &r, n, axes, scales);
    else
        call_err(c, "neither scales nor sizes are given");
    give(c, 0, resize(c, &r, c->arg[0]));
}

void import_upsample(Call *c)
{
    Resize r = resize_of(c);
    Val *scales = arg_known(c, 1);
    int64_t axes[RANK];
    double list[RANK];
    float f[RANK];
    int i, n = resized(c, axes);

    if (!scales) {
        if (call_nums(c, "scales", RANK, list) != n)
            call_err(c, "attribute 'scales' does not have %d numbers", n);
        for (i = 0; i < n; i++)
            f[i] = (float)list[i];
        scales = nums(c, SHAPE(n), f);
    }
    set_scales(c, &r, n, axes, scales);
    give(c, 0, resize(c, &r, c->arg[0]));
}
