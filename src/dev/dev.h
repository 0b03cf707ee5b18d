/* dev: something that runs code: host, QEMU (later: simulator, board). */
#ifndef DEV_H
#define DEV_H

#include "plan/plan.h"

typedef struct RunLayer {
    int64_t instructions; /* -1: unknown */
    int64_t estimate;     /* cycles, by a model of the pipeline; -1 */
    int64_t cycles;
    int64_t dma_wait;     /* of those: core 0 waiting for transfers */
    int64_t kernels;      /* of those: core 0 in kernels */
    bool known;           /* what follows, of a simulated chip: */
    int64_t warm;         /* in kernels, the core that takes longest each time,
                             but for waits for code */
    int64_t cold;         /* waits for code that no cache has */
    int64_t uneven;       /* cores wait for the one that takes longest */
    int64_t banks;        /* waits for banks, in kernels */
    int64_t program;      /* outside of kernels and waits for transfers */
} RunLayer;

/* The result of a run; faults are data. */
typedef struct RunStep { /* of one of several runs; -1: unknown */
    int64_t cycles, instructions;
} RunStep;

typedef struct Run {
    bool ok;
    int status;           /* exit code of the contract if not ok */
    const char *why;
    void **out;           /* one array per graph output, native type, of all
                             steps */
    int nlayer;           /* steps of kind start, in order; means of all runs */
    RunLayer *layer;
    int64_t instructions; /* -1: unknown */
    int64_t estimate;     /* cycles, by a model of the pipeline; -1 */
    int64_t cycles;
    int64_t idle;         /* of those: neither cores are in kernels nor
                             accelerators at work; -1: unknown */
    int nstep;            /* runs whose totals are known */
    RunStep *step;
    int64_t stack_used;
    int64_t flash_bytes, code_bytes, ram_bytes; /* from the ELF; -1 unknown */
    const char *toolchain; /* "arm-none-eabi-gcc 12.2.1" */
    int64_t missing[16];  /* status ERR_FIT: bytes, by memory of the chip */
    int32_t *token;       /* of Talk: the prompt's, then new ones */
    int nprompt, ntoken;
    int nrun, prompt_runs; /* of the network; those of them that took the
                              prompt, a chunk each */
    void **made;          /* dumped: by layer, what it made; NULL: unknown */
} Run;

/* What a language model is asked for (rt/lm/generate.h). */
typedef struct Talk {
    const char *prompt;
    int tokens;            /* new ones, at most */
    int top_k;
    bool past_end;         /* goes on behind words that begin or end texts */
    double temperature, top_p, penalty;
    uint64_t seed;
    bool show;             /* the text goes to standard output as it comes */
    bool silent;           /* another chip of the simulation prints it */
} Talk;

typedef struct RunOpts {
    const char *dir;      /* the generated project, already written */
    const char *name;
    void *const *in;      /* one array per graph input, native type, of all
                             steps; of a state what it is at first */
    int steps;            /* runs without reset; 0: one */
    const int64_t *value; /* MOST_NUMBERS of each step: the run-time numbers,
                             by id; NULL: there are none */
    bool states_reset;    /* states begin as reset leaves them, not as in `in` */
    const char *dump;     /* folder for every layer's tensor, or NULL */
    const char *runner;   /* --runner 'CMD {elf}' or NULL */
    const char *device;   /* behind a gdb server (device.h), or NULL */
    bool flash;           /* of a device: the program goes into its flash */
    bool emulate;         /* a team's program: on this machine (rt/emu) */
    const Talk *talk;     /* the language model writes; NULL: the network runs */
    int timeout;          /* seconds that the program may take; 0: 600 */
} RunOpts;

/* dev.c: builds the project and runs it on the plan's target.  A network that
 * turns out too big for the flash has status ERR_FIT, and `missing` says how
 * much. */
Run dev_run(Arena *mem, const Plan *p, const RunOpts *o);
/* After a run: what every layer makes (Run.made), by a second program that
 * stops after each.  A layer is unknown where several steps make it and this
 * is not the last, or its result is never whole.  NULL, or why it failed. */
const char *dev_layers(Arena *mem, const Plan *p, const RunOpts *o, Run *r);

