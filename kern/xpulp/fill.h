/* Words set to a number, or copied, for XpulpV2; to be included after
 * kern/xpulp/word.h. */
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

/* n words, an even number and two at least. */
static inline void words_copy(void *to, const void *from, int32_t n)
{
    int32_t a, b;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 4\n"
        "xp.lw.post %[a], %[x], 4\n xp.lw.post %[b], %[x], 4\n"
        "xp.sw.post %[a], %[y], 4\n xp.sw.post %[b], %[y], 4\n" XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(from), [y] "+&r"(to)
        : [n] "r"(n >> 1)
        : XP_CLOBBERS);
}
#else
static inline void words_fill(void *p, int32_t n, int32_t word)
{
    for (char *y = p; n > 0; n--, y += 4)
        word_store(y, word);
}

static inline void words_copy(void *to, const void *from, int32_t n)
{
    for (int32_t i = 0; i < 4 * n; i += 4)
        word_store((char *)to + i, word_load((const char *)from + i));
}
#endif

#endif
