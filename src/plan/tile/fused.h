/* What fused.c and fused_time.c share. */
#ifndef PLAN_TILE_FUSED_H
#define PLAN_TILE_FUSED_H

#include "plan/cost/cost.h"
#include "plan/tile/cut.h"
#include "plan/tile/tile.h"

/* How much quicker fused groups seem where they are wanted for their own sake,
 * by tests. */
enum { FAVOUR = 4 };

typedef struct Timing {
    const Tiler *t;
    const Fused *c;
    const Cut *g;
    unsigned buffered[MOST_FUSED];
    Pipe p;
    int64_t ready[MOST_FUSED]; /* when a tile's data is there, by layer; 0: it
                                  was */
    int64_t halo[MOST_FUSED]; /* and what is kept of the tile before */
    CodeCache *code;    /* with the program, */
    CodeCache *own;     /* with nothing but kernels */
    int64_t moving;     /* cycles of starts, since the last kernel or wait */
    int64_t turns;      /* cycles for code that only the first of them asks */
    int64_t moved[MOST_ENGINES]; /* bytes, by engine */
} Timing;

void fused_time(Tiler *t, Timing *x, Cut *g, unsigned in_l2,
                unsigned in_l3, Cand *cand);
/* false: a kernel cannot be told where something lies. */
bool fused_size(Timing *x, Cand *cand, unsigned in_l2);

#endif
