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

/* sums[i] = from[i] + x.(row i of b) for an even number of rows, next apart, over
 * n columns, a multiple of LINE_STEP that is not 0; b and next are multiples of 4.
 *
 * Of the registers r2 to r5 are words of x, r6 to r8 those of a row, r0 and r1
 * where the two rows are, r9 where x is, r10 and r11 the sums, r12 where they
 * come from. */
#ifdef DSP
#define LINE_ROW(at, sum, ext)                                          \
    "ldrd r6, r7, [" at "], #8\n"                                       \
    ext " r8, r6\n"                                                     \
    ext " r6, r6, ror #8\n"                                             \
    "smlad " sum ", r2, r8, " sum "\n"                                  \
    "smlad " sum ", r3, r6, " sum "\n"                                  \
    ext " r8, r7\n"                                                     \
    ext " r7, r7, ror #8\n"                                             \
    "smlad " sum ", r4, r8, " sum "\n"                                  \
    "smlad " sum ", r5, r7, " sum "\n"
#define LINE_WORDS(ext) /* 76 bytes of code */                          \
    "ldm.w r9!, {r2, r3, r4, r5}\n" LINE_ROW("r0", "r10", ext)            \
        LINE_ROW("r1", "r11", ext)
/* Steps `words` of so many `bytes` of code; the sums begin by `begin`, and
 * `end` makes them what is stored. */
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

static NOINLINE void line_sums(const uint32_t *x, const RIGHT *b,
                               int32_t next, int32_t n, const int32_t *from,
                               int32_t *sums, int32_t rows)
{
    register const RIGHT *r0 __asm__("r0") = b;
    register const RIGHT *r1 __asm__("r1") = b + next;
    register const uint32_t *r2 __asm__("r2") = x;
    register int32_t r3 __asm__("r3") = 2 * next - n;
    register int32_t *r4 __asm__("r4") = sums;
    register int32_t *r5 __asm__("r5") = sums + rows;
    register const int32_t *r10 __asm__("r10") = from;
    register int32_t r12 __asm__("r12") = n;

#define LINE_ASM(ext)                                                   \
    __asm__ volatile(LINE_ALL(LINE_WORDS(ext), "76",                     \
                              "ldm r12!, {r10, r11}\n",                 \
                              "add r1, r1, r3\n")                       \
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3),          \
                       "+r"(r4), "+r"(r5), "+r"(r10), "+r"(r12)         \
                     :                                                  \
                     : "r6", "r8", "r9", "r11", "lr", "cc", "memory")
    if (DSP_SIGNED(RIGHT))
        LINE_ASM("sxtb16");
    else
        LINE_ASM("uxtb16");
}
#else
static void line_sums(const uint32_t *x, const RIGHT *b, int32_t next,
                      int32_t n, const int32_t *from, int32_t *sums,
                      int32_t rows)
{
    for (; rows > 0; rows--, b += next, sums++) {
        *sums = *from++;
        for (int32_t i = 0; i < n; i += 4) {
            const uint32_t v = dsp_load(b + i);

            *sums = dsp_mac(x[i / 2], dsp_even(v, DSP_SIGNED(RIGHT)), *sums);
            *sums = dsp_mac(x[i / 2 + 1], dsp_odd(v, DSP_SIGNED(RIGHT)), *sums);
        }
    }
}
#endif

#endif
