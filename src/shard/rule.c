/* How nodes are cut: a rule for each family.
 *
 * Axes of operands that broadcast are counted from the last (`place`).  Where
 * two cuts of one axis meet, or a reshape wants whole heads, the number of
 * parts of the origin is lowered, and all is decided again. */
#include "shard/shard.h"

#include <string.h>

static const Cut whole = {.axis = -1, .origin = -1};

static int64_t gcd(int64_t a, int64_t b)
{
    return b ? gcd(b, a % b) : a;
}

/* The origin of c is to have a number of parts that divides `parts`; false:
 * these would be too few. */
static bool narrow(Shard *s, Cut c, int64_t parts)
{
    int64_t is = s->limit[c.origin], to = gcd(is ? is : c.parts, parts);

    to = gcd(to, c.parts);
    if (to < s->o.chips)
        return false;
    if (to != is && to != c.parts) {
        s->limit[c.origin] = to;
        s->again = true;
    }
    return true;
}

/* Two cuts of axes that must match. */
static void match(Shard *s, Cut a, Cut b)
{
    int64_t parts = gcd(a.parts, b.parts);

    if (a.parts != b.parts && parts >= s->o.chips) {
        narrow(s, a, parts);
        narrow(s, b, parts);
    }
}

static bool is_cut(Cut c)
{
    return c.axis >= 0;
}

static Cut along(Cut c, int axis)
{
    c.axis = axis;
    return c;
}

static int place(const Val *v, Cut c)
{
    return v->shape.rank - 1 - c.axis;
}

/* v is wanted cut at this place, as `c` is; whole if it has nothing there. */
static Cut want(Shard *s, const Val *v, int at, Cut c)
{
    int axis = v->shape.rank - 1 - at;
    Cut is = s->at[v->id];

    if (axis < 0 || v->shape.dim[axis] == 1)
        return whole;
    if (!v->data && is.axis == axis)
        match(s, is, c);
    c.axis = axis;
    return c;
}

static Cut at_place(const Val *y, int at, Cut c)
{
    return along(c, y->shape.rank - 1 - at);
}

/* As many parts as there may be of n elements: groups of eight, four or two of
 * these, which kernels like, if that leaves enough for all chips. */
static Cut originate(Shard *s, const Node *n, int axis, int64_t len)
{
    int64_t parts = len, by;

    if (s->stay[n->id])
        return whole;
    for (by = 8; by > 1 && parts == len; by /= 2)
        if (len % by == 0 && len / by >= s->o.chips)
            parts = len / by;
    if (s->limit[n->id])
        parts = s->limit[n->id];
    s->first[n->id] = parts >= s->o.chips;
    return parts < s->o.chips ? whole
           : (Cut){.axis = axis, .parts = parts, .origin = n->id};
}

/* --- elementwise --- */

static bool cut_map(Shard *s, const Node *n, Share *y)
{
    const Val *r = n->res[0];
    Cut c = whole;
    int i, at = 0;

    for (i = n->narg - 1; i >= 0; i--)
        if (n->arg[i] && is_cut(s->at[n->arg[i]->id]) &&
            (!is_cut(c) || c.of_sum || !s->at[n->arg[i]->id].of_sum)) {
            c = s->at[n->arg[i]->id];
            at = place(n->arg[i], c);
        }
    if (!is_cut(c))
        return false;
    for (i = 0; i < n->narg; i++)
        if (n->arg[i])
            y->arg[i] = want(s, n->arg[i], at, c);
    y->res = at_place(r, at, c);
    return true;
}

/* --- products --- */

static bool wants_sums(const Shard *s, const Node *n)
{
    return val_is_int(n->res[0]) && n->acc.lo >= INT32_MIN &&
           n->acc.hi <= INT32_MAX && !s->whole_in[n->id];
}

static void follow_epilogue(Shard *s, const Node *n, Share *y, int at, Cut c)
{
    int i;

    for (i = 2; i < n->narg; i++)
        if (n->arg[i])
            y->arg[i] = want(s, n->arg[i], at, c);
    y->res = at_place(n->res[0], at, c);
}

static Cut sums_of(const Node *n, int axis, int64_t parts)
{
    return (Cut){.axis = axis, .parts = parts, .origin = n->id, .of_sum = true};
}

/* What a chip has of the sums: rows if there are enough, else columns, so that
 * each share lies in one piece; all of them if there are too few. */
