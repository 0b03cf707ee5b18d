/* What the files of ptq share. */
#ifndef CALIB_H
#define CALIB_H

#include "ptq/ptq.h"

/* observe.c: a histogram over -reach to reach; when a value lies beyond, pairs
 * of bins join and reach doubles. */
enum { BINS = 4096 };

typedef struct Seen {
    double lo, hi, reach;
    double least_size; /* of what is not 0 */
    int64_t n;
    int64_t bin[BINS];
    int axis;       /* of channels, where weights read it */
    int64_t rows;   /* elements a channel */
    double *sum;    /* of each channel; NULL: nobody asks */
    double *top;    /* of each channel, the greatest size */
    int64_t len;    /* of rows that a softmax reads; 0: none does */
    double least;   /* of these, the least of their greatest */
} Seen;

/* meet.c: what weights meet. */
typedef struct Met Met;
struct Met {
    const Val *w, *x;
    const Node *n;  /* that reads them */
    int64_t k;      /* length of a sum */
    int64_t groups; /* of a convolution */
    int64_t seen;   /* examples */
    double *h;      /* [groups][k][k]: the sum of x x' */
    Met *next;
};

/* Of all constant weights of g, nothing seen yet; a list. */
Met *meets_new(Arena *mem, const Graph *g);
/* One of so many examples. */
void meets_add(Met *first, const Eval *e, int examples);
void meets_end(Met *first);
const Met *met_find(const Met *first, const char *weights);

/* Of every float value of g that is no constant, by Val.id; NULL of others.
 * met: filled too; may be NULL. */
Seen **observe(Arena *mem, Graph *g, const Samples *s, Met *met);
void seen_add(Seen *s, const float *x, int64_t n);
/* Part of the elements outside of lo to hi. */
double seen_outside(const Seen *s, double lo, double hi);

/* grid.c */
typedef struct Steps { /* a grid: real = scale * (integer - zero) */
    float scale;
    int64_t zero;
    Type type;
} Steps;

/* even: the zero point is 0. */
Steps steps_of(const Seen *s, Type t, bool even, RangeBy by);
/* The scale for symmetric integers of `most` that loses least of n floats,
 * each `apart` from the next. */
float scale_of_weights(const float *w, int64_t n, int64_t apart, int most);
int64_t steps_round(const Steps *s, double x);

/* insert.c */
typedef struct Inserted {
    const char *name;    /* of the float value */
    const char *integer; /* of the value that holds its integers */
    const char *op;
    Steps steps;
} Inserted;

/* Puts quantize and dequantize into q, a copy of g. */
int insert_grids(Graph *q, Graph *g, Seen **seen, const PtqOpts *o,
                 Inserted **list);
bool moves(const Node *n);
bool has_weights(const Node *n);

/* weights.c: behind insert_grids. */
int insert_weights(Graph *q, Graph *g, Seen **seen, const Met *met,
                   const PtqOpts *o, PtqWeights **list);

/* equalize.c: channels of convolutions of like size; false: no pair of them. */
bool equalize(Graph *g);
/* Is it a convolution or a product whose constant weights nobody else reads? */
bool own_weights(const Graph *g, const Node *n);
/* NULL: there are several, or it is an output. */
Node *only_reader(const Graph *g, const Val *v);

/* smooth.c: great channels of what products read become smaller, their weights
 * greater; false: nothing can be.  seen: of g. */
bool smooth(Graph *g, Seen **seen, double part);

/* mask.c: what hides scores from a softmax bounds them; q is a copy of g. */
void bound_scores(Graph *q, const Graph *g, Seen **seen);

/* rows.c: softmax and normalizations of integers. */
void lower_rows(Graph *g);

/* attend.c: behind it, attention that divides once a row. */
void lower_attention(Graph *g);

/* ptq.c: what becomes of a float graph, by o and what was seen of it. */
Graph *make_integer(Arena *mem, Graph *f, Seen **seen, const Met *met,
                    const PtqOpts *o, PtqReport *r, Inserted **list);

/* measure.c: what the float graph answers to each example. */
typedef struct Answers {
    const Samples *s;
    int n;          /* that are looked at */
    Graph *g;
    float ***out;   /* [example][output] */
} Answers;

Answers *answers_of(Arena *mem, Graph *g, const Samples *s, int most);
/* All of r but layers; q has the outputs of g. */
void measure_outputs(Arena *mem, const Answers *a, Graph *q, PtqReport *r);
/* SQNR of each layer too, in place. */
void measure(Arena *mem, Graph *g, Graph *q, const Samples *s, PtqReport *r,
             const Inserted *list);

/* mix.c: what each value and matrix adds to the noise of the outputs, in
 * order; then how many bits each gets, into o->mix. */
void find_shares(Arena *mem, Graph *f, Seen **seen, const Met *met,
                 const Answers *a, PtqOpts *o, PtqReport *r);
void find_mix(Arena *mem, Graph *f, Seen **seen, const Met *met,
              const Answers *a, PtqOpts *o, PtqReport *r);
bool mix_has(const Mix *m, const char *name);
bool mix_four(const Mix *m, const char *weights);
bool mix_wide(const Mix *m, const char *value);

/* round.c: rows of weights of 8 or 4 bits, a scale for each `group` of a row,
 * as the upper half of a float's bits. */
typedef struct Rounded {
    int8_t *w;       /* [m][k] */
    uint16_t *scale; /* [m][groups] */
    int64_t group;
} Rounded;
uint16_t half_of(float v);
float half_value(uint16_t h);
/* h: [k][k], errors are made good by what follows; NULL: to the nearest.
 * Scales are multiples of unit, a power of two; 0: any. */
Rounded round_rows(Arena *mem, const float *w, int64_t m, int64_t k, int bits,
                   int64_t group, const double *h, double unit);
/* dB: of the results of rows that meet h. */
double rounded_sqnr(const float *w, const Rounded *r, int64_t m, int64_t k,
                    const double *h);

/* words.c */
typedef struct Words {
    const Vocab *v;
    int32_t *sorted; /* words in the order of their bytes */
} Words;
Words *words_new(Arena *mem, const Vocab *v);
/* Tokens of a text, its beginning first; t has room for n + 2. */
int64_t words_encode(const Words *w, const char *s, int64_t n, int32_t *t);

/* text.c: a language model reads texts, a token at a time; visit sees every
 * step: what was computed, and the token that comes next. */
typedef struct Step {
    const Eval *e;
    int text;
    int64_t position;
    int32_t next; /* -1: the text ends */
} Step;
void read_texts(Graph *g, const Tokens *t, int from, int to,
                void (*visit)(void *arg, const Step *s), void *arg);

#endif
