/* Rows of the softmax of bytes by a table of exponentials in Q0.31
 * (kern/ref/qsoftmax_int.c), for XpulpV2.  To be included after X and Y, types
 * of a byte.
 *
 * A row's sum is below 2^28, so that no quotient is shifted by more than 31.
 * (e inverse + 2^30) >> 31, and half and the quotient's shift behind it, are
 * one sum, of which all addends are multiples of 2^30: nothing below that is
 * needed of the product, and 2 e times 2 inverse has it in its upper word. */
#ifndef XPULP_FIXED_H
#define XPULP_FIXED_H

#include "kern/xpulp/four.h"
#include "kern/xpulp/inverse.h"
#include "kern/row/fixed.h"

/* Perhaps not of a place within the table, so `from` is no pointer. */
static inline uint32_t fixed_power(uintptr_t from, int32_t word, int32_t x)
{
    return *(const uint32_t *)(from + (uintptr_t)(ptrdiff_t)(x * word));
}

#ifdef XPULPV2
/* Twice a power to v, and the power, rounded, to the sum. */
#define FIXED_ADD(d)                                                         \
    "xp.addun %[w], " d ", %[half], 12\n" "slli " d ", " d ", 1\n"           \
    "add %[sum], %[sum], %[w]\n" "xp.sw.post " d ", %[v], 4\n"

/* Twice the powers of n elements, `word` bytes times x from `from`, into v;
 * returns the sum of powers, in Q12.19. */
static inline uint32_t fixed_powers(uintptr_t from, int32_t word, const X *x,
                                    int32_t n, uint32_t *v)
{
    const int32_t at = word & 255;
    uint32_t sum = 0;
    int32_t a, b, c, d, w;

    if (n > 3)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 25\n"
            "xp.lw.post %[w], %[x], 4\n"
            FOUR_PLACES FOUR_LOOK_UP("xp.lw.at", "%[from]")
            FIXED_ADD("%[a]") FIXED_ADD("%[b]")
            FIXED_ADD("%[c]") FIXED_ADD("%[d]") XP_BLOCK_END
            : [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
              [d] "=&r"(d), [w] "=&r"(w), [v] "+&r"(v), [x] "+&r"(x)
            : [n] "r"(n >> 2), [from] "r"(from), [i0] "r"(at),
              [i1] "r"(at << 8), [i2] "r"(at << 16),
              [i3] "r"((int32_t)((uint32_t)at << 24)), [half] "r"(1 << 11),
              [signs] "i"(XP_SIGNS(X, int8_t))
            : XP_CLOBBERS);
    for (n &= 3; n > 0; n--, x++) {
        const uint32_t e = fixed_power(from, word, *x);

        *v++ = 2 * e;
        sum += (e + (1u << 11)) >> 12;
    }
    return sum;
}

/* Results: v times q, plus 1, shifted, plus `add`, halved, hi at most. */
static inline void fixed_results(const uint32_t *v, int32_t n, uint32_t q,
                                 int32_t shift, int32_t add, int32_t hi, Y *y)
{
    uint32_t a = *v++, b;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 6\n"
        "mulhu %[b], %[a], %[q]\n"
        "xp.lw.post %[a], %[v], 4\n"
        "xp.addunr %[b], %[one], %[shift]\n"
        "xp.addn %[b], %[b], %[add], 1\n"
        "xp.min %[b], %[b], %[hi]\n"
        "xp.sb.post %[b], %[y], 1\n" XP_BLOCK_END
        : [a] "+&r"(a), [b] "=&r"(b), [v] "+&r"(v), [y] "+&r"(y)
        : [n] "r"(n), [q] "r"(q), [shift] "r"(shift), [add] "r"(add),
          [hi] "r"(hi), [one] "r"(1)
        : XP_CLOBBERS);
}
#else
static uint32_t fixed_powers(uintptr_t from, int32_t word, const X *x,
                             int32_t n, uint32_t *v)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const uint32_t e = fixed_power(from, word, x[i]);

        v[i] = 2 * e;
        sum += (e + (1u << 11)) >> 12;
    }
    return sum;
}

static void fixed_results(const uint32_t *v, int32_t n, uint32_t q,
                          int32_t shift, int32_t add, int32_t hi, Y *y)
{
    for (int32_t i = 0; i < n; i++) {
        const uint32_t h = (uint32_t)((uint64_t)v[i] * q >> 32);
        const int32_t r = ((int32_t)((h + 1) >> shift) + add) >> 1;

        y[i] = (Y)(r < hi ? r : hi);
    }
}
#endif

/* Of a row whose powers are in v, with the sum `all`. */
static inline void fixed_quotients(const uint32_t *v, uint32_t all, int32_t n,
                                   int32_t lo, int32_t hi, Y *y)
{
    const uint32_t sum = all | !all;
    const int32_t room = 32 - bits(sum);
    const int32_t inverse = fixed_inverse32((sum << room) - (1u << 31));

    fixed_results(v, n, 2 * (uint32_t)inverse, 35 - room, 2 * lo + 1, hi, y);
}

#endif
