/* What becomes of the scores of two rows of q, byte by byte beside each other,
 * for Arm's DSP extension; elsewhere the same in plain C.  To be included after
 * PARTS is defined. */
#ifndef DSP_ATTEND_H
#define DSP_ATTEND_H

#include "kern/dsp/dsp.h"
#include "kern/row/powers.h"

/* v >> 16 saturated to a byte. */
static inline int8_t attend_top(int32_t v)
{
#ifdef DSP
    int32_t top;

    __asm__("ssat %0, #8, %1, asr #16" : "=r"(top) : "r"(v));
    return (int8_t)top;
#else
    v >>= 16;
    return (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
#endif
}

/* Scores of two rows of a word each by n keys, a multiple of four words:
 * (product * mul + add) >> 16. */
static NOINLINE void attend_words(const uint32_t q[2], const uint32_t *key,
                                  int32_t n, int32_t mul, int32_t add,
                                  int8_t *x)
{
    const uint32_t a = q[0], b = q[1];

    for (const uint32_t *end = key + n; key != end; key += 4, x += 8) {
        const uint32_t k0 = key[0], k1 = key[1], k2 = key[2], k3 = key[3];

        x[0] = attend_top(dsp_mac(a, k0, 0) * mul + add);
        x[1] = attend_top(dsp_mac(b, k0, 0) * mul + add);
        x[2] = attend_top(dsp_mac(a, k1, 0) * mul + add);
        x[3] = attend_top(dsp_mac(b, k1, 0) * mul + add);
        x[4] = attend_top(dsp_mac(a, k2, 0) * mul + add);
        x[5] = attend_top(dsp_mac(b, k2, 0) * mul + add);
        x[6] = attend_top(dsp_mac(a, k3, 0) * mul + add);
        x[7] = attend_top(dsp_mac(b, k3, 0) * mul + add);
    }
}

#ifdef DSP
/* r3 to r6: as many operands, one behind the other; what a table has at the
 * place that each is. */
#define ATTEND_EACH(op, a, b, c, d)                                     \
    op " r3, " a "\n" op " r4, " b "\n" op " r5, " c "\n" op " r6, " d "\n"
#define ATTEND_LOOK_UP(op, table, by)                                   \
    ATTEND_EACH(op, "[%[" table "], r3" by "]", "[%[" table "], r4" by "]", \
                "[%[" table "], r5" by "]", "[%[" table "], r6" by "]")
#endif

#ifdef POWERS_WEIGH
/* Powers of every second score from x on, n of them, a multiple of four, as
 * words of two keys, four keys 16 bytes apart; zero: where the power of 0 would
 * be.  Their sum. */
static NOINLINE uint32_t attend_bytes(uintptr_t zero, const int8_t *x,
                                      int32_t n, uint32_t *to)
{
    uint32_t sum = 0;

#ifdef DSP
    __asm__ volatile("1:\n"
                     ATTEND_EACH("ldrsb", "[%[x], #2]", "[%[x], #4]",
                                 "[%[x], #6]", "[%[x]], #8")
                     ATTEND_LOOK_UP("ldrb", "zero", "")
                     "cmp %[x], %[end]\n"
                     "pkhbt r4, r4, r5, lsl #16\n"
                     "pkhbt r3, r6, r3, lsl #16\n"
                     "smlad %[sum], r4, %[ones], %[sum]\n"
                     "smlad %[sum], r3, %[ones], %[sum]\n"
                     "strd r3, r4, [%[to]], #16\n"
                     "bne 1b\n"
                     : [x] "+r"(x), [to] "+r"(to), [sum] "+r"(sum)
                     : [zero] "r"(zero), [ones] "r"(0x00010001),
                       [end] "r"(x + 2 * n)
                     : "r3", "r4", "r5", "r6", "cc", "memory");
#else
    for (; n > 0; n -= 2, x += 4, to += n & 2 ? 1 : 3) {
        const uint32_t a = power_byte(zero, x[0]), b = power_byte(zero, x[2]);

        *to = b << 16 | a;
        sum += a + b;
    }
#endif
    return sum;
}
#elif defined PARTS_WEIGH
/* Powers of every second score from x on, n of them, a multiple of four; their
 * sum. */
#ifdef DSP
#define ATTEND_FOUR(a, b, c, d)                                         \
    ATTEND_EACH("ldrsb", "[%[x], #" a "]", "[%[x], #" b "]",            \
                "[%[x], #" c "]", "[%[x], #" d "]")                     \
    ATTEND_LOOK_UP("ldr", "zero", ", lsl #2")                           \
    "add %[sum], %[sum], r3\n"                                          \
    "add %[sum], %[sum], r4\n"                                          \
    "add %[sum], %[sum], r5\n"                                          \
    "add %[sum], %[sum], r6\n"                                          \
    "stm %[to]!, {r3, r4, r5, r6}\n"
#endif
static NOINLINE uint32_t attend_powers(uintptr_t zero, const int8_t *x,
                                       int32_t n, uint32_t *to)
{
    uint32_t sum = 0;

#ifdef DSP
    /* of an odd number of fours the loop is entered in its midst */
    __asm__ volatile("lsls r3, %[n], #29\n"
                     "itt mi\n"
                     "submi %[x], %[x], #8\n"
                     "bmi 2f\n"
                     "1:\n" ATTEND_FOUR("0", "2", "4", "6")
                     "2:\n" ATTEND_FOUR("8", "10", "12", "14")
                     "add %[x], %[x], #16\n"
                     "cmp %[x], %[end]\n"
                     "bne 1b\n"
                     : [x] "+r"(x), [to] "+r"(to), [sum] "+r"(sum)
                     : [zero] "r"(zero), [n] "r"(n), [end] "r"(x + 2 * n)
                     : "r3", "r4", "r5", "r6", "cc", "memory");
#else
    for (; n > 0; n--, x += 2)
        sum += *to++ = power(zero, *x);
#endif
    return sum;
}

/* Weights of n powers, a multiple of four: v q >> s, or parts there, as words
 * of two keys, four keys 16 bytes apart; s is 24, or 32 and more. */
#ifdef DSP
#define ATTEND_HIGH(r) "umull %[low], " r ", " r ", %[q]\n"
#define ATTEND_SHIFT(r) "lsr " r ", " r ", %[shift]\n"
#define ATTEND_TOP(r) "mul " r ", " r ", %[q]\n lsr " r ", " r ", #24\n"
#define ATTEND_NONE(r)
#define ATTEND_ALL(OP) OP("r3") OP("r4") OP("r5") OP("r6")
#define ATTEND_WEIGHTS(PRODUCT, SHIFT, LOOK_UP)                         \
    __asm__ volatile("1:\n"                                             \
                     "ldm %[v]!, {r3, r4, r5, r6}\n"                    \
                     ATTEND_ALL(PRODUCT) ATTEND_ALL(SHIFT)              \
                     LOOK_UP                                            \
                     "pkhbt r3, r3, r4, lsl #16\n"                      \
                     "pkhbt r4, r5, r6, lsl #16\n"                      \
                     "cmp %[v], %[end]\n"                               \
                     "strd r3, r4, [%[to]], #16\n"                      \
                     "bne 1b\n"                                         \
                     : [v] "+r"(v), [to] "+r"(to), [low] "=&r"(low)     \
                     : [q] "r"(q), [end] "r"(v + n),                    \
                       [shift] "r"(s - 32), [parts] "r"(parts)          \
                     : "r3", "r4", "r5", "r6", "cc", "memory")
#else
static inline int32_t attend_weight(uint32_t v, uint32_t q, int32_t s,
                                    const PARTS *parts)
{
    const uint32_t i = (uint32_t)((uint64_t)v * q >> s);

    return parts ? (int32_t)parts[i] : (int32_t)i;
}
#endif

static NOINLINE void attend_weights(const uint32_t *v, int32_t n, uint32_t q,
                                    int32_t s, const PARTS *parts, uint32_t *to)
{
#ifdef DSP
    uint32_t low;

    if (s == 24 && DSP_SIGNED(PARTS))
        ATTEND_WEIGHTS(ATTEND_TOP, ATTEND_NONE,
                       ATTEND_LOOK_UP("ldrsb", "parts", ""));
    else if (s == 24)
        ATTEND_WEIGHTS(ATTEND_TOP, ATTEND_NONE,
                       ATTEND_LOOK_UP("ldrb", "parts", ""));
    else if (!parts && s == 32)
        ATTEND_WEIGHTS(ATTEND_HIGH, ATTEND_NONE, "");
    else if (!parts)
        ATTEND_WEIGHTS(ATTEND_HIGH, ATTEND_SHIFT, "");
    else if (DSP_SIGNED(PARTS))
        ATTEND_WEIGHTS(ATTEND_HIGH, ATTEND_SHIFT,
                       ATTEND_LOOK_UP("ldrsb", "parts", ""));
    else
        ATTEND_WEIGHTS(ATTEND_HIGH, ATTEND_SHIFT,
                       ATTEND_LOOK_UP("ldrb", "parts", ""));
#else
    for (; n > 0; n -= 2, v += 2, to += n & 2 ? 1 : 3)
        *to = dsp_halves(attend_weight(v[0], q, s, parts),
                         attend_weight(v[1], q, s, parts));
#endif
}

#endif

#endif
