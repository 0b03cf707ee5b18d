/* Samples of images by a grid, and boxes. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

/* Which of n words an attribute is; schema.def knows no others. */
static int word_of(Call *c, const char *name, const char *none, int n,
                   const char *const *words)
{
    const char *word = call_str(c, name, none);
    int i;

    for (i = 0; i + 1 < n && strcmp(words[i], word); i++)
        ;
    return i;
}

void import_gridsample(Call *c)
{
    /* two names for one mode: opsets 16 and 20 */
    static const char *const modes[] = {"linear", "nearest", "cubic",
                                        "bilinear", "nearest", "bicubic"};
    static const char *const pads[] = {"zeros", "border", "reflection"};
    Node *n = node_of(c, OP_gridsample, 2, floats(c, c->arg[0]),
                      floats(c, c->arg[1]));

    attr_set_int(c->g, n, A_mode, word_of(c, "mode", "linear", 6, modes) % 3);
    attr_set_int(c->g, n, A_p0, word_of(c, "padding_mode", "zeros", 3, pads));
    attr_set_int(c->g, n, A_p1, call_int(c, "align_corners", 0));
    give(c, 0, done(c, n));
}

/* Where element i of n lies between the ends of an axis, which are -1 and 1:
 * the centres of the outer elements, or their edges.  The centre of one element
 * is at -1, as ONNX's Python reference has it. */
static float middle(int64_t i, int64_t n, bool corners)
{
    if (corners)
        return n > 1 ? (float)(2.0 * (double)i / (double)(n - 1) - 1) : -1;
    return (float)((2.0 * (double)i + 1) / (double)n - 1);
}

/* For each element of the axes of s, the last axis first: where it lies, and
 * a 1. */
static Val *places(Call *c, Shape s, bool corners)
{
    int64_t n = shape_count(s), i, rest;
    int width = s.rank + 1, k;
    float *v;

    room(c, n * width);
    v = NEWN(c->mem, float, (size_t)(n * width) + 1);
    for (i = 0; i < n; i++) {
        for (k = 0, rest = i; k < s.rank; k++) {
            int64_t d = s.dim[s.rank - 1 - k];

            v[i * width + k] = middle(rest % d, d, corners);
            rest /= d;
        }
        v[i * width + k] = 1;
    }
    return nums(c, SHAPE(n, width), v);
}

void import_affinegrid(Call *c)
{
    Val *theta = c->arg[0], *y;
    Shape t = theta->shape, s = {.rank = 0}, out = {.rank = 0};
    int64_t size[RANK];
    int n = arg_ints(c, 1, RANK, size), i;

    if (n < 4 || n > 5 || t.rank != 3 || t.dim[0] != size[0] ||
        t.dim[1] != n - 2 || t.dim[2] != n - 1)
        call_err(c, "a size of %d numbers and matrices of shape %s; wanted "
                 "[N,C,H,W] and [N,2,3], or [N,C,D,H,W] and [N,3,4]", n,
                 shape_str(c->mem, t));
    out.dim[out.rank++] = size[0];
    for (i = 2; i < n; i++)
        out.dim[out.rank++] = s.dim[s.rank++] = size[i];
    out.dim[out.rank++] = s.rank;
    s = shape_checked("the grid", s.rank, s.dim);
    y = matmul(c, places(c, s, call_int(c, "align_corners", 0)), theta, NULL,
               false, true);
    give(c, 0, to_shape(c, y, out));
}

/* One number, or what is meant where there is none. */
static double number_or(Call *c, int i, double none)
{
    const Val *v = arg_known(c, i);

    if (v && val_count(v) != 1)
        call_err(c, "operand %d has %lld numbers; wanted one", i + 1,
                 (long long)val_count(v));
    return v ? val_num(v, 0) : none;
}

/* The result has the rows that there can be at most: what is behind those
 * that are found is -1. */
void import_nonmaxsuppression(Call *c)
{
    Shape s = c->arg[0]->shape;
    double most = number_or(c, 2, 0);
    Node *n;

    if (s.rank != 3 || !(most >= 1))
        call_err(c, "at most %g boxes a class, of boxes of shape %s; wanted 1 "
                 "or more, and [batches,boxes,4]", most,
                 shape_str(c->mem, s));
    n = node_of(c, OP_nms, 2, c->arg[0], c->arg[1]);
    attr_set_int(c->g, n, A_p0, (int64_t)fmin(most, (double)s.dim[1]));
    if (call_int(c, "center_point_box", 0))
        attr_set_int(c->g, n, A_mode, 1);
    attr_set_num(c->g, n, A_alpha, number_or(c, 3, 0));
    attr_set_num(c->g, n, A_beta, number_or(c, 4, -INFINITY));
    give(c, 0, done(c, n));
}
