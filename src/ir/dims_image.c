/* What kernels of images are told: windows, strides of rows, columns and
 * channels. */
#include "ir/dims.h"
#include "kern/conv/words.h"

#include <string.h>

/* Sizes and strides of an image: batch, channels, rows, columns.  A tensor
 * with one spatial axis is an image of one row. */
typedef struct Image {
    int32_t n, c, h, w, sn, sc, sh, sw;
} Image;

static Image image_of(const Node *n, const Val *v)
{
    bool last = attr_int(n, A_last), flat = v->shape.rank == 3;
    int c = last ? v->shape.rank - 1 : 1, w = last ? c - 1 : v->shape.rank - 1;
    const int64_t *dim = v->shape.dim;
    int64_t s[RANK];
    Image m;

    dims_dense(v->shape, s);
    m.n = dims_32(n, dim[0]);
    m.sn = dims_32(n, s[0]);
    m.c = dims_32(n, dim[c]);
    m.sc = dims_32(n, s[c]);
    m.w = dims_32(n, dim[w]);
    m.sw = dims_32(n, s[w]);
    m.h = flat ? 1 : dims_32(n, dim[w - 1]);
    m.sh = flat ? 0 : dims_32(n, s[w - 1]);
    return m;
}

/* The window's numbers, spatial axis 0 being rows unless there is one only. */
#define PUT_WINDOW(d, node, flat)                                      \
    ((d)->sh = (flat) ? 1 : spatial(node, A_stride, 0, 1),             \
     (d)->sw = spatial(node, A_stride, !(flat), 1),                    \
     (d)->dh = (flat) ? 1 : spatial(node, A_dilation, 0, 1),           \
     (d)->dw = spatial(node, A_dilation, !(flat), 1),                  \
     (d)->ph = (flat) ? 0 : spatial(node, A_pad, 0, 0),                \
     (d)->pw = spatial(node, A_pad, !(flat), 0))

#define PUT_IMAGES(d, x, y)                                            \
    ((d)->n = (x).n, (d)->h = (x).h, (d)->w = (x).w, (d)->oh = (y).h,  \
     (d)->ow = (y).w, (d)->xn = (x).sn, (d)->xh = (x).sh,              \
     (d)->xw = (x).sw, (d)->xc = (x).sc, (d)->yn = (y).sn,             \
     (d)->yh = (y).sh, (d)->yw = (y).sw, (d)->yc = (y).sc)

static int32_t spatial(const Node *n, AttrCode c, int i, int64_t none)
{
    return (int32_t)attr_at(n, c, i, none);
}

void fill_conv(const Node *n, struct conv_dims *d)
{
    Image x = image_of(n, n->arg[0]), w = image_of(n, n->arg[1]);
    Image y = image_of(n, n->res[0]);

    PUT_IMAGES(d, x, y);
    PUT_WINDOW(d, n, n->arg[0]->shape.rank == 3);
    PUT_EPILOGUE(d, n);
    d->g = (int32_t)attr_int(n, A_group);
    d->c = w.c;
    d->m = w.n / d->g;
    d->kh = w.h;
    d->kw = w.w;
    d->wm = w.sn;
    d->wh = w.sh;
    d->ww = w.sw;
    d->wc = w.sc;
    d->padv = dims_32(n, attr_int(n, A_padvalue));
}

/* The input of a pconv; pixels of a vector begin `step` elements apart. */
static Image packed_input(const Node *n)
{
    Image x = image_of(n, n->arg[0]);

    if (!attr_has(n, A_step))
        return x;
    x.c = dims_32(n, pconv_channels(n));
    x.h = spatial(n, A_kernel, 0, 1);
    x.w = spatial(n, A_kernel, 1, 1);
    x.sw = spatial(n, A_step, 0, 1);
    x.sh = x.w * x.sw;
    return x;
}

