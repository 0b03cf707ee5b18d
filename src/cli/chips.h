/* chips: what the verbs share that spread a network over several chips. */
#ifndef CHIPS_H
#define CHIPS_H

#include "cli/cli.h"
#include "shard/shard.h"

/* The model read, its passes run, and cut for --chips. */
Shard *chips_shares(Job *j);
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

int verb_run_chips(Job *j); /* runchips.c: run --chips N */

#endif
