/* Operators that move data: shapes, slices, padding, concatenation. */
#include "front/tflite/import.h"

#include <string.h>

/* --- shapes --- */

Shape shape_told(const Call *c, const Val *x, int64_t n, const int64_t *list)
{
    Shape s = {.rank = (int)n};
    int64_t all = 1;
    int i, open = -1;

    for (i = 0; i < s.rank; i++) {
        s.dim[i] = list[i];
        if (list[i] == -1)
            open = i;
        else
            all *= MAX(list[i], 1);
    }
    if (open >= 0)
        s.dim[open] = val_count(x) / MAX(all, 1);
    return shape_checked(arena_fmt(c->mem, "node '%s'", c->name), s.rank,
                         s.dim);
}

void lite_reshape(Call *c)
{
    const Tensor *y = out(c, 0);
    Val *x = plain(c, 0);
    int64_t list[RANK], n;

    if (y->has_shape) {
        give_plain(c, 0, to_shape(c, x, y->shape));
        return;
    }
    if (!in(c, 1)) { /* to a single number */
        give_plain(c, 0, to_shape(c, x, (Shape){0}));
        return;
    }
    n = list_at(c, 1, RANK, list);
    give_plain(c, 0, to_shape(c, x, shape_told(c, x, n, list)));
}

/* The result's shape is the file's: axes of size 1 come or go. */
void lite_squeeze(Call *c)
{
    Val *x = plain(c, 0);
    Shape s = {0};
    int i;

    for (i = 0; i < x->shape.rank; i++)
        if (x->shape.dim[i] != 1)
            s.dim[s.rank++] = x->shape.dim[i];
    give_plain(c, 0, to_shape(c, x, out(c, 0)->has_shape ? out(c, 0)->shape
                                                         : s));
}

void lite_expand_dims(Call *c)
{
    Val *x = plain(c, 0);
    Shape s = {.rank = x->shape.rank + 1};
    int64_t at;
    int i;

    if (s.rank > RANK || list_at(c, 1, 1, &at) != 1)
        call_err(c, "wanted one axis, and at most %d dimensions", RANK);
    at = axis_of(c, at, s.rank);
    for (i = 0; i < s.rank; i++)
        s.dim[i] = i == at ? 1 : x->shape.dim[i - (i > at)];
    give_plain(c, 0, to_shape(c, x, s));
}

void lite_shape(Call *c)
{
    Shape x = plain(c, 0)->shape, s = {.rank = 1, .dim = {x.rank}};

    give_plain(c, 0, ints(c, T_s64, s, x.dim));
}

void lite_transpose(Call *c)
{
    Val *x = plain(c, 0);
    int64_t order[RANK];

    if (list_at(c, 1, RANK, order) != x->shape.rank)
        call_err(c, "wanted a permutation of %d axes", x->shape.rank);
    axes_of(c, x->shape.rank, order, x->shape.rank);
    give_plain(c, 0, perm(c, x, order));
}

/* --- slices --- */

static Val *slice(Call *c, Val *x, const int64_t *start, const int64_t *step,
                  const int64_t *count)
{
    Node *n;
    int i, rank = x->shape.rank, whole = 1;

    for (i = 0; i < rank; i++)
        whole &= start[i] == 0 && step[i] == 1 && count[i] == x->shape.dim[i];
    if (whole)
        return x;
    n = node_of(c, OP_slice, 1, x);
    attr_set_list(c->g, n, A_start, rank, start);
    attr_set_list(c->g, n, A_step, rank, step);
    attr_set_list(c->g, n, A_count, rank, count);
    return done(c, n);
}

void lite_slice(Call *c)
{
    Val *x = plain(c, 0);
    int64_t from[RANK], len[RANK], step[RANK];
    int i, rank = x->shape.rank;

    if (list_at(c, 1, RANK, from) != rank || list_at(c, 2, RANK, len) != rank)
        call_err(c, "wanted %d starts and sizes", rank);
    for (i = 0; i < rank; i++) {
        step[i] = 1;
        if (len[i] == -1)
            len[i] = x->shape.dim[i] - from[i];
        if (from[i] < 0 || len[i] < 0 || from[i] > x->shape.dim[i] ||
            len[i] > x->shape.dim[i] - from[i])
            call_err(c, "elements %lld to %lld of axis %d, which has %lld",
                     (long long)from[i], (long long)(from[i] + len[i]), i,
                     (long long)x->shape.dim[i]);
    }
    give_plain(c, 0, slice(c, x, from, step, len));
}

