/* A convolution of one pixel, of weights of four bits, as a matrix product of
 * one row: to be included after nibbles.h and before what makes such
 * products. */
#ifndef CONV_LINE_H
#define CONV_LINE_H

typedef X A;
typedef B BIAS;
#define B uint8_t /* of matrix products the right side */

static inline struct matmul_dims line_of(const struct pconv_dims *k)
{
    return (struct matmul_dims){
        .nb = {1, 1, 1}, .m = 1, .n = k->m, .k = k->kh * k->kw * k->c,
        .ak = 1, .bn = k->wm, .biasn = 1, .muln = k->mulc, .addn = k->addc,
        .shift = k->shift, .lo = k->lo, .hi = k->hi};
}

#endif