/* What makes image v. */
static void fill_packed(const Node *n, const Val *v, struct pconv_dims *d)
{
    Image x = packed_input(n), y = image_of(n, v);
    Shape w = n->arg[1]->shape;

    PUT_IMAGES(d, x, y);
    PUT_WINDOW(d, n, n->arg[0]->shape.rank == 3);
    PUT_EPILOGUE(d, n);
    d->g = (int32_t)attr_int(n, A_group);
    d->c = x.c / d->g;
    d->m = y.c / d->g;
    d->kh = n->arg[0]->shape.rank == 3 ? 1 : spatial(n, A_kernel, 0, 1);
    d->kw = spatial(n, A_kernel, n->arg[0]->shape.rank - 3, 1);
    d->wm = dims_32(n, w.dim[1]);
    d->padv = dims_32(n, attr_int(n, A_padvalue));
    d->bits = (int32_t)attr_int(n, A_p1);
    d->less = dims_32(n, attr_int(n, A_p0));
    d->tile = spatial(n, A_count, 0, 1);
    d->word = (int32_t)attr_int(n, A_p2);
    d->mode = (int32_t)attr_int(n, A_mode);
    d->port = (int32_t)attr_int(n, A_p3);
    d->lo = (int32_t)MAX(attr_int(n, A_lo), INT32_MIN);
    d->hi = (int32_t)MIN(attr_int(n, A_hi), INT32_MAX);
    d->side = spatial(n, A_count, 1, 0);
    job_conf(n, d);
}

void fill_pconv(const Node *n, struct pconv_dims *d)
{
    fill_packed(n, n->res[0], d);
    raster_pconv(d);
}

enum { LONG = 128 }; /* channels of an input that are worth a second job */

/* The job that copies r: blocks are pixels. */
static void fill_copies(const Node *n, struct pinterleave_dims *d)
{
    const Val *v = node_arg(n, "v");
    struct pconv_dims c = {
        .n = 1, .g = 1, .c = INTERLEAVE, .m = INTERLEAVE, .h = d->blocks,
        .w = 1, .oh = d->blocks, .ow = 1, .kh = 1, .kw = 1, .sh = 1, .sw = 1,
        .dh = 1, .dw = 1, .xh = INTERLEAVE, .xw = INTERLEAVE, .xc = 1,
        .yh = 2 * INTERLEAVE, .yw = 2 * INTERLEAVE, .yc = 1, .lo = d->lo,
        .bits = 2, .tile = INTERLEAVE,
        .word = dims_32(n, v->shape.dim[1]), .mode = 1,
        .wm = dims_32(n, v->shape.dim[1]), .side = d->side, .port = d->vport};

    job_copies(&c);
    raster_once(&c);
    memcpy(d->copy, c.job, sizeof d->copy);
}

void fill_pinterleave(const Node *n, struct pinterleave_dims *d)
{
    struct pconv_dims k = {0};
    Val beside = *n->res[0];
    int32_t m;

    beside.shape = shape_pconv(n);
    fill_packed(n, &beside, &k);
    k.yn *= 2;
    k.yh *= 2;
    k.yw *= 2;
    m = k.m;
    k.m = INTERLEAVE; /* of a job */
    if (k.c < LONG)
        raster_once(&k);
    else
        raster_pconv(&k);
    k.m = m;
    memcpy(d, &k, sizeof k);
    d->blocks = dims_32(n, n->res[0]->shape.dim[0]);
    d->first = attr_int(n, A_reverse) != 0;
    d->vport = (int32_t)attr_int(n, A_p4);
    fill_copies(n, d);
}

void fill_convt(const Node *n, struct convt_dims *d)
{
    Image x = image_of(n, n->arg[0]), w = image_of(n, n->arg[1]);
    Image y = image_of(n, n->res[0]);

    PUT_IMAGES(d, x, y);
    PUT_WINDOW(d, n, n->arg[0]->shape.rank == 3);
    PUT_EPILOGUE(d, n);
    d->g = (int32_t)attr_int(n, A_group);
    d->c = x.c / d->g;
    d->m = w.c;
    d->kh = w.h;
    d->kw = w.w;
    d->wc = w.sn;
    d->wm = w.sc;
    d->wh = w.sh;
    d->ww = w.sw;
}

void fill_pool(const Node *n, struct pool_dims *d)
{
    Image x = image_of(n, n->arg[0]), y = image_of(n, n->res[0]);
    bool flat = n->arg[0]->shape.rank == 3;

    PUT_IMAGES(d, x, y);
    PUT_WINDOW(d, n, flat);
    PUT_EPILOGUE(d, n);
    d->c = x.c;
    d->kh = flat ? 1 : spatial(n, A_kernel, 0, 1);
    d->kw = spatial(n, A_kernel, !flat, 1);
    d->phe = flat ? 0 : spatial(n, A_pad, 2, 0);
    d->pwe = spatial(n, A_pad, flat ? 1 : 3, 0);
    d->countpad = (int32_t)attr_int(n, A_countpad);
}
