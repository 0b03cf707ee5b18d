/* Transfers between the L2 and the external memory behind the I/O DMA
 * (HyperBus), which has no address on the bus: `ext` counts from its first
 * byte.  Call these from core 0 of the cluster, or from the fabric controller
 * alone; all are done in the order they were started.
 *
 *     t = pulp_ext_start(l2, ext, n, 1);     a request: some 20 cycles
 *     ... work, other transfers ...
 *     pulp_ext_wait(t);                      the bytes are there
 */
#ifndef EXT_H
#define EXT_H

#include <stdint.h>

enum {
    PULP_EXT_QUEUE = 8,        /* a start waits while so many wait */
    PULP_EXT_LONGEST = 65536,  /* bytes of one command of the channel */
};

#define PULP_EXT_IN (1u << 31)
#define PULP_EXT_ROWS (1u << 30)
uint32_t pulp_ext_ask(uint32_t l2, uint32_t ext, uint32_t n_and_flags,
                      uint32_t row, uint32_t stride);

/* in: from external memory to L2.  n is 1 or more, less than 1 GiB. */
static inline uint32_t pulp_ext_start(uint32_t l2, uint32_t ext, uint32_t n,
                                      int in)
{
    return pulp_ext_ask(l2, ext, n | (in ? PULP_EXT_IN : 0), 0, 0);
}

/* Rows of `row` bytes (64 KiB at most), `stride` apart in external memory,
 * without gaps in L2; n bytes in all.  Each row is a command. */
static inline uint32_t pulp_ext_start_2d(uint32_t l2, uint32_t ext, uint32_t n,
                                         uint32_t row, uint32_t stride, int in)
{
    n |= PULP_EXT_ROWS | (in ? PULP_EXT_IN : 0);
    return pulp_ext_ask(l2, ext, n, row, stride);
}
int pulp_ext_done(uint32_t token);
void pulp_ext_wait(uint32_t token);

/* From the fabric controller: begins what can begin.  The cluster need not
 * call it, the controller does nothing else. */
void pulp_ext_poll(void);
/* The controller's work, for ever. */
void pulp_ext_serve(void);

/* Fills external memory from `ext` on with n bytes, which read(arg, p, k)
 * brings to p: from a flash, a file.  It returns k, or else all stops.  They
 * pass through `room`, `size` bytes of L2, in two halves.  0: done. */
int pulp_ext_load(uint32_t ext, uint32_t n, void *room, uint32_t size,
                  int (*read)(void *arg, void *p, int k), void *arg);
/* load.c: from a file, by semihosting. */
int pulp_ext_load_file(const char *path, uint32_t ext, uint32_t n, void *room,
                       uint32_t size);

#endif
