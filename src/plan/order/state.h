/* States of a search for an order. */
#ifndef PLAN_ORDER_STATE_H
#define PLAN_ORDER_STATE_H

#include "plan/cost/cost.h"

/* Values that are one piece of memory: a value and its reshapes. */
typedef struct Class {
    int64_t size; /* 0: a constant */
    int nread;    /* nodes that read it; an output is read by the user too */
    bool in, out;
} Class;

typedef struct Job {
    const Node *node;
    int nread, *read;   /* classes, each once */
    int nneed, *need;   /* jobs that must come before */
    int nmade, *made;   /* classes */
    int64_t tmp;
    unsigned takes;     /* of read[]: the result may lie on it */
    bool gathers;       /* a concat: on all of them */
    int unit;           /* its kernel, */
    Code code;          /* of which it goes through so much */
    int64_t most;       /* that may live while it runs */
} Job;

typedef struct State {
    uint64_t *done;     /* by job, a bit; last word: unit of the last one */
    double *there;      /* by unit: bytes of its code in the cache */
    int64_t cost;       /* the largest sum of live bytes, or cycles */
    int64_t live;
    int count;
    int parent;         /* state; -1: none */
    int npath, *path;   /* jobs since then */
} State;

typedef struct Order {
    Arena *mem;
    int njob, nclass, words;
    Job *job;
    Class *class;
    int *left, *left0;  /* by class: readers to come, in the state at hand */
    uint64_t *done;     /* of the state at hand */
    int *path;
    State *state;
    int nstate;
    int64_t looks;      /* at jobs, whether they are ready */
    int *heap, nheap;
    int *slot, nslot;   /* of states by what is done */
    CodeCache *cache;   /* of an order for warm code, with */
    int nunit;          /* so many units (0: of one for memory), */
    double *there;      /* those of the state at hand, */
    int *given;         /* and jobs in the given order */
} Order;

void order_make_jobs(Order *o, Graph *g, const Choice *c);
bool order_is_done(const State *s, int job);
void order_count_left(Order *o, const State *s);
bool order_is_ready(const Order *o, const State *s, int job);
/* Live bytes while job j runs, and (*after) when it has run. */
int64_t order_need_of(const Order *o, const State *s, const Job *j,
                      int64_t *after);
void order_run_job(Order *o, State *s, int job, int64_t cost, int64_t after);
/* Runs all jobs that cost nothing now. */
void order_run_free(Order *o, State *s);
/* A state in scratch memory, to be changed: the next after `from`. */
State order_next_state(Order *o, const State *from, int parent);
/* Nothing is done. */
State order_no_state(Order *o);
State order_first_state(Order *o);
bool order_earlier(const State *a, const State *b);
void order_heap_put(Order *o, int s);
int order_heap_get(Order *o);
/* Keeps a state, unless the same was reached as well; its index or -1. */
int order_add_state(Order *o, const State *s);
void order_forget(Order *o, int nslot);

#endif
