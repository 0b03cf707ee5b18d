/* Sums of a matrix product of one row by weights of two rows in halves of 16 bits
 * (kern/matmul/halves.h), for line_matmul.h, which it includes.
 *
 * A word has two columns of two rows.  Its product with two columns of a is
 * 256 q + p, where p is what the even row adds and q the odd one's; the product
 * of its lower bytes is p.  Both sums are right modulo 2^32, and so is their
 * difference 256 q: within PART = 256 columns |q| is at most 256 * 255 * 128 <
 * 2^23, which makes it right.
 */
#ifndef LINE_HALVES_H
#define LINE_HALVES_H

typedef A LEFT;
typedef B RIGHT;
#include "kern/dsp/line.h"
#include "kern/dsp/line_matmul.h"

/* sums[i] = from[i] + x.(row i) over n columns, a multiple of 4 that is not 0,
 * of an even number of rows, which have k columns. */
static NOINLINE void halves_anywhere(const uint32_t *x, const B *b, int32_t k,
                                     int32_t n, const int32_t *from,
                                     int32_t *sums, int32_t rows)
{
    for (; rows > 0; rows -= 2, b += 2 * k, from += 2, sums += 2) {
        int32_t even = 0, both = 0;

        for (int32_t i = 0; i < n / 2; i++) {
            const uint32_t v = dsp_load(b + 4 * i);

            both = dsp_mac(v, x[i], both);
            even = dsp_mac(dsp_even(v, 1), x[i], even);
        }
        sums[1] = from[1] + ((both - even) >> 8);
        sums[0] = from[0] + even;
    }
}

#ifdef DSP
#define HALVES_WORD(w, x)                                               \
    "smlad r11, " w ", " x ", r11\n"                                    \
    "sxtb16 " w ", " w "\n"                                             \
    "smlad r10, " w ", " x ", r10\n"
#define HALVES_WORDS /* 56 bytes of code */                             \
    "ldm.w r9!, {r2, r3, r4, r5}\n"                                     \
    "ldm.w r0!, {r1, r6, r7, r8}\n"                                     \
    HALVES_WORD("r1", "r2") HALVES_WORD("r6", "r3")                     \
    HALVES_WORD("r7", "r4") HALVES_WORD("r8", "r5")

/* The same where b is a multiple of 4 and n of LINE_STEP. */
static NOINLINE void halves_at_words(const uint32_t *x, const B *b, int32_t k,
                                     int32_t n, const int32_t *from,
                                     int32_t *sums, int32_t rows)
{
    register const B *r0 __asm__("r0") = b;
    register const uint32_t *r2 __asm__("r2") = x;
    register int32_t r3 __asm__("r3") = 2 * (k - n);
    register int32_t *r4 __asm__("r4") = sums;
    register int32_t *r5 __asm__("r5") = sums + rows;
    register const int32_t *r10 __asm__("r10") = from;
    register int32_t r12 __asm__("r12") = n;

    __asm__ volatile(LINE_ALL(HALVES_WORDS, "56",
                              "ldr r10, [r12], #4\n"
                              "mov r11, r10\n",
                              "ldr r6, [r12], #4\n"
                              "sub r11, r11, r10\n"
                              "add r11, r6, r11, asr #8\n")
                     : "+r"(r0), "+r"(r2), "+r"(r3), "+r"(r4), "+r"(r5),
                       "+r"(r10), "+r"(r12)
                     :
                     : "r1", "r6", "r8", "r9", "r11", "lr", "cc", "memory");
}
#endif

static inline void halves(const uint32_t *x, const B *b, int32_t k, int32_t n,
                          const int32_t *from, int32_t *sums, int32_t rows)
{
#ifdef DSP
    const int32_t whole = (uintptr_t)b & 3 ? 0 : n & -LINE_STEP;
#else
    const int32_t whole = 0;
#endif

    if (whole) {
#ifdef DSP
        halves_at_words(x, b, k, whole, from, sums, rows);
#endif
        from = sums;
    }
    if (whole < n)
        halves_anywhere(x + whole / 2, b + 2 * whole, k, n - whole, from, sums,
                        rows);
}

static void chunk(const struct matmul_dims *k, const A *a, const B *b,
                  const int32_t *from, int32_t *sums, int32_t count, int first)
{
    uint32_t *x = (uint32_t *)(sums + CHUNK + 1);

    for (int32_t i = 0; i < k->k; i += PART, from = sums) {
        const int32_t some = k->k - i < PART ? k->k - i : PART;

        if (first || k->k > PART)
            line_expand(a + i, some, DSP_SIGNED(A), x);
        halves(x, b + 2 * i, k->k, some, from, sums, count);
    }
}

#endif
