/* A node cut into tiles: what a part of its result reads of every operand.
 *
 * Each family says along which axes of its result it may be cut.  A tile is a
 * node like any other, over values of the tile's shapes, so that whatever asks
 * a node something (kernels' heads, dims_fill) can ask a tile.  Convolutions
 * and pools are cut only channels-last, where rows of an image are one run;
 * convolutions of groups into whole groups, or within one. */
#include "ir/dims.h"
#include "ir/tile.h"

#include <string.h>

static int bytes_of(const Val *v)
{
    return type_info[v->type].bytes;
}

Piece piece_of(const Val *v, int64_t off, int64_t row, int64_t rows,
               int64_t stride)
{
    int64_t b = bytes_of(v);

    if (rows == 1 || row == stride)
        return (Piece){off * b, row * rows * b, 1, row * rows * b};
    return (Piece){off * b, row * b, rows, stride * b};
}

Piece piece_all(const Val *v)
{
    return piece_of(v, 0, val_count(v), 1, 0);
}

int64_t piece_bytes(Piece p)
{
    return p.row * p.rows;
}

bool piece_same(Piece a, Piece b)
{
    return a.off == b.off && a.row == b.row && a.rows == b.rows &&
           (a.rows == 1 || a.stride == b.stride);
}

/* A value of the tile: v's type, range and name, another shape.  Constants
 * stay constants: heads ask for that. */
Val *cut_val(Cutter *c, const Val *v, Shape s)
{
    Val *u = NEW(c->g.mem, Val);

    *u = *v;
    u->shape = s;
    u->def = NULL;
    return u;
}

void cut_arg(Cutter *c, int i, Shape s, Piece p)
{
    c->t->node->arg[i] = cut_val(c, c->n->arg[i], s);
    c->t->in[i] = p;
}

void cut_res(Cutter *c, Shape s, Piece p)
{
    c->t->node->res[0] = cut_val(c, c->n->res[0], s);
    c->t->node->res[0]->def = c->t->node;
    c->t->out[0] = p;
}

/* Operand i, of one element for each channel, or for all. */
static void take_channels(Cutter *c, int i)
{
    const Val *v = c->n->arg[i];
    Shape s = v->shape;

    if (val_count(v) <= 1)
        return;
    s.dim[s.rank - 1] = c->len[CUT_channel];
    cut_arg(c, i, s,
            piece_of(v, c->at[CUT_channel], c->len[CUT_channel], 1, 0));
}

void cut_epilogue(Cutter *c, const char *names[], size_t count)
{
    bool optional;
    size_t i;
    int k;

    for (i = 0; i < count; i++) {
        k = op_arg(c->n->op, names[i], &optional);
        if (k >= 0 && k < c->n->narg && c->n->arg[k])
            take_channels(c, k);
    }
}

/* Axes [from, to) of v become one of len elements. */
Shape cut_joined(const Val *v, int from, int to, int64_t len)
{
    Shape s = {.rank = v->shape.rank - (to - from) + 1};
    int i;

    for (i = 0; i < from; i++)
        s.dim[i] = v->shape.dim[i];
    s.dim[from] = len;
    for (i = from + 1; i < s.rank; i++)
        s.dim[i] = v->shape.dim[i + to - from - 1];
    return s;
}

/* --- by family --- */

void tile_axes(const Node *n, int part, int64_t len[NCUT])
{
    int i;

    for (i = 0; i < NCUT; i++)
        len[i] = 1;
    if (n->nres != 1 || !val_count(n->res[0]) || !n->res[0]->shape.rank)
        return;
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_pool: case FAM_pconv:
        image_axes(n, len);
        break;
    case FAM_matmul:
        matmul_axes(n, len);
        break;
    case FAM_rowmatmul:
        rowmatmul_axes(n, len);
        break;
    case FAM_map: case FAM_row:
        lines_axes(n, len);
        break;
    case FAM_attend:
        heads_axes(n, len);
        break;
    case FAM_transpose: case FAM_slice: case FAM_expand:
        long_axes(n, len);
        break;
    case FAM_pad:
        pad_axes(n, len);
        break;
    case FAM_concat:
        concat_axes(n, part, len);
        break;
    case FAM_gather:
        gather_axes(n, len);
        break;
    case FAM_reduce:
        reduce_axes(n, len);
        break;
    default:
        break;
    }
}

