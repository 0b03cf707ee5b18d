/* The team of cores and its transfers by PMSIS, the interface of the GAP SDK
 * and pulp-sdk: what rt/program.h stands on in a program of theirs.  To be
 * called from core 0 of the cluster. */
#ifndef TEAM_H
#define TEAM_H

#include "../move.h"

struct pi_device;

/* External memory: opened by the program, and where the network's part begins;
 * only where there are transfers to it. */
extern struct pi_device *pmsis_ram;
extern uint32_t pmsis_ram_base;

#define RT_COMMAND(bytes, in, rows, io) RT_PLAIN_COMMAND(bytes, in)

unsigned char *rt_page_buffer(int i);

/* work(arg, core) on every core, and until all are done. */
void rt_team(void (*work)(const void *arg, int core), const void *arg,
             int cores);
uint32_t rt_dma_start(struct rt_move m, uint32_t with);
void rt_dma_wait(uint32_t ids);
uint32_t rt_io_start(struct rt_move m);
void rt_io_wait(uint32_t ids);

#if defined RT_JOB_SLOT && defined __riscv
#include "../pulp/job.h"
#endif

#endif
