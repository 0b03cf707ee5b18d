/* Rows of two to eight words by rows of weights that stay in registers while
 * the former pass: by two at a time, or four where rows are of two words.
 *
 * To be included after X and Y, types of bytes, and LEFT and RIGHT, the types of
 * the two sides, are defined. */
#ifndef STATIONARY_PIXELS_H
#define STATIONARY_PIXELS_H

#include "kern/finish.h"
#include "kern/xpulp/block.h"

/* Windows of `words` words, `step` bytes apart, by `groups` groups of channels:
 * rows of w of whole words, and in scale two numbers for each channel, by which
 * sums are multiplied and what is added then.  First what assembly knows, by
 * place; next: from the last word of a window to the next window. */
struct stationary {
    const RIGHT *w;
    const int32_t *scale;
    int32_t shift, range, next, ystep, groups;
    int32_t words, step, low;
};

#ifdef XPULPV2
#include "kern/xpulp/stationary_asm.h"

/* n pixels by the channels of all groups. */
static void stationary_pixels(const struct stationary *t, const X *x, Y *y,
                              int32_t n)
{
    if (t->words == 2)
        stationary2(t, x, y, n);
    else if (t->words == 4)
        stationary4(t, x, y, n);
    else if (t->words == 7)
        stationary7(t, x, y, n);
    else if (t->next == 4 && t->range - t->low == 255)
        stationary_dense8(t, x, y, n);
    else
        stationary8(t, x, y, n);
}
#else
static void stationary_pixels(const struct stationary *t, const X *x, Y *y,
                              int32_t n)
{
    const int32_t channels = t->groups * (t->words == 2 ? 4 : 2);

    for (int32_t c = 0; c < channels; c++)
        for (int32_t i = 0; i < n; i++) {
            const RIGHT *w = t->w + 4 * c * t->words;
            int32_t sum = 0;

            for (int32_t j = 0; j < 4 * t->words; j += 4)
                sum = word_dot(sum, word_load(x + i * t->step + j),
                               word_load(w + j));
            y[i * t->ystep + c] =
                (Y)rescale32(sum, t->scale[2 * c], t->scale[2 * c + 1],
                             t->shift, t->low, t->range);
        }
}
#endif

#endif
