/* Jobs of the accelerators N-Eureka and NE16, whose registers are the same:
 * convolutions of bytes with weights of 2 to 8 bits.  Anywhere else the same in
 * plain C. */
#ifndef UNIT_H
#define UNIT_H

#include "kern/finish.h"

/* Modes: 3x3, each channel for itself, one tap. */
enum { UNIT_3X3, UNIT_DEPTH, UNIT_POINT };

/* What the two differ in. */
struct unit {
    uint32_t side;         /* of a subtile, pixels: 3 or 6 */
    uint32_t tile, point;  /* its input channels, in 3x3 and in 1x1 */
    uint32_t conf;         /* more of the last register */
    uint32_t weights;      /* taken from their address */
    uint32_t wd0;          /* distance of bits; in 1x1 of tiles */
};

#ifdef XPULPV2

/* Registers in words: a job is begun by TRIGGER, and is what stands from JOB
 * on. */
enum { UNIT_TRIGGER = 0, UNIT_JOB = 8, UNIT_KO = 32 };
enum { /* bits of the last register */
    UNIT_QUANT = 1 << 4, UNIT_FLOOR = 1 << 11, UNIT_LAYER = 1 << 15,
    UNIT_WORDS = 2 << 21, UNIT_NO_RELU = 1 << 23, UNIT_BIAS = 1 << 25,
};

/* Tiles of n elements, and how many the last one has, as registers have them:
 * those of rows or output channels above those of the other. */
struct unit_cut {
    uint32_t count, last;
};

static inline struct unit_cut unit_cut(int32_t n, uint32_t tile)
{
    const uint32_t count = ((uint32_t)n + tile - 1) / tile;

    return (struct unit_cut){count, (uint32_t)n - tile * (count - 1)};
}

/* Pixels: the same without a division, which takes long; n < 2^16. */
static inline struct unit_cut unit_pixels(int32_t n, uint32_t side)
{
    const uint32_t count = ((uint32_t)n + side - 1) * 43691 >>
                           (side == 6 ? 18 : 17);

    return (struct unit_cut){count, (uint32_t)n - side * (count - 1)};
}

/* Results of 32 bits are sums as they are. */
static inline uint32_t unit_conf(const struct pconv_dims *k, int mode)
{
    const uint32_t all =
        (uint32_t)(k->bits - 1) | (uint32_t)mode << 5 | UNIT_LAYER;

    if (sizeof(Y) == 4)
        return all | UNIT_WORDS;
    return all | UNIT_QUANT | UNIT_FLOOR |
           (uint32_t)(sizeof(MUL) >> 1) << 12 | (uint32_t)k->shift << 16 |
           (k->lo < 0 ? UNIT_NO_RELU : 0) | UNIT_BIAS;
}

/* Begins the job of image 0, which was acquired. */
static inline __attribute__((always_inline)) void
unit_job(const struct pconv_dims *k, const struct io *io, const int mode,
         const struct unit u)
{
    volatile uint32_t *unit = (volatile uint32_t *)(uintptr_t)io->more.unit;
    volatile uint32_t *r = unit + UNIT_JOB;
    const int depth = mode == UNIT_DEPTH, point = mode == UNIT_POINT;
    const struct unit_cut ko = depth ? unit_cut(k->g, u.tile)
                                     : unit_cut(k->m, UNIT_KO);
    const struct unit_cut ki =
        depth ? (struct unit_cut){1, ko.last}
              : unit_cut(k->c, point ? u.point : u.tile);
    const struct unit_cut y = unit_pixels(k->rows, u.side);
    const struct unit_cut x = unit_pixels(k->cols, u.side);
    const uint32_t ph = point ? 0 : (uint32_t)k->ph;
    const uint32_t pw = point ? 0 : (uint32_t)k->pw;
    const uint32_t bottom = (uint32_t)(k->oh + 2 - k->h) - ph;
    const uint32_t right = (uint32_t)(k->ow + 2 - k->w) - pw;

    r[0] = (uint32_t)(uintptr_t)io->in[1] - u.weights;
    r[1] = (uint32_t)(uintptr_t)io->in[0] - ph * (uint32_t)k->xh -
           pw * (uint32_t)k->xw;
    r[2] = (uint32_t)(uintptr_t)io->out[0];
    r[3] = (uint32_t)(uintptr_t)io->in[3];
    r[4] = 0;
    r[5] = (uint32_t)(uintptr_t)io->in[4];
    r[6] = (uint32_t)(point ? k->sw * k->xw : k->xw);
    r[7] = (uint32_t)k->xrow;
    r[8] = 0;
    r[9] = UNIT_KO;
    r[10] = (uint32_t)k->yw * sizeof(Y);
    r[11] = (uint32_t)k->yrow * sizeof(Y);
    r[12] = u.wd0;
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
    r[23] = unit_conf(k, mode) | u.conf;
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