static Cut share_of_sum(const Shard *s, const Node *n)
{
    Shape y = n->res[0]->shape;
    int64_t len, by;
    Cut c = whole;
    int axis = 0;

    while (axis + 1 < y.rank && y.dim[axis] == 1)
        axis++;
    if (y.rank < 1 || y.vary[axis].num || s->by_all[n->id])
        return whole;
    len = y.dim[axis];
    for (by = 8; by && !is_cut(c); by /= 2)
        if (len % (by * s->o.chips) == 0)
            c = sums_of(n, axis, len / by);
    if (!is_cut(c) && len >= s->o.chips)
        c = sums_of(n, axis, len);
    if (is_cut(c) && s->limit[n->id])
        c.parts = s->limit[n->id];
    return c;
}

/* Along the sums. */
static bool cut_inner(Shard *s, const Node *n, Share *y, Cut c)
{
    int ka = (int)attr_int(n, A_transa), kb = !attr_int(n, A_transb);

    if (!wants_sums(s, n))
        return false;
    y->arg[0] = want(s, n->arg[0], ka, c);
    y->arg[1] = want(s, n->arg[1], kb, c);
    y->partial = true;
    c = share_of_sum(s, n);
    if (is_cut(c)) /* but for the bias, which chip 0 adds before */
        follow_epilogue(s, n, y, n->res[0]->shape.rank - 1 - c.axis, c);
    y->arg[2] = whole;
    return true;
}

static bool cut_columns_of(Shard *s, const Node *n, Share *y, Cut c)
{
    y->arg[1] = want(s, n->arg[1], (int)attr_int(n, A_transb), c);
    follow_epilogue(s, n, y, 0, c);
    return true;
}

static bool cut_batch_of(Shard *s, const Node *n, Share *y, int at, Cut c)
{
    y->arg[0] = want(s, n->arg[0], at, c);
    y->arg[1] = want(s, n->arg[1], at, c);
    follow_epilogue(s, n, y, at, c);
    return true;
}

static bool cut_matmul_by(Shard *s, const Node *n, Share *y, int i, Cut c)
{
    bool turned = attr_int(n, i ? A_transb : A_transa);
    int at = place(n->arg[i], c), inner = i ? !turned : turned;

    if (at >= 2)
        return cut_batch_of(s, n, y, at, c);
    if (at == inner)
        return cut_inner(s, n, y, c);
    if (i)
        return cut_columns_of(s, n, y, c);
    y->arg[0] = c;
    follow_epilogue(s, n, y, 1, c);
    return true;
}

/* Batches of products alone, which are heads. */
static bool cut_counted(Shard *s, const Node *n, Share *y)
{
    int i;

    for (i = 0; i < 2; i++) {
        Cut c = s->at[n->arg[i]->id];

        if (is_cut(c) && place(n->arg[i], c) >= 2)
            return cut_batch_of(s, n, y, place(n->arg[i], c), c);
    }
    return false;
}

static bool cut_matmul(Shard *s, const Node *n, Share *y)
{
    const Val *a = n->arg[0], *b = n->arg[1];
    int axis = b->shape.rank - 1 - (int)attr_int(n, A_transb);
    Cut c;

    if (attr_has(n, A_count)) /* of rows that caches have so far */
        return cut_counted(s, n, y);
    if (is_cut(s->at[a->id]) && cut_matmul_by(s, n, y, 0, s->at[a->id]))
        return true;
    if (is_cut(s->at[b->id]))
        return cut_matmul_by(s, n, y, 1, s->at[b->id]);
    if (!b->data || b->shape.vary[axis].num)
        return false;
    c = originate(s, n, axis, b->shape.dim[axis]);
    return is_cut(c) && cut_columns_of(s, n, y, c);
}

/* Rows of weights and their scales. */
static bool cut_group(Shard *s, const Node *n, Share *y)
{
    const Val *w = n->arg[1], *r = n->res[0];
    Cut c;

    if (!w->data || !n->arg[2]->data)
        return false;
    c = originate(s, n, 0, w->shape.dim[0]);
    if (!is_cut(c) || r->shape.dim[r->shape.rank - 1] != w->shape.dim[0])
        return false;
    y->arg[1] = y->arg[2] = c;
    y->res = at_place(r, 0, c);
    return true;
}

/* --- windows --- */