/* chips.c: the same of n chips of a simulation, which run one network by shares:
 * plans, options and results (Run.ok of each) by chip.  false: one failed.
 * timeline: a file for all, or NULL. */
typedef struct ChipsRun {
    int n;
    const Plan **plan;
    RunOpts *o;
    Run *run;
    const char *timeline;
    int64_t cycles;        /* from the first that began to the last that ended,
                              the mean of runs; -1 */
} ChipsRun;
bool dev_run_chips(Arena *mem, ChipsRun *c);

/* remote.c: somebody who looks on, on a device, before and after each layer of
 * a run.  Values are those that lie in one place that cores can address. */
typedef struct Watch {
    void *arg;
    void (*look)(struct Watch *w, int layer, bool after); /* from 0 */
    int64_t cycles, instructions; /* of the layer, after it; -1: not known */
    struct Dev *d;
    uint32_t *address;    /* by layer, then by input; 0: there is none */
} Watch;
uint32_t watch_address(const Watch *w, const Val *v);
bool watch_read(Watch *w, uint32_t at, void *to, int64_t n);
bool watch_write(Watch *w, uint32_t at, const void *from, int64_t n);
/* Is code or a constant of the program not what was loaded?  Its name and where
 * within that; it is put right.  quick: only where that takes no time. */
const char *watch_overwritten(Watch *w, bool quick, uint32_t *at);
/* Runs once, as dev_run() does; o->device is given. */
Run dev_watch(Arena *mem, const Plan *p, const RunOpts *o, Watch *w);

/* Within the part. */

typedef struct Dev {
    Arena *mem;
    const Plan *p;
    const RunOpts *o;
    const Item *tools, *runner;
    const char *dir;  /* the project, as an absolute path */
    const char *work; /* "build/run" or "build/dump", in it */
    const Node **node; /* of each layer */
    struct Device *device; /* of o->device, open; or NULL */
    Watch *watch;      /* who looks on, on a device; or NULL */
    bool in_flash;     /* of a device: code lies where the chip has it */
    Run r;
} Dev;

void dev_begin(Dev *d);
bool dev_find_tools(Dev *d);
/* The program built, in its place with its inputs: its path; NULL: it failed.
 * What it wrote, then, and what was counted in files if `counted`. */
const char *dev_prepare(Dev *d);
bool dev_results(Dev *d, bool counted);
bool dev_fail(Dev *d, int status, const char *why); /* false */
const char *dev_path(Dev *d, const char *file);     /* in d->work */
int dev_steps(const Dev *d);                        /* runs of the network */
void dev_write_main(Dev *d, const char *path);      /* "rt/run" */

/* talk.c: the program that a language model writes with, and its request; the
 * tokens that came. */
void talk_write(Dev *d);
bool talk_read(Dev *d);

/* shell.c: runs a command of the shell in a folder (NULL: here), what it says
 * goes to the file `said`.  Its exit status; 128 + signal if killed; -1 after
 * the timeout. */
int shell_run(const char *command, const char *dir, const char *said,
              int timeout);
/* The same, but what it says goes to our standard output. */
int shell_show(const char *command, const char *dir, const char *said,
               int timeout);
bool shell_finds(const char *tool); /* in PATH */
const char *shell_quote(Arena *a, const char *s);
const char *shell_said(Arena *a, const char *said);  /* what is in a file */
const char *shell_brief(Arena *a, const char *text); /* its two ends */

/* sim.c: runs a program whose files are in `dir`; cycles and instructions of
 * the layers go to r, and what went wrong. */
bool sim_program(Arena *a, const Soc *soc, const char *elf, const char *dir,
                 bool show, Run *r);
/* Programs of all chips, by elf and dir of each; results go to c. */
bool sim_chips(Arena *a, ChipsRun *c, const char **elf, const char **dir);

/* counts.c: what QEMU's plugin is told of the chip, " -plugin ..."; what it
 * counted goes to d->r. */
const char *counts_options(const Dev *d);
void counts_read(Dev *d);

/* elf.c: sizes; false if it cannot be read */
bool elf_sizes(const char *path, Run *r);

#endif
