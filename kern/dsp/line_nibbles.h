/* Sums of a matrix product of one row by b in rows of codes of four bits
 * (conv/nibbles.h), for line_matmul.h, which it includes: two rows of b at a
 * time. The codes are 8 more than the weights, and so much times the sum of a
 * is taken away. */
#ifndef LINE_NIBBLES_H
#define LINE_NIBBLES_H

#include "kern/dsp/line.h"
#include "kern/dsp/line_matmul.h"

/* sums[i] = from[i] + x.(row i of b) for an even number of rows, next apart,
 * over n columns, a multiple of LINE_STEP that is not 0. */
#ifdef DSP
#define NIBBLE_WORD(shift, x, sum)                                      \
    "and.w r8, r7, r6" shift "\n"                                       \
    "smlad " sum ", " x ", r8, " sum "\n"
#define NIBBLE_ROW(at, sum)                                             \
    "ldr.w r6, [" at "], #4\n"                                          \
    NIBBLE_WORD("", "r2", sum) NIBBLE_WORD(", lsr #8", "r3", sum)       \
    NIBBLE_WORD(", lsr #4", "r4", sum) NIBBLE_WORD(", lsr #12", "r5", sum)
#define NIBBLE_WORDS /* 76 bytes of code */                             \
    "ldm.w r9!, {r2, r3, r4, r5}\n"                                     \
    NIBBLE_ROW("r0", "r10") NIBBLE_ROW("r1", "r11")
#define NIBBLE_BEGIN                                                    \
    "ldm r12!, {r10, r11}\n"                                            \
    "mov r7, #0x000f000f\n"

static NOINLINE void nibble_sums(const uint32_t *x, const uint8_t *b,
                                 int32_t next, int32_t n, const int32_t *from,
                                 int32_t *sums, int32_t rows)
{
    LINE_BY_TWO(NIBBLE_WORDS, "76", NIBBLE_BEGIN, n / 2);
}
#else
static void nibble_sums(const uint32_t *x, const uint8_t *b, int32_t next,
                        int32_t n, const int32_t *from, int32_t *sums,
                        int32_t rows)
{
    static const int place[4] = {0, 8, 4, 12};

    for (; rows > 0; rows--, b += next) {
        int32_t sum = *from++;

        for (int32_t i = 0; i < n / 2; i++)
            sum = dsp_mac(x[i], dsp_load(b + (i & -4)) >> place[i & 3] &
                                    0x000f000f, sum);
        *sums++ = sum;
    }
}
#endif

/* n columns of a as words, with zeros behind to a whole step; what codes add to
 * a sum that weights do not. */
static NOINLINE int32_t nibble_expand(const A *a, int32_t n, uint32_t *x)
{
    const int32_t whole = n & -LINE_STEP;
    int32_t sum = 0;

    line_expand(a, whole, DSP_SIGNED(A), x);
    if (n != whole) {
        A last[LINE_STEP] = {0};

        memcpy(last, a + whole, (size_t)(n - whole));
        line_expand(last, LINE_STEP, DSP_SIGNED(A), x + whole / 2);
    }
    for (int32_t i = 0; i < n; i += LINE_STEP, x += LINE_STEP / 2)
        for (int j = 0; j < LINE_STEP / 2; j++)
            sum = dsp_mac(x[j], 0x00010001, sum);
    return NIBBLE_LESS * sum;
}

/* sums[i] = from[i] + a.(row i of b), of `count` rows, PART columns at a time;
 * behind the sums is what is too much, then x; first: a is not expanded yet, if
 * it is one part. */
static void chunk(const struct matmul_dims *k, const A *a, const uint8_t *b,
                  const int32_t *from, int32_t *sums, int32_t count, int first)
{
    int32_t *more = sums + CHUNK + 1;
    uint32_t *x = (uint32_t *)(more + 1);

    for (int32_t i = 0; i < k->k; i += PART, from = sums) {
        const int32_t some = k->k - i < PART ? k->k - i : PART;
        const int32_t whole = (some + LINE_STEP - 1) & -LINE_STEP;
        const int32_t even = count & -2;

        if (first || k->k > PART)
            *more = nibble_expand(a + i, some, x);
        if (even)
            nibble_sums(x, b + i / 2, k->bn, whole, from, sums, even);
        if (even != count)
            nibble_sums(x, b + i / 2 + even * k->bn, 0, whole, from + even,
                        sums + even, 2);
        for (int32_t j = 0; j < count; j++)
            sums[j] -= *more;
    }
}

#endif
