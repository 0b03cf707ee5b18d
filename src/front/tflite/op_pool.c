/* Pools over windows. */
#include "front/tflite/window.h"

static Val *pool(Call *c, OpCode op, Val *x, const Window *w)
{
    Node *n = node_of(c, op, 1, x);

    attr_set_list(c->g, n, A_kernel, 2, w->kernel);
    window_set(c, n, w);
    return done(c, n);
}

static Window pool_window(Call *c)
{
    Window w = {.stride = {option32(c, 2, 0), option32(c, 1, 0)},
                .kernel = {option32(c, 4, 0), option32(c, 3, 0)},
                .dilation = {1, 1}};

    window_pad(c, &w, option8(c, 0, 0), image(c, 0)->shape.dim + 2);
    return w;
}

/* How many elements of x a window at place o of axis i holds. */
static int64_t inside(const Window *w, int i, int64_t o, int64_t size)
{
    int64_t from = o * w->stride[i] - w->before[i];

    return MIN(from + w->kernel[i], size) - MAX(from, 0);
}

/* sum / n to the nearest, ties away from zero: (sum mul + half) >> shift, where
 * mul is a little more than 2^shift / n, so that ties move away from zero. */
static int64_t one_nth(int64_t n, int shift)
{
    return ((int64_t)1 << shift) / n + 1;
}

/* Sums are of up to `most` in magnitude per element. */
static int shift_for(int64_t n, int64_t most)
{
    int shift = 1;

    while (((int64_t)1 << shift) <= 2 * most * n * n)
        shift++;
    return shift;
}

static void average(Call *c, const Window *w, Act act)
{
    const Tensor *y = out(c, 0);
    Val *x = image(c, 0), *mul, *add, *v;
    int64_t n = w->kernel[0] * w->kernel[1], i, j, lo, hi, *m;
    int shift = shift_for(n, is_int16(y) ? 32768 : 256);
    Shape s = {.rank = 4};
    Node *node;

    if (n > 1 << 16)
        call_err(c, "a window of %lld elements; wanted at most 2^16",
                 (long long)n);
    v = pool(c, OP_sumpool, x, w);
    s.dim[0] = s.dim[1] = 1;
    s.dim[2] = v->shape.dim[2];
    s.dim[3] = v->shape.dim[3];
    m = NEWN(c->mem, int64_t, (size_t)shape_count(s) + 1);
    for (i = 0; i < s.dim[2]; i++)
        for (j = 0; j < s.dim[3]; j++)
            m[i * s.dim[3] + j] = one_nth(inside(w, 0, i, x->shape.dim[2]) *
                inside(w, 1, j, x->shape.dim[3]), shift);
    for (i = 1; i < shape_count(s) && m[i] == m[0]; i++)
        ;
    if (i == shape_count(s))
        s.rank = 0;
    mul = ints(c, T_s64, s, m);
    add = ints(c, T_s64, (Shape){0}, &(int64_t){(int64_t)1 << (shift - 1)});
    bounds(c, y, act, &lo, &hi);
    node = s.rank ? node_of(c, OP_requant, 3, v, mul, add)
                  : node_of(c, OP_sumpool, 3, x, mul, add);
    if (!s.rank) {
        attr_set_list(c->g, node, A_kernel, 2, w->kernel);
        window_set(c, node, w);
    }
    attr_set_int(c->g, node, A_shift, shift);
    attr_set_int(c->g, node, A_lo, lo);
    attr_set_int(c->g, node, A_hi, hi);
    give_image(c, 0, done(c, node));
}

void lite_average_pool_2d(Call *c)
{
    const Tensor *x = need(c, 0), *y = out(c, 0);
    Window w = pool_window(c);
    Act act = act_of(c, 5);

    if (is_float(x)) {
        give_image(c, 0, float_act(c, pool(c, OP_avgpool, image(c, 0), &w),
                                   act));
        return;
    }
    want_quantized(c, x);
    same_scale(c, x, y);
    average(c, &w, act);
}

/* A clip that binds nothing makes no node. */
static Val *clip_to(Call *c, Val *v, const Tensor *y, Act act)
{
    int64_t lo, hi;

    bounds(c, y, act, &lo, &hi);
    return clamp(c, v, (double)lo, (double)hi);
}

void lite_max_pool_2d(Call *c)
{
    const Tensor *x = need(c, 0);
    Window w = pool_window(c);
    Act act = act_of(c, 5);
    Val *v = pool(c, OP_maxpool, image(c, 0), &w);

    if (is_float(x)) {
        give_image(c, 0, float_act(c, v, act));
        return;
    }
    want_quantized(c, x);
    same_scale(c, x, out(c, 0));
    give_image(c, 0, clip_to(c, v, out(c, 0), act));
}

/* The root of the mean square. */
void lite_l2_pool_2d(Call *c)
{
    Window w = pool_window(c);
    Act act = act_of(c, 5);
    Val *x = image(c, 0);

    if (!is_float(need(c, 0)))
        call_err(c, "of type %s; wanted float32", type_name(in(c, 0)->type));
    x = pool(c, OP_avgpool, op2(c, OP_mul, x, x), &w);
    give_image(c, 0, float_act(c, op1(c, OP_sqrt, x), act));
}
