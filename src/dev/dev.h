/* dev: something that runs code: host, QEMU (later: simulator, board). */
#ifndef DEV_H
#define DEV_H

#include "plan/plan.h"

typedef struct RunLayer {
    int64_t instructions; /* -1: unknown */
    int64_t cycles;
} RunLayer;

/* The result of a run; faults are data. */
typedef struct Run {
    bool ok;
    int status;           /* exit code of the contract if not ok */
    const char *why;
    void **out;           /* one array per graph output, native type */
    int nlayer;           /* steps of kind start, in order */
    RunLayer *layer;
    int64_t instructions; /* -1: unknown */
    int64_t cycles;
    int64_t stack_used;
    int64_t flash_bytes, code_bytes, ram_bytes; /* from the ELF; -1 unknown */
    const char *toolchain; /* "arm-none-eabi-gcc 12.2.1" */
} Run;

typedef struct RunOpts {
    const char *dir;      /* the generated project, already written */
    const char *name;
    void *const *in;      /* one array per graph input, native type */
    const char *dump;     /* folder for every layer's tensor, or NULL */
    const char *runner;   /* --runner 'CMD {elf}' or NULL */
} RunOpts;

/* Builds the project and runs it on the plan's target. */
Run dev_run(Arena *mem, const Plan *p, const RunOpts *o);

#endif
