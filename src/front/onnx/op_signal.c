/* Signals: windows and mel matrices, which are constants, and Fourier
 * transforms. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

static const double TURN = 6.28318530717958647692;

/* The one number of operand i. */
static double number(Call *c, int i)
{
    const Val *v = arg_known(c, i);

    if (!v || val_count(v) != 1)
        call_err(c, "operand %d is not one number", i + 1);
    return val_num(v, 0);
}

static int64_t whole(Call *c, int i, int64_t most)
{
    double v = number(c, i);

    if (!(v >= 1 && v <= (double)most) || v != rint(v))
        call_err(c, "operand %d is %g; wanted an integer of 1 to %lld", i + 1,
                 v, (long long)most);
    return (int64_t)v;
}

/* Reals as the type that output_datatype names. */
static Val *typed(Call *c, Val *v)
{
    int onnx = (int)call_int(c, "output_datatype", 1);
    Type t = tensor_type(onnx);

    if (!t)
        call_err(c, "elements of type %s; wanted numbers",
                 tensor_type_name(onnx));
    return cast(c, v, t);
}

/* w(i) = a - b cos(2 pi i / n) + d cos(4 pi i / n) */
static void give_window(Call *c, double a, double b, double d)
{
    int64_t size = whole(c, 0, 1 << 20), n = size, i;
    double t;
    float *v;

    if (!call_int(c, "periodic", 1) && !--n)
        call_err(c, "a symmetric window of one element has no meaning");
    room(c, size);
    v = NEWN(c->mem, float, (size_t)size);
    for (i = 0; i < size; i++) {
        t = TURN * (double)i / (double)n;
        v[i] = (float)(a - b * cos(t) + d * cos(2 * t));
    }
    give(c, 0, typed(c, nums(c, SHAPE(size), v)));
}

void import_hannwindow(Call *c)
{
    give_window(c, 0.5, 0.5, 0);
}

void import_hammingwindow(Call *c)
{
    give_window(c, 25.0 / 46, 21.0 / 46, 0);
}

void import_blackmanwindow(Call *c)
{
    give_window(c, 0.42, 0.5, 0.08);
}

/* A triangle from element lo over mid to hi of a column. */
static void triangle(float *column, int64_t step, int64_t lo, int64_t mid,
                     int64_t hi)
{
    int64_t j;

    for (j = lo; j < mid; j++)
        column[j * step] = (float)(j - lo) / (float)(mid - lo);
    column[mid * step] = 1;
    for (j = mid + 1; j < hi; j++)
        column[j * step] = (float)(hi - j) / (float)(hi - mid);
}

/* The element of a spectrum of n that has n_mel + 2 edges, the i-th of them. */
static int64_t mel_edge(Call *c, int64_t i, int64_t n_mel, int64_t n)
{
    double rate = number(c, 2), lo = number(c, 3), hi = number(c, 4), at;

    if (!(rate > 0 && lo >= 0 && hi > lo && hi <= rate / 2))
        call_err(c, "bands from %g to %g Hz of %g samples a second", lo, hi,
                 rate);
    lo = log1p(lo / 700);
    hi = log1p(hi / 700);
    at = 700 * expm1(lo + (hi - lo) / (double)(n_mel + 2) * (double)i);
    return (int64_t)floor((double)(n + 1) * at / rate);
}

void import_melweightmatrix(Call *c)
{
    int64_t n_mel = whole(c, 0, 1 << 16), n = whole(c, 1, 1 << 20), i;
    Shape s = {.rank = 2, .dim = {n / 2 + 1, n_mel}};
    float *v;

    room(c, shape_count(s));
    v = NEWN(c->mem, float, (size_t)shape_count(s));
    for (i = 0; i < n_mel; i++)
        triangle(v + i, n_mel, mel_edge(c, i, n_mel, n),
                 mel_edge(c, i + 1, n_mel, n), mel_edge(c, i + 2, n_mel, n));
    give(c, 0, typed(c, nums(c, s, v)));
}

/* --- Fourier transforms --- */

/* Cosines and sines of one turn in n parts. */
static Val *turn_table(Call *c, int64_t n)
{
    float *v;
    int64_t i;

    room(c, 2 * n);
    v = NEWN(c->mem, float, 2 * (size_t)n);
    for (i = 0; i < n; i++) {
        v[2 * i] = (float)cos(TURN * (double)i / (double)n);
        v[2 * i + 1] = (float)sin(TURN * (double)i / (double)n);
    }
    return nums(c, SHAPE(n, 2), v);
}

