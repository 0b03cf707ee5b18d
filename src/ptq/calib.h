/* What the files of ptq share. */
#ifndef CALIB_H
#define CALIB_H

#include "ptq/ptq.h"

/* observe.c: a histogram over -reach to reach; when a value lies beyond, pairs
 * of bins join and reach doubles. */
enum { BINS = 4096 };

typedef struct Seen {
    double lo, hi, reach;
    int64_t n;
    int64_t bin[BINS];
    int axis;       /* of channels, where weights read it */
    int64_t rows;   /* elements a channel */
    double *sum;    /* of each channel; NULL: nobody asks */
} Seen;

/* Of every float value of g that is no constant, by Val.id; NULL of others. */
Seen **observe(Arena *mem, Graph *g, const Samples *s);
void seen_add(Seen *s, const float *x, int64_t n);
/* Part of the elements outside of lo to hi. */
double seen_outside(const Seen *s, double lo, double hi);

/* grid.c */
typedef struct Steps { /* a grid: real = scale * (integer - zero) */
    float scale;
    int64_t zero;
    Type type;
} Steps;

Steps steps_of(const Seen *s, Type t, RangeBy by);
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

/* rows.c: softmax and normalizations of integers. */
void lower_rows(Graph *g);

/* measure.c */
void measure(Arena *mem, Graph *g, Graph *q, const Samples *s, PtqReport *r,
             const Inserted *list);

#endif
