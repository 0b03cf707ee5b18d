/* Rows of 1 to 4 elements by columns, each a word of halves of 16 bits, or two:
 * results alike, scaled in 32 bits, SMALL_NEXT elements apart.  To be included
 * after Y, and SMALL, the type of elements. */
#ifndef SMALL_K_H
#define SMALL_K_H

#include "kern/dsp/saturated.h"

#ifndef SMALL_NEXT
#define SMALL_NEXT 1
#endif

/* Results are ((sum * mul + add) >> shift), saturated to Y. */
struct small_k {
    int32_t mul, add, shift;
};

/* Elements 0 and 1, and 2 and 3 of a row of k; those that it has not are 0. */
static inline uint32_t first_of(const SMALL *b, int32_t k)
{
    return dsp_halves(b[0], k > 1 ? b[1] : 0);
}

static inline uint32_t second_of(const SMALL *b, int32_t k)
{
    return dsp_halves(b[2], k > 3 ? b[3] : 0);
}

static inline Y small_k_result(const struct small_k *s, int32_t sum)
{
    return saturated((int32_t)((uint32_t)sum * (uint32_t)s->mul +
                               (uint32_t)s->add) >> s->shift);
}

/* A row of words x by n columns of a word. */
static NOINLINE void row_of_two(const struct small_k *s, uint32_t x,
                                const uint32_t *w, int32_t n, Y *y)
{
    const struct small_k same = *s;

    for (; n > 3; n -= 4, w += 4, y += 4 * SMALL_NEXT) {
        const int32_t a = dsp_mac(x, w[0], 0), b = dsp_mac(x, w[1], 0);
        const int32_t c = dsp_mac(x, w[2], 0), d = dsp_mac(x, w[3], 0);

        y[0] = small_k_result(&same, a);
        y[SMALL_NEXT] = small_k_result(&same, b);
        y[2 * SMALL_NEXT] = small_k_result(&same, c);
        y[3 * SMALL_NEXT] = small_k_result(&same, d);
    }
    for (; n > 0; n--, y += SMALL_NEXT)
        *y = small_k_result(&same, dsp_mac(x, *w++, 0));
}

/* The same of two words. */
static NOINLINE void row_of_four(const struct small_k *s, uint32_t x,
                                 uint32_t z, const uint32_t *w, int32_t n,
                                 Y *y)
{
    const struct small_k same = *s;

    for (; n > 1; n -= 2, w += 4, y += 2 * SMALL_NEXT) {
        const int32_t a = dsp_mac(z, w[1], dsp_mac(x, w[0], 0));
        const int32_t b = dsp_mac(z, w[3], dsp_mac(x, w[2], 0));

        y[0] = small_k_result(&same, a);
        y[SMALL_NEXT] = small_k_result(&same, b);
    }
    if (n > 0)
        *y = small_k_result(&same, dsp_mac(z, w[1], dsp_mac(x, w[0], 0)));
}

/* n rows, `next` apart, of k elements: columns. */
static inline void small_columns(const SMALL *b, int32_t next, int32_t k,
                                 int32_t n, uint32_t *w)
{
    for (; n > 0; n--, b += next) {
        *w++ = first_of(b, k);
        if (k > 2)
            *w++ = second_of(b, k);
    }
}

#endif
