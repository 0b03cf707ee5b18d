/* Shapes of what slides a window: convolutions and pools.  Their numbers are
 * kept to 2^20 so that no product can overflow. */
#include "ir/ir.h"
#include "kern/conv/words.h"

enum { WINDOW_MAX = 1 << 20 };

/* An epilogue operand: one element or one per channel. */
static void check_channels(const Node *n, const char *name, int64_t channels)
{
    const Val *v = node_arg(n, name);
    int64_t count = v ? val_count(v) : 1;

    if (count != 1 && count != channels)
        err_node(n, "operand %s has %lld elements, 1 or %lld (one per "
                 "channel) were wanted", name, (long long)count,
                 (long long)channels);
}

void check_epilogue(const Node *n, int64_t channels)
{
    check_channels(n, "mul", channels);
    check_channels(n, "add", channels);
    check_channels(n, "shifts", channels);
}

static void check_bias(const Node *n, int64_t channels)
{
    const Val *b = node_arg(n, "b");

    if (b && val_count(b) != channels)
        err_node(n, "bias has shape %s, %lld elements were wanted",
                 shape_text(b->shape), (long long)channels);
}

static int64_t window_attr(const Node *n, AttrCode c, int i, int64_t none,
                           int64_t least)
{
    int64_t v = attr_at(n, c, i, none);

    if (v < least || v > WINDOW_MAX)
        err_node(n, "%s is %lld, %lld to %d was wanted", attr_info[c].name,
                 (long long)v, (long long)least, WINDOW_MAX);
    return v;
}

/* A list attribute is absent or has one number per spatial axis (pad: two). */
static void check_window_lists(const Node *n, int spatial)
{
    static const AttrCode list[] = {A_stride, A_dilation, A_outpad, A_kernel};
    const int64_t *v;
    size_t i;
    int len;

    for (i = 0; i < LEN(list); i++) {
        len = attr_list(n, list[i], &v);
        if (len && len != spatial)
            err_node(n, "%s has %d numbers, %d were wanted: one per spatial "
                     "axis", attr_info[list[i]].name, len, spatial);
    }
    len = attr_list(n, A_pad, &v);
    if (len && len != 2 * spatial)
        err_node(n, "pad has %d numbers, %d were wanted: before and after "
                 "each spatial axis", len, 2 * spatial);
}

static int64_t check_rank(const Node *n, const Val *x)
{
    if (x->shape.rank != 3 && x->shape.rank != 4)
        err_node(n, "'%s' has shape %s: 3 or 4 dimensions (one or two spatial "
                 "axes) are supported", x->name, shape_text(x->shape));
    return x->shape.rank - 2;
}

/* How a number of windows follows that of elements, which steps divide. */
static Vary steps_of(const Node *n, int i, Size d, int64_t step)
{
    if (d.vary.num && d.vary.by % step)
        err_node(n, "spatial axis %d has %s elements, gone through by steps of "
                 "%lld: the result would have no size of the form a*%s+b", i,
                 size_text(d), (long long)step, d.vary.num->name);
    d.vary.by /= step;
    return d.vary;
}

/* Windows of size k that fit along an axis of d elements; with ceil one that
 * begins inside may end outside, the first one too. */
static Size windows(const Node *n, int i, int spatial, Size d, int64_t k)
{
    int64_t s = window_attr(n, A_stride, i, 1, 1);
    int64_t reach = window_attr(n, A_dilation, i, 1, 1) * (k - 1) + 1;
    int64_t before = window_attr(n, A_pad, i, 0, 0);
    int64_t after = window_attr(n, A_pad, i + spatial, 0, 0);
    int64_t room = d.n + before + after - reach, count;
    bool ceil = attr_int(n, A_ceil);

    if (room < (ceil ? 1 - s : 0))
        err_node(n, "a window of %lld does not fit into %lld elements (with "
                 "padding) of spatial axis %d", (long long)reach,
                 (long long)(d.n + before + after), i);
    count = (room + (ceil ? s - 1 : 0)) / s + 1;
    if (ceil && (count - 1) * s >= d.n + before)
        count--;
    return (Size){count, steps_of(n, i, d, s)};
}

/* Where channels and spatial axes of x (and of w behind its first axis) are. */
typedef struct Axes {
    int spatial, channel, first;
} Axes;

static Axes axes_of(const Node *n, const Val *x)
{
    int spatial = (int)check_rank(n, x);
    bool last = attr_int(n, A_last);

    check_window_lists(n, spatial);
    return (Axes){spatial, last ? spatial + 1 : 1, last ? 1 : 2};
}

static int64_t group_of(const Node *n, int64_t c)
{
    int64_t g = attr_int(n, A_group);

    if (g < 1 || g > MAX(c, 1) || c % g)
        err_node(n, "%lld channels cannot be split into %lld groups",
                 (long long)c, (long long)g);
    return g;
}

