/* Operators that move elements and compute nothing. */
#include "front/onnx/import.h"

#include <math.h>
#include <string.h>

void import_reshape(Call *c)
{
    Val *x = c->arg[0];
    int64_t want[RANK], rest = val_count(x);
    int i, open = -1, n = list_of(c, 1, "shape", RANK, want);
    bool zero = call_int(c, "allowzero", 0);

    if (n < 0)
        call_err(c, "input 2, the new shape, is missing");
    for (i = 0; i < n; i++) {
        if (want[i] == 0 && !zero && i < x->shape.rank)
            want[i] = x->shape.dim[i];
        if (want[i] == -1 && open < 0)
            open = i;
        else if (want[i] < 0 || (want[i] && rest % want[i]))
            call_err(c, "%lld elements of shape %s cannot take the new shape",
                     (long long)val_count(x),
                     shape_str(c->mem, x->shape));
        else if (want[i])
            rest /= want[i];
    }
    if (open >= 0)
        want[open] = rest;
    give(c, 0, to_shape(c, x, shape_checked("the result", n, want)));
}

void import_flatten(Call *c)
{
    Val *x = c->arg[0];
    int64_t axis = call_int(c, "axis", 1);
    Shape s = {.rank = 2, .dim = {1, 1}};
    int i, at;

    at = axis == x->shape.rank ? x->shape.rank
                               : axis_of(c, axis, x->shape.rank);
    for (i = 0; i < x->shape.rank; i++)
        s.dim[i >= at] *= x->shape.dim[i];
    give(c, 0, to_shape(c, x, s));
}

void import_squeeze(Call *c)
{
    Val *x = c->arg[0];
    int64_t axes[RANK];
    bool drop[RANK] = {false};
    int i, n = list_of(c, 1, "axes", RANK, axes);
    Shape s = {0};

    axes_of(c, n, axes, x->shape.rank);
    for (i = 0; i < n; i++)
        drop[axes[i]] = true;
    for (i = 0; i < x->shape.rank; i++) {
        if (n < 0 && x->shape.dim[i] == 1)
            continue;
        if (!drop[i])
            s.dim[s.rank++] = x->shape.dim[i];
    }
    give(c, 0, to_shape(c, x, s));
}

void import_unsqueeze(Call *c)
{
    Val *x = c->arg[0];
    int64_t axes[RANK];
    bool fresh[RANK] = {false};
    int i, j = 0, n = list_of(c, 1, "axes", RANK, axes);
    Shape s = {0};

    if (n < 0)
        call_err(c, "axes are missing");
    s.rank = x->shape.rank + n;
    if (s.rank > RANK)
        call_err(c, "%d dimensions; %d is the most", s.rank, RANK);
    axes_of(c, n, axes, s.rank);
    for (i = 0; i < n; i++)
        fresh[axes[i]] = true;
    for (i = 0; i < s.rank; i++)
        s.dim[i] = fresh[i] ? 1 : x->shape.dim[j++];
    give(c, 0, to_shape(c, x, s));
}

void import_transpose(Call *c)
{
    Val *x = c->arg[0];
    int64_t order[RANK];
    int i, n = call_ints(c, "perm", RANK, order), rank = x->shape.rank;

    for (i = 0; n < 0 && i < rank; i++)
        order[i] = rank - 1 - i;
    if (n >= 0 && n != rank)
        call_err(c, "perm has %d numbers; wanted %d", n, rank);
    for (i = 0; i < rank; i++)
        order[i] = axis_of(c, order[i], rank);
    give(c, 0, perm(c, x, order));
}

void import_concat(Call *c)
{
    int64_t axis = call_int(c, "axis", 1);

    mix(c, c->narg, c->arg);
    give(c, 0, join(c, axis_of(c, axis, c->arg[0]->shape.rank), c->narg,
                    c->arg));
}

