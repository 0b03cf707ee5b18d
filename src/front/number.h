/* Inside front: graphs with run-time numbers. */
#ifndef FRONT_NUMBER_H
#define FRONT_NUMBER_H

#include "front/front.h"

/* Reads the model as these options bind its dimensions. */
typedef Graph *FrontReader(Arena *mem, const FrontOpts *o, void *arg);

/* The graph of a model some of whose dimensions are run-time numbers. */
Graph *front_numbers(Arena *mem, const FrontOpts *o, FrontReader *read,
                     void *arg);

/* append.c: states that are larger in the next run get room for the most, and
 * what is new is written in place. */
void front_appends(Graph *g);

/* given.c: inputs of --given become constants, or are looked up. */
void front_given(Graph *g, const FrontOpts *o);

#endif
