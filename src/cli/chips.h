/* chips: what the verbs share that spread a network over several chips. */
#ifndef CHIPS_H
#define CHIPS_H

#include "cli/cli.h"
#include "shard/shard.h"

/* The model read, its passes run, and cut for --chips. */
Shard *chips_shares(Job *j);
/* "sum", "gather", "halo" or, in a pipeline, "pass". */
const char *chips_kind(const Shard *s, const Exchange *e);
/* How many layers are shared. */
void chips_say(const Shard *s, Str *out);
/* A job for each chip, planned. */
Job *chips_plan(const Job *j, const Shard *s);
/* runchips.c: the words of run and generate are checked; a chip that cannot
 * send is refused. */
void chips_check(const Job *j);
/* Projects of all chips, written and run together: err() if that fails.  Of
 * `talk` chip 0 prints the text; NULL: the network runs on the inputs of j. */
ChipsRun *chips_run(const Job *j, const Shard *s, Job *chip, const Talk *talk);
/* A chip's shares of the inputs of all steps, in[i] for input i. */
void **chips_inputs(const Job *chip, const Shard *s, int i, void *const *in);
/* Run-time numbers of a step, in all graphs; the greatest. */
void chips_numbers(const Job *j, const Shard *s, int step);
void chips_numbers_most(const Job *j, const Shard *s);

/* --- chipcost.c: what it costs --- */

/* Where a chip's cycles go: `work` is none of the others. */
typedef struct Spent {
    int64_t cycles, links, dma, work;
} Spent;
/* As measured, or predicted: r is NULL. */
Spent chips_spent(const Plan *p, const Run *r);

/* Cycles by what binds a chip: products, four bytes a core and cycle; constants
 * and states once from the L2 into the cores' memory, constants of external
 * memory once into the L2; and exchanges, one way in and one way out a chip. */
typedef struct Bound {
    double macs, near, far, links;
} Bound;
double bound_all(Bound b);
/* Of the chip that is bound most; plans by chip. */
Bound chips_bound(const Job *j, const Shard *s, const Plan *const *plan);
int64_t chips_far_bytes(const Plan *p); /* constants in external memory */

/* Microjoules of all chips, after the paper that shard.h names: cores while
 * they work, bytes between L2 and L1, L3 and L2, chips.  waits: of cores while
 * they wait, which the paper leaves out.  NaN where the chip has no figures. */
typedef struct ChipsEnergy {
    double cores, near, far, links, waits;
} ChipsEnergy;
ChipsEnergy chips_energy(const Job *j, const Shard *s, const Plan *const *plan,
                         const Run *run);
double chips_uj(ChipsEnergy e); /* without waits */
/* Of a run: what is handed on counts again. */
int64_t chips_link_bytes(const Shard *s);
/* Of the chip that waits least in exchange `tag`, of both its halves. */
int64_t chips_exchange_cycles(const Plan *const *plan, const Run *run, int n,
                              int tag);

/* Planned for --chips, as predicted: cycles of the slowest chip, memory of the
 * fullest, bytes and energy of all. */
Tried chips_trial(Job *j);

int verb_run_chips(Job *j); /* runchips.c: run --chips N */

#endif