static int channel_axis(const Node *n)
{
    return attr_int(n, A_last) ? n->res[0]->shape.rank - 1 : 1;
}

/* The axis of an operand that has a number for each channel. */
static Cut want_channels(const Val *v, int64_t channels, Cut c)
{
    int i;

    for (i = 0; i < v->shape.rank; i++)
        if (v->shape.dim[i] == channels)
            return along(c, i);
    return whole;
}

static void follow_channels(const Node *n, Share *y, int first, Cut c)
{
    int axis = channel_axis(n), i;

    for (i = first; i < n->narg; i++)
        if (n->arg[i] && val_count(n->arg[i]) > 1)
            y->arg[i] = want_channels(n->arg[i], n->res[0]->shape.dim[axis],
                                      c);
    y->res = along(c, axis);
}

/* Rows of the image, and of what is read of it those that windows touch. */
static bool cut_rows(Shard *s, const Node *n, Share *y)
{
    Shape r = n->res[0]->shape;
    int axis = image_axis(n);
    int64_t parts = s->limit[n->id] ? s->limit[n->id] : r.dim[axis];
    Cut c = {.axis = axis, .parts = parts, .origin = n->id};

    if (n->id >= s->nrow || r.vary[axis].num || parts < s->o.chips ||
        shape_product(r, 0, axis) != 1)
        return false;
    y->arg[0] = shard_window(s, n, c);
    y->res = c;
    return is_cut(y->arg[0]);
}

static bool cut_conv(Shard *s, const Node *n, Share *y)
{
    int64_t group = attr_int(n, A_group);
    const Val *x = n->arg[0], *w = n->arg[1];
    Cut c = s->at[x->id];
    bool cut = group > 1 && c.axis == channel_axis(n);

    if (n->op == OP_conv && cut_rows(s, n, y))
        return true;
    if (!w->data)
        return false;
    if (cut && group % c.parts && !narrow(s, c, group))
        cut = false;
    if (!cut)
        c = originate(s, n, channel_axis(n), group > 1 ? group
                      : w->shape.dim[0]);
    if (!is_cut(c) || (group > 1 && group % c.parts))
        return false;
    if (group > 1)
        y->arg[0] = along(c, channel_axis(n));
    follow_channels(n, y, 2, c);
    y->arg[1] = along(c, 0);
    return true;
}

static bool cut_pool(Shard *s, const Node *n, Share *y)
{
    Cut c = s->at[n->arg[0]->id];

    if (cut_rows(s, n, y))
        return true;
    y->arg[0] = c;
    if (!is_cut(c) || c.axis != channel_axis(n))
        return false;
    follow_channels(n, y, 1, c);
    return true;
}

/* --- rows, reductions --- */

/* What all have may be cut by rows here, if that is wanted. */
static bool cut_row(Shard *s, const Node *n, Share *y)
{
    Cut c = s->at[n->arg[0]->id];
    int i;

    if (!is_cut(c) && s->by_rows[n->id])
        c = share_of_sum(s, n);
    if (!is_cut(c) || c.axis == node_axis(n, n->res[0]->shape.rank))
        return false;
    for (i = 1; i < n->narg; i++)
        if (n->arg[i] && n->arg[i]->shape.rank > 1)
            return false;
    y->arg[0] = y->res = c;
    return true;
}

/* Heads, which all turn alike. */
static bool cut_rotate(Shard *s, const Node *n, Share *y)
{
    Cut c = s->at[n->arg[0]->id];

    if (!is_cut(c) || c.axis != 1 || n->op != OP_rotate)
        return false;
    y->arg[0] = y->res = c;
    return true;
}

static bool cut_reduce(Shard *s, const Node *n, Share *y)
{
    Cut c = s->at[n->arg[0]->id];
    bool set[RANK];
    int i, axis = c.axis;

    if (!is_cut(c))
        return false;
    for (i = 1; i < n->narg; i++)
        if (n->arg[i] && val_count(n->arg[i]) > 1)
            return false;
    node_axes(n, set);
    if (set[c.axis])
        return false;
    for (i = 0; i < c.axis && !attr_int(n, A_keep); i++)
        axis -= set[i];
    y->arg[0] = c;
    y->res = along(c, axis);
    return true;
}

/* --- moving --- */

/* The axis of `to` before which there are as many elements as before the cut
 * one; parts are whole there, or fewer are asked for. */
