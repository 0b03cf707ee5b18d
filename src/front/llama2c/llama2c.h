/* Inside front: language models in the formats of llama2.c. */
#ifndef FRONT_LLAMA2C_H
#define FRONT_LLAMA2C_H

#include "front/front.h"

/* A matrix [out][in], row after row, of all layers one after the other. */
typedef struct Matrix {
    const float *f;       /* NULL: integers, */
    const signed char *q; /* which times the scale of their group */
    const float *scale;   /* are the weights */
} Matrix;

/* What a checkpoint holds. */
typedef struct Checkpoint {
    int version;        /* 0, 1: floats; 2: int8 in groups */
    int64_t group;      /* elements of a group; 0: floats */
    int64_t dim, hidden, layers, heads, kv_heads, vocab, context;
    int64_t head, kv;   /* elements of a head; of all key heads */
    Matrix embedding;               /* [vocab][dim] */
    const float *norm_attention, *norm_ffn, *norm_last; /* [dim] each */
    Matrix wq, wk, wv, wo; /* [dim][dim], [kv][dim] twice, [dim][dim] */
    Matrix w1, w2, w3;     /* [hidden][dim], [dim][hidden], as w1 */
    bool shared;           /* the embedding is the classifier */
    Matrix classifier;     /* [vocab][dim] */
} Checkpoint;

/* checkpoint.c: is it one, by its first bytes and, in version 0, its size? */
bool llama2c_is(const void *p, size_t n);
/* err(ERR_MODEL) on what is no whole checkpoint.  Weights are in mem. */
void llama2c_read(Arena *mem, const void *p, size_t n, Checkpoint *c);

/* decoder.c: the network of a token, or of up to a chunk of them: inputs `token`
 * and `position` (s32[tokens] and [1]), output `logits` (f32[vocab]) behind the
 * last, and as states the keys and values of all positions up to the context.
 * Run-time numbers: `rows`, position + tokens, and, of a chunk, `tokens`. */
Graph *llama2c_graph(Arena *mem, const char *path, const void *p, size_t n,
                     const FrontOpts *o);

#endif
