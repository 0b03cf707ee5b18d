/* Rows of weights of four bits become rows of bytes, for pair.h and quad.h: a
 * byte has the codes of two columns, of which the first is in its lower
 * half. */
#ifndef MVE_NIBBLES_H
#define MVE_NIBBLES_H

#include <arm_mve.h>

#include "kern/conv/nibbles.h"

/* Columns that are unpacked at a time; what makes codes numbers of four bits
 * with sign. */
enum { NIBBLE_STEP = 32, NIBBLE_FLIP = 0x88 };

/* Bytes that a row of n weights takes. */
static inline int32_t nibble_bytes(int32_t n)
{
    return (n + NIBBLE_STEP - 1) & -NIBBLE_STEP;
}

/* Codes of 32 weights, or fewer that others follow as 0, become weights. */
static inline void nibble_last(const uint8_t *codes, int32_t n, int8_t *to)
{
    const mve_pred16_t some = vctp8q((uint32_t)(n + 1) >> 1);
    const uint8x16_t v = vldrbq_z_u8(codes, some);
    const int8x16_t w = vreinterpretq_s8_u8(
        veorq_m_u8(v, v, vdupq_n_u8(NIBBLE_FLIP), some));
    const int8x16x2_t all = {
        {vshrq_n_s8(vshlq_n_s8(w, 4), 4), vshrq_n_s8(w, 4)}};

    vst2q_s8(to, all);
    if (n & 1)
        to[n] = 0;
}

/* n weights, with zeros behind them up to a whole step. */
static NOINLINE void nibble_row(const uint8_t *codes, int32_t n, int8_t *to)
{
    const uint8x16_t flip = vdupq_n_u8(NIBBLE_FLIP);

    if (n >= NIBBLE_STEP)
        __asm__ volatile("dls lr, %[n]\n"
                         "1:\n"
                         "vldrb.8 q0, [%[codes]], #16\n"
                         "veor q0, q0, %q[flip]\n"
                         "vshr.s8 q1, q0, #4\n"
                         "vshl.i8 q0, q0, #4\n"
                         "vshr.s8 q0, q0, #4\n"
                         "vst20.8 {q0, q1}, [%[to]]\n"
                         "vst21.8 {q0, q1}, [%[to]]!\n"
                         "le lr, 1b\n"
                         : [codes] "+l"(codes), [to] "+r"(to)
                         : [n] "r"(n / NIBBLE_STEP), [flip] "w"(flip)
                         : "lr", "d0", "d1", "d2", "d3", "memory");
    if (n % NIBBLE_STEP)
        nibble_last(codes, n % NIBBLE_STEP, to);
}

/* The rows of two channels, next bytes apart; to: where the first is put. */
static inline void nibble_rows(const void *codes, int32_t next, int32_t n,
                               int8_t *to)
{
    nibble_row(codes, n, to);
    nibble_row((const uint8_t *)codes + next, n, to + nibble_bytes(n));
}

#endif