/* Sizes of the parts: listed, or as equal as they come. */
static int split_sizes(Call *c, int64_t dim, int64_t *size)
{
    int i, n = list_of(c, 1, "split", c->nres, size);
    int64_t each, all = 0;

    if (n < 0) {
        n = (int)call_int(c, "num_outputs", c->nres);
        if (n != c->nres)
            call_err(c, "num_outputs is %d with %d outputs", n, c->nres);
        each = (dim + n - 1) / n;
        for (i = 0; i < n; i++)
            size[i] = MAX(0, MIN(each, dim - i * each));
    }
    for (i = 0; i < n; i++) {
        if (size[i] < 0 || size[i] > dim)
            call_err(c, "a part of %lld elements of %lld", (long long)size[i],
                     (long long)dim);
        all += size[i];
    }
    if (all != dim)
        call_err(c, "the parts have %lld elements together; wanted %lld",
                 (long long)all, (long long)dim);
    return n;
}

void import_split(Call *c)
{
    Val *x = c->arg[0];
    int axis = axis_of(c, call_int(c, "axis", 0), x->shape.rank), i, n;
    int64_t at = 0;
    int64_t *size = NEWN(c->mem, int64_t, (size_t)c->nres + 1);

    if (!c->nres)
        return;
    n = split_sizes(c, x->shape.dim[axis], size);
    for (i = 0; i < n; at += size[i], i++)
        if (*onnx(c)->p->output[i])
            give(c, i, part(c, x, axis, at, size[i], 1));
}

/* One axis of a Slice, clamped as ONNX says. */
static void slice_axis(const Call *c, Shape *s, int64_t *start, int axis,
                       int64_t from, int64_t to, int64_t by)
{
    int64_t d = s->dim[axis];
    int64_t least = by < 0 ? -1 : 0, most = by < 0 ? d - 1 : d;

    if (!by || by == INT64_MIN)
        call_err(c, "a step of %lld", (long long)by);
    if (from < 0)
        from = MAX(from, -d - 1) + d;
    if (to < 0)
        to = MAX(to, -d - 1) + d;
    from = MAX(by < 0 ? -1 : 0, MIN(most, from));
    to = MAX(least, MIN(most, to));
    if (by > 0)
        s->dim[axis] = to > from ? (to - from - 1) / by + 1 : 0;
    else
        s->dim[axis] = from > to ? (from - to - 1) / -by + 1 : 0;
    *start = s->dim[axis] ? from : 0;
}

static Val *slice(Call *c, Val *x, int n, const int64_t *from,
                  const int64_t *to, int64_t *axes, const int64_t *by)
{
    int64_t start[RANK] = {0}, step[RANK];
    Shape s = x->shape;
    Node *y;
    int i, axis;

    for (i = 0; i < s.rank; i++)
        step[i] = 1;
    axes_of(c, n, axes, s.rank);
    for (i = 0; i < n; i++) {
        axis = (int)axes[i];
        step[axis] = by ? by[i] : 1;
        slice_axis(c, &s, &start[axis], axis, from[i], to[i], step[axis]);
    }
    for (i = 0; i < s.rank && step[i] == 1 && s.dim[i] == x->shape.dim[i]; i++)
        ;
    if (i == s.rank)
        return x;
    if (!shape_count(s))
        return graph_const(c->g, x->name, x->type, s, NULL);
    y = node_of(c, OP_slice, 1, x);
    attr_set_list(c->g, y, A_start, s.rank, start);
    attr_set_list(c->g, y, A_step, s.rank, step);
    attr_set_list(c->g, y, A_count, s.rank, s.dim);
    return done(c, y);
}

void import_slice(Call *c)
{
    int64_t from[RANK], to[RANK], axes[RANK], by[RANK];
    int n = list_of(c, 1, "starts", RANK, from);
    int m = list_of(c, 2, "ends", RANK, to);
    int naxis = list_of(c, 3, "axes", RANK, axes);
    int nby = arg_ints(c, 4, RANK, by), i;

    if (n < 0 || m != n || (naxis >= 0 && naxis != n) ||
        (nby >= 0 && nby != n))
        call_err(c, "starts, ends, axes and steps are not as many");
    for (i = 0; i < n && naxis < 0; i++)
        axes[i] = i;
    give(c, 0, slice(c, c->arg[0], n, from, to, axes, nby < 0 ? NULL : by));
}

void import_expand(Call *c)
{
    int64_t dim[RANK];
    int n = arg_ints(c, 1, RANK, dim);
    Shape s = broadcast(c, c->arg[0]->shape,
                        shape_checked("the new shape", n, dim));

    give(c, 0, spread(c, c->arg[0], shape_checked("the result", s.rank,
                                                  s.dim)));
}