/* One axis of a strided slice: where it starts, and how many it takes. */
static void stride_axis(const Call *c, int i, int64_t size, bool all_before,
                        bool all_behind, bool one, int64_t *from, int64_t end,
                        int64_t step, int64_t *count)
{
    int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;

    if (step == 0 || step == INT64_MIN)
        call_err(c, "a step of 0 on axis %d", i);
    *from += *from < 0 ? size : 0;
    end += end < 0 ? size : 0;
    *from = all_before ? (step > 0 ? 0 : size - 1)
                       : MIN(MAX(*from, least), most);
    end = all_behind ? (step > 0 ? size : -1) : MIN(MAX(end, least), most);
    if (one)
        end = *from + (step > 0 ? 1 : -1);
    *count = step > 0 ? (end - *from + step - 1) / step
                      : (*from - end - step - 1) / -step;
    *count = MAX(*count, 0);
    if (!*count)
        *from = 0;
    if (one && (*from < 0 || *from >= size))
        call_err(c, "element %lld of axis %d, which has %lld",
                 (long long)*from, i, (long long)size);
}

void lite_strided_slice(Call *c)
{
    Val *x = plain(c, 0);
    int64_t from[RANK], end[RANK], step[RANK], count[RANK], k;
    int64_t begins = option32(c, 0, 0), ends = option32(c, 1, 0);
    int64_t shrink = option32(c, 4, 0);
    Shape s = {0};
    int i, rank = x->shape.rank;

    if (option32(c, 2, 0) || option32(c, 3, 0))
        call_err(c, "it has an ellipsis or new axes; wanted neither");
    k = list_at(c, 1, RANK, from);
    if (list_at(c, 2, RANK, end) != k || list_at(c, 3, RANK, step) != k ||
        k > rank)
        call_err(c, "wanted as many starts, ends and steps, at most %d", rank);
    for (i = 0; i < rank; i++) {
        if (i >= k) {
            from[i] = 0;
            end[i] = x->shape.dim[i];
            step[i] = 1;
        }
        if (option8(c, 5, 0) && i < k)
            end[i] += from[i];
        stride_axis(c, i, x->shape.dim[i], begins >> i & 1, ends >> i & 1,
                    shrink >> i & 1, &from[i], end[i], step[i], &count[i]);
        if (!(shrink >> i & 1))
            s.dim[s.rank++] = count[i];
    }
    give_plain(c, 0, to_shape(c, slice(c, x, from, step, count), s));
}

static void split(Call *c, Val *x, int axis, const int64_t *len)
{
    int64_t at = 0;
    int i;

    for (i = 0; i < c->nres; i++) {
        if (len[i] < 0 || len[i] > x->shape.dim[axis] - at)
            call_err(c, "its parts are longer than axis %d", axis);
        give_plain(c, i, part(c, x, axis, at, len[i], 1));
        at += len[i];
    }
}

void lite_split(Call *c)
{
    Val *x = plain(c, 1);
    int64_t axis, *len = NEWN(c->mem, int64_t, (size_t)c->nres + 1);
    int i;

    list_at(c, 0, 1, &axis);
    axis = axis_of(c, axis, x->shape.rank);
    if (!c->nres || x->shape.dim[axis] % c->nres)
        call_err(c, "%lld elements in %d parts",
                 (long long)x->shape.dim[axis], c->nres);
    for (i = 0; i < c->nres; i++)
        len[i] = x->shape.dim[axis] / c->nres;
    split(c, x, (int)axis, len);
}

void lite_split_v(Call *c)
{
    Val *x = plain(c, 0);
    int64_t axis, *len = NEWN(c->mem, int64_t, (size_t)c->nres + 1), sum = 0;
    int i, open = -1;

    list_at(c, 2, 1, &axis);
    axis = axis_of(c, axis, x->shape.rank);
    if (list_at(c, 1, c->nres, len) != c->nres)
        call_err(c, "wanted a size for each of %d parts", c->nres);
    for (i = 0; i < c->nres; i++) {
        open = len[i] == -1 ? i : open;
        sum += len[i] == -1 ? 0 : len[i];
    }
    if (open >= 0)
        len[open] = x->shape.dim[axis] - sum;
    split(c, x, (int)axis, len);
}

