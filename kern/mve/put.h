/* Rows of bytes to scratch memory, sixteen at a time, with the sign that
 * products want. */
#ifndef MVE_PUT_H
#define MVE_PUT_H

#include "kern/mve/mve.h"

/* Of up to sixteen bytes: a vector a row. */
static inline void put_short(uint8_t *to, ptrdiff_t next, const X *x,
                             ptrdiff_t step, int32_t n, int32_t rows)
{
    const uint8x16_t sign = vdupq_n_u8(MVE_FLIP);

#define PUT_ASM(flip)                                                   \
    __asm__ volatile("vctp.8 %[n]\n"                                    \
                     "dls lr, %[rows]\n"                                \
                     "1:\n"                                             \
                     "vpst\n"                                           \
                     "vldrbt.u8 q0, [%[x]]\n" flip                      \
                     "vpst\n"                                           \
                     "vstrbt.8 q0, [%[to]]\n"                           \
                     "add %[x], %[x], %[step]\n"                        \
                     "add %[to], %[to], %[next]\n"                      \
                     "le lr, 1b\n"                                      \
                     : [x] "+l"(x), [to] "+l"(to)                       \
                     : [n] "r"(n), [rows] "r"(rows), [step] "r"(step),  \
                       [next] "r"(next), [sign] "w"(sign)               \
                     : "lr", "d0", "d1", "memory")
    if (PANEL_SIGNED(X))
        PUT_ASM("");
    else
        PUT_ASM("veor q0, q0, %q[sign]\n");
#undef PUT_ASM
}

static inline void put_long(uint8_t *to, ptrdiff_t next, const X *x,
                            ptrdiff_t step, int32_t n, int32_t rows)
{
    const uint8x16_t sign = vdupq_n_u8(MVE_FLIP);
    const X *from;
    uint8_t *at;

#define PUT_ASM(flip)                                                   \
    __asm__ volatile("0:\n"                                             \
                     "mov %[from], %[x]\n"                              \
                     "mov %[at], %[to]\n"                               \
                     "dlstp.8 lr, %[n]\n"                               \
                     "1:\n"                                             \
                     "vldrb.8 q0, [%[from]], #16\n" flip                \
                     "vstrb.8 q0, [%[at]], #16\n"                       \
                     "letp lr, 1b\n"                                    \
                     "add %[x], %[x], %[step]\n"                        \
                     "add %[to], %[to], %[next]\n"                      \
                     "subs %[rows], %[rows], #1\n"                      \
                     "bne 0b\n"                                         \
                     : [x] "+r"(x), [to] "+r"(to), [rows] "+r"(rows),   \
                       [from] "=&r"(from), [at] "=&r"(at)               \
                     : [n] "r"(n), [step] "r"(step), [next] "r"(next),  \
                       [sign] "w"(sign)                                 \
                     : "lr", "d0", "d1", "cc", "memory")
    if (PANEL_SIGNED(X))
        PUT_ASM("");
    else
        PUT_ASM("veor q0, q0, %q[sign]\n");
#undef PUT_ASM
}

/* So many rows of n bytes, from x on in steps, to rows that are `next` apart. */
static NOINLINE void put_rows(uint8_t *to, ptrdiff_t next, const X *x,
                              ptrdiff_t step, int32_t n, int32_t rows)
{
    if (rows <= 0)
        return;
    if (n > 16)
        put_long(to, next, x, step, n, rows);
    else if (n > 0)
        put_short(to, next, x, step, n, rows);
}

static NOINLINE void put_value(uint8_t *to, int32_t n, uint8_t value)
{
    const uint8x16_t v = vdupq_n_u8(value);

    if (n > 0)
        __asm__ volatile("dlstp.8 lr, %[n]\n"
                         "1:\n"
                         "vstrb.8 %q[v], [%[to]], #16\n"
                         "letp lr, 1b\n"
                         : [to] "+l"(to)
                         : [n] "r"(n), [v] "w"(v)
                         : "lr", "memory");
}

#endif
