/* Jobs of the accelerators N-Eureka and NE16, whose registers are the same:
 * convolutions of bytes with weights of 2 to 8 bits.  Anywhere else the same in
 * plain C. */
#ifndef UNIT_H
#define UNIT_H

#include "kern/finish.h"

/* Modes: 3x3, each channel for itself, one tap. */
enum { UNIT_3X3, UNIT_DEPTH, UNIT_POINT };

/* What is the kernel's own. */
struct unit {
    uint32_t conf;         /* more of the last register */
    uint32_t weights;      /* taken from their address */
};

#ifdef XPULPV2
#include "kern/insn.h"

/* Registers in words: a job is begun by TRIGGER, and is what stands from JOB
 * on: six that say where, and those of the dims (src/ir/job.c), in pairs but for
 * the last two. */
enum { UNIT_TRIGGER = 0, UNIT_JOB = 8, UNIT_WHERE = 6, UNIT_PAIRS = 8 };

/* Begins the job of image 0, which was acquired. */
static inline __attribute__((always_inline)) void
unit_job(const struct pconv_dims *k, const struct io *io, const int mode,
         const struct unit u)
{
    volatile uint32_t *unit = (volatile uint32_t *)(uintptr_t)io->more.unit;
    volatile uint32_t *r = unit + UNIT_JOB;
    const int32_t *job = k->job;
    uint32_t a, b;

    (void)mode;
    r[0] = (uint32_t)(uintptr_t)io->in[1] - u.weights;
    r[1] = (uint32_t)(uintptr_t)io->in[0] - (uint32_t)*job++;
    r[2] = (uint32_t)(uintptr_t)io->out[0];
    r[3] = (uint32_t)(uintptr_t)io->in[3];
    r[4] = 0;
    r[5] = (uint32_t)(uintptr_t)io->in[4];
    r += UNIT_WHERE;
    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 4\n"
        "xp.lw.post %[a], %[job], 4\n xp.lw.post %[b], %[job], 4\n"
        "xp.sw.post %[a], %[r], 4\n xp.sw.post %[b], %[r], 4\n" XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [job] "+&r"(job), [r] "+&r"(r)
        : [n] "r"(UNIT_PAIRS)
        : XP_CLOBBERS);
    r[0] = (uint32_t)job[0];
    r[1] = (uint32_t)job[1] | u.conf;
    __asm__ volatile("" ::: "memory");
    unit[UNIT_TRIGGER] = 0;
}

#else

FINISH(pconv, 3)
#include "kern/conv/packed.h"

/* Of one tap: as an image of the rows and columns that the unit goes
 * through. */
static inline void unit_job(const struct pconv_dims *k, const struct io *io,
                            int mode, const struct unit u)
{
    struct pconv_dims d = *k;

    (void)u;
    if (mode == UNIT_POINT) {
        d.h = d.oh = k->rows;
        d.w = d.ow = k->cols;
        d.xh = k->xrow;
        d.yh = k->yrow;
        d.xw *= k->sw;
        d.sh = d.sw = 1;
    }
    packed_all(&d, io);
}

#endif

#endif
