/* report: what is known of a network on a chip, as text, JSON and HTML. */
#ifndef REPORT_H
#define REPORT_H

#include "base/base.h"
#include "dev/dev.h"
#include "plan/plan.h"

/* A result beside what was expected of it: integers equal; floats within a
 * tolerance, absolute or relative, and never NaN or infinity where the other is
 * finite. */
typedef struct Diff {
    bool match;
    double max_abs;
    double rmse;          /* root of the mean square of the differences */
    double cosine;        /* of the angle between both; NaN: one is zero */
    int64_t ndiff, first; /* elements that differ; the first of them; -1 */
} Diff;

/* What a plan gives that was made with one thing changed. */
typedef struct Tried {
    const char *about;    /* "16384 bytes more L1" */
    const char *option;   /* that makes it so: "--mem L1=65536" */
    int64_t value;        /* of a sweep */
    int status;           /* that the program ends with */
    char message[160];    /* why it is not 0 */
    int64_t cycles, layer; /* predicted: of all, of one layer; -1: not known */
    int64_t ram, weights, moved; /* bytes; the last by all transfers */
    double uj, ms;        /* NaN: not known */
    double bound;         /* of several chips: cycles that nothing is faster
                             than; 0: not known */
    double speedup, efficiency; /* of these, beside the first point */
    int64_t link_bytes;   /* between chips, by all */
} Tried;

/* A list of them, beside what is without any. */
typedef struct Trials {
    const char *what;     /* the layer that was asked about, or what is swept */
    Tried base;
    double resolution;    /* percent of cycles: lesser changes are not sure */
    int n;
    const Tried *v;
} Trials;

/* One figure of two reports. */
typedef struct Pair {
    const char *name;
    double a, b;                    /* NaN: not there */
    const char *kernel_a, *kernel_b; /* of a layer; NULL: it is not there */
} Pair;

typedef struct Pairs {
    Pair *v;
    int n, most;
} Pairs;

/* Two reports side by side. */
typedef struct Compared {
    const char *file[2], *model[2], *target[2];
    const char *of;                 /* which figure of layers */
    Pairs totals, memory, layers;
} Compared;

/* What a verb has found out so far; absent parts are NULL or -1. */
typedef struct Report {
    const char *verb, *target, *model, *name;
    Graph *g;
    const Plan *plan;
    const Run *run;
    const Soc *soc;
    int match;            /* 1 yes, 0 no, -1 nothing to compare with */
    double max_abs_diff;  /* -1: not compared */
    const Diff *diff;     /* by output of the graph; NULL: not compared */
    int wrong_layer;      /* the first, from 1, that differs from the reference
                             kernels; 0: none is known to */
    Diff wrong;           /* and how */
    const char *cause;    /* and why, likely; NULL: not known */
    double compile_ms;    /* -1: not compiled */
    const char *dir;      /* the project written */
    const int64_t *missing; /* bytes per memory, on status 3 */
    const Trials *why, *sweep; /* of report; NULL: not asked for */
    const Compared *compared;
    double battery_mwh, battery_every; /* and seconds from run to run; 0: not
                                          asked for */
} Report;

/* The whole of --json: `status`, `error`, then what the verb knows. */
void report_json(const Report *r, int status, Str *out);
/* How much a report says of why each layer has its kernel. */
typedef enum Explain { EXPLAIN_none, EXPLAIN_short, EXPLAIN_all } Explain;
/* A summary, memory by memory, and a row per layer. */
void report_text(const Report *r, Explain explain, Str *out);
/* One page that needs nothing else: the tables, and memory over time. */
void report_html(const Report *r, Str *out);
/* A line of column names, then one a layer. */
void report_csv(const Report *r, Str *out);

/* totals.c: sums that every form shows. */
int64_t report_macs(const Report *r);
int64_t report_macs_removed(const Report *r);
int64_t report_bytes_removed(const Report *r);
int64_t report_cycles(const Report *r); /* predicted; -1: a head is silent */
bool report_has_dma(const Report *r);   /* the chip moves data by engines */
bool report_has_cycles(const Report *r); /* they were measured */
int64_t report_estimate(const Report *r); /* by a pipeline's model; -1 */
/* What computes: "cluster", "core". */
const char *report_engine(const Report *r);

