/* cli: the verbs, one file each; main.c is the table of contents. */
#ifndef CLI_H
#define CLI_H

#include "base/base.h"
#include "dev/dev.h"
#include "front/front.h"
#include "gen/gen.h"
#include "pass/pass.h"
#include "plan/plan.h"
#include "ptq/ptq.h"
#include "quant/quant.h"
#include "report/report.h"
#include "shard/shard.h"
#include "verify/verify.h"

#define VERSION "0.1.0"

/* opts.c: the common options, as `tilewright help` lists them. */
typedef struct Opts {
    Arena *mem;
    const char *model;     /* first word that is no option */
    const char *target;
    const char *out;       /* -o: a folder (compile) or an npz (run) */
    const char *in, *expected;
    const char *name, *json, *html, *csv, *kernels, *keep, *dump, *runner,
        *runtime, *package, *device, *ledger;
    const char *print;     /* -d PASS: the graph after that pass */
    bool force, verbose, explain, emulate, sequence, straight, flash,
        no_copies;
    WeightForm weights;    /* --bin, --no-bin */
    int cores;             /* --cores; 0: all */
    double battery[2];     /* --battery: mWh, seconds; 0: not given */
    double mhz;            /* --mhz; 0: the chip's */
    int chips;             /* --chips; 0: not given */
    Images images;         /* --images */
    Inner inner;           /* --inner */
    bool pipeline;         /* --pipeline */
    const char *timeline;
    const char *topology;  /* of links, as if they had this one */
    const char *no_engine; /* names with commas; NULL: none */
    Objective objective;
    double budget;         /* seconds; 0: none */
    double tolerance;
    const char *data, *labels, *test; /* of quantize */
    RangeBy ranges;
    bool as_is, nearest, wide, merge;
    double max_drop;       /* points; below 0: any */
    int64_t bytes;         /* of constants; 0: any */
    int samples;           /* at most; 0: all */
    bool exhaustive, halving; /* of tune */
    int jobs, part;        /* the same: runs at a time; which of them, from 1 */
    const char *worker;
    LmOpts lm;             /* of a language model */
    const char *tokenizer; /* of a language model */
    Talk talk;             /* what it is asked for */
    int nmem;
    const char *mem_name[16];
    int64_t mem_size[16];
    int nat;               /* --at NAME=VALUE[+BY] */
    const char *at_name[MOST_NUMBERS];
    int64_t at_value[MOST_NUMBERS], at_by[MOST_NUMBERS];
    int noff;
    const char *off[33];   /* --no-PASS; NULL ends */
    const char *why;       /* a layer, or its number */
    const char *sweep;     /* NAME=FROM..TO */
    const char *compare;   /* a report's JSON */
    int nchannel;          /* --channels LAYER=N */
    const char *channel_of[8];
    int64_t channel[8];
    FrontOpts front;
} Opts;

/* Reads the words after the verb; err(ERR_USAGE) on what it does not know. */
void opts_read(Arena *a, Opts *o, const char *verb, int argc, char **argv);
void opts_help(FILE *f); /* a line or two of each */

/* job.c: the road from a model to a plan, shared by the verbs. */
typedef struct Job {
    Opts o;
    Graph *g;
    Soc *soc;
    bool project;          /* to be written, with a self-test that takes room */
    Vocab *vocab;          /* of --tokenizer; NULL: none */
    Array *vectors;        /* of -i; NULL: none */
    int steps;             /* runs, one after the other */
    int64_t *value;        /* MOST_NUMBERS of each run: run-time numbers, by
                              id; NULL: there are none */
    int64_t *value_by;     /* how much they grow from run to run */
    bool states_given;     /* vectors are given for states too */
    void **in;             /* one per graph input, native type: of all steps;
                              of a state what it is at first */
    Eval *expected;        /* every value of the first step, by the reference
                              kernels */
    void **want;           /* one per graph output: of all steps */
    Report r;              /* what is known for text and --json */
    bool trial;            /* one of trial.c */
    bool heads_stay;       /* --no-heads */
    const Plan *like;      /* of another chip that shares the network; NULL */
    int part;              /* of PlanOpts: kernels to be measured; 0: none */
    uint64_t tasks;        /* of the graph, for ledgers */
    Watch *watch;          /* who looks on while it runs; or NULL */
    int64_t start_ns;
} Job;

/* Prepares a job from the words after the verb; --json is written at exit,
 * whatever the status. */
Job *job_new(const char *verb, int argc, char **argv);
void job_front(Job *j);    /* model and vectors -> graph */
void job_pass(Job *j);     /* quantized forms lowered, passes run */
void job_leave_pass(Opts *o, const char *name); /* as --no-NAME does */
bool job_leaves_pass(const Opts *o, const char *name);
void job_plan(Job *j);     /* -t: plan made and verified */
/* The text report, as --explain and -v say. */
void job_text(const Job *j, Str *out);
bool job_limits(Job *j, const Mem *m); /* does --mem say what m has? */
/* Warns where an array is laid out in another shape. */
void job_shapes(Job *j, const Array *a, const Val *v, Shape s);
/* quantize.c: --weights of a language model, with --data or plainly. */
void job_weights(Job *j);
/* example.c: inputs, given or made, and what they give. */
void job_example(Job *j);
int count_arrays(const Array *v); /* that have elements */
const Array *job_rows(const Job *j, const Val *v, const Array *in);
const Array *skip_empty(const Array *v); /* to the first that has */

