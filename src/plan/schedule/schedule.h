/* From a solution to steps. */
#ifndef PLAN_SCHEDULE_H
#define PLAN_SCHEDULE_H

#include "plan/solve/solve.h"

/* emit.c: waits for accelerators come right behind the starts. */
void emit_steps(Tiler *t, const Solution *s);
/* slots.c: which of a layer's allocations lie in L2, by bit. */
unsigned solution_in_l2(const Solution *s, const LayerInst *w);
/* halve.c: layers of cores beside those of accelerators in two parts. */
void halve_layers(Tiler *t, const Solution *s);
bool halves_gain(const Tiler *t); /* are there such, by their cycles? */
/* sink.c: waits for accelerators go to where they belong; false: there are
 * none. */
typedef enum Sink { SINK_near, SINK_small, SINK_far } Sink;
bool sink_waits(Plan *p, Sink how);

/* spill.c: Buffers; steps before n layers, computed together, and after the
 * last of them; -1 and nlayer for the ends. */
void spill_bufs(Tiler *t, const int *buf);
void spill_enter(Tiler *t, int layer, int n);
void spill_leave(Tiler *t, int layer, int *token);
void spill_move(Tiler *t, int layer, int *token, Move m);
void spill_wait(Tiler *t, int layer, int token);

/* tempo.c: when things are done, roughly, with all code in the cache. */
typedef struct Tempo {
    const Engine *dma;   /* between L1 and L2; NULL: there is none */
    const ProgramTime *time;
    int64_t core;        /* when cores go on */
    int64_t engine[2];   /* when the engine is free, by direction */
    int64_t accel[MOST_ENGINES]; /* when an accelerator is */
} Tempo;
Tempo tempo_begin(const Soc *s);
int64_t tempo_loads(const Tempo *c); /* when the engine is free for a load */
/* Does the plan ask nothing of other engines than cores, accelerators and this
 * one? */
bool tempo_knows(const Plan *p, const Engine *dma);
/* What the engine takes for so many cycles' transfers while cores work. */
int64_t tempo_beside(int64_t cycles);
/* A transfer that begins now, or when the engine is free: when it is done. */
int64_t tempo_move(Tempo *c, bool in, int64_t row, int64_t rows);
void tempo_call(Tempo *c, int64_t cycles);
/* A job that is begun now, behind those before it: when it is done. */
int64_t tempo_job(Tempo *c, int engine, int64_t cycles);
void tempo_wait(Tempo *c, int64_t done);

/* keep.c: where L1 is placed, what is there already is not loaded again. */
void keep_loaded(Tiler *t);
/* A buffer that is placed lives in steps [from, to), where it is or at another
 * address; false: there is no room. */
bool live_longer(Plan *p, Buf *b, int from, int to);

/* ahead.c: where L1 is placed, and the engine would stand still beside a
 * kernel, loads of later layers begin before it, if there is room for them in
 * L1. */
void load_ahead(Tiler *t);

/* fetch.c: adds the steps of all fetches to a plan, each as early as there is
 * room for it.  Returns the bytes that are missing in L2, and
 * (*layer) where. */
int64_t add_fetches(Tiler *t, int *layer);
Fetch *add_fetch(Tiler *t, Fetch f);

#endif
