/* Bytes with a number added to each, four at a time, where no result is clipped:
 * a sign that is taken off or put on, a zero point.  To be included after X and
 * Z, types of a byte. */
#ifndef XPULP_OFFSET_H
#define XPULP_OFFSET_H

#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
static inline void offset_words(const char *x, int32_t by, char *z, int32_t n)
{
    int32_t a;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 3\n"
            "xp.lw.post %[a], %[x], 4\n"
            "xpv.add.b %[a], %[a], %[by]\n"
            "xp.sw.post %[a], %[z], 4\n" XP_BLOCK_END
            : [a] "=&r"(a), [x] "+&r"(x), [z] "+&r"(z)
            : [n] "r"(n), [by] "r"(xp_each4(by))
            : XP_CLOBBERS);
}
#else
static void offset_words(const char *x, int32_t by, char *z, int32_t n)
{
    for (int32_t i = 0; i < 4 * n; i++)
        z[i] = (char)(x[i] + by);
}
#endif

/* This core's share of n bytes. */
static inline void offset_all(const struct io *io, int32_t n, int32_t by)
{
    int32_t i, end;

    span((n + 3) >> 2, io->core, io->ncore, &i, &end);
    if (i >= end)
        return;
    i *= 4;
    end = 4 * end < n ? 4 * end : n;
    offset_words((const char *)io->in[0] + i, by, (char *)io->out[0] + i,
                 (end - i) >> 2);
    for (i += (end - i) & ~3; i < end; i++)
        ((Z *)io->out[0])[i] = (Z)(((const X *)io->in[0])[i] + by);
}

#endif
