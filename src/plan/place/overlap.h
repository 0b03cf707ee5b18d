/* Results that overlap their operands in L2. */
#ifndef PLAN_OVERLAP_H
#define PLAN_OVERLAP_H

#include "plan/solve/solve.h"

/* overlap.c: lets results overlap operands, where the room of L2 (by layer)
 * asks for it; buf: of allocations.  Returns the bytes that are still too many,
 * over all layers.  place_groups gives addresses then; the height. */
int64_t overlap_allocs(Tiler *t, const Solution *s, const int *buf,
                       const int64_t *room);
int64_t place_groups(Tiler *t, int mem);

#endif
