/* Levels of values and candidates of layers, chosen together; what is spilled
 * and what is pinned. */
#ifndef PLAN_SOLVE_H
#define PLAN_SOLVE_H

#include "plan/tiling.h"

/* solve.c */
typedef struct Solution {
    bool found;
    bool exact;         /* of all combinations considered the best */
    bool crowded;       /* so much lives at once that some of it went to L2
                           beforehand */
    int64_t cycles;
    unsigned char *in_l2; /* by allocation: resident in L2 */
    Cand **cand;        /* by layer; of a fused group: each has its own */
    bool *within;       /* by allocation: it has no level, for a fused group
                           makes it */
    unsigned char *ahead; /* by layer: what is early is loaded before */
    int64_t *rest;      /* by layer: cycles from its begin to the end */
    unsigned *stay;     /* by layer: its allocations that stay in L2 after all
                           */
} Solution;
/* l1, l2: room by layer. */
Solution solve_levels(Tiler *t, const int64_t *l1, const int64_t *l2);
/* Is there any? */
bool solve_exists(Tiler *t, const int64_t *l1, const int64_t *l2);
/* Layers that take no time beside what the line from L3 does: so
 * many bytes a cycle, but for what is there when they begin. */
typedef struct Line {
    bool *instant;      /* by layer */
    int64_t *spare;     /* by layer: bytes that may be there when it begins */
    double rate;
} Line;
/* No solution takes less time, and it need not be one: what is too much to be
 * tried out counts nowhere.  miss: cycles, by layer, in which code comes in;
 * NULL: none. */
Solution solve_relaxed(Tiler *t, const int64_t *l1, const int64_t *l2,
                       const int64_t *miss, const Line *line);

/* bound.c: cycles, a lower bound.  l1, l2: room for buffers; all: for
 * buffers and constants in L2, of which values that may be spilled
 * (next is more) need nothing. */
int64_t tiler_bound(Tiler *t, int64_t l1, int64_t l2, int64_t all);

/* spilled.c: which allocations are spilled, and at which layers. */
/* Is an allocation in L2, if not nearer, at one of n layers that are
 * computed together?  Bytes of those that may be spilled, but for what lies
 * within a fused group. */
bool spill_is_here(const Tiler *t, int alloc, int layer, int n);
int64_t spill_resident(const Tiler *t, const bool *within, int layer, int n);
/* Spilled at these layers too; nowhere. */
void spill_one(Tiler *t, int alloc, const bool *spilled);
void unspill(Tiler *t, int alloc);
/* Does a layer write to the allocation?  -1: the user does. */
bool layer_writes(const Tiler *t, int layer, int alloc);
/* Which of the allocations of a layer, by bit, are spilled there and need not
 * be; and which of them are not. */
unsigned spill_may_stay(const Tiler *t, int layer);
void spill_stay(Tiler *t, int layer, unsigned stay);

/* spill.c: decides what is spilled.  It spills what must be so that layers can
 * be solved with so much room; false: there is nothing more to spill. */
bool spill_allocs(Tiler *t, int64_t l1, int64_t l2);
/* Of many layers, each small value that is spilled asks for more program than
 * it leaves room. */
enum { MANY_LAYERS = 2000 };
bool spill_pays(const Tiler *t, int alloc);
/* Spills all that may be; of that, none that is not in L2 after all. */
void spill_all(Tiler *t);
void spill_only_l2(Tiler *t, const unsigned char *in_l2);

/* pin.c: of the constants that are outside, those stay inside, of at most
 * `most` bytes, without which others would come too late.  s: a solution with
 * all outside, and so much room. */
void pin_late(Tiler *t, const Solution *s, int64_t room, int64_t most);

#endif
