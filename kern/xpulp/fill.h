/* Words set to a number, for XpulpV2. */
#ifndef XPULP_FILL_H
#define XPULP_FILL_H

#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

/* n words at p, none if n < 1. */
#ifdef XPULPV2
static inline void words_fill(void *p, int32_t n, int32_t word)
{
    int32_t *y = p;

    if (n > 3)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 4\n"
            "xp.sw.post %[word], %[y], 4\n xp.sw.post %[word], %[y], 4\n"
            "xp.sw.post %[word], %[y], 4\n xp.sw.post %[word], %[y], 4\n"
            XP_BLOCK_END
            : [y] "+&r"(y)
            : [n] "r"(n >> 2), [word] "r"(word)
            : XP_CLOBBERS);
    if (n > 0 && n & 2) {
        y[0] = word;
        y[1] = word;
        y += 2;
    }
    if (n > 0 && n & 1)
        *y = word;
}
#else
static inline void words_fill(void *p, int32_t n, int32_t word)
{
    for (char *y = p; n > 0; n--, y += 4)
        word_store(y, word);
}
#endif

#endif
