/* What the files of choose.c share. */
#ifndef PLAN_OFFER_H
#define PLAN_OFFER_H

#include "plan/plan.h"

enum { FORCED = -1 };

/* A kernel that may run, and what decides between several. */
typedef struct Offer {
    const Kern *kern;
    const KernSig *sig;
    int rank;       /* FORCED: it is to be measured, however slow */
    bool alone;     /* portable C on a team whose head speaks of one core */
    int64_t cycles; /* INT64_MAX: not predicted */
    bool measured;  /* they are of a ledger */
} Offer;

typedef struct Menu Menu;     /* menu.c */
typedef struct Answer Answer;

struct Chooser {
    Arena *mem;
    const Soc *soc;
    const char *host_isa;
    const Ledger *ledger; /* NULL: none */
    int part;             /* of PlanOpts */
    bool exhaustive, halving;
    Kern **kern;
    int nkern;
    Kern ***of;   /* by OpCode: the kernels that name it */
    int nof[NOP];
    Menu **menu;  /* by OpCode */
    Answer **answer;
};

/* offer.c */
Offer offer_new(const Kern *k, const KernSig *sig);
/* The first word of the kernel's instruction sets that the chip lacks, or its
 * engine, and how long it is; 0: it has all. */
size_t offer_lacks(const Chooser *c, const Kern *k, const char **word);
/* A concat is one copy per argument: its kernel sees a node of one. */
Node seen_by_kernel(const Node *n);
/* Where a kernel runs: accelerators work beside a team of cores, whose program
 * waits for them. */
int offer_engine(const Soc *s, const Kern *k);
int offer_cores(const Chooser *c, const Kern *k);
/* `when` must hold; of a concat, for the copy of every argument. */
bool offer_may_run(const Offer *o, const Node *node, const Asked *x);
/* May kernel and types line of *o compute node, which kernels see as is asked
 * about?  How fast into *o. */
typedef enum Verdict { TAKEN, NOT_LAYOUT, NOT_WHEN } Verdict;
Verdict offer_judge(const Node *node, const Asked *x, Offer *o);
/* Cycles by the head; and as this chip's cores take. */
int64_t offer_predict(const Offer *o, const Asked *x);
int64_t offer_cycles(const Offer *o);
bool offer_better(const Offer *a, const Offer *b);
int64_t offer_scratch(const Offer *o, const Asked *x); /* of all its cores */
/* Operands, by bit, on which the result may lie. */
unsigned offer_inplace(const Node *n, const Offer *o, int ncore);
void offer_take(Choice *to, const Offer *o, const Asked *x);

/* menu.c */
void menus_begin(Chooser *c);

/* measured.c: of the kernels that may compute a node, those that come into
 * question; the unit they were measured in (LEDGER_UNITS: none); how many are
 * to be measured, and which of them now. */
typedef struct Measured {
    Offer *list;
    int n, unit, open;
    const Kern *forced;
} Measured;
uint64_t task_of(const Node *node);
Measured measured_of(const Chooser *c, const Graph *g, const Node *node,
                     Offer *list, int n);
/* An offer with what is known of it; the one that is to be measured is better
 * than any other. */
void measured_take(const Chooser *c, const Node *node, const Measured *m,
                   Offer *o);
/* The same of a tile's. */
void measured_tile(const Chooser *c, const Node *tile, Offer *o);

#endif
