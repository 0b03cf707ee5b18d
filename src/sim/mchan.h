/* mchan: how the cluster's DMA cuts a command into bursts, and how long its
 * aligner takes for each.  As the RTL has it (mchan v1.2.4: twd_trans_splitter,
 * trans_unpack, trans_aligner). */
#ifndef MCHAN_H
#define MCHAN_H

#include "base/base.h"

enum { /* command bits */
    TO_L1 = 1 << 17, INCREMENT = 1 << 18, TWO_D = 1 << 19, EVENT = 1 << 20,
    INTERRUPT = 1 << 21, BROADCAST = 1 << 22, TWO_D_L1 = 1 << 23,
};

/* One side of a command: rows of `row` bytes, `stride` apart; or one row. */
typedef struct Side {
    uint32_t at, row, stride;
} Side;

typedef struct Command {
    uint32_t bits; /* above */
    uint32_t n;    /* bytes */
    Side l1, ext;
} Command;

/* A burst: n bytes, external from one boundary of 256 bytes to the next. */
typedef struct Burst {
    uint32_t l1, ext, n;
    bool first; /* of a row */
} Burst;

/* Where the cutting stands. */
typedef struct Bursts {
    const Command *of;
    uint32_t left;       /* bytes of the command from this row on */
    Side l1, ext;        /* row: bytes left of it; at: of those */
    uint32_t l1_row, ext_row; /* where their rows began */
    uint32_t n, done;    /* bytes of the row being cut into bursts */
} Bursts;

void bursts_begin(Bursts *c, const Command *of);
/* The next burst; false after the last. */
bool bursts_next(Bursts *c, Burst *b);

/* Accesses of 8 aligned bytes that n bytes at an address touch. */
static inline int beats(uint32_t at, uint32_t n)
{
    return (int)(((at & 7) + n + 7) / 8);
}

/* Cycles of the aligner for n bytes that come from `from` and go to `to`. */
int align_cycles(uint32_t from, uint32_t to, uint32_t n);

#endif