/* A row of the table: a layer of the plan, and what was measured of it. */
typedef struct Row {
    const Layer *layer;
    const Step *step;             /* the first of its kernel */
    int64_t macs;
    int64_t timed;                /* MACs of the layers whose time it has */
    int64_t cycles, instructions; /* measured; -1: not */
    int64_t estimate;             /* cycles of them, by a model; -1: none */
    int64_t wait;                 /* measured: cores wait for data; -1: not */
    int64_t in_kernels;           /* measured; -1: not */
    const RunLayer *lost;         /* where they went; NULL: not measured */
    int64_t predicted;            /* cycles; -1: the head is silent */
    int64_t predicted_wait;       /* -1: neither a tiled plan nor a
                                     chip with a cache of data */
    int64_t kernels;              /* of the predicted, in kernels */
    int64_t all; /* cycles of all rows: measured, or else estimated, or else
                    predicted; -1 */
} Row;
int report_rows(const Report *r);
/* The rows, in mem. */
Row *report_table(const Report *r, Arena *mem);

/* columns.c: the rows, as each form has them. */
void columns_text(const Report *r, Explain explain, Str *out);
void columns_html(const Report *r, Str *out);
/* At the clock of what computes; NaN: it is not known. */
double report_ms(const Report *r, int64_t cycles);
/* A row's share of all; NaN: unknown. */
double report_percent(Row l);

/* Predicted energy in microjoules; NaN where the chip has no figures. */
typedef struct Energy {
    double cores, moved[MOST_ENGINES]; /* by engine */
} Energy;
Energy report_energy_of(const Report *r, const Layer *l);
Energy report_energy(const Report *r); /* of all rows */
double energy_all(Energy e);
/* What a new token of a language model costs, the mean of its runs, the first of
 * which is `report_first_new`: in cycles or instructions, NaN: it did not run;
 * and in microjoules, bytes moved as planned. */
int report_first_new(const Run *r);
double report_token_cost(const Run *r, bool cycles);
Energy report_token_energy(const Report *r);
/* Runs that the battery asked about pays for, and days that they last; NaN
 * where energy or the question is not known.  Only runs take energy. */
double report_battery_runs(const Report *r);
double report_battery_days(const Report *r);
double report_least_energy(const Report *r); /* the bound; NaN: there is none */

/* Values that lie in memory cores cannot address for a while: their bytes that
 * go there and come back. */
typedef struct Spills {
    int64_t out, in;
} Spills;
Spills report_spills(const Report *r);
bool report_is_spilled(const Report *r, const Buf *b);

/* code.c: bytes of code and of all that is loaded, estimated from the kernels,
 * as `run` links them; -1: nothing is known of the tool chain. */
typedef struct CodeSize {
    int64_t code;      /* the sum of these four */
    int64_t kernels, libraries;
    int64_t network;   /* that calls the kernels */
    int64_t runtime;   /* start-up, input and output */
    int64_t constants; /* of them all, with a team's program */
    int64_t weights;   /* but for those in external memory */
    int64_t flash;     /* code, constants and weights */
    int guessed;       /* kernels that the table lacks, as large as others */
} CodeSize;
CodeSize report_code(const Report *r);

/* binds.c: where the predicted cycles go. */
typedef struct Binds {
    int64_t cycles;           /* all of them */
    int64_t kernels, starts;  /* in kernels; calling them, starting moves */
    int64_t wait[MOST_ENGINES]; /* by engine: for what it does */
    const char *what;         /* the largest of kernels and waits */
    int full;                 /* a memory that buffers fill; -1: none */
} Binds;
Binds report_binds(const Report *r);

/* timeline.c: the predicted run as a drawing, and memory over the same time. */
void html_timeline(const Report *r, Str *out);

/* sweep.c: cycles, energy and bytes over what is swept, as drawings. */
void html_sweep(const Report *r, Str *out);

/* html.c: a page, from its title to its end. */
void html_begin(Str *out, const char *name);
void html_end(Str *out);
/* Text with its special characters escaped. */
void html_text(Str *out, const char *s);

#endif
