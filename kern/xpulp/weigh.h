/* What kernels of iweigh have in common: scores by their table, four at a time,
 * with what a mask adds.  To be included after the types of its operands are
 * defined. */
#ifndef XPULP_WEIGH_H
#define XPULP_WEIGH_H

#define LEFT PARTS
#define RIGHT int8_t
#undef X
#define X int8_t
#define ATTEND_STEP 4
#include "kern/finish.h"
#include "kern/xpulp/block.h"
#include "kern/xpulp/attend.h"

enum { LEAST_4 = -0x7f7f7f80, MOST_4 = 0x7f7f7f7f }; /* bytes of -128, 127 */

/* Of a call: what tables change, and where 0 is in them. */
struct weigh {
    const int8_t *scores;
    const POWERS *powers;
    const PARTS *parts;
    int same;                 /* the table of parts changes nothing */
    int32_t bits;             /* of the greatest power */
    int8_t *t;                /* scores by the table, with the mask, */
    uint16_t *v;              /* and their powers */
};

/* The table's values of four scores a word, with what a mask adds.  Returns the
 * greatest and `most`, each of four columns. */
#ifdef XPULPV2
#define LOOKED_UP(name, LOAD, ADD, count)                                     \
    static inline int32_t name(const int8_t *x, int32_t words, int32_t most,  \
                               const int8_t *table, const MASK *mask,         \
                               int8_t *t)                                     \
    {                                                                         \
        int32_t a, b, c, d, w;                                                \
                                                                              \
        __asm__ volatile(                                                     \
            XP_BLOCK "xlp.setup 0, %[n], " #count "\n"                        \
            "xp.lw.post %[w], %[x], 4\n"                                      \
            FOUR_PLACES FOUR_LOOK_UP("xp.lb.at", "%[table]")                  \
            "xpv.packlo.b %[a], %[b], %[a]\n" LOAD                            \
            "xpv.packhi.b %[a], %[d], %[c]\n" ADD                             \
            "xpv.max.b %[most], %[most], %[a]\n"                              \
            "xp.sw.post %[a], %[t], 4\n" XP_BLOCK_END                         \
            : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),         \
              [w] "=&r"(w), [x] "+&r"(x), [t] "+&r"(t), [mask] "+&r"(mask),   \
              [most] "+&r"(most)                                              \
            : [n] "r"(words), [table] "r"(table), [i0] "r"(1),                \
              [i1] "r"(1 << 8), [i2] "r"(1 << 16), [i3] "r"(1 << 24),         \
              [signs] "i"(XP_SIGNS(int8_t, int8_t)), [lo] "r"(0x80808080u),   \
              [hi] "r"(0x7f7f7f7f)                                            \
            : XP_CLOBBERS);                                                   \
        return most;                                                          \
    }
LOOKED_UP(plain, "", "", 13)
LOOKED_UP(masked, ATTEND_MASK_LOAD, ATTEND_MASK_ADD, 21)
#else
static int32_t masked(const int8_t *x, int32_t words, int32_t most,
                      const int8_t *table, const MASK *mask, int8_t *t)
{
    int8_t top[4];

    word_store(top, most);
    for (int32_t i = 0; i < 4 * words; i++) {
        t[i] = (int8_t)clip(table[x[i]] + (mask ? mask[i] : 0), -128, 127);
        top[i & 3] = t[i] > top[i & 3] ? t[i] : top[i & 3];
    }
    return word_load(top);
}
#define plain masked
#endif

static inline struct weigh weigh_begin(const struct weigh_dims *k,
                                       const struct io *io)
{
    return (struct weigh){
        .scores = (const int8_t *)io->in[1] + 128,
        .powers = (const POWERS *)io->in[2] + 255,
        .parts = io->in[3],
        .same = k->same_parts,
        .bits = bits((uint32_t)k->most | 1),
    };
}

#endif
