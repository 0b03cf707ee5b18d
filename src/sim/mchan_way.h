/* mchan_way: the state of the cluster's DMA, and its directions cycle by
 * cycle. */
#ifndef MCHAN_WAY_H
#define MCHAN_WAY_H

#include "sim/chip.h"
#include "sim/mchan.h"

enum { IDS = 16, CORES = 33, WORDS = 7 };
enum { RING = 16, PAIRS = 8 };

typedef struct Job {
    Command c;
    int id, core;
    uint64_t written;   /* cycle of its last word */
    uint64_t taken;     /* cycle in which its first row is; NEVER: not known */
    uint64_t issue;     /* cycles from there until its last burst is issued */
    uint64_t last;      /* number of its last burst in its direction */
    uint64_t cycles;    /* of the aligner, for the bursts that are left */
    uint64_t end;       /* inwards: pairs until its last; 0: not known yet */
    uint64_t from;      /* cycle of its first burst */
    struct Job *before, *next;
} Job;

/* A direction. */
typedef struct Way {
    bool in;
    uint64_t reply;
    Job *first, *newest; /* under way, in order */

    Job *job;            /* whose burst is or will be in the aligner */
    bool begun, busy;    /* its cut is; a burst is there from `start` on */
    Bursts cut;
    uint64_t start, issue, address;
    int lead, pairs, tail, all; /* its cycles: before words pass, with, after */
    uint32_t at, lo, hi; /* inwards: next word; where its bytes begin and end */
    uint64_t n, over[RING]; /* bursts until now, cycles after their ends */

    Job *read;           /* outwards: whose words are read, from when on, */
    bool reading;
    Bursts read_cut;
    uint64_t read_from;
    uint32_t read_at;    /* and of a burst: the next word, pairs left */
    int fetch;

    uint64_t put, got[2];       /* pairs given to the ports; done by each */
    uint64_t passed, seen[2];   /* outwards: pairs in the aligner; done by
                                   both ports a cycle ago, two ago */
    uint64_t last_cycle;
    int bank[PAIRS][2];
} Way;

typedef struct Id {
    bool used;       /* given to a core */
    int left, core;  /* commands under way; who wrote the last */
    uint32_t bits;   /* of the last */
} Id;

typedef struct Port { /* of a core */
    uint32_t word[WORDS]; /* of the command being written */
    int nword, id;        /* id given to the core, + 1 */
    Job *job;             /* the command that keeps it busy */
    Core *waits;          /* for an id */
} Port;

typedef struct Mchan {
    Ports ports;
    Way way[2]; /* out, in; their ports are in that order, too */
    Id id[IDS];
    Port port[CORES];
    uint32_t pending;    /* ids whose events are to be sent, one a cycle */
    uint64_t next_emit, check; /* cycles of the next such events */
    int event, irq;
    Job *idle;
} Mchan;

/* The cycle in which a command's first row is taken, if it is known. */
uint64_t way_taken(const Way *w, Job *j);
int way_burst_cycles(bool in, const Burst *b); /* of the aligner */
void way_load_burst(Way *w, uint64_t t); /* the next one, from cycle t on */
void way_ask_next(Mchan *m, uint64_t t);
void way_step(Ports *p, unsigned granted);
/* No command of a direction has its last word before this cycle. */
uint64_t way_earliest_end(const Mchan *m, const Way *w);

#endif