static bool cut_reshape(Shard *s, const Node *n, Share *y)
{
    Shape x = n->arg[0]->shape, to = n->res[0]->shape;
    Cut c = s->at[n->arg[0]->id];
    int64_t before, inner;
    int j;

    if (!is_cut(c))
        return false;
    before = shape_product(x, 0, c.axis);
    for (j = 0; j < to.rank; j++)
        if (to.dim[j] > 1 && shape_product(to, 0, j) == before)
            break;
    if (j == to.rank)
        return false;
    inner = shape_product(to, j + 1, to.rank);
    if (to.dim[j] % c.parts ||
        x.dim[c.axis] / c.parts * shape_product(x, c.axis + 1, x.rank) %
            inner) {
        /* so many parts of both, in elements of to's axis */
        if (!narrow(s, c, to.dim[j]))
            return false;
        c.parts = gcd(c.parts, to.dim[j]);
        if (x.dim[c.axis] / c.parts *
                shape_product(x, c.axis + 1, x.rank) % inner)
            return false;
    }
    y->arg[0] = s->at[n->arg[0]->id];
    y->arg[0].parts = c.parts;
    y->res = along(c, j);
    return x.dim[c.axis] * shape_product(x, c.axis + 1, x.rank) ==
           to.dim[j] * inner;
}

static bool cut_transpose(Shard *s, const Node *n, Share *y)
{
    Cut c = s->at[n->arg[0]->id];
    const int64_t *perm;
    int i, len = attr_list(n, A_perm, &perm);

    if (!is_cut(c))
        return false;
    y->arg[0] = c;
    y->res = c;
    y->res.axis = n->res[0]->shape.rank - 1 - c.axis;
    for (i = 0; i < len; i++)
        if (perm[i] == c.axis)
            y->res.axis = i;
    return true;
}

/* Axes that stay as they are: of slices, pads, repetitions. */
static bool cut_same(Shard *s, const Node *n, Share *y)
{
    const Val *x = n->arg[0], *r = n->res[0];
    Cut c = s->at[x->id];
    int axis;

    if (!is_cut(c))
        return false;
    axis = r->shape.rank - 1 - place(x, c);
    if (r->shape.dim[axis] != x->shape.dim[c.axis] || n->narg > 1)
        return false;
    if (n->op == OP_slice && (attr_at(n, A_start, c.axis, 0) ||
                              slice_step(n, c.axis) != 1))
        return false;
    if (n->op == OP_pad && (attr_at(n, A_pad, c.axis, 0) ||
                            attr_at(n, A_pad, x->shape.rank + c.axis, 0)))
        return false;
    y->arg[0] = c;
    y->res = along(c, axis);
    return true;
}

static bool cut_concat(Shard *s, const Node *n, Share *y)
{
    int i, rank = n->res[0]->shape.rank;
    Cut c = whole;

    for (i = n->narg - 1; i >= 0; i--)
        if (is_cut(s->at[n->arg[i]->id]))
            c = s->at[n->arg[i]->id];
    if (!is_cut(c) || c.axis == node_axis(n, rank))
        return false;
    for (i = 0; i < n->narg; i++)
        y->arg[i] = want(s, n->arg[i], rank - 1 - c.axis, c);
    y->res = c;
    return true;
}

static bool cut_gather(Shard *s, const Node *n, Share *y)
{
    Cut x = s->at[n->arg[0]->id], i = s->at[n->arg[1]->id];
    int axis = node_axis(n, n->arg[0]->shape.rank);

    if (is_cut(x) && x.axis != axis) {
        y->arg[0] = y->res = x;
        if (x.axis > axis)
            y->res.axis += n->arg[1]->shape.rank - 1;
        return true;
    }
    if (is_cut(x) || !is_cut(i))
        return false;
    y->arg[1] = y->res = i;
    y->res.axis += axis;
    return true;
}

/* Is component k of all tuples in v the place that they have along an axis of
 * v (own; axes are counted from the last), or else 0? */
static bool tuples_at(const Val *v, int k, int at, int64_t len, bool own)
{
    int axis = v->shape.rank - 1 - at;
    int64_t i, inner;

    if (v->shape.rank < 1 || v->shape.dim[v->shape.rank - 1] != len ||
        (own && axis < 0))
        return false;
    inner = own ? shape_product(v->shape, axis + 1, v->shape.rank) : 1;
    for (i = k; i < val_count(v); i += len)
        if (val_int(v, i) != (own ? i / inner % v->shape.dim[axis] : 0))
            return false;
    return true;
}

