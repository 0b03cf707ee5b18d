/* sim: PULP systems on the host, cycle by cycle.
 *
 * sim_run() takes programs and chips and returns what happened; it never
 * exits, whatever the guest does.  doc/sim.md describes the model, how to add
 * a device (one file), an instruction (one row of insn.def), a chip (one
 * text file), and every known difference from the reference figures. */
#ifndef SIM_H
#define SIM_H

#include "base/base.h"
#include "soc/soc.h"

enum { SIM_CHIPS = 64 };

/* One chip of a simulation: what it is and what it runs. */
typedef struct SimProgram {
    const Soc *soc;
    const char *elf; /* path */
    const char *dir; /* of the files it opens; NULL: that of the options */
} SimProgram;

typedef struct SimOptions {
    uint64_t max_cycles;   /* of the first chip's first clock; 0: no limit */
    FILE *out;             /* guest output as it comes; NULL: only kept */
    FILE *trace;           /* one line an instruction; NULL: none */
    const char *timeline;  /* path of a Chrome/Perfetto JSON; NULL: none */
    int gdb_port;          /* waits there for a debugger; 0: none; -1: it is
                              on standard input and output */
    int jtag_port;         /* waits there for OpenOCD; 0: no */
    const char *dir;       /* of the files the guest opens; NULL: here */
    bool all;              /* it ends with the last program, not with that of
                              the first chip; or with the first that fails */
    bool strict;           /* cores never run ahead: slower, same figures */
} SimOptions;

/* Where a core's cycles went; they add up to `cycles`. */
typedef struct SimCore {
    char name[32];     /* "cluster.3", with several chips "1.cluster.3" */
    uint64_t cycles;   /* from its start to the end of the simulation */
    uint64_t insns;
    uint64_t run;      /* issuing, with branches, multiply and divide */
    uint64_t load;     /* load-use and misaligned accesses */
    uint64_t memory;   /* latency of far memories and devices */
    uint64_t bank;     /* bank conflicts in the L1 */
    uint64_t icache;
    uint64_t barrier;  /* asleep for others at a barrier */
    uint64_t dma;      /* asleep for the DMA */
    uint64_t accel;    /* asleep for the accelerator */
    uint64_t sleep;    /* asleep for anything else */
} SimCore;

/* A region that the guest opened and closed by name. */
typedef struct SimRegion {
    char name[48];
    uint64_t count, cycles, insns;
} SimRegion;

/* A mark of the program (slti zero,zero,kind: see rt/pulp/mark.h); and of an
 * accelerator, which has no hart, at a job's begin and end, both told then. */
enum { SIM_BEGIN = 0x61, SIM_LAYER, SIM_END, SIM_WAIT, SIM_WAITED,
       SIM_WORK, SIM_WORKED, SIM_JOB, SIM_JOB_OVER };
typedef struct SimMark {
    uint32_t kind, chip, hart;
    uint64_t cycle, insns; /* of that core, since it began */
    uint64_t fetch;        /* of those cycles: waiting for instructions that
                              no cache had */
    uint64_t bank;         /* and for banks of the L1 */
    uint64_t at;           /* cycle of its clock since the reset */
} SimMark;

/* Bytes and events that cost energy. */
typedef struct SimCounts {
    uint64_t insns, l1_bytes, l2_bytes, dma_bytes, ext_bytes, link_bytes;
    uint64_t accel_cycles, core_cycles, idle_cycles;
} SimCounts;

typedef struct SimResult {
    Arena *mem;
    bool ok;            /* the guest ended by itself */
    int status;         /* what it ended with */
    int chip;           /* whose program that was, or which went wrong */
    char fault[1024];   /* else what went wrong: address, pc, symbol */
    char note[256];     /* first doubtful thing seen, or "" */
    char *out;          /* what it printed; ends in 0 */
    size_t nout;
    uint64_t cycles;    /* of the first chip's compute clock, whole run */
    uint64_t insns;     /* all cores */
    double seconds;     /* simulated; 0 where the chip has no clock rate */
    SimCore *core;
    int ncore;
    SimRegion *region;
    int nregion;
    SimMark *mark;      /* in the order they were met */
    int nmark;
    SimCounts counts;
    double energy_uj;   /* NaN where the chip has no table */
} SimResult;

/* Runs n programs on n chips until the first chip's program ends, a fault,
 * or max_cycles.  The result lives in `a`.  Stops with err() only for a chip
 * description or an ELF file that cannot be used. */
SimResult *sim_run(Arena *a, const SimProgram *p, int n, const SimOptions *o);

/* "addi a0,a0,1" for an instruction word at pc (compressed or not); returns
 * its length in bytes, 0 where it is none. */
int sim_disassemble(uint32_t word, uint32_t pc, char *text, size_t n);

/* The simulated chip as the trace, the report and --json show it. */
void sim_print(const SimResult *r, FILE *f);
void sim_json(const SimResult *r, Json *j); /* keys of an open object */

#endif
