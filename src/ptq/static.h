/* Inside ptq: language models whose activations are int8 of fixed scales. */
#ifndef PTQ_STATIC_H
#define PTQ_STATIC_H

#include "ptq/calib.h"

/* One value of the float decoder, its last axis (or the last two, of heads)
 * being the channels. */
typedef struct Spot {
    const Val *v;
    int64_t channels;
    double *top;         /* of each channel: the greatest size */
    double *sum;         /* of its elements */
    int64_t rows;        /* elements of a channel that were seen */
    double *less, *unit; /* of each channel: elements are seen less the one,
                            divided by the other */
    Seen seen;
} Spot;

/* Of each layer: what the residual is before attention and before feed-
 * forward, and behind; normalized; rotated queries and keys; values; what
 * attention gives; gate and up, and their product; what the last products of
 * both give. */
typedef enum SpotName {
    AT_X1,
    AT_H1,
    AT_Q,
    AT_K,
    AT_V,
    AT_MIXED,
    AT_O,
    AT_X2,
    AT_H2,
    AT_GATE,
    AT_UP,
    AT_GATED,
    AT_DOWN,
    AT_X3,
    NSPOT
} SpotName;

typedef struct Decoder { /* by the names that its importer gives */
    Arena *mem;
    Graph *g;
    int64_t dim, hidden, layers, heads, caches, head, context, vocab;
    Spot (*spot)[NSPOT]; /* of each layer */
    Spot last, logits;   /* normalized; results */
} Decoder;

/* static_seen.c: err(ERR_MODEL) if g is no float decoder. */
void decoder_find(Arena *mem, Graph *g, Decoder *d);
void decoder_observe(Decoder *d, const Tokens *t, int from, int to);
/* A weight of a layer; of no layer: layer < 0. */
Val *decoder_const(const Decoder *d, int64_t layer, const char *name);

/* The decoder that is being made. */
typedef struct Make {
    Decoder d;
    Graph *q;
    const Met *met; /* of each matrix of d.g */
    int nmet;
    LmReport *r;
    Size tokens, rows; /* of a run; of the caches behind it */
    Val *token, *where, *turn, *slots, *powers;
    Val *x;         /* the residual, */
    double x_scale; /* and its scale */
    int64_t layer;  /* below 0: of none */
} Make;

/* static_make.c: a node of the graph; its result when attributes are set. */
Node *make_node(Make *m, OpCode op, int n, Val *a, Val *b, Val *c, Val *d);
Val *make_end(Make *m, Node *n);
/* Its epilogue: the shift, and bounds of type t. */
void make_bounds(Make *m, Node *n, int64_t shift, Type t);
/* x as shape s, of whose first axis there are as many as tokens. */
Val *make_shaped(Make *m, Val *x, Shape s);
Val *make_part(Make *m, Val *x, int axis, Size start, Size count);
Val *make_some(Make *m, Val *x, int axis, int64_t start, int64_t count);
Val *make_rows(Make *m, Val *table, Val *at);
const char *make_name(Make *m, const char *name); /* of this layer */
/* A constant: v rounded, and bounded by t. */
Val *make_numbers(Make *m, const char *name, Type t, Shape s, const double *v);
double *make_doubles(Make *m, int64_t n);

/* Rows of a product: those of the float weights of that name, each divided by a
 * scale of its own. */
typedef struct Part {
    const char *name;
    const double *scale;
} Part;

/* n parts as one product.  x: integers of `unit` each, which are `below` less
 * than what they stand for, on the mean. */
Val *make_products(Make *m, const char *name, Val *x, const double *unit,
                   double below, const Part *p, int n, Type to);

/* static.c: the decoder g in integers; scales from texts [from, to) of t.  met:
 * what its matrices meet in those. */
Graph *static_decoder(Arena *mem, Graph *g, const Tokens *t, int from, int to,
                      const Met *met, int nmet, LmReport *r);

#endif
