/* Jobs of NE16, the accelerator of GAP9. */
#ifndef NE16_H
#define NE16_H

#include "kern/conv/unit.h"

/* Begins the job of image 0, which was acquired. */
static inline __attribute__((always_inline)) void
ne16_job(const struct pconv_dims *k, const struct io *io)
{
    unit_job(k, io, 0);
}

#endif
