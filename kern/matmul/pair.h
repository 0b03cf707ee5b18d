/* A matrix product as a convolution of one tap, whose pixels are rows of a and
 * whose channels are columns: to be included before dsp/pair.h or mve/quad.h. */
#ifndef MATMUL_PAIR_H
#define MATMUL_PAIR_H

typedef A X;
typedef B W;
#define B BIAS /* of convolutions the bias */

#endif
