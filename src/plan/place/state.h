/* States among allocations. */
#ifndef PLAN_PLACE_STATE_H
#define PLAN_PLACE_STATE_H

#include "plan/place/unite.h"


/* Nothing is written where a state is that will still be read; the node that
 * reads it last may, if its head allows that. */
bool states_agree(const Worker *w);
void states_keep(Worker *w);
/* The next value of a state belongs where the state is. */
void state_place_output(Allocs *s, const Val *v);
/* Copies to where states are come last: nobody reads a state behind them. */
void states_last(const Graph *g, Node **seq, int n);

#endif
