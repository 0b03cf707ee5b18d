/* Jobs of N-Eureka, the accelerator of Siracusa. */
#ifndef JOB_H
#define JOB_H

#include "kern/conv/unit.h"
#include "kern/conv/words.h"

/* Where the memory of weights begins: that behind its port, or not. */
static inline uint32_t neureka_weights(int port)
{
    return port ? 0x10400000 : 0;
}

/* Begins the job of image 0, which was acquired. */
static inline __attribute__((always_inline)) void
neureka_job(const struct pconv_dims *k, const struct io *io)
{
    unit_job(k, io, neureka_weights(k->port));
}

#ifdef INTERLEAVES
#ifdef XPULPV2
/* The job of output channels from o on, a block; again: of the last rows. */
static NOINLINE void neureka_block(const struct pinterleave_dims *k,
                                   const struct io *io,
                                   volatile uint32_t *unit, int32_t o,
                                   int again)
{
    const struct pconv_dims *d = (const struct pconv_dims *)(const void *)k;
    volatile uint32_t *r = unit + UNIT_JOB;
    uintptr_t x = (uintptr_t)io->in[0] - (uint32_t)k->job[0];
    uintptr_t y = (uintptr_t)io->out[0] + (uint32_t)(2 * o) +
                  (k->first ? INTERLEAVE : 0);

    if (again) {
        x += (uint32_t)(unit_last(d) * k->xw);
        y += (uint32_t)(unit_last(d) * k->yw);
    }
    r[0] = (uint32_t)(uintptr_t)io->in[1] + (uint32_t)(o * k->wm) -
           neureka_weights(k->port);
    r[1] = (uint32_t)x;
    r[2] = (uint32_t)y;
    r[3] = (uint32_t)(uintptr_t)io->in[3] + (uint32_t)unit_scales(d, o);
    r[5] = (uint32_t)(uintptr_t)io->in[4] + 4 * (uint32_t)o;
    unit_words(k->job + 1, r);
    if (again)
        unit_rest(d, r);
    unit_trigger(unit);
}

/* The job that copies r. */
static NOINLINE void neureka_copies(const struct pinterleave_dims *k,
                                    const struct io *io)
{
    volatile uint32_t *unit = unit_next(io), *r = unit + UNIT_JOB;

    r[0] = (uint32_t)(uintptr_t)io->in[6] - neureka_weights(k->vport);
    r[1] = (uint32_t)(uintptr_t)io->in[5];
    r[2] = (uint32_t)(uintptr_t)io->out[0] + (k->first ? 0 : INTERLEAVE);
    r[3] = (uint32_t)(uintptr_t)io->in[7];
    unit_words(k->copy + 1, r);
    unit_trigger(unit);
}

/* Begins jobs of all blocks, of which the first was acquired: outputs of one
 * job lie side by side. */
static inline __attribute__((always_inline)) void
neureka_interleave(const struct pinterleave_dims *k, const struct io *io)
{
    volatile uint32_t *unit = (volatile uint32_t *)(uintptr_t)io->more.unit;

    for (int32_t o = 0; o < k->m; o += INTERLEAVE) {
        neureka_block(k, io, o ? unit_next(io) : unit, o, 0);
        if (k->again)
            neureka_block(k, io, unit_next(io), o, 1);
    }
    neureka_copies(k, io);
}
#else
static inline void neureka_interleave(const struct pinterleave_dims *k,
                                      const struct io *io)
{
    const struct pconv_dims *d = (const struct pconv_dims *)(const void *)k;
    char *y = io->out[0];

    for (int32_t o = 0; o < k->m; o += INTERLEAVE) {
        struct plain p = plain_of(d, io);

        p.m = INTERLEAVE;
        p.w += (ptrdiff_t)o * k->wm;
        p.mul += unit_scales(d, o * k->mulc);
        p.add += (ptrdiff_t)o * k->addc;
        p.y += 2 * o + (k->first ? INTERLEAVE : 0);
        unit_plain(d, &p);
    }
    y += k->first ? 0 : INTERLEAVE;
    for (int32_t i = 0; i < k->blocks * INTERLEAVE; i++)
        y[2 * i - i % INTERLEAVE] = ((const char *)io->in[5])[i];
}
#endif
#endif

#endif
