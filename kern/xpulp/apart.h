/* Copies of rows of bytes word by word, the words 16 bytes apart: rows of four
 * lie beside each other so.  To be included after kern.h. */
#ifndef APART_H
#define APART_H

#include "kern/xpulp/word.h"

#ifdef XPULPV2
/* 2 n words, to 16 bytes from each other. */
static inline char *simd_apart(char *to, const char *from, int32_t n)
{
    int32_t a, b;

    if (n)
        __asm__ volatile(XP_BLOCK "xlp.setup 0, %4, 4\n"
                         "xp.lw.post %2, %1, 4\n"
                         "xp.lw.post %3, %1, 4\n"
                         "xp.sw.post %2, %0, 16\n"
                         "xp.sw.post %3, %0, 16\n"
                         XP_BLOCK_END
                         : "+r"(to), "+r"(from), "=&r"(a), "=&r"(b)
                         : "r"(n) : XP_CLOBBERS);
    return to;
}
#else
static inline char *simd_apart(char *to, const char *from, int32_t n)
{
    for (; n > 0; n--, from += 8, to += 32) {
        word_store(to, word_load(from));
        word_store(to + 16, word_load(from + 4));
    }
    return to;
}
#endif

/* n bytes as words that lie 16 bytes apart, the last filled up with zeros.
 * Returns where the next word would lie. */
static NOINLINE char *bytes_apart(char *to, const char *from, int32_t n)
{
    uint32_t last = 0;

    to = simd_apart(to, from, n >> 3);
    from += n & ~7;
    if (n & 4) {
        word_store(to, word_load(from));
        from += 4, to += 16;
    }
    n &= 3;
    if (n == 0)
        return to;
    while (n-- > 0)
        last = last << 8 | (uint8_t)from[n];
    word_store(to, (int32_t)last);
    return to + 16;
}

#endif
