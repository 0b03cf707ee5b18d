/* Sums of rows of bytes, each times its weight, four columns at a time.  To be
 * included after V and WEIGHT, types of one byte, are defined. */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
/* sum[0..3] = weights times four columns of v, of 4 * fours rows. */
static inline void sum_columns(const WEIGHT *x, const V *w, int32_t step,
                               int32_t fours, int32_t sum[4])
{
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, p, q, r, t, u, v, a;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 19\n"
        "xp.lw.postr %[p], %[w], %[step]\n"
        "xp.lw.postr %[q], %[w], %[step]\n"
        "xp.lw.postr %[r], %[w], %[step]\n"
        "xp.lw.postr %[t], %[w], %[step]\n"
        "xp.lw.post %[a], %[x], 4\n"
        "mv %[u], %[p]\n mv %[v], %[r]\n"
        "xpv.shuffle2.b %[p], %[q], %[low]\n"
        "xpv.shuffle2.b %[r], %[t], %[low]\n"
        "xpv.shuffle2.b %[u], %[q], %[high]\n"
        "xpv.shuffle2.b %[v], %[t], %[high]\n"
        "xpv.pack %[q], %[r], %[p]\n xpv.sdott.b %[s0], %[a], %[q], %[dot]\n"
        "xpv.shuffle2.h %[p], %[r], %[upper]\n"
        "xpv.sdott.b %[s1], %[a], %[p], %[dot]\n"
        "xpv.pack %[q], %[v], %[u]\n xpv.sdott.b %[s2], %[a], %[q], %[dot]\n"
        "xpv.shuffle2.h %[u], %[v], %[upper]\n"
        "xpv.sdott.b %[s3], %[a], %[u], %[dot]\n" XP_BLOCK_END
        : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3),
          [p] "=&r"(p), [q] "=&r"(q), [r] "=&r"(r), [t] "=&r"(t),
          [u] "=&r"(u), [v] "=&r"(v), [a] "=&r"(a), [x] "+&r"(x),
          [w] "+&r"(w)
        : [n] "r"(fours), [step] "r"(step), [low] "r"(0x05010400),
          [high] "r"(0x07030602), [upper] "r"(0x00030001),
          [dot] "i"(XP_SIGNS(WEIGHT, V))
        : XP_CLOBBERS);
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}
#else
static inline void sum_columns(const WEIGHT *x, const V *w, int32_t step,
                        int32_t fours, int32_t sum[4])
{
    for (int32_t j = 0; j < 4; j++) {
        sum[j] = 0;
        for (int32_t i = 0; i < 4 * fours; i++)
            sum[j] += x[i] * w[i * step + j];
    }
}
#endif

#endif
