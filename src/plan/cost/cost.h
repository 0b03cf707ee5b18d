/* What things cost: code that comes into the instruction cache, transfers,
 * bytes moved, and the plan as a whole. */
#ifndef PLAN_COST_H
#define PLAN_COST_H

#include "plan/tiling.h"

/* cache.c: the instruction cache that the cores of a chip share. */
typedef struct CodeCache {
    Arena *mem;
    double size;        /* bytes; 0: there is none */
    int ways;           /* of each set */
    double used;        /* bytes that are not empty: all, but where a program
                           begins */
    double rate;        /* cycles a byte that comes in */
    const ProgramTime *time;
    double *there;      /* by unit: bytes */
    int n;
} CodeCache;
CodeCache *code_cache(Arena *mem, const Soc *s);
/* Units: of the program what a kernel, a transfer, a page that turns and a job go
 * through, and behind them those of kernels. */
enum { CALL_UNIT, MOVE_UNIT, TURN_UNIT, JOB_UNIT, KERNEL_UNIT };
/* A unit of the program, whose number is yours, goes through so many bytes of
 * its code: cycles until those that are not there have come in. */
int64_t code_miss(CodeCache *c, int unit, int64_t bytes);
/* The same of a kernel, for which not all cores wait alike. */
int64_t kern_miss(CodeCache *c, int unit, Code code);

/* model.c: what things take.  problem_aim sets what a byte is worth. */
void problem_aim(Problem *q, const Plan *p);
/* What bytes are worth in cycles that engines move: so many by each; and by
 * one. */
int64_t tiler_energy(const Tiler *t, const int64_t moved[MOST_ENGINES]);
int64_t byte_energy(const Tiler *t, const Engine *e, int64_t bytes);
/* Cycles in which an engine is busy with a transfer. */
int64_t move_cycles(const Engine *d, bool in, int64_t row, int64_t rows);
/* What a call of a kernel goes through. */
Code kern_code(const Kern *k, const KernSig *sig, const Node *n,
               const Dims *d);
/* Do registers alone begin its job? */
bool kern_direct(const Kern *k, const KernSig *sig, const Node *n,
                 const Dims *d);
/* Percent of its cycles in which a core asks the nearest memory. */
int64_t kern_asks(const Kern *k, const KernSig *sig, const Node *n,
                  const Dims *d);
/* Percent that it, of so many cycles, takes longer beside an accelerator's jobs. */
int64_t kern_beside(const Soc *s, const Kern *k, const KernSig *sig,
                    const Node *n, const Dims *d, int64_t cycles);
/* The first call of each network, with nothing there; and a layer's code, with
 * the program's for it. */
int64_t call_miss(CodeCache *c);
int64_t layer_miss(CodeCache *c, int unit, Code code);

/* cost.c: what is to be least, of the plan by its program. */
int64_t tiler_cost(const Tiler *t);

#endif