void lite_unpack(Call *c)
{
    Val *x = plain(c, 0);
    int axis = axis_of(c, option32(c, 1, 0), x->shape.rank), i, k;
    Shape s = {.rank = x->shape.rank - 1};

    for (i = k = 0; i < x->shape.rank; i++)
        if (i != axis)
            s.dim[k++] = x->shape.dim[i];
    if (x->shape.dim[axis] != c->nres)
        call_err(c, "%d results of %lld elements", c->nres,
                 (long long)x->shape.dim[axis]);
    for (i = 0; i < c->nres; i++)
        give_plain(c, i, to_shape(c, part(c, x, axis, i, 1, 1), s));
}

void lite_reverse_v2(Call *c)
{
    Val *x = plain(c, 0);
    int64_t axes[RANK], n = list_at(c, 1, RANK, axes);
    int i;

    axes_of(c, (int)n, axes, x->shape.rank);
    for (i = 0; i < n; i++) {
        int64_t len = x->shape.dim[axes[i]];
        if (len > 1)
            x = part(c, x, (int)axes[i], len - 1, len, -1);
    }
    give_plain(c, 0, x);
}

/* --- joining --- */

void lite_pack(Call *c)
{
    Val **v = NEWN(c->mem, Val *, (size_t)c->narg + 1);
    Shape s = need(c, 0)->shape;
    int i, k, axis;

    s = plain(c, 0)->shape;
    if (s.rank == RANK)
        call_err(c, "more than %d dimensions", RANK);
    axis = axis_of(c, option32(c, 1, 0), s.rank + 1);
    for (k = s.rank++; k > axis; k--)
        s.dim[k] = s.dim[k - 1];
    s.dim[axis] = 1;
    for (i = 0; i < c->narg; i++) {
        need(c, i);
        v[i] = to_shape(c, plain(c, i), s);
    }
    give_plain(c, 0, join(c, axis, c->narg, v));
}

/* Where an axis of the file's order is in an image. */
static int image_axis(int axis)
{
    return axis == 0 ? 0 : axis == 3 ? 1 : axis + 1;
}

void lite_concatenation(Call *c)
{
    Val **v = NEWN(c->mem, Val *, (size_t)c->narg + 1), *y;
    bool images = false, four = true;
    Act act = act_of(c, 1);
    int i, axis;

    for (i = 0; i < c->narg; i++) {
        const Tensor *t = need(c, i);
        images |= has_image(c, i);
        four &= t->image || t->shape.rank == 4;
        same_scale(c, t, out(c, 0));
        if (t->type != in(c, 0)->type)
            call_err(c, "operands of types %s and %s; wanted the same",
                     type_name(in(c, 0)->type), type_name(t->type));
    }
    images &= four;
    for (i = 0; i < c->narg; i++)
        v[i] = images ? image(c, i) : plain(c, i);
    if (act && is_quantized(in(c, 0)))
        call_err(c, "it has an activation; wanted none");
    axis = axis_of(c, option32(c, 0, 0), v[0]->shape.rank);
    y = float_act(c, join(c, images ? image_axis(axis) : axis, c->narg, v),
                  act);
    if (images)
        give_image(c, 0, y);
    else
        give_plain(c, 0, y);
}

/* --- padding --- */

/* Before and after each axis, in the order of x. */
static void paddings(const Call *c, int rank, bool is_image, int64_t *pad)
{
    int64_t list[2 * RANK];
    int i, k;

    if (list_at(c, 1, 2 * RANK, list) != 2 * rank)
        call_err(c, "wanted %d paddings", 2 * rank);
    for (i = 0; i < rank; i++) {
        if (list[2 * i] < 0 || list[2 * i + 1] < 0 ||
            MAX(list[2 * i], list[2 * i + 1]) > 1 << 28)
            call_err(c, "a padding of %lld and %lld", (long long)list[2 * i],
                     (long long)list[2 * i + 1]);
        k = is_image ? image_axis(i) : i;
        pad[k] = list[2 * i];
        pad[rank + k] = list[2 * i + 1];
    }
}

