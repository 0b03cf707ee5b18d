/* Softmax with powers of two of bytes for XpulpV2, four at a time; elsewhere
 * the same in plain C.  To be included after X and Y, types of one byte, are
 * defined. */
#ifndef ITAMAX_H
#define ITAMAX_H

#include "kern/xpulp/halves.h"
#include "kern/xpulp/rows.h"

#ifdef XPULPV2
/* inverse >> s of words of four elements. */
static inline void itamax_words(const X *x, int32_t words, int32_t top,
                                int32_t inverse, Y *y)
{
    int32_t a, e, t, w;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 8\n" "xp.lw.post %[a], %[x], 4\n"
        "xpv.sub.b %[t], %[top], %[a]\n"
        HALVES_SHIFT("%[e]", "%[inverse]", "%[t]", "%[w]")
        "xp.sw.post %[e], %[y], 4\n" XP_BLOCK_END
        : [a] "=&r"(a), [e] "=&r"(e), [t] "=&r"(t), [w] "=&r"(w),
          [x] "+&r"(x), [y] "+&r"(y)
        : [n] "r"(words), [top] "r"(xp_each4(top)),
          [inverse] "r"(xp_each4(inverse))
        : XP_CLOBBERS);
}
#else
static void itamax_words(const X *x, int32_t words, int32_t top,
                         int32_t inverse, Y *y)
{
    for (int32_t i = 0; i < 4 * words; i++)
        y[i] = (Y)halved(inverse, top - x[i]);
}
#endif

/* Results [from, to) of a row of 4 or more; what does not fill a word is taken
 * with others, again. */
static inline void itamax_put(const X *x, const struct rows *r, int32_t top,
                              int32_t inverse, Y *y)
{
    const int32_t n = r->to - r->from, last = r->to > 4 ? r->to - 4 : 0;

    if (n > 3)
        itamax_words(x + r->from, n >> 2, top, inverse, y + r->from);
    if (n & 3)
        itamax_words(x + last, 1, top, inverse, y + last);
}

#endif
