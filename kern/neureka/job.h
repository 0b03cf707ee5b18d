/* Jobs of N-Eureka, the accelerator of Siracusa. */
#ifndef JOB_H
#define JOB_H

#include "kern/conv/unit.h"

enum { NEUREKA_WEIGHTS = 0x10400000 }; /* the memory behind its port */
enum { /* bits of its last register */
    NEUREKA_PORT = 1 << 9, NEUREKA_AHEAD = 1 << 10, NEUREKA_SIGNED = 1 << 26,
};

/* Begins the job of image 0, which was acquired. */
static inline __attribute__((always_inline)) void
neureka_job(const struct pconv_dims *k, const struct io *io, const int mode)
{
    unit_job(k, io, mode, (struct unit){
        .weights = k->port ? NEUREKA_WEIGHTS : 0,
        .conf = (k->port ? NEUREKA_PORT | NEUREKA_AHEAD : 0) |
                ((X)-1 < 0 ? NEUREKA_SIGNED : 0),
    });
}

#endif