/* r copies along an axis: [a,d,b] -> [a,1,d,b] -> [a,r,d,b] -> [a,rd,b]. */
static Val *repeat(Call *c, Val *x, int axis, int64_t r)
{
    Shape s = x->shape, split = {.rank = 4, .dim = {1, 1, 1, 1}};
    int i;

    if (r == 1)
        return x;
    for (i = 0; i < s.rank; i++)
        split.dim[i < axis ? 0 : i == axis ? 2 : 3] *= s.dim[i];
    x = to_shape(c, x, split);
    split.dim[1] = r;
    s.dim[axis] *= r;
    x = spread(c, x, shape_checked("the result", 4, split.dim));
    return to_shape(c, x, s);
}

void import_tile(Call *c)
{
    Val *x = c->arg[0];
    int64_t r[RANK];
    int i, n = arg_ints(c, 1, RANK, r);
    Shape s = x->shape;

    if (n != x->shape.rank)
        call_err(c, "%d repeats for %d dimensions", n, x->shape.rank);
    for (i = 0; i < n; i++) {
        s.dim[i] = r[i] < 0 || r[i] > 1 << 28 ? -1 : s.dim[i] * r[i];
        shape_checked("the result", i + 1, s.dim);
    }
    if (!shape_count(s)) {
        give(c, 0, graph_const(c->g, NULL, x->type, s, NULL));
        return;
    }
    for (i = 0; i < n; i++)
        x = repeat(c, x, i, r[i]);
    give(c, 0, x);
}

static int pad_mode(const Call *c)
{
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
    const char *mode = call_str(c, "mode", "constant");
    int i;

    for (i = 0; i < (int)LEN(modes); i++)
        if (!strcmp(modes[i], mode))
            return i;
    call_err(c, "mode is '%s'; wanted constant, reflect, edge or wrap", mode);
}

/* Negative pads cut elements off, before any are added; gives what is left to
 * add. */
static Val *crop(Call *c, Val *x, const int64_t *pads, int64_t *left)
{
    int rank = x->shape.rank, i;
    int64_t d, from, to;

    for (i = 0; i < rank; i++) {
        d = x->shape.dim[i];
        from = MAX(0, -pads[i]);
        to = d - MAX(0, -pads[i + rank]);
        left[i] = MAX(0, pads[i]);
        left[i + rank] = MAX(0, pads[i + rank]);
        if (from >= to && d)
            call_err(c, "axis %d of %lld elements is padded by %lld and %lld: "
                     "nothing is left of it", i, (long long)d,
                     (long long)pads[i], (long long)pads[i + rank]);
        x = part(c, x, i, from, MAX(0, to - from), 1);
    }
    return x;
}

Val *pad(Call *c, Val *x, const int64_t *pads, double value, int mode)
{
    int rank = x->shape.rank, i, some = 0;
    int64_t left[2 * RANK];
    Node *n;

    for (i = 0; i < 2 * rank; i++) {
        some |= pads[i] > 0;
        if (pads[i] > 1 << 28 || pads[i] < -(1 << 28))
            call_err(c, "padding of %lld", (long long)pads[i]);
    }
    x = crop(c, x, pads, left);
    if (!some)
        return x;
    n = node_of(c, OP_pad, 1, x);
    attr_set_list(c->g, n, A_pad, 2 * rank, left);
    if (mode)
        attr_set_int(c->g, n, A_mode, mode);
    else if (val_is_int(x) && value != 0)
        attr_set_int(c->g, n, A_p0, llrint(value));
    else if (value != 0)
        attr_set_num(c->g, n, A_alpha, value);
    return done(c, n);
}

/* Pads given for some axes only, spread over all. */
static void pads_of_axes(Call *c, int rank, int n, int64_t *pads)
{
    int64_t axes[RANK], given[2 * RANK];
    int i, naxis = arg_ints(c, 3, RANK, axes);

    if (n != 2 * (naxis < 0 ? rank : naxis))
        call_err(c, "%d pads; wanted %d", n, 2 * (naxis < 0 ? rank : naxis));
    if (naxis < 0)
        return;
    memcpy(given, pads, sizeof given);
    memset(pads, 0, 2 * RANK * sizeof *pads);
    axes_of(c, naxis, axes, rank);
    for (i = 0; i < naxis; i++) {
        pads[axes[i]] = given[i];
        pads[axes[i] + rank] = given[i + naxis];
    }
}

