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
Val *real_constant(Graph *g, Val *x); /* a constant's reals, or NULL */
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

/* What hides scores from a softmax: a mask that is added, or a number that
 * where puts in place of them. */
typedef struct Mask {
    Val *from, *base; /* it, and what it is but for moves */
    Val *bits;        /* what makes base, or NULL: */
    Val *hidden;      /* f32 constant, 0 where it shows */
    bool shown;       /* where bits are that */
    bool put;         /* in place of scores, not added */
} Mask;

typedef struct Masks {
    Graph *g;
    Node *at;           /* new nodes go before it */
    int n;
    Mask mask[4];
    double least, most; /* of scores, scaled */
    double put, added;  /* the greatest that hide, scaled */
    float number;       /* the last that hides, and what scales it */
    double factor;
    bool finite, infinite, several; /* such are, and others than the last */
    bool rows;          /* all of a row may be hidden */
} Masks;

/* mask.c: x without what hides scores, which m tells; NULL: nothing does, or x
 * is no multiple of one value on a grid. */
Val *mask_strip(Graph *g, Node *at, Val *x, Masks *m);
/* Is x that: r times factor? */
bool mask_scores(Graph *g, Val *x, double *factor, Real *r);
double mask_hidden(const Masks *m); /* the greatest that is hidden */
bool mask_even(const Masks *m);     /* is a row of hidden ones one of equals? */
/* x where it shows, not above `shown`; what is hidden is `hidden`. */
Val *mask_bound(Masks *m, Val *x, int64_t shown, int64_t hidden);
/* A quantize node of masked scores becomes a bound of quantized ones. */
bool lower_masked(Graph *g, Node *q, const Grid *to);

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