/* The transform of length n along the last axis but one; results: how many of
 * it.  step: from window to window; 0: there is one. */
static Val *transform(Call *c, Val *x, Val *window, int64_t n, int64_t results,
                      int64_t step)
{
    Node *y = node_of(c, OP_dft, 3, x, turn_table(c, n), window);

    attr_set_int(c->g, y, A_p0, results);
    if (step)
        attr_set_int(c->g, y, A_p1, step);
    if (call_int(c, "inverse", 0))
        attr_set_int(c->g, y, A_mode, 1);
    return done(c, y);
}

/* One half of a spectrum of n elements, and its other half: the same from the
 * end, conjugate. */
static Val *both_halves(Call *c, Val *x, int64_t n)
{
    static const float sign[] = {1, -1};
    int axis = x->shape.rank - 2;
    int64_t half = n / 2 + 1, more = half - x->shape.dim[axis];
    int64_t pads[2 * RANK] = {0};
    Val *two[2];

    pads[axis + x->shape.rank] = MAX(more, 0);
    x = more > 0 ? pad(c, x, pads, 0, 0) : part(c, x, axis, 0, half, 1);
    if (n == half)
        return x;
    two[0] = x;
    two[1] = part(c, x, axis, n - half, n - half, -1);
    two[1] = op2(c, OP_mul, two[1], nums(c, SHAPE(2), sign));
    return join(c, axis, 2, two);
}

/* Of a spectrum that is known by half, a real signal. */
static Val *to_real(Call *c, Val *x, int64_t n)
{
    x = both_halves(c, x, n);
    x = transform(c, x, NULL, n, n, 0);
    return part(c, x, x->shape.rank - 1, 0, 1, 1);
}

/* x with two axes in each other's place. */
static Val *swapped(Call *c, Val *x, int a, int b)
{
    int64_t order[RANK];
    int i;

    for (i = 0; i < x->shape.rank; i++)
        order[i] = i == a ? b : i == b ? a : i;
    return perm(c, x, order);
}

static void check_signal(Call *c, const Val *x, int64_t numbers)
{
    int rank = x->shape.rank;
    int64_t have = rank ? x->shape.dim[rank - 1] : 0;

    if (rank < 2 || have < 1 || have > 2)
        call_err(c, "the input has shape %s; wanted [..,n,1] (real) or "
                 "[..,n,2] (complex)", shape_str(c->mem, x->shape));
    if (numbers && have != numbers)
        call_err(c, "onesided wants %s input, and the input has shape %s",
                 numbers == 1 ? "real" : "complex",
                 shape_str(c->mem, x->shape));
}

static int dft_axis(Call *c, int rank)
{
    int64_t axis = call_int(c, "axis", onnx(c)->opset < 20 ? 1 : -2);

    if (arg_at(c, 2))
        arg_ints(c, 2, 1, &axis);
    if (axis_of(c, axis, rank) == rank - 1)
        call_err(c, "axis %lld holds real and imaginary parts",
                 (long long)axis);
    return axis_of(c, axis, rank);
}

void import_dft(Call *c)
{
    bool half = call_int(c, "onesided", 0), back = call_int(c, "inverse", 0);
    Val *x = c->arg[0];
    int rank = x->shape.rank, axis;
    int64_t n;

    check_signal(c, x, !half ? 0 : back ? 2 : 1);
    axis = dft_axis(c, rank);
    n = x->shape.dim[axis];
    n = half && back ? 2 * (n - 1) : n;
    if (arg_at(c, 1))
        n = whole(c, 1, 1 << 20);
    if (n < 1)
        call_err(c, "a transform of length %lld", (long long)n);
    x = swapped(c, x, axis, rank - 2);
    x = half && back ? to_real(c, x, n)
                     : transform(c, x, NULL, n, half ? n / 2 + 1 : n, 0);
    give(c, 0, swapped(c, x, axis, rank - 2));
}

void import_stft(Call *c)
{
    Val *x = c->arg[0], *window = arg_at(c, 2);
    bool half = call_int(c, "onesided", 1);
    int64_t step = whole(c, 1, INT32_MAX), n;

    check_signal(c, x, half);
    n = x->shape.dim[x->shape.rank - 2];
    if (arg_at(c, 3))
        n = whole(c, 3, 1 << 20);
    else if (window)
        n = val_count(window);
    give(c, 0, transform(c, x, window, n, half ? n / 2 + 1 : n, step));
}
