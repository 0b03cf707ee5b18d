/* Sums of a matrix product of one row by b in rows of bytes, for line_matmul.h,
 * which it includes: two rows of b at a time. */
#ifndef LINE_BYTES_H
#define LINE_BYTES_H

typedef A LEFT;
typedef B RIGHT;
#include "kern/dsp/line.h"
#include "kern/dsp/line_matmul.h"

/* sums[i] = from[i] + x.(row i of b) for an even number of rows, next apart, over
 * n columns, a multiple of LINE_STEP that is not 0; b and next are multiples of 4. */
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
#define LINE_BEGIN "ldm r12!, {r10, r11}\n"

static NOINLINE void line_sums(const uint32_t *x, const RIGHT *b,
                               int32_t next, int32_t n, const int32_t *from,
                               int32_t *sums, int32_t rows)
{
    if (DSP_SIGNED(RIGHT)) {
        LINE_BY_TWO(LINE_WORDS("sxtb16"), "76", LINE_BEGIN, n);
    } else {
        LINE_BY_TWO(LINE_WORDS("uxtb16"), "76", LINE_BEGIN, n);
    }
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

/* The columns of a from `from` on, which are no whole step or not at words. */
static NOINLINE void rest(const A *a, const B *b, int32_t next, int32_t from,
                          int32_t to, const int32_t *first, int32_t *sums,
                          int32_t rows)
{
    for (; rows > 0; rows--, b += next) {
        int32_t sum = *first++;

        for (int32_t i = from; i < to; i++)
            sum += a[i] * b[i];
        *sums++ = sum;
    }
}

/* sums[i] = from[i] + a.(row i of b), of `count` rows, PART columns at a time;
 * first: a is not expanded yet, if it is one part. */
static void chunk(const struct matmul_dims *k, const A *a, const B *b,
                         const int32_t *from, int32_t *sums, int32_t count,
                         int first)
{
    const int32_t whole = (uintptr_t)b & 3 || k->bn & 3 ? 0 : k->k & -LINE_STEP;
    uint32_t *x = (uint32_t *)(sums + CHUNK + 1);

    for (int32_t i = 0; i < whole; i += PART, from = sums) {
        const int32_t some = whole - i < PART ? whole - i : PART;
        const int32_t even = count & -2;

        if (first || whole > PART)
            line_expand(a + i, some, DSP_SIGNED(A), x);
        if (even)
            line_sums(x, b + i, k->bn, some, from, sums, even);
        if (even != count)
            line_sums(x, b + i + even * k->bn, 0, some, from + even,
                      sums + even, 2);
    }
    if (whole != k->k)
        rest(a, b, k->bn, whole, k->k, from, sums, count);
}

#endif
