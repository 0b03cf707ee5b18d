/* The sums of a window's four channels. */
#ifndef MVE_POOL_SUMS_H
#define MVE_POOL_SUMS_H

#include <arm_mve.h>
#include "kern/kern.h"
#include "kern/pool/patch.h"

/* Four elements as 32 bits. */
static inline int32x4_t pool_load(const X *x)
{
    const void *p = x;

    if (sizeof(X) == 2)
        return vldrhq_s32(p);
    if ((X)-1 < (X)1)
        return vldrbq_s32(p);
    return vreinterpretq_s32_u32(vldrbq_u32(p));
}

static inline int32x4_t pool_sums(const struct patch *p, const X *x)
{
    int32x4_t sum = vdupq_n_s32(0);

    for (int32_t i = p->rows; i > 0; i--, x += p->row) {
        const X *at = x;

        for (int32_t j = p->cols; j > 0; j--, at += p->col)
            sum = vaddq_s32(sum, pool_load(at));
    }
    return sum;
}

/* Sums of the bytes of eight channels, of at most POOL_SHORT taps: 16 bits hold
 * them. */
enum { POOL_SHORT = 128 };

static inline int16x8_t pool_short_sums(const struct patch *p, const X *x)
{
    int16x8_t sum = vdupq_n_s16(0);

    for (int32_t i = p->rows; i > 0; i--, x += p->row) {
        const X *at = x;

        for (int32_t j = p->cols; j > 0; j--, at += p->col)
            sum = vaddq_s16(sum, (X)-1 < (X)1
                                     ? vldrbq_s16((const int8_t *)at)
                                     : vreinterpretq_s16_u16(vldrbq_u16(
                                           (const uint8_t *)at)));
    }
    return sum;
}

#endif
