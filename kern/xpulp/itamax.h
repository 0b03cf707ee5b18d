/* Softmax with powers of two of bytes for XpulpV2.  To be included after X and
 * Y, types of one byte, are defined. */
#ifndef ITAMAX_H
#define ITAMAX_H

#include "kern/xpulp/halves.h"
#include "kern/xpulp/rows.h"

HALVES(itamax_words, 4)

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
