/* ptq: post-training quantization: a float graph and examples of its inputs
 * become a graph of integers.
 *
 *     observe.c   the float graph runs on every example; where values lie
 *     grid.c      scale and zero point that lose least
 *     insert.c    quantize and dequantize go where integers are to be; room
 *                 quant makes integer operators of what is between
 *     weights.c   weights and biases of integers, by what they meet (meet.c)
 *     equalize.c  channels of like size, if that loses less
 *     smooth.c    great channels go from values into weights, likewise
 *     mix.c       who adds most to the noise; 4 bits here, 16 there
 *     rows.c      softmax and normalizations, which quant leaves float
 *     measure.c   both graphs on every example: what was lost
 *
 * Sums are in double, in a fixed order: the same file comes out everywhere. */
#ifndef PTQ_H
#define PTQ_H

#include "ir/ir.h"
#include "ir/vocab.h"

/* How the range of a value is chosen from what was seen. */
typedef enum RangeBy {
    BY_MSE, BY_MINMAX, BY_PERCENTILE, BY_KL, NRANGEBY
} RangeBy;
extern const char *const range_by_name[NRANGEBY];

typedef struct Samples {
    int n;
    void ***in;     /* [sample][input of the graph], native types */
    int64_t *label; /* of each, or NULL */
} Samples;

/* One value that is an integer now. */
typedef struct PtqLayer {
    const char *name, *op; /* as the user wrote them */
    Type type;
    double scale;
    int64_t zero;
    double lo, hi;         /* seen */
    double clipped;        /* part of its elements that lie outside */
    double sqnr;           /* dB, against the float graph; NAN: not known */
    double share;          /* of the noise of the outputs; NAN: not known */
} PtqLayer;

/* One matrix of weights that are integers now. */
typedef struct PtqWeights {
    const char *name, *op;
    int bits;
    int64_t count;
    double sqnr;  /* dB, of the sums on what they meet; NAN: not known */
    double share; /* of the noise of the outputs; NAN: not known */
} PtqWeights;

typedef struct PtqOutput {
    const char *name;
    double sqnr, cosine, max_abs;
    double agree; /* part of the samples whose greatest element is the same */
} PtqOutput;

typedef struct PtqReport {
    int nsample;
    int nmeasured;         /* examples that results are of */
    int nlayer, nweights, nout;
    PtqLayer *layer;
    PtqWeights *weights;
    PtqOutput *out;
    double right_float, right_int; /* accuracy, 0..1; NAN: no labels */
    int64_t bytes_float, bytes_int; /* of constants; two weights of 4 bits
                                       count one */
    Graph *grids;                  /* floats between quantize and dequantize */
    bool equalized;                /* channels were made of like size */
    double smoothed;               /* part that went into weights; 0: none */
    int nfloat;                    /* operators that stay float */
    const char *left[16];          /* some of them: "name (Op)" */
} PtqReport;

/* How many bits each has: 8, but for those that are named. */
typedef struct Mix {
    const char *only; /* all else stays float; NULL: nothing does */
    bool all_four;    /* all weights have 4 */
    bool all_wide;    /* all values that can have 16 */
    int nfour, nwide;
    const char **four, **wide;
} Mix;

typedef struct PtqOpts {
    RangeBy by;
    bool keep_bias; /* no correction of biases */
    bool nearest;   /* weights are rounded to the nearest */
    bool as_is;     /* neither equalized nor smoothed */
    bool shares;    /* find out who adds to the noise */
    double drop;    /* most points of accuracy (without labels: of agreement
                       with the float network) to lose; below 0: any */
    int64_t bytes;  /* most of constants; 0: any */
    Graph *given;   /* integers that became floats in part: what is compared
                       with, and what stays; NULL: all are floats */
    Mix mix;
} PtqOpts;

/* data.c: examples from an npz, a npy, or a folder of them; arrays belong to
 * inputs by position.  A file may have several: its arrays have one axis more,
 * or a first axis longer than the input's.  err(ERR_MODEL) if none fits.
 * labels: a file with a number for each, or NULL. */
void ptq_data(Arena *mem, const Graph *g, const char *path, const char *labels,
              Samples *s);

/* The integer graph, in mem; g is changed by nothing but numbering.  Grids are
 * of the examples s, results of those of test (s itself will do).
 * err(ERR_MODEL) if o->bytes cannot be reached. */
Graph *ptq_quantize(Arena *mem, Graph *g, const Samples *s,
                    const Samples *test, const PtqOpts *o, PtqReport *r);

/* onnx.c: the graph r->grids as an ONNX file; err(ERR_MODEL) where an operator
 * is none of ONNX's. */
void ptq_onnx(Arena *mem, Graph *g, Str *to);

/* --- language models --- */

typedef struct Tokens { /* texts of a language model, one after the other */
    int n;              /* texts */
    int64_t *start;     /* n + 1 */
    int32_t *token;
} Tokens;

/* lm.c: how weights of products are kept, and what they meet. */
typedef struct LmOpts {
    int bits;     /* 8 or 4 */
    int group;    /* elements of a row with a scale each; 0: the row */
    bool dynamic; /* activations of 8 bits, scaled at each token */
    bool fixed;   /* of 8 bits, of fixed scales: no float is left */
    bool floats;  /* they stay floats; none: as suits the weights */
    bool plain;   /* round to the nearest; else errors are compensated */
    int texts;    /* that measure what is lost, 0: all; those behind calibrate;
                     -1: nothing is measured */
} LmOpts;

typedef struct LmMatrix {
    const char *name;
    int bits, group;
    int64_t rows, columns;
    double sqnr; /* dB, of its results on what it meets in the float model */
} LmMatrix;

typedef struct LmReport {
    int nmatrix;
    LmMatrix *matrix;
    int64_t tokens;          /* that were predicted */
    double ppl_float, ppl_int; /* perplexity */
    double kl;               /* of float to integer, nats a token */
    double same;             /* part where the likeliest is the same */
    int64_t bytes_float, bytes_int;
} LmReport;

/* Texts as tokens: npz with `tokens` and `starts` (or tokens alone: one text);
 * any other file is text, cut at lines of <|endoftext|>, in words of v. */
void lm_tokens(Arena *mem, const Graph *g, const char *path, const Vocab *v,
               Tokens *t);
/* Without texts weights are rounded to the nearest. */
Graph *lm_quantize(Arena *mem, Graph *g, const Tokens *t, const LmOpts *o,
                   LmReport *r);

#endif
