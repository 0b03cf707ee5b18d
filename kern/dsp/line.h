/* A row of halves of 16 bits by two rows of bytes: what a matrix product of one
 * row is made of.  The row of halves is expanded once, in the order of pair.h's
 * words: of eight columns 0 and 2, 1 and 3, 4 and 6, 5 and 7. */
#ifndef LINE_H
#define LINE_H

#include "kern/dsp/dsp.h"

enum { LINE_STEP = 8 };

static void line_expand(const void *row, int32_t n, int is_signed,
                        uint32_t *to)
{
    const uint8_t *p = row;

    for (; n > 0; n -= 4, p += 4, to += 2) {
        const uint32_t v = dsp_load(p);

        to[0] = dsp_even(v, is_signed);
        to[1] = dsp_odd(v, is_signed);
    }
}

#ifdef DSP
/* Steps `words` of so many `bytes` of code; the sums begin by `begin`, and
 * `end` makes them what is stored.
 *
 * Of the registers r2 to r5 are words of x, r6 to r8 those of a row, r0 and r1
 * where the two rows are, r9 where x is, r10 and r11 the sums, r12 where they
 * come from. */
#define LINE_ALL(words, bytes, begin, end)                              \
    "add lr, r2, r12, lsl #1\n"                                         \
    "rsb r6, r12, #0\n" /* the loop is entered in its midst */          \
    "ubfx r6, r6, #3, #2\n"                                             \
    "movs r8, #" bytes "\n"                                             \
    "mul r6, r6, r8\n"                                                  \
    "adr r8, 1f\n"                                                      \
    "add r6, r6, r8\n"                                                  \
    "orr r6, r6, #1\n"                                                  \
    "push {r2, r3, r4, r5, r6, r7}\n"                                   \
    "mov r12, r10\n"                                                    \
    ".balign 4\n"                                                       \
    "0:\n"                                                              \
    "mov r9, r2\n"                                                      \
    begin                                                               \
    "ldr.w pc, [sp, #16]\n"                                             \
    ".balign 4\n"                                                       \
    "1:\n" words words words words                                      \
    "cmp r9, lr\n"                                                      \
    "bne 1b\n"                                                          \
    "ldm sp, {r2, r3, r4, r5}\n" end                                    \
    "stm r4!, {r10, r11}\n"                                             \
    "str r4, [sp, #8]\n"                                                \
    "add r0, r0, r3\n"                                                  \
    "cmp r4, r5\n"                                                      \
    "bne 0b\n"                                                          \
    "add sp, sp, #20\n"                                                 \
    "pop {r7}\n"

/* What a function does with parameters x, b, next, n, from, sums and rows, as
 * line_sums() of line_bytes.h: two rows of b at a time, next bytes apart, of
 * which n columns take `size` bytes; the sums begin by `begin`. */
#define LINE_BY_TWO(words, bytes, begin, size)                          \
    register const void *r0 __asm__("r0") = b;                          \
    register const void *r1 __asm__("r1") = b + next;                   \
    register const uint32_t *r2 __asm__("r2") = x;                      \
    register int32_t r3 __asm__("r3") = 2 * next - (size);              \
    register int32_t *r4 __asm__("r4") = sums;                          \
    register int32_t *r5 __asm__("r5") = sums + rows;                   \
    register const int32_t *r10 __asm__("r10") = from;                  \
    register int32_t r12 __asm__("r12") = n;                            \
                                                                        \
    __asm__ volatile(LINE_ALL(words, bytes, begin, "add r1, r1, r3\n") \
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3),          \
                       "+r"(r4), "+r"(r5), "+r"(r10), "+r"(r12)         \
                     :                                                  \
                     : "r6", "r8", "r9", "r11", "lr", "cc", "memory")
#endif

#endif
