/* Cycles that a Cortex-M takes for instructions, as estimated: how instructions
 * issue, what caches hold.  Nothing here knows of QEMU. */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HALVES = 2 }; /* in a cycle: two instructions may begin in one */

/* ---- decode.c: what an instruction is to a pipeline ---- */

typedef enum Kind {
    OP_nop, OP_alu, OP_shift, OP_logic, OP_dsp, OP_mul, OP_div,
    OP_load, OP_store, OP_load_many, OP_store_many,
    OP_float, OP_float_mac, OP_float_div, OP_float_move, OP_branch
} Kind;

typedef uint64_t Regs; /* a bit each: r0 to r15, from 16 on s0 to s31 */

typedef struct Op {
    Kind kind;
    Regs address, shifted; /* read by the address unit, by the shifter */
    Regs early;            /* read by units in front of the arithmetic */
    Regs read, add;        /* read by the arithmetic; added to a product */
    Regs data;             /* stored */
    Regs write, base;      /* results; addresses that a load or store moved */
    int count;             /* registers of a load or store of many */
    int offset;            /* of the address, bytes; NO_OFFSET: no constant */
    bool narrow;           /* loads less than a word */
    bool wide_constant;    /* an immediate that the shifter makes */
    bool conditional;      /* a branch that may not be taken */
    bool returns;          /* by a load: pop {pc} */
    int size;              /* bytes of the instruction */
} Op;

enum { NO_OFFSET = INT32_MIN };

typedef struct Code {      /* an instruction: its bytes, at least as many as it
                              has */
    const uint8_t *data;
    size_t size;
} Code;

bool decode_start(void);   /* false: the library does not know Thumb */
Op decode(const Code *code);

/* ---- pipeline.c: issue ---- */

typedef struct Pipe {
    const char *name;
    uint32_t (*halves)(const Op *op, size_t n); /* of a straight piece of code,
                                                   all it reads at hand */
    uint32_t taken;      /* halves more if the branch at its end is taken */
    uint32_t mistaken;   /* if it was predicted otherwise; 0: none predicts */
    uint32_t unaligned;  /* halves more of a load across words */
} Pipe;

const Pipe *pipe_of(const char *name); /* "m4", "m7"; NULL: unknown */

/* ---- cache.c ---- */

typedef struct Cache {
    uint32_t sets, ways, line; /* sets 0: there is none */
    uint32_t *tag;             /* ways of each set, the last used first */
} Cache;

/* False if no cache has such sizes, in bytes. */
bool cache_make(Cache *c, uint32_t size, uint32_t ways, uint32_t line);
bool cache_has(Cache *c, uint32_t address); /* if not, it has now */

#endif
