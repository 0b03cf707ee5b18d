/* verify: proves a plan; shares no code with the planner. */
#ifndef VERIFY_H
#define VERIFY_H

#include "plan/plan.h"

/* NULL if the plan is sound, else what is wrong, in a sentence. */
const char *verify_plan(Arena *mem, const Plan *p);

/* ---- inside the part ---- */

/* Bytes [off, off + n) of value `val`; of(): what a value is made of. */
typedef struct Part {
    const Val *val;
    int64_t off, n;
} Part;

typedef struct Parts {
    Part *v;
    int n;
} Parts;

/* A range of memory and what it holds. */
typedef struct Seg {
    int64_t at;
    Part is;
    int token; /* it arrives when that has been waited for; -1: it is there */
} Seg;

typedef struct Segs {
    Seg *v;
    int n;
} Segs;

typedef struct Space {
    Seg *v, *spare;
    int n, room;
} Space;

/* value.c: what every value is made of, by Val.id. */
Parts *parts_all(Arena *mem, const Graph *g);
/* Appends what bytes [off, off + n) of v are made of. */
void parts_of(Arena *mem, const Parts *of, Parts *l, const Val *v,
              int64_t off, int64_t n);
/* A concat's result is so many rows, each of which is made of one row of
 * every argument in turn. */
int64_t concat_rows(const Node *n);

/* space.c: memory now holds what `put` says, m ranges in order of address;
 * what was there is gone. */
void space_put(Arena *mem, Space *s, const Seg *put, int m);
/* Are these bytes at `at`, and have they arrived?  Else *found is what lies
 * there first that should not; NULL: nothing. */
bool space_has(const Space *s, int64_t at, const Parts *l, const Seg **found);
void space_arrive(Space *s, int token); /* it has been waited for */

#endif
