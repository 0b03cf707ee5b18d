/* Tiling: how each layer is cut so that what its cores work on lies in the
 * nearest memory, and where values live between layers.
 *
 * Every store (store.c) has a home, the nearest memory or the next.  What is
 * at home in the nearest is used in place; of the rest a layer has tiles in
 * slots, moved by DMA while cores work on the tile before.  tile.c lists the
 * ways to cut a layer that are worth considering, given the homes of its
 * values; solve.c chooses homes and ways together, for the least predicted
 * time; emit.c writes the steps. */
#ifndef TILING_H
#define TILING_H

#include "plan/plan.h"

enum { NOPER = NARG + NRES };

/* Speeds of the chip, in cycles of its cores. */
typedef struct Speed {
    int64_t setup;      /* of a transfer */
    double per_cycle;   /* bytes in each direction */
    int64_t start;      /* of a core that starts or awaits a transfer */
    int64_t call;       /* of a kernel on all cores, beside its own time */
    int64_t far;        /* a load from the next memory */
} Speed;

/* An operand (first) or result of a layer. */
typedef struct Oper {
    const Val *val;     /* NULL: absent */
    bool konst, out;
    int store;          /* index; of a constant: -1 */
    int bit;            /* of the layer's stores, which bit of a set of homes;
                           -1: a constant */
    Ref place;          /* in its store */
} Oper;

/* A way to cut a layer. */
typedef struct Way {
    int64_t len[NCUT];  /* of a tile */
    int count[NCUT];
    bool rows_first;    /* rows run inside channels */
    bool direct;        /* not cut, and used wherever it lies */
    int depth;          /* slots of an operand that changes: 1 or 2 */
    int64_t bytes;      /* in the nearest memory: slots and scratch */
    int64_t cycles;     /* with the first load, from the layer before's end */
    int64_t pre_bytes, pre_cycles; /* what may be loaded before: slots of
                           constants, and the time that it saves */
    int64_t slack;      /* cycles in which nothing is loaded */
} Way;

typedef struct Ways {
    Way *v;
    int n;
    bool known;
} Ways;

/* A layer as the planner sees it. */
typedef struct Work {
    const Node *node;
    int part;
    int pos;            /* of the node in the order */
    const Choice *choice;
    int noper;
    Oper oper[NOPER];
    int nstore, store[NOPER]; /* the different ones it uses, by bit */
    bool shared;        /* its result lies on an operand */
    Ways *ways;         /* by the set of those at home in the next memory */
    struct Grid *grids;
    int ngrid;
} Work;

typedef struct Tiler {
    Arena *mem;
    Plan *p;
    Stores *s;
    const Chooser *chooser;
    Speed speed;
    int near, next;     /* memories */
    int64_t room;       /* of the nearest: bytes */
    Work *work;
    int nwork;
} Tiler;

/* tile.c */
void tiler_works(Tiler *t);
/* The ways to do work w with the stores of set `far` in the next memory that
 * need at most t->room, none worse than another in everything. */
const Ways *tiler_ways(Tiler *t, Work *w, unsigned far);
/* Tile i of a way, in the order in which they are computed. */
void way_tile(const Way *w, int i, int64_t at[NCUT], int64_t len[NCUT],
              const int64_t all[NCUT]);
int way_tiles(const Way *w);
bool tile_is_staged(const Work *w, int oper, unsigned far, const Way *way);

/* solve.c */
typedef struct Solution {
    bool found;
    bool exact;         /* of all combinations considered the best */
    int64_t cycles;
    unsigned char *far; /* by store: at home in the next memory */
    const Way **way;    /* by work */
    unsigned char *ahead; /* by work: constants are loaded before it begins */
} Solution;
/* near, next: room by work. */
Solution solve_homes(Tiler *t, const int64_t *near, const int64_t *next);

/* emit.c */
void emit_steps(Tiler *t, const Solution *s);

/* tiled.c: a plan for a chip with DMA. */
bool tiled_fits(const Soc *soc);
void tiled_plan(Plan *p, Stores *s, const PlanOpts *o);

#endif
