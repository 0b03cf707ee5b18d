/* From a solution to steps. */
#ifndef PLAN_SCHEDULE_H
#define PLAN_SCHEDULE_H

#include "plan/solve/solve.h"

/* emit.c */
void emit_steps(Tiler *t, const Solution *s);

/* spill.c: Buffers; steps before n layers, computed together, and after the
 * last of them; -1 and nlayer for the ends. */
void spill_bufs(Tiler *t, const int *buf);
void spill_enter(Tiler *t, int layer, int n);
void spill_leave(Tiler *t, int layer, int *token);
void spill_move(Tiler *t, int layer, int *token, Move m);
void spill_wait(Tiler *t, int layer, int token);

/* fetch.c: adds the steps of all fetches to a plan, each as early as there is
 * room for it.  Returns the bytes that are missing in L2, and
 * (*layer) where. */
int64_t add_fetches(Tiler *t, int *layer);
Fetch *add_fetch(Tiler *t, Fetch f);

#endif
