/* Jobs of accelerators in plain C, one output element at a time, of whatever types
 * the job's last register says. */
#ifndef UNIT_PLAIN_H
#define UNIT_PLAIN_H

#include "kern/conv/words.h"

enum { UNIT_QUANT = 1 << 4 };

/* Rows and columns of output channels [0, m) that are made, and what of: the
 * rest of dims and operands is as the job has it. */
struct plain {
    const char *x;
    const uint8_t *w;
    const char *mul;
    const int32_t *add;
    char *y;
    int32_t m, h, wide, xh, xw, oh, ow, yh, sh, sw;
};

static inline struct plain plain_of(const struct pconv_dims *k,
                                    const struct io *io)
{
    return (struct plain){
        .x = io->in[0], .w = io->in[1], .mul = io->in[3], .add = io->in[4],
        .y = io->out[0], .m = k->g * k->m, .h = k->h, .wide = k->w, .xh = k->xh,
        .xw = k->xw, .oh = k->oh, .ow = k->ow, .yh = k->yh, .sh = k->sh,
        .sw = k->sw,
    };
}

static inline int32_t plain_input(const struct pconv_dims *k, const void *x)
{
    return k->job[UNIT_CONF] & UNIT_SIGNED ? *(const int8_t *)x
                                           : *(const uint8_t *)x;
}

/* Of element (oy, ox) of output channel o. */
static NOINLINE int32_t plain_sum(const struct pconv_dims *k,
                                  const struct plain *p, int32_t o, int32_t oy,
                                  int32_t ox)
{
    uint32_t sum = 0;

    for (int32_t tap = 0; tap < k->kh * k->kw; tap++) {
        const int32_t row = oy * p->sh - k->ph + tap / k->kw;
        const int32_t col = ox * p->sw - k->pw + tap % k->kw;
        const int in = row >= 0 && row < p->h && col >= 0 && col < p->wide;
        const char *x = p->x + (ptrdiff_t)row * p->xh +
                        (ptrdiff_t)col * p->xw + (k->g > 1 ? o : 0);

        for (int32_t c = 0; c < k->c; c++)
            sum += (uint32_t)((in ? plain_input(k, x + c) : k->padv) *
                              word_weight(k, p->w, o, tap, c));
    }
    return (int32_t)sum;
}

static inline int32_t plain_scale(const struct pconv_dims *k,
                                  const struct plain *p, int32_t o)
{
    const char *mul = p->mul + unit_scales(k, o * k->mulc);
    const int32_t bytes = unit_scales(k, 1);

    return bytes == 1   ? *(const uint8_t *)mul
           : bytes == 2 ? *(const uint16_t *)(const void *)mul
                        : *(const int32_t *)(const void *)mul;
}

/* Sums, or bytes of them. */
static inline void plain_put(const struct pconv_dims *k, const struct plain *p,
                             int32_t sum, int32_t o, char *y)
{
    int64_t v = sum;

    if (k->job[UNIT_CONF] & UNIT_QUANT) {
        v = (v * plain_scale(k, p, o) + p->add[o * k->addc]) >> k->shift;
        *(uint8_t *)y = (uint8_t)(v < k->lo ? k->lo : v > k->hi ? k->hi : v);
    } else {
        *(int32_t *)(void *)y = sum;
    }
}

static NOINLINE void plain_all(const struct pconv_dims *k,
                               const struct plain *p)
{
    for (int32_t o = 0; o < p->m; o++)
        for (int32_t oy = 0; oy < p->oh; oy++)
            for (int32_t ox = 0; ox < p->ow; ox++)
                plain_put(k, p, plain_sum(k, p, o, oy, ox), o,
                          p->y + unit_bytes(k, o + oy * p->yh + ox * k->yw));
}

#endif
