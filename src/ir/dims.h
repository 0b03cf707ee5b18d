/* Inside ir: what the families need to fill what kernels are told (dims.c). */
#ifndef IR_DIMS_H
#define IR_DIMS_H

#include "ir/ir.h"

/* A length now; and far away, where it meets no other by chance: what axes are
 * joined must be the same at every value of a run-time number (number.c). */
typedef struct Len {
    int64_t n;
    uint64_t far;
} Len;

Len len_const(int64_t n);
Len len_times(Len a, Len b);
Len len_of(Shape s, int i); /* of axis i */

/* nest.c: axes, each with a length and a stride for every walker. */
enum { WALKERS = 5 };

typedef struct Nest {
    int rank, nwalk;
    Len n[RANK];
    Len s[WALKERS][RANK];
} Nest;

/* Lengths of the axes of s, and strides of its elements without gaps. */
void nest_lens(Shape s, Len n[RANK]);
void nest_dense(Shape s, Len stride[RANK]);
/* Walker w walks the axes of t as broadcasting has v's. */
void nest_broadcast(Nest *t, int w, const Val *v);
/* Joins axes; keep: the last stays on its own. */
void nest_collapse(Nest *t, bool keep);
/* Sizes, and strides of walker w, to the end of an array of len, ones and zeros
 * before; err_node if there are more axes. */
void nest_sizes(const Node *n, const Nest *t, int len, int32_t *to);
void nest_strides(const Node *n, const Nest *t, int w, int len, int32_t *to);

/* dims.c: strides of s without gaps. */
void dims_dense(Shape s, int64_t stride[RANK]);
/* Bounds as kernels are told them: within the result's type, in which some
 * have them, but for the extremes of 32 bits, which are none. */
int32_t dims_bound(const Node *n, AttrCode c);
/* 1 if the operand has an element for each channel. */
int32_t dims_channel_stride(const Node *n, const char *name);
/* Of shifts that differ the least. */
int32_t dims_shift(const Node *n);

#define PUT_CLIP(d, node)                                              \
    ((d)->shift = dims_shift(node),                                    \
     (d)->lo = dims_bound(node, A_lo),                                 \
     (d)->hi = dims_bound(node, A_hi),                                 \
     (d)->flo = (float)attr_num(node, A_flo),                          \
     (d)->fhi = (float)attr_num(node, A_fhi))

#define PUT_EPILOGUE(d, node)                                          \
    (PUT_CLIP(d, node), (d)->mulc = dims_channel_stride(node, "mul"),       \
     (d)->addc = dims_channel_stride(node, "add"))

/* A function for each family: dims_image.c, dims_move.c, attend.c, single.c. */
void fill_conv(const Node *n, struct conv_dims *d);
void fill_pconv(const Node *n, struct pconv_dims *d);
void fill_pinterleave(const Node *n, struct pinterleave_dims *d);
/* raster.c: rows and columns of d, by its other numbers, and words of a job, or
 * of one job that no second one follows; job.c: of these the one that types
 * decide, and others; that of bytes that are copied. */
void raster_pconv(struct pconv_dims *d);
void raster_once(struct pconv_dims *d);
void job_conf(const Node *n, struct pconv_dims *d);
void job_pconv(struct pconv_dims *d);
void job_copies(struct pconv_dims *d);
void fill_convt(const Node *n, struct convt_dims *d);
void fill_pool(const Node *n, struct pool_dims *d);
void fill_transpose(const Node *n, struct copy_dims *d);
void fill_slice(const Node *n, struct copy_dims *d);
void fill_windows(const Node *n, struct copy_dims *d);
void fill_expand(const Node *n, struct copy_dims *d);
void fill_pad(const Node *n, struct pad_dims *d);
void fill_gather(const Node *n, struct gather_dims *d);
void fill_elements(const Node *n, struct elements_dims *d);
void fill_nd(const Node *n, struct nd_dims *d);
void fill_taps(const Node *n, struct taps_dims *d);
void fill_topk(const Node *n, struct topk_dims *d);
void fill_dft(const Node *n, struct dft_dims *d);
void fill_grid(const Node *n, struct grid_dims *d);
void fill_nms(const Node *n, struct nms_dims *d);
void fill_group(const Node *n, struct group_dims *d);
void fill_attend(const Node *n, struct attend_dims *d);
void fill_qattend(const Node *n, struct qattend_dims *d);
void fill_rotate(const Node *n, struct rotate_dims *d);
void fill_gate(const Node *n, struct gate_dims *d);
void fill_shares(const Node *n, struct shares_dims *d);
void fill_weigh(const Node *n, struct weigh_dims *d);
void fill_rowmatmul(const Node *n, struct rowmatmul_dims *d);
void fill_pack(const Node *n, struct pack_dims *d);
void fill_exchange(const Node *n, struct exchange_dims *d);

#endif
