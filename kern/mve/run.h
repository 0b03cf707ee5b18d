/* put_run() of conv/gather.h, sixteen bytes at a time. */
#ifndef MVE_RUN_H
#define MVE_RUN_H

#include <arm_mve.h>

#define GATHER_RUN

/* n elements of x; what is behind them. */
static inline uint8_t *put_run(uint8_t *to, const X *x, int32_t n)
{
    const uint8_t *from = (const uint8_t *)x;
    uint8_t *const end = to + n;

    for (; n > 0; n -= 16, from += 16, to += 16) {
        const mve_pred16_t few = vctp8q((uint32_t)n);

        vstrbq_p_u8(to, vldrbq_z_u8(from, few), few);
    }
    return end;
}

#endif