/* number.c: run-time numbers in the first run, then in all. */
void job_numbers_first(Job *j);
void job_numbers_all(Job *j);
void job_set_numbers(Job *j, int step); /* the graph as it is there */
/* Elements of a value in a run (from 0), and in all runs before it. */
int64_t job_count(const Job *j, const Val *v, int step);
int64_t job_before(const Job *j, const Val *v, int step);
Shape job_shape(const Job *j, const Val *v, int step);

void job_gen(Job *j, const char *dir);
/* build.c: a new folder for the project, that of --keep or one that goes; and
 * the project built and run: err() if that fails, else j->r.run is set. */
const char *job_dir(const Job *j);
void job_run(Job *j, const RunOpts *o, Run *run);
/* The text, unless -q was given or other results go to standard output. */
void job_say(const Job *j, const Str *text);
int64_t now_ns(void);

/* run.c: what steps runs give for v, as an array output_i; outputs as -e or
 * the reference kernels have them, and what differs is said. */
Array *job_array(const Job *j, const Val *v, int i, int steps, void *data);
bool job_same_outputs(Job *j, const Run *run, bool user);
/* The first layer, from 1, whose result is not that of the reference kernels,
 * as a second run shows it (j->r.wrong); 0: there is none; -1, and why, if it
 * is not known. */
int job_wrong_layer(Job *j, const RunOpts *o, Run *run, const char **why);

/* compare.c: floats within tol. */
Diff compare(const Val *v, const void *got, const Array *want, double tol);

/* list.c: for verbs of the form VERB [NAME] [--json FILE].  With --json - the
 * text is not printed.  A struct of the verb's own begins with a List. */
typedef struct List {
    Arena *mem;
    const char *verb, *name, *json; /* name: NULL for all */
    void (*put)(Json *j, const struct List *l); /* what key VERB has */
} List;
void list_begin(Arena *a, List *l, const char *verb,
                void (*put)(Json *j, const List *l), int argc, char **argv);
void list_show(const List *l, const Str *text);

/* trial.c: what plans would be of a job whose passes are done, each with one
 * thing changed; in processes of their own, as many at a time as this machine
 * has cores. */
typedef struct Trial {
    const char *mem;       /* this memory has `bytes` for buffers; or NULL */
    int64_t bytes;
    const char *layer;     /* has so many channels; or NULL */
    int64_t channels;
    int64_t context;       /* of a language model; 0: as it is */
    int64_t groups;        /* of heads of attention; 1: all at once */
    int cores, chips;      /* 0: as they are, one */
    double mhz;            /* of the cores; 0: as it is */
    const char *no_engine; /* or NULL */
    const char *watch;     /* the layer whose time is asked for; or NULL */
    Tried got;
} Trial;
void trials_run(Job *j, Trial *t, int n);
/* longest.c: while a job is planned: an error of memory that is too small ends
 * with the longest --context that fits. */
void longest_begin(Job *j);
void longest_end(void);
/* groups.c: attention goes through its heads by groups; in as few as fit. */
void job_groups(Job *j, int64_t groups);
void job_fit_groups(Job *j);
/* engines.c: accelerators are off where the network is quicker without. */
void job_fit_engines(Job *j);
/* The job again, up to its passes: planning changes graph and chip. */
Job *job_again(const Job *j);
/* The same figures of a plan that is made. */
Tried trial_of(const Job *j, const char *watch);
Node *node_named(Graph *g, const char *name); /* NULL: none */
/* --channels; err(ERR_MODEL) where a layer cannot have so many. */
void job_channels(Job *j);
/* By name, or number from 1 in the order of the plan; err(ERR_USAGE). */
const Layer *layer_named(const Job *j, const char *name);

/* why.c, sweep.c, sidebyside.c: of report. */
void report_why(Job *j, Str *out);
void report_sweep(Job *j, Str *out);
bool sweeps_chips(const Job *j); /* each point makes a plan for each chip */
int report_compare(Job *j);

/* report.c */
void job_files(Job *j);    /* --html, --csv */

/* One file each. */
int verb_compile(int argc, char **argv);
int verb_run(int argc, char **argv);
int verb_tune(int argc, char **argv);
int verb_shard(int argc, char **argv);
int verb_validate(int argc, char **argv);
int verb_generate(int argc, char **argv);
int verb_quantize(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_targets(int argc, char **argv);
int verb_ops(int argc, char **argv);
int verb_pack(int argc, char **argv);
int verb_sim(int argc, char **argv);
int verb_shell(int argc, char **argv);
int verb_devices(int argc, char **argv);

#endif
