/* The state of the search. */
#ifndef PLAN_PLACE_BRANCH_H
#define PLAN_PLACE_BRANCH_H

#include "plan/plan.h"

enum { FAR = INT32_MAX / 2 };

/* Ways to search, tried in turn: which section is decided first, and which
 * of the buffers that can lie there is tried first.  No way is good at all
 * instances; each finds in few nodes, or not at all, what others do not. */
enum { FEWEST, FEWEST_TIGHT, TIGHTEST, NARROWEST, FEW_TIGHT };
enum { LARGE, LONG, HIGH, FIRST, SMALL };

typedef struct Cand {
    int section, buffer;
} Cand;

static const Cand cands[] = {
    {FEWEST_TIGHT, HIGH}, {FEWEST_TIGHT, LARGE}, {FEW_TIGHT, LONG},
    {TIGHTEST, LONG}, {FEWEST, LONG}, {NARROWEST, LONG},
    {FEWEST_TIGHT, FIRST}, {TIGHTEST, FIRST}, {FEW_TIGHT, HIGH},
    {FEWEST, SMALL},
};

typedef struct Hash {
    uint64_t a, b;
} Hash;

typedef struct Was {
    int32_t *at, v;
} Was;

struct Search {
    Arena *mem;
    PackItem **item;   /* sorted by start */
    int n, m;          /* buffers, by first section; sections */
    int32_t *size;
    int *a, *b;        /* sections [a, b) */
    int *twin;         /* the one before of the same life and size, or -1 */
    int *first;        /* by section: first buffer that begins there */
    int *rank;         /* by buffer: in the order of this round */
    int32_t cap;
    int32_t *at;       /* by buffer: its offset; -1: not placed */
    /* by section: floor, top of what lies there, bytes still to come, and how
     * many buffers still to come span it and the next */
    int32_t *floor, *top, *rest;
    int32_t *span;
    int32_t *low;      /* by buffer: the highest floor under it */
    int *flat;         /* by section: how many could lie on its floor */
    int *run, *begin;  /* by section: its run of one floor; where that begins */
    int nrun;
    int *solid;        /* by section: how many before it have no gap on top */
    int *trail, ntrail;  /* buffers in order of placement */
    Was *was;          /* what was changed, to come back to */
    size_t nwas, room;
    int *list;         /* choices of states under way */
    size_t nlist, listroom;
    Hash *infeasible;
    int ninfeasible, nslot;
    int32_t over;      /* least height beyond cap that was cut off */
    int64_t nodes, stop;
    int64_t unit;      /* all sizes are multiples: bytes */
    bool rounded;      /* sizes were rounded up, for alignment */
    int32_t *rest0;    /* before anything is placed */
    int32_t *span0;
    int round;
    const Cand *cand;
};

/* Solves the parts of [l, r) that still hang together, each alone. */
bool exact_solve(Search *s, int l, int r);

#endif
