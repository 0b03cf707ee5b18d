/* How a kernel itself reads external memory, which no core can address: in
 * projects whose runtime has such transfers; elsewhere it is memory. */
#ifndef FAR_H
#define FAR_H

#include "kern/kern.h"

#ifdef RT_EXTERNAL
/* n bytes at `far` in external memory to `near`, of a memory that its DMA
 * reaches, and waits for them. */
void rt_far_read(const void *far, void *near, int32_t n);
#else
#include <string.h>

static inline void rt_far_read(const void *far, void *near, int32_t n)
{
    memcpy(near, far, (size_t)n);
}
#endif

#endif
