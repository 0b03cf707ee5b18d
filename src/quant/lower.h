/* What the files of quant share.
 *
 * A quantized value q stands for the real number scale * (q - zero); in the
 * graph that is a `dequantize` of an integer value by constants. */
#ifndef LOWER_H
#define LOWER_H

#include "quant/quant.h"

typedef struct Real {
    Val *v;     /* the integers, constant or not */
    Val *scale; /* f32 constant, broadcast to v */
    Val *zero;  /* integer constant, broadcast to v; NULL: 0 */
} Real;

/* The grid of a quantize node: one scale, one zero point. */
typedef struct Grid {
    float scale;
    int64_t zero, lo, hi;
} Grid;

/* real.c */
bool real_of(const Val *x, Real *r);    /* is x a dequantize by constants? */
bool real_uniform(const Real *r);       /* of one scale and one zero point */
float real_scale(const Real *r, int64_t i); /* of channel i, or of all */
int64_t real_zero(const Real *r, int64_t i);
bool grid_of(const Node *q, Grid *to);
int64_t grid_round(const Grid *to, float x);
/* Integers n makes now are to be read as reals: everything that read n's
 * result reads a new dequantize of it, which is returned. */
Val *real_result(Graph *g, Node *n, Val *scale, Val *zero);
Val *const_f32s(Graph *g, Shape s); /* to be filled */
/* s64, to be filled, then val_narrow */
Val *const_ints(Graph *g, const char *name, Shape s);
Val *const_like(Graph *g, const Val *scale); /* zero points beside scales */
/* A node of constants becomes one; false: it has other operands. */
bool fold_const(Graph *g, Node *n);

/* linear.c, move.c: a float node whose operands are dequantized becomes an
 * integer node followed by one dequantize; false: it stays as it is. */
bool lower_conv(Graph *g, Node *n);
bool lower_convt(Graph *g, Node *n);
bool lower_matmul(Graph *g, Node *n);
bool lower_mean(Graph *g, Node *n);
bool lower_avgpool(Graph *g, Node *n);
bool lower_mul(Graph *g, Node *n);
bool lower_move(Graph *g, Node *n);
bool lower_index(Graph *g, Node *n);
bool lower_concat(Graph *g, Node *n);
bool lower_clip(Graph *g, Node *n);

/* requant.c: a quantize node becomes integer arithmetic on what its operand
 * was dequantized from. */
bool lower_quantize(Graph *g, Node *q);
/* softmax.c: the same, of a softmax x whose grid is to. */
bool lower_softmax(Graph *g, Node *q, const Val *x, const Grid *to);
/* layernorm.c: the same, of a layer norm. */
bool lower_layernorm(Graph *g, Node *q, const Val *x, const Grid *to);
/* table.c: the same, where everything between is a function of one value of
 * few bits. */
bool lower_table(Graph *g, Node *q, const Grid *to);

#endif
