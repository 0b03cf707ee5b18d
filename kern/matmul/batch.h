/* Batches of a matrix product, each a convolution of one tap (conv/pair.h). */
#ifndef MATMUL_BATCH_H
#define MATMUL_BATCH_H

static inline void pair_matmul(const struct matmul_dims *k,
                               const struct io *io)
{
    const struct conv_dims conv = {
        .n = 1, .g = 1, .c = k->k, .m = k->n, .h = 1, .w = k->m, .oh = 1,
        .ow = k->m, .kh = 1, .kw = 1, .xw = k->am, .yw = k->n, .wm = k->bn,
        .shift = k->shift, .mulc = k->muln, .addc = k->addn, .lo = k->lo,
        .hi = k->hi};
    struct io one = *io;
    Y *y = io->out[0];

    for (int32_t i = 0; i < k->nb[0]; i++)
        for (int32_t j = 0; j < k->nb[1]; j++)
            for (int32_t l = 0; l < k->nb[2]; l++, y += k->m * k->n) {
                one.in[0] = (const X *)io->in[0] + (ptrdiff_t)i * k->ab[0] +
                            (ptrdiff_t)j * k->ab[1] + (ptrdiff_t)l * k->ab[2];
                one.in[1] = (const W *)io->in[1] + (ptrdiff_t)i * k->bb[0] +
                            (ptrdiff_t)j * k->bb[1] + (ptrdiff_t)l * k->bb[2];
                one.out[0] = y;
                pair_conv(&conv, &one);
            }
}

#endif
