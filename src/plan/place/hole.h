/* Memory that lies idle for a while, once buffers have addresses. */
#ifndef PLAN_HOLE_H
#define PLAN_HOLE_H

#include "plan/plan.h"

enum { HOLE_ALIGN = 8 };

typedef struct Hole {
    int mem;
    int64_t from, size; /* bytes */
} Hole;

/* When: steps [from, to); buffer `aside` (-1: none) does not count; where it may
 * begin, bytes. */
typedef struct Idle {
    int from, to, aside, align;
} Idle;

/* The hole behind *h, in whatever memory of buffers that cores address; false:
 * there is none.  The first one is behind {0}.  No memory is used further than it
 * was. */
bool next_hole(const Plan *p, Idle w, Hole *h);
int64_t hole_round(int64_t v, int64_t align); /* up */

#endif
