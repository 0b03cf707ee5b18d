/* Two rows of weights of four bits become a pair, for pair.h: a word of a row
 * has eight columns, of which the lower halves of its bytes are the first
 * four. */
#ifndef DSP_NIBBLES_H
#define DSP_NIBBLES_H

#include "kern/conv/nibbles.h"
#include "kern/dsp/dsp.h"

#ifndef DSP
/* Columns of a word whose codes are `shift` up: bytes 0 and 2 as halves. */
static inline uint32_t nibble_halves(uint32_t v, int shift)
{
    const uint32_t sign = 0x80008000;

    return (((v >> shift & 0x000f000f) | sign) - 0x00080008) ^ sign;
}
#endif

static NOINLINE void nibble_pair(const uint8_t *row, const uint8_t *other,
                                 int32_t n, uint32_t *to)
{
#ifdef DSP
    const uint32_t *const end = to + ((n + 7) & -8);

/* Halves of words of both rows, whose codes are so far up. */
#define NIBBLE_SPREAD(shift, next)                                      \
    "and r3, %[mask], %[a]" shift "\n"                                  \
    "and r4, %[mask], %[a], lsr #" next "\n"                            \
    "and r5, %[mask], %[b]" shift "\n"                                  \
    "and r6, %[mask], %[b], lsr #" next "\n"                            \
    "ssub16 r3, r3, %[less]\n"                                          \
    "ssub16 r4, r4, %[less]\n"                                          \
    "ssub16 r5, r5, %[less]\n"                                          \
    "ssub16 r6, r6, %[less]\n"                                          \
    "stm %[to]!, {r3, r4, r5, r6}\n"
    while (to != end) {
        uint32_t a, b;

        __asm__ volatile("ldr %[a], [%[row]], #4\n"
                         "ldr %[b], [%[other]], #4\n"
                         NIBBLE_SPREAD("", "8")
                         NIBBLE_SPREAD(", lsr #4", "12")
                         : [row] "+r"(row), [other] "+r"(other), [to] "+r"(to),
                           [a] "=&r"(a), [b] "=&r"(b)
                         : [mask] "r"(0x000f000f), [less] "r"(0x00080008)
                         : "r3", "r4", "r5", "r6", "memory");
    }
#else
    for (; n > 0; n -= 8, row += 4, other += 4)
        for (int i = 0; i < 8; i += 4) {
            const uint32_t a = dsp_load(row), b = dsp_load(other);

            *to++ = nibble_halves(a, i);
            *to++ = nibble_halves(a, i + 8);
            *to++ = nibble_halves(b, i);
            *to++ = nibble_halves(b, i + 8);
        }
#endif
}

#endif