static Val *pad_with(Call *c, Val *x, const int64_t *pad, double v)
{
    int i, n = 2 * x->shape.rank;
    Node *node;

    for (i = 0; i < n && !pad[i]; i++)
        ;
    if (i == n)
        return x;
    node = node_of(c, OP_pad, 1, x);
    attr_set_list(c->g, node, A_pad, n, pad);
    if (val_is_int(x) && v != 0)
        attr_set_int(c->g, node, A_p0, (int64_t)v);
    else if (v != 0)
        attr_set_num(c->g, node, A_alpha, v);
    return done(c, node);
}

static void pad(Call *c, double v)
{
    bool images = has_image(c, 0);
    Val *x = images ? image(c, 0) : plain(c, 0);
    int64_t list[2 * RANK];

    paddings(c, x->shape.rank, images, list);
    x = pad_with(c, x, list, v);
    if (images)
        give_image(c, 0, x);
    else
        give_plain(c, 0, x);
}

static double zero_or_0(const Tensor *t)
{
    return is_quantized(t) ? (double)zero_of(t) : 0;
}

void lite_pad(Call *c)
{
    same_scale(c, need(c, 0), out(c, 0));
    pad(c, zero_or_0(out(c, 0)));
}

void lite_padv2(Call *c)
{
    const Val *v = known(c, 2);

    if (val_count(v) != 1)
        call_err(c, "%lld values to pad with; wanted one",
                 (long long)val_count(v));
    pad(c, val_num(v, 0));
}

/* Elements at places of an axis that are known. */
static Val *places(Call *c, Val *x, int axis, int64_t n, const int64_t *at)
{
    Shape s = {.rank = 1, .dim = {n}};

    room(c, n);
    return take(c, x, ints(c, T_s64, s, at), axis);
}

/* mode 0: the edge is not repeated, 1: it is. */
static Val *mirrored(Call *c, Val *x, int axis, int64_t before, int64_t after,
                     bool edge)
{
    int64_t size = x->shape.dim[axis], n = before + size + after, i, *at;

    if (!before && !after)
        return x;
    if (MAX(before, after) > size - !edge)
        call_err(c, "mirrors %lld elements of %lld on axis %d",
                 (long long)MAX(before, after), (long long)size, axis);
    at = NEWN(c->mem, int64_t, (size_t)n);
    for (i = 0; i < n; i++) {
        int64_t k = i - before;
        at[i] = k < 0 ? -k - edge : k >= size ? 2 * size - 2 - k + edge : k;
    }
    return places(c, x, axis, n, at);
}

void lite_mirror_pad(Call *c)
{
    bool images = has_image(c, 0);
    Val *x = images ? image(c, 0) : plain(c, 0);
    int64_t list[2 * RANK], mode = option8(c, 0, 0);
    int i, rank = x->shape.rank;

    paddings(c, rank, images, list);
    for (i = 0; i < rank; i++)
        x = mirrored(c, x, i, list[i], list[rank + i], mode == 1);
    if (images)
        give_image(c, 0, x);
    else
        give_plain(c, 0, x);
}

/* --- blocks --- */

void lite_depth_to_space(Call *c)
{
    static const int64_t order[] = {0, 1, 3, 2, 4, 5};
    Val *x = plain(c, 0);
    int64_t b = option32(c, 0, 0), *d = x->shape.dim;
    Shape s = {.rank = 6}, y = {.rank = 4};

    if (x->shape.rank != 4 || b < 1 || b > 1 << 14 || d[3] % (b * b))
        call_err(c, "blocks of %lld of shape %s", (long long)b,
                 shape_str(c->mem, x->shape));
    memcpy(s.dim, (int64_t[]){d[0], d[1], d[2], b, b, d[3] / (b * b)},
           6 * sizeof *d);
    memcpy(y.dim, (int64_t[]){d[0], d[1] * b, d[2] * b, d[3] / (b * b)},
           4 * sizeof *d);
    give_plain(c, 0, to_shape(c, perm(c, to_shape(c, x, s), order), y));
}

void lite_space_to_depth(Call *c)
{
    static const int64_t order[] = {0, 1, 3, 2, 4, 5};
    Val *x = plain(c, 0);
    int64_t b = option32(c, 0, 0), *d = x->shape.dim;
    Shape s = {.rank = 6}, y = {.rank = 4};

    if (x->shape.rank != 4 || b < 1 || d[1] % b || d[2] % b)
        call_err(c, "blocks of %lld of shape %s", (long long)b,
                 shape_str(c->mem, x->shape));
    memcpy(s.dim, (int64_t[]){d[0], d[1] / b, b, d[2] / b, b, d[3]},
           6 * sizeof *d);
    memcpy(y.dim, (int64_t[]){d[0], d[1] / b, d[2] / b, d[3] * b * b},
           4 * sizeof *d);
    give_plain(c, 0, to_shape(c, perm(c, to_shape(c, x, s), order), y));
}

