/* front: model files -> Graph. */
#ifndef FRONT_H
#define FRONT_H

#include "ir/ir.h"
#include "ir/vocab.h"

enum { MOST_STATES = 128 };

typedef struct FrontOpts {
    int ndim;               /* --dim name=size */
    const char *dim_name[32];
    int64_t dim_size[32];
    bool dim_varies[32];    /* NAME=LEAST..SIZE: a run-time number */
    int64_t dim_least[32];
    int ntype;              /* --input-type [NAME=]TYPE */
    const char *type_name[32]; /* NULL: all inputs */
    Type type[32];
    int nstate;             /* --state IN=OUT */
    const char *state_in[MOST_STATES], *state_out[MOST_STATES];
    int64_t context;        /* --context; 0: all positions that it has */
    const char *past;       /* of --context: the number that counts the rows of
                               caches, its --dim is there; NULL: none */
    int64_t past_rows;      /* the model is made for so many; -1: for any */
    int state_axis[MOST_STATES]; /* of caches: along which they grow; -1 */
    int ngiven;             /* --given IN=WHAT */
    const char *given_in[32], *given_as[32];
    bool floats;            /* weights of checkpoints in int8 become floats */
    int64_t chunk;          /* --chunk: tokens of a run at most; 0: one */
    bool grows;             /* a state may be larger in the next run */
    const Array *vectors;   /* inputs given with -i, in order, or NULL */
    const char *vectors_file; /* what is wrong with them is told of it */
    bool list_all;          /* verb check: print every problem, not the first */
} FrontOpts;

/* Reads a model file of any format (front.c).  Stops with err(ERR_MODEL), of
 * ONNX after listing all unknown operators at once with the nearest supported
 * form. */
Graph *front_read(Arena *mem, const char *path, const FrontOpts *o);
/* For fuzzing: from memory; no external data. */
Graph *front_parse(Arena *mem, const char *path, const void *p, size_t n,
                   const FrontOpts *o);
/* The tokenizer of a language model of n words, in llama2.c's format;
 * err(ERR_MODEL) if it is none, or another model's. */
Vocab *front_vocab(Arena *mem, const char *path, int64_t n);
/* The table of what is supported: ONNX operator, versions, constraints. */
void front_ops(Str *out, const char *name);
void front_ops_json(Json *j, const char *name); /* an array; the name exists */

#endif
