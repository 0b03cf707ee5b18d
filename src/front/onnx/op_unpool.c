/* What undoes a pool: the places that a MaxPool's results have, MaxUnpool, and
 * Col2Im. */
#include "front/onnx/window.h"

#include <string.h>

/* Places of elements of x, numbered so that its first spatial axis runs
 * fastest, from those where the last one does. */
static Val *by_columns(Call *c, Val *at, const Val *x)
{
    int rank = x->shape.rank, i;
    int64_t before = 1, d;
    Val *sum = NULL, *digit;

    for (i = 2; i < rank; i++)
        before *= x->shape.dim[i];
    for (i = rank - 1; i >= 2; i--) {
        d = x->shape.dim[i];
        before /= d;
        digit = op_num(c, OP_mul, op_num(c, OP_mod, at, (double)d),
                       (double)before);
        sum = sum ? op2(c, OP_add, sum, digit) : digit;
        at = op_num(c, OP_div, at, (double)d);
    }
    for (i = 2; i < rank; i++)
        before *= x->shape.dim[i];
    return op2(c, OP_add, op_num(c, OP_mul, at, (double)before), sum);
}

Val *pool_places(Call *c, Val *x, const Window *w)
{
    Val *at = pool_of(c, OP_poolat, x, w);

    return call_int(c, "storage_order", 0) ? by_columns(c, at, x) : at;
}

/* Zeros that are made at run time, for there may be many. */
static Val *zeros(Call *c, const Val *like, int64_t count)
{
    Node *n = node_of(c, OP_expand, 1, num_like(c, like, 0));

    attr_set_list(c->g, n, A_shape, 1, &count);
    node_infer(c->g, n);
    return n->res[0];
}

/* The shape that a MaxPool with these attributes would have had. */
static Shape unpooled(Call *c, const Val *x)
{
    int64_t kernel[SPATIAL], stride[SPATIAL], pads[2 * SPATIAL];
    Shape s = x->shape;
    int i, n = s.rank - 2;

    if (n < 1 || !call_has(c, "kernel_shape"))
        call_err(c, "input has %d dimensions; wanted 3 or more, and "
                 "kernel_shape", s.rank);
    list_or(c, "kernel_shape", n, 1, kernel);
    list_or(c, "strides", n, 1, stride);
    list_or(c, "pads", 2 * n, 0, pads);
    for (i = 0; i < n; i++) {
        if (kernel[i] > 1 << 20 || stride[i] > 1 << 20 ||
            pads[i] > 1 << 20 || pads[i + n] > 1 << 20)
            call_err(c, "a window of %lld with stride %lld",
                     (long long)kernel[i], (long long)stride[i]);
        s.dim[i + 2] = (s.dim[i + 2] - 1) * stride[i] + kernel[i] - pads[i] -
                       pads[i + n];
    }
    return shape_checked("the result", s.rank, s.dim);
}

/* Places count in the shape that attributes give; a larger output_shape adds
 * zeros behind. */
void import_maxunpool(Call *c)
{
    Val *x = c->arg[0], *at = c->arg[1], *y;
    int64_t shape[RANK], pads[2 * RANK] = {0};
    int n = arg_ints(c, 2, RANK, shape), i, axis = 0;
    Shape s = unpooled(c, x);
    Node *to;

    if (!shape_same(x->shape, at->shape) || (n > 0 && n != s.rank))
        call_err(c, "an input of shape %s, indices of shape %s; wanted the "
                 "same, and output_shape with as many numbers",
                 shape_str(c->mem, x->shape),
                 shape_str(c->mem, at->shape));
    to = node_of(c, OP_scatterelem, 3, zeros(c, x, shape_count(s)),
                 to_rank(c, at, 1, 0), to_rank(c, x, 1, 0));
    attr_set_int(c->g, to, A_axis, axis);
    y = to_shape(c, done(c, to), s);
    for (i = 0; i < n; i++)
        pads[i + n] = shape[i] - s.dim[i];
    give(c, 0, n > 0 ? pad(c, y, pads, 0, 0) : y);
}

/* The transpose of a convolution in which every element of a window has a
 * channel of its own. */
void import_col2im(Call *c)
{
    Val *x = c->arg[0];
    int64_t image[SPATIAL], outpad[SPATIAL], each = 1, reach, more;
    int i, n = arg_ints(c, 1, SPATIAL, image);
    Window w = {.n = n};
    Shape s = {.rank = 2 + n};

    if (n < 1 || n > 3 || arg_ints(c, 2, SPATIAL, w.kernel) != n ||
        x->shape.rank != 3)
        call_err(c, "an input of shape %s, and an image of %d axes; wanted "
                 "[N,C*block,blocks], and one to three for image and block",
                 shape_str(c->mem, x->shape), n);
    list_or(c, "strides", n, 1, w.stride);
    list_or(c, "dilations", n, 1, w.dilation);
    list_or(c, "pads", 2 * n, 0, w.pad);
    for (i = 0; i < n; i++) {
        if (w.kernel[i] < 1 || w.kernel[i] > 1 << 20)
            call_err(c, "a block of %lld", (long long)w.kernel[i]);
        reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
        more = image[i] + w.pad[i] + w.pad[i + n] - reach;
        s.dim[2 + i] = more < 0 ? 0 : more / w.stride[i] + 1;
        outpad[i] = more < 0 ? 0 : more % w.stride[i];
        each *= w.kernel[i];
    }
    s.dim[0] = x->shape.dim[0];
    s.dim[1] = x->shape.dim[1];
    if (s.dim[1] % each)
        call_err(c, "%lld channels of blocks of %lld elements",
                 (long long)s.dim[1], (long long)each);
    give(c, 0, convt_of(c, to_shape(c, x, s),
                        units(c, x, s.dim[1] / each, &w), NULL, &w,
                        outpad, s.dim[1] / each));
}
