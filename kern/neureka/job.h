/* Jobs of N-Eureka, the accelerator of Siracusa: convolutions of bytes with
 * weights of 2 to 8 bits.  Anywhere else the same in plain C. */
#ifndef JOB_H
#define JOB_H

#include "kern/finish.h"

/* Modes of the unit: 3x3, each channel for itself, one tap. */
enum { NEUREKA_3X3, NEUREKA_DEPTH, NEUREKA_POINT };

#ifdef XPULPV2

/* Its registers, in words: a job is begun by TRIGGER, and is what stands from
 * JOB on. */
enum { NEUREKA = 0x10201000, NEUREKA_TRIGGER = 0, NEUREKA_JOB = 8,
       NEUREKA_WEIGHTS = 0x10400000 };
enum { NEUREKA_KO = 32, NEUREKA_TILE = 28 };
enum { /* bits of its last register */
    NEUREKA_QUANT = 1 << 4, NEUREKA_PORT = 1 << 9, NEUREKA_AHEAD = 1 << 10,
    NEUREKA_FLOOR = 1 << 11, NEUREKA_LAYER = 1 << 15,
    NEUREKA_NO_RELU = 1 << 23, NEUREKA_BIAS = 1 << 25, NEUREKA_SIGNED = 1 << 26,
};

/* Tiles of n elements, and how many the last one has, as registers have them:
 * those of rows or output channels above those of the other. */
struct neureka_cut {
    uint32_t count, last;
};

static inline struct neureka_cut neureka_cut(int32_t n, uint32_t tile)
{
    const uint32_t count = ((uint32_t)n + tile - 1) / tile;

    return (struct neureka_cut){count, (uint32_t)n - tile * (count - 1)};
}

/* Pixels: the same without a division, which takes long; n < 2^16. */
static inline struct neureka_cut neureka_pixels(int32_t n)
{
    const uint32_t count = ((uint32_t)n + 5) * 43691 >> 18;

    return (struct neureka_cut){count, (uint32_t)n - 6 * (count - 1)};
}

static inline uint32_t neureka_conf(const struct pconv_dims *k, int mode)
{
    return (uint32_t)(k->bits - 1) | NEUREKA_QUANT | (uint32_t)mode << 5 |
           NEUREKA_FLOOR | (uint32_t)(sizeof(MUL) >> 1) << 12 | NEUREKA_LAYER |
           (uint32_t)k->shift << 16 | (k->lo < 0 ? NEUREKA_NO_RELU : 0) |
           (k->port ? NEUREKA_PORT | NEUREKA_AHEAD : 0) |
           NEUREKA_BIAS | ((X)-1 < 0 ? NEUREKA_SIGNED : 0);
}

/* Begins the job of image 0, which was acquired. */
static inline __attribute__((always_inline)) void
neureka_job(const struct pconv_dims *k, const struct io *io, const int mode)
{
    volatile uint32_t *unit = (volatile uint32_t *)(uintptr_t)NEUREKA;
    volatile uint32_t *r = unit + NEUREKA_JOB;
    const int depth = mode == NEUREKA_DEPTH, point = mode == NEUREKA_POINT;
    const struct neureka_cut ko =
        depth ? neureka_cut(k->g, NEUREKA_TILE) : neureka_cut(k->m, NEUREKA_KO);
    const struct neureka_cut ki =
        depth ? (struct neureka_cut){1, ko.last}
              : neureka_cut(k->c, point ? NEUREKA_KO : NEUREKA_TILE);
    const struct neureka_cut y = neureka_pixels(k->oh);
    const struct neureka_cut x = neureka_pixels(k->ow);
    const uint32_t ph = point ? 0 : (uint32_t)k->ph;
    const uint32_t pw = point ? 0 : (uint32_t)k->pw;
    const uint32_t bottom = (uint32_t)(k->oh + 2 - k->h) - ph;
    const uint32_t right = (uint32_t)(k->ow + 2 - k->w) - pw;

    r[0] = (uint32_t)(uintptr_t)io->in[1] -
           (uint32_t)(k->port ? NEUREKA_WEIGHTS : 0);
    r[1] = (uint32_t)(uintptr_t)io->in[0] - ph * (uint32_t)k->xh -
           pw * (uint32_t)k->xw;
    r[2] = (uint32_t)(uintptr_t)io->out[0];
    r[3] = (uint32_t)(uintptr_t)io->in[2];
    r[4] = 0;
    r[5] = (uint32_t)(uintptr_t)io->in[3];
    r[6] = (uint32_t)(point ? k->sw * k->xw : k->xw);
    r[7] = (uint32_t)(point ? k->sh * k->xh : k->xh);
    r[8] = 0;
    r[9] = NEUREKA_KO;
    r[10] = (uint32_t)k->yw;
    r[11] = (uint32_t)k->yh;
    r[12] = NEUREKA_KO;
    r[13] = depth ? 0 : (uint32_t)k->wm;
    r[14] = 0;
    r[15] = ko.last << 16 | ki.last;
    r[16] = y.last << 16 | x.last;
    r[17] = point ? y.last << 16 | x.last
                  : (y.last + 2 - bottom) << 16 | (x.last + 2 - right);
    r[18] = ko.count << 16 | ki.count;
    r[19] = y.count << 16 | x.count;
    r[20] = point ? 0
                  : ph << 28 | right << 24 | bottom << 20 | pw << 16 |
                        ((uint32_t)k->padv & 0xffff);
    r[21] = (uint32_t)-k->less;
    r[22] = 0;
    r[23] = neureka_conf(k, mode);
    __asm__ volatile("" ::: "memory");
    unit[NEUREKA_TRIGGER] = 0;
}

#else

FINISH(pconv, 2)
#include "kern/conv/packed.h"

static inline void neureka_job(const struct pconv_dims *k, const struct io *io,
                               int mode)
{
    (void)mode;
    packed_all(k, io);
}

#endif

#endif