/* Block sizes of the axes behind the first, and two numbers for each. */
static int blocks(const Call *c, const Val *x, int64_t *block, int64_t *pair)
{
    int n = (int)list_at(c, 1, RANK, block), i;

    if (n < 1 || x->shape.rank != n + 2 || n > 2 ||
        list_at(c, 2, RANK, pair) != 2 * n)
        call_err(c, "%d blocks of shape %s", n, shape_str(c->mem, x->shape));
    for (i = 0; i < n; i++)
        if (block[i] < 1 || block[i] > 1 << 14 || pair[2 * i] < 0 ||
            pair[2 * i + 1] < 0 || pair[2 * i] > 1 << 20 ||
            pair[2 * i + 1] > 1 << 20)
            call_err(c, "a block of %lld with %lld before and %lld after",
                     (long long)block[i], (long long)pair[2 * i],
                     (long long)pair[2 * i + 1]);
    return n;
}

/* [b1 b2 n, h, w, c] -> [n, h b1, w b2, c], less what is cut off */
void lite_batch_to_space_nd(Call *c)
{
    Val *x = plain(c, 0);
    int64_t block[RANK], crop[2 * RANK], order[RANK], all = 1;
    int n = blocks(c, x, block, crop), i;
    Shape s = {.rank = 2 * n + 2}, y = x->shape;

    for (i = 0; i < n; i++) {
        s.dim[i] = block[i];
        all *= block[i];
    }
    if (x->shape.dim[0] % all)
        call_err(c, "%lld batches in blocks of %lld",
                 (long long)x->shape.dim[0], (long long)all);
    s.dim[n] = y.dim[0] = x->shape.dim[0] / all;
    memcpy(s.dim + n + 1, x->shape.dim + 1, (size_t)(n + 1) * sizeof *s.dim);
    order[0] = n;
    for (i = 0; i < n; i++) {
        order[1 + 2 * i] = n + 1 + i;
        order[2 + 2 * i] = i;
        y.dim[1 + i] *= block[i];
    }
    order[2 * n + 1] = 2 * n + 1;
    x = to_shape(c, perm(c, to_shape(c, x, s), order), y);
    for (i = 0; i < n; i++) {
        int64_t len = y.dim[1 + i] - crop[2 * i] - crop[2 * i + 1];
        if (len < 1)
            call_err(c, "it cuts off all of axis %d", 1 + i);
        x = part(c, x, 1 + i, crop[2 * i], len, 1);
    }
    give_plain(c, 0, x);
}

void lite_space_to_batch_nd(Call *c)
{
    Val *x = plain(c, 0);
    int64_t block[RANK], pair[2 * RANK], list[2 * RANK] = {0}, order[RANK];
    int n = blocks(c, x, block, pair), i, rank = n + 2;
    Shape s = {.rank = 2 * n + 2}, y;

    for (i = 0; i < n; i++) {
        list[1 + i] = pair[2 * i];
        list[rank + 1 + i] = pair[2 * i + 1];
    }
    x = pad_with(c, x, list, zero_or_0(need(c, 0)));
    y = x->shape;
    s.dim[0] = y.dim[0];
    s.dim[2 * n + 1] = y.dim[n + 1];
    order[n] = 0;
    for (i = 0; i < n; i++) {
        if (y.dim[1 + i] % block[i])
            call_err(c, "%lld elements in blocks of %lld",
                     (long long)y.dim[1 + i], (long long)block[i]);
        y.dim[0] *= block[i];
        y.dim[1 + i] /= block[i];
        s.dim[1 + 2 * i] = y.dim[1 + i];
        s.dim[2 + 2 * i] = block[i];
        order[i] = 2 + 2 * i;
        order[n + 1 + i] = 1 + 2 * i;
    }
    order[2 * n + 1] = 2 * n + 1;
    give_plain(c, 0, to_shape(c, perm(c, to_shape(c, x, s), order), y));
}