static bool cut(Cutter *c)
{
    switch (op_info[c->n->op].family) {
    case FAM_conv:
        return cut_conv(c);
    case FAM_pconv:
        return cut_pconv(c);
    case FAM_pool:
        return cut_pool(c);
    case FAM_matmul:
        return cut_matmul(c);
    case FAM_rowmatmul:
        return cut_rowmatmul(c);
    case FAM_map: case FAM_row:
        return cut_rows(c);
    case FAM_attend:
        return cut_heads(c);
    case FAM_transpose:
        return cut_transpose(c);
    case FAM_slice:
        return cut_slice(c);
    case FAM_expand:
        return cut_expand(c);
    case FAM_pad:
        return cut_pad(c);
    case FAM_concat:
        return cut_concat(c);
    case FAM_gather:
        return cut_gather(c);
    case FAM_reduce:
        return cut_reduce(c);
    default:
        die("%s has no tiles", op_info[c->n->op].name);
    }
}

static Node *copy_node(Arena *mem, const Node *n)
{
    Node *t = NEW(mem, Node);

    *t = *n;
    t->arg = NEWN(mem, Val *, n->narg + 1);
    memcpy(t->arg, n->arg, (size_t)n->narg * sizeof *t->arg);
    t->prev = t->next = NULL;
    return t;
}

static void take_whole(const Node *n, Tile *t)
{
    int i;

    for (i = 0; i < n->narg && i < NARG; i++)
        t->in[i] = n->arg[i] ? piece_all(n->arg[i]) : (Piece){0};
    for (i = 0; i < n->nres; i++)
        t->out[i] = piece_all(n->res[i]);
}

bool tile_make(Arena *mem, const Node *n, int part, const int64_t at[NCUT],
               const int64_t len[NCUT], Tile *t)
{
    Cutter c = {.g = {.mem = mem}, .n = n, .part = part, .at = at, .len = len,
                .t = t};
    int64_t all[NCUT];

    tile_axes(n, part, all);
    t->node = copy_node(mem, n);
    take_whole(n, t);
    if (!memcmp(all, len, sizeof all) && n->op != OP_concat)
        return true;
    t->node->attr = NULL;
    attr_copy(&c.g, t->node, n);
    return cut(&c);
}

bool tile_tells(const Node *n, unsigned in_place, bool out_place)
{
    switch (op_info[n->op].family) {
    case FAM_conv: case FAM_pool: case FAM_pconv:
        return !(in_place & ~1u);
    case FAM_matmul:
        return !(in_place & ~3u) && !out_place;
    default:
        return !in_place && !out_place;
    }
}

/* Strides of images: of the whole value where it lies in place. */
#define PUT_STRIDES(to, as, v)                                         \
    ((to)->v##n = (as)->v##n, (to)->v##h = (as)->v##h,                 \
     (to)->v##w = (as)->v##w, (to)->v##c = (as)->v##c)

static void stride_conv(const Dims *w, bool x, bool y, Dims *d)
{
    if (x)
        PUT_STRIDES(&d->conv, &w->conv, x);
    if (y)
        PUT_STRIDES(&d->conv, &w->conv, y);
}

static void stride_pconv(const Dims *w, bool x, bool y, Dims *d)
{
    if (x)
        PUT_STRIDES(&d->pconv, &w->pconv, x);
    if (y)
        PUT_STRIDES(&d->pconv, &w->pconv, y);
    raster_pconv(&d->pconv);
}

static void stride_pool(const Dims *w, bool x, bool y, Dims *d)
{
    if (x)
        PUT_STRIDES(&d->pool, &w->pool, x);
    if (y)
        PUT_STRIDES(&d->pool, &w->pool, y);
}

static void stride_matmul(const Dims *w, bool a, bool b, Dims *d)
{
    if (a) {
        d->matmul.am = w->matmul.am;
        d->matmul.ak = w->matmul.ak;
        memcpy(d->matmul.ab, w->matmul.ab, sizeof d->matmul.ab);
    }
    if (b) {
        d->matmul.bk = w->matmul.bk;
        d->matmul.bn = w->matmul.bn;
        memcpy(d->matmul.bb, w->matmul.bb, sizeof d->matmul.bb);
    }
}

bool tile_dims(const Node *n, const Tile *t, unsigned in_place,
               bool out_place, Dims *d)
{
    Family f = op_info[n->op].family;
    bool y = out_place && t->out[0].rows > 1;
    unsigned far = 0;
    Dims w;
    int i;

    for (i = 0; i < t->node->narg; i++)
        if (n->arg[i] && t->in[i].rows > 1)
            far |= 1u << i & in_place;
    memset(d, 0, sizeof *d);
    dims_fill(t->node, d);
    if (!far && !y)
        return true;
    memset(&w, 0, sizeof w);
    dims_fill(n, &w);
    if (f == FAM_conv)
        stride_conv(&w, far & 1, y, d);
    if (f == FAM_pconv)
        stride_pconv(&w, far & 1, y, d);
    if (f == FAM_pool)
        stride_pool(&w, far & 1, y, d);
    if (f == FAM_matmul)
        stride_matmul(&w, far & 1, far & 2, d);
    return tile_tells(n, far, y);
}