void import_pad(Call *c)
{
    Val *x = c->arg[0], *v = arg_known(c, 2);
    int64_t pads[2 * RANK] = {0};
    int n = list_of(c, 1, "pads", 2 * RANK, pads);
    double value = v && val_count(v) ? val_num(v, 0)
                                     : call_num(c, "value", 0);

    if (n < 0)
        call_err(c, "pads are missing");
    pads_of_axes(c, x->shape.rank, n, pads);
    give(c, 0, pad(c, x, pads, value, pad_mode(c)));
}

/* Channels and squares of space are axes of a larger tensor in between. */
static void blocks(Call *c, const int64_t *split, const int64_t *order,
                   const int64_t *y)
{
    Val *x = to_shape(c, c->arg[0], shape_of(6, split));

    x = perm(c, x, order);
    give(c, 0, to_shape(c, x, shape_of(4, y)));
}

static int64_t block_size(const Call *c)
{
    int64_t b = call_need(c, "blocksize");

    if (c->arg[0]->shape.rank != 4 || b < 1 || b > 1 << 10)
        call_err(c, "blocks of %lld in %d dimensions; wanted 4 dimensions",
                 (long long)b, c->arg[0]->shape.rank);
    return b;
}

void import_depthtospace(Call *c)
{
    const int64_t *d = c->arg[0]->shape.dim, b = block_size(c);
    int64_t y[] = {d[0], d[1] / (b * b), d[2] * b, d[3] * b};

    if (d[1] % (b * b))
        call_err(c, "%lld channels are no multiple of %lld", (long long)d[1],
                 (long long)(b * b));
    if (strcmp(call_str(c, "mode", "DCR"), "CRD"))
        blocks(c, (int64_t[]){d[0], b, b, y[1], d[2], d[3]},
               (int64_t[]){0, 3, 4, 1, 5, 2}, y);
    else
        blocks(c, (int64_t[]){d[0], y[1], b, b, d[2], d[3]},
               (int64_t[]){0, 1, 4, 2, 5, 3}, y);
}

void import_spacetodepth(Call *c)
{
    const int64_t *d = c->arg[0]->shape.dim, b = block_size(c);
    int64_t y[] = {d[0], d[1] * b * b, d[2] / b, d[3] / b};

    if (d[2] % b || d[3] % b)
        call_err(c, "%lld x %lld is no multiple of %lld", (long long)d[2],
                 (long long)d[3], (long long)b);
    if (strcmp(call_str(c, "mode", "DCR"), "CRD"))
        blocks(c, (int64_t[]){d[0], d[1], y[2], b, y[3], b},
               (int64_t[]){0, 3, 5, 1, 2, 4}, y);
    else
        blocks(c, (int64_t[]){d[0], d[1], y[2], b, y[3], b},
               (int64_t[]){0, 1, 3, 5, 2, 4}, y);
}

/* Half of what is more or less goes before, the rest behind. */
void import_centercroppad(Call *c)
{
    Val *x = c->arg[0];
    int64_t size[RANK], axes[RANK], pads[2 * RANK] = {0}, more;
    int rank = x->shape.rank, n = arg_ints(c, 1, RANK, size), i, axis;
    int given = call_ints(c, "axes", RANK, axes);

    if (n != (given < 0 ? rank : given))
        call_err(c, "%d sizes for %d axes", n, given < 0 ? rank : given);
    for (i = 0; i < n; i++) {
        axis = given < 0 ? i : axis_of(c, axes[i], rank);
        if (size[i] < 0 || size[i] > 1 << 28)
            call_err(c, "a size of %lld", (long long)size[i]);
        more = size[i] - x->shape.dim[axis];
        pads[axis] = more / 2;
        pads[axis + rank] = more - more / 2;
    }
    give(c, 0, pad(c, x, pads, 0, 0));
}
