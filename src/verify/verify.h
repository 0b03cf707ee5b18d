/* verify: proves a plan; shares no code with the planner. */
#ifndef VERIFY_H
#define VERIFY_H

#include "plan/plan.h"

/* NULL if the plan is sound, else what is wrong, in a sentence. */
const char *verify_plan(Arena *mem, const Plan *p);

#endif
