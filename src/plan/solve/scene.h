/* The state of solve.c, and what lives where. */
#ifndef PLAN_SOLVE_SCENE_H
#define PLAN_SOLVE_SCENE_H

#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

enum { LEAST_FREE = 4, FEW_FREE = 8, MORE_FREE = 10, MOST_FREE = 12,
       MOST_ENTRIES = 16 };

/* Levels of allocations: either, one for life; or for a bound, at each layer
 * anew. */
enum { IN_L1, IN_L2, EITHER, ANY };

typedef struct Entry {
    int64_t cycles;      /* with the energy weight of candidates */
    int64_t pre_bytes, pre_cycles; /* asked of the layer before */
    Cand *cand;
    unsigned born;      /* levels of the allocations born there */
    unsigned stay;      /* allocations of the layer that might be spilled: are
                           not */
    unsigned next;      /* state behind the layer, and its entry there */
    int entry;
} Entry;

typedef struct State {
    bool reached;       /* some solution may come to it */
    Entry *v;
    int n;
} State;

/* Between layers: the allocations that live across and may have either level.
 * */
typedef struct Cross {
    int n;
    int alloc[MOST_FREE];
    State *state;       /* by set */
} Cross;

typedef struct Solver {
    Tiler *t;
    Arena *mem;
    const int64_t *l1, *l2;     /* room by layer */
    bool relaxed;         /* only the time matters, which may be too little */
    bool any;             /* is there a solution?  The first one will do */
    const int64_t *miss;  /* by layer: cycles in which its code comes in; NULL:
                             none */
    const Line *line;     /* NULL: layers take their time */
    unsigned char *level; /* by allocation */
    bool *near;           /* by allocation: in L1 for life, for links read and
                             write it beside work */
    int64_t always;       /* bytes of L1 of those that are there all the time */
    Cross *cross;         /* [i]: before layer i; [nwork]: at the end */
    int *order;         /* allocations by the layers from which on they live, */
    int *begin;           /* and by layer, from -1 on, where its own begin */
    int64_t *in_l2, *fresh; /* by layer: bytes of allocations that are always
                               in L2 and never spilled: of all that live there,
                               and of those that do from there on */
    int **spilled, *nspilled; /* by layer: allocations in L2 that are, and live
                                 */
    bool exact, crowded;
} Solver;

/* Levels of all allocations at n layers: those that came, and those born here.
 * */
typedef struct Scene {
    int layer, n;
    int64_t live[2];     /* bytes in either memory, but of those born here */
    unsigned came;       /* set over cross[layer] */
    int nborn, born[MOST_FREE + NOPER];
    unsigned in_l2;      /* chosen for the born */
    unsigned stay;       /* chosen of the layer's: not spilled */
} Scene;

/* Those of one layer stay in their own order. */
void solve_sort_allocs(Solver *s);
/* What is always in L2. */
void solve_count_l2(Solver *s);
void solve_force_levels(Solver *s);
void solve_make_cross(Solver *s);
/* Are all allocations in L1 that have to be? */
bool solve_allows(const Solver *s, const Scene *c);
bool solve_is_in_l2(const Solver *s, const Scene *c, int alloc);
Scene solve_new_scene(const Solver *s, int layer, unsigned came, int n);
/* Bytes that live there in either memory. */
void solve_count_live(const Solver *s, const Scene *c, int64_t live[2]);

#endif