static void check_weight_rank(const Node *n, const Val *x, const Val *w)
{
    if (w->shape.rank != x->shape.rank)
        err_node(n, "input has shape %s but weight '%s' has %s: as many "
                 "dimensions were wanted", shape_text(x->shape), w->name,
                 shape_text(w->shape));
}

static int64_t kernel_size(const Node *n, const Val *w, int axis)
{
    int64_t k = w->shape.dim[axis];

    if (k < 1 || k > WINDOW_MAX)
        err_node(n, "weight '%s' of shape %s: a window of %lld", w->name,
                 shape_text(w->shape), (long long)k);
    return k;
}

Shape shape_conv(const Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    Axes a = axes_of(n, x);
    int64_t c = x->shape.dim[a.channel], g = group_of(n, c);
    int64_t m = w->shape.dim[0];
    Shape y = x->shape;
    int i;

    check_weight_rank(n, x, w);
    if (w->shape.dim[a.channel] != c / g)
        err_node(n, "input has %lld channels in %lld groups, weight '%s' of "
                 "shape %s wants %lld per group", (long long)c, (long long)g,
                 w->name, shape_text(w->shape),
                 (long long)w->shape.dim[a.channel]);
    if (m % g)
        err_node(n, "%lld output channels cannot be split into %lld groups",
                 (long long)m, (long long)g);
    for (i = 0; i < a.spatial; i++)
        shape_put(&y, a.first + i,
                  windows(n, i, a.spatial, size_at(x->shape, a.first + i),
                          kernel_size(n, w, a.first + i)));
    y.dim[a.channel] = m;
    check_bias(n, m);
    check_epilogue(n, m);
    return y;
}

/* Bytes of an output channel's words, or, where each channel is a group, of a
 * tile of these; *rows: how many. */
static int64_t packed_bytes(const Node *n, int64_t c, int64_t g, int64_t m,
                            int64_t taps, int64_t *rows)
{
    int64_t tile = attr_at(n, A_count, 0, 0), word = attr_int(n, A_p2);
    int64_t bits = attr_int(n, A_p1), mode = attr_int(n, A_mode);

    if (tile < 1 || tile > WINDOW_MAX || word < 1 || word > WINDOW_MAX ||
        bits < 1 || bits > 8 || mode < 0 || mode > WORDS_OF_NIBBLES ||
        (mode == WORDS_OF_LANES && taps > 1) || (mode && g > 1) ||
        (mode == WORDS_OF_NIBBLES && (bits != 4 || tile != 2 * word)))
        err_node(n, "no such words: %lld bits, %lld channels, %lld bytes, mode "
                 "%lld", (long long)bits, (long long)tile, (long long)word,
                 (long long)mode);
    *rows = m;
    if (mode == WORDS_OF_NIBBLES)
        return word * ((c * taps + tile - 1) / tile);
    if ((mode ? 8 : taps) * tile > 8 * word)
        err_node(n, "words of %lld bytes are too short", (long long)word);
    *rows = g > 1 ? (m + tile - 1) / tile : m;
    return word * (mode ? 1 : bits) * (g > 1 ? 1 : (c + tile - 1) / tile);
}

static void check_words(const Node *n, int64_t c, int64_t g, int64_t m,
                        int64_t taps)
{
    const Val *w = n->arg[1];
    int64_t rows, bytes = packed_bytes(n, c, g, m, taps, &rows);

    if (w->type != T_u8 || w->shape.rank != 2 || w->shape.dim[0] != rows ||
        w->shape.dim[1] != bytes)
        err_node(n, "packed weights have shape %s; u8[%lld,%lld] was wanted",
                 shape_text(w->shape), (long long)rows, (long long)bytes);
}

static int64_t pconv_taps(const Node *n)
{
    return window_attr(n, A_kernel, 0, 1, 1) * window_attr(n, A_kernel, 1, 1, 1);
}

int64_t pconv_channels(const Node *n)
{
    const Val *x = n->arg[0];
    int64_t c = x->shape.dim[x->shape.rank - 1];

    return c - (attr_has(n, A_step)
                    ? (pconv_taps(n) - 1) * attr_at(n, A_step, 0, 1) : 0);
}

/* A vector whose pixels overlap: x[1,1,1,k], of which pixel i begins i steps
 * behind the first; all have as many channels as the last. */
static Shape shape_overlapping(const Node *n)
{
    Shape x = n->arg[0]->shape, w = n->arg[1]->shape;
    int64_t step = window_attr(n, A_step, 0, 1, 1);
    int64_t c = pconv_channels(n);

    if (x.rank != 4 || shape_product(x, 0, 3) != 1 || c < 1 ||
        attr_int(n, A_group) != 1 || attr_has(n, A_stride) ||
        attr_has(n, A_pad) || attr_has(n, A_dilation))
        err_node(n, "pixels %lld apart of a vector of shape %s: a longer one of "
                 "[1,1,1,k] was wanted, in one group, without strides, dilation "
                 "and padding", (long long)step, shape_text(x));
    check_words(n, c, 1, w.dim[0], pconv_taps(n));
    check_bias(n, w.dim[0]);
    check_epilogue(n, w.dim[0]);
    return SHAPE(1, 1, 1, w.dim[0]);
}

