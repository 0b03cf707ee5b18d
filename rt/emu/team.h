/* A team of cores and its transfers, emulated so that a mistake shows: the
 * calls of rt/program.h on the machine that compiles. */
#ifndef TEAM_H
#define TEAM_H

#include "../move.h"

#define RT_COMMAND(bytes, in, rows, io) RT_PLAIN_COMMAND(bytes, in)

unsigned char *rt_page_buffer(int i);

/* work(arg, core) for every core, one after the other. */
void rt_team(void (*work)(const void *arg, int core), const void *arg,
             int cores);

/* A transfer destroys what is at its destination at once, and reads and
 * writes its bytes as late as may be: when it is waited for. */
uint32_t rt_dma_start(struct rt_move m, uint32_t with);
void rt_dma_wait(uint32_t ids);
uint32_t rt_io_start(struct rt_move m);
void rt_io_wait(uint32_t ids);

/* The same of an accelerator's jobs: the kernel does its work when it is waited
 * for, with copies of what it is told and given. */
#define RT_JOBS
struct io;
uint32_t rt_job_start(uint32_t slot,
                      void (*kernel)(const void *k, const struct io *io),
                      const void *k, uint32_t nk, struct io *io, uint32_t nio);
void rt_job_wait(uint32_t slot, uint32_t job);

#endif