/* The same of tuples that are computed: constants, parts of others, some times
 * a number, added. */
static bool tuples_stay(const Val *v, int k, int at, int64_t len, bool own)
{
    const Node *d = v->def;
    int i;

    if (v->data)
        return tuples_at(v, k, at, len, own);
    if (!d || v->shape.rank < 1 || v->shape.dim[v->shape.rank - 1] != len)
        return false;
    for (i = 0; i < 2 && d->op == OP_add && d->narg == 2; i++)
        if (tuples_stay(d->arg[i], k, at, len, own) &&
            tuples_stay(d->arg[1 - i], k, at, len, false))
            return true;
    for (i = 0; i < 2 && d->op == OP_mul && d->narg == 2; i++)
        if (!own && tuples_stay(d->arg[i], k, at, len, false))
            return true;
    return !own && (d->op == OP_slice || d->op == OP_reshape) &&
           tuples_stay(d->arg[0], k, at, len, false);
}

/* What is appended to caches: a head's goes to that head, which may be another
 * axis of them than of what is appended. */
static bool cut_scatter(Shard *s, const Node *n, Share *y)
{
    const Val *x = n->arg[0], *i = n->arg[1], *u = n->arg[2];
    Cut c = s->at[u->id];
    int64_t len = i->shape.dim[i->shape.rank - 1];
    int k, at = i->shape.rank - 1 - c.axis;

    if (!is_cut(c) || at < 1)
        return false;
    for (k = 0; k < len; k++)
        if (x->shape.dim[k] == u->shape.dim[c.axis] &&
            tuples_stay(i, k, at, len, true))
            break;
    if (k == len)
        return false;
    y->arg[0] = want(s, x, x->shape.rank - 1 - k, c);
    y->arg[2] = y->res = c;
    y->res.axis = k;
    return true;
}

static bool cut(Shard *s, const Node *n, Share *y)
{
    switch (op_info[n->op].family) {
    case FAM_map: return cut_map(s, n, y);
    case FAM_matmul: return cut_matmul(s, n, y);
    case FAM_group: return cut_group(s, n, y);
    case FAM_conv: return cut_conv(s, n, y);
    case FAM_pool: return n->nres == 1 && cut_pool(s, n, y);
    case FAM_row: return cut_row(s, n, y);
    case FAM_rotate: return cut_rotate(s, n, y);
    case FAM_reduce: return cut_reduce(s, n, y);
    case FAM_reshape: return cut_reshape(s, n, y);
    case FAM_transpose: return cut_transpose(s, n, y);
    case FAM_slice: case FAM_expand: case FAM_pad: return cut_same(s, n, y);
    case FAM_concat: return cut_concat(s, n, y);
    case FAM_gather: return cut_gather(s, n, y);
    case FAM_scatternd: return cut_scatter(s, n, y);
    default: return false;
    }
}

/* What a chip has of a sum is whole to operators that would not stay in it. */
static bool cut_without_sums(Shard *s, const Node *n, Share *y)
{
    Cut *was = NEWN(s->mem, Cut, n->narg + 1);
    bool is;
    int i;

    for (i = 0; i < n->narg; i++)
        if (n->arg[i]) {
            was[i] = s->at[n->arg[i]->id];
            if (was[i].of_sum)
                s->at[n->arg[i]->id] = whole;
        }
    is = cut(s, n, y);
    for (i = 0; i < n->narg; i++)
        if (n->arg[i] && was[i].of_sum)
            s->at[n->arg[i]->id] = was[i];
    return is;
}

static bool stays_in_sums(const Node *n)
{
    Family f = op_info[n->op].family;

    return f == FAM_map || f == FAM_row;
}

void shard_rule(Shard *s, const Node *n, Share *y)
{
    int i;

    for (i = 0; i < n->narg; i++)
        y->arg[i] = whole;
    y->res = whole;
    y->partial = false;
    if (s->o.chips > 1 && (stays_in_sums(n) ? cut(s, n, y)
                           : cut_without_sums(s, n, y)))
        return;
    for (i = 0; i < n->narg; i++)
        y->arg[i] = whole;
    y->res = whole;
    y->partial = false;
}