Shape shape_pconv(const Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    Axes a = axes_of(n, x);
    int64_t c = x->shape.dim[a.channel], g = group_of(n, c), taps = 1;
    int64_t m = g > 1 ? g : w->shape.dim[0];
    Shape y = x->shape;
    int i;

    if (!attr_int(n, A_last))
        err_node(n, "channels last were wanted");
    if (attr_has(n, A_step))
        return shape_overlapping(n);
    for (i = 0; i < a.spatial; i++) {
        int64_t k = window_attr(n, A_kernel, i, 1, 1);

        taps *= k;
        shape_put(&y, a.first + i,
                  windows(n, i, a.spatial, size_at(x->shape, a.first + i), k));
    }
    if (g > 1 && g != c)
        err_node(n, "%lld groups of %lld channels: one or %lld were wanted",
                 (long long)g, (long long)c, (long long)c);
    check_words(n, c, g, m, taps);
    y.dim[a.channel] = m;
    check_bias(n, m);
    check_epilogue(n, m);
    return y;
}

Shape shape_pinterleave(const Node *n)
{
    Shape y = shape_pconv(n);
    const Val *r = node_arg(n, "r"), *v = node_arg(n, "v");
    int64_t count = shape_count(y), m = y.dim[y.rank - 1];

    if (val_count(r) != count || m % INTERLEAVE || attr_int(n, A_group) > 1)
        err_node(n, "operand r has shape %s, what is beside it %s in %lld "
                 "groups: as many elements were wanted, in blocks of %d "
                 "channels, and one group", shape_text(r->shape),
                 shape_text(y), (long long)attr_int(n, A_group), INTERLEAVE);
    if (v->type != T_u8 || v->shape.rank != 2 || v->shape.dim[0] != INTERLEAVE)
        err_node(n, "operand v has shape %s: u8[%d,...] was wanted",
                 shape_text(v->shape), INTERLEAVE);
    return SHAPE(count / INTERLEAVE, 2, INTERLEAVE);
}

Shape shape_windows(const Node *n)
{
    const Val *x = n->arg[0];
    Shape y = {.rank = 6};
    int i;

    if (x->shape.rank != 4)
        err_node(n, "'%s' has shape %s: 4 dimensions were wanted", x->name,
                 shape_text(x->shape));
    check_window_lists(n, 2);
    shape_put(&y, 0, size_at(x->shape, 0));
    shape_put(&y, 5, size_at(x->shape, 3));
    for (i = 0; i < 2; i++) {
        int64_t k = window_attr(n, A_kernel, i, 1, 1);

        shape_put(&y, 1 + i, windows(n, i, 2, size_at(x->shape, 1 + i), k));
        y.dim[3 + i] = k;
    }
    return y;
}

static Size convt_size(const Node *n, int i, int spatial, Size d, int64_t k)
{
    int64_t s = window_attr(n, A_stride, i, 1, 1);
    int64_t y = s * (d.n - 1) +
                window_attr(n, A_outpad, i, 0, 0) +
                window_attr(n, A_dilation, i, 1, 1) * (k - 1) + 1 -
                window_attr(n, A_pad, i, 0, 0) -
                window_attr(n, A_pad, i + spatial, 0, 0);

    if (y < 1)
        err_node(n, "spatial axis %d of the result would have %lld elements",
                 i, (long long)y);
    d = size_times(d, s);
    return (Size){y, d.vary};
}

/* Weights are [C, M/g, k...], with channels last [C, k..., M/g]. */
Shape shape_convt(const Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    Axes a = axes_of(n, x);
    int64_t c = x->shape.dim[a.channel], g = group_of(n, c), m;
    Shape y = x->shape;
    int i;

    check_weight_rank(n, x, w);
    if (w->shape.dim[0] != c)
        err_node(n, "input has %lld channels, weight '%s' of shape %s wants "
                 "%lld", (long long)c, w->name, shape_text(w->shape),
                 (long long)w->shape.dim[0]);
    for (i = 0; i < a.spatial; i++)
        shape_put(&y, a.first + i,
                  convt_size(n, i, a.spatial, size_at(x->shape, a.first + i),
                             kernel_size(n, w, a.first + i)));
    m = y.dim[a.channel] = g * w->shape.dim[a.channel];
    check_bias(n, m);
    check_epilogue(n, m);
    return y;
}

Shape shape_pool(const Node *n)
{
    const Val *x = n->arg[0];
    Axes a = axes_of(n, x);
    Shape y = x->shape;
    const int64_t *k;
    int i;

    if (!attr_list(n, A_kernel, &k))
        err_node(n, "the size of the window (kernel) is missing");
    for (i = 0; i < a.spatial; i++)
        shape_put(&y, a.first + i,
                  windows(n, i, a.spatial, size_at(x->shape, a.first + i),
                          window_attr(n, A_kernel, i, 1, 1)));
    check_epilogue(n, x->shape.dim[a.channel]);
    return y;
}
