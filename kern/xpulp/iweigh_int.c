/* Weights of attention of its scores, four at a time (kern/xpulp/attend.h).
 *
 * op       iweigh
 * types    x:s8 scores:s8 powers:s32 parts:s8|u8 mask:s8 -> y:=parts
 * isa      xpulpv2
 * when     n > 3 && n < 4096 && most < 65536 && p1 < 256 &&
 *          most * n < 2147483648 && most * most * n < 68719476736
 * let      line = 4 * ceil(n, 4)
 * scratch  3 * line
 * split    rows
 * stack    240
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + line / 4 *
 *          (fit.four + has.mask * 8)))
 * code     900
 */
#define LEFT PARTS
#define RIGHT int8_t
#undef X
#define X int8_t
#define ATTEND_STEP 4
#include "kern/finish.h"
#include "kern/xpulp/block.h"
#include "kern/xpulp/attend.h"

enum { LEAST_4 = -0x7f7f7f80 }; /* four bytes of -128 */

/* Of a call: what tables change, and where 0 is in them. */
struct weigh {
    const int8_t *scores;
    const POWERS *powers;
    const PARTS *parts;
    int same;                 /* the table of parts changes nothing */
    int32_t bits;             /* of the greatest power */
    int8_t *t;                /* scores by the table, */
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

/* Of a row, the last four again where it is no words, and behind it the
 * greatest, which is returned. */
static NOINLINE int32_t look_up(const struct weigh *a, const int8_t *x,
                                int32_t n, const MASK *mask)
{
    int32_t most, top = -128;

    if (mask) {
        most = masked(x, n >> 2, LEAST_4, a->scores, mask, a->t);
        if (n & 3)
            most = masked(x + n - 4, 1, most, a->scores, mask + n - 4,
                          a->t + n - 4);
    } else {
        most = plain(x, n >> 2, LEAST_4, a->scores, mask, a->t);
        if (n & 3)
            most = plain(x + n - 4, 1, most, a->scores, mask, a->t + n - 4);
    }
    for (int32_t i = 0; i < 32; i += 8)
        top = (int8_t)(most >> i) > top ? (int8_t)(most >> i) : top;
    for (int32_t i = n; i & 3; i++)
        a->t[i] = (int8_t)top;
    return top;
}

/* Of scores in a->t below `top`. */
static NOINLINE void put_weights(const struct weigh_dims *k,
                                 const struct weigh *a, int32_t top, Y *y)
{
    const int32_t n = k->n, words = n >> 2, more = -n & 3;
    uint32_t sum = attend_powers((uintptr_t)(a->powers - top), a->t,
                                 (n + 3) >> 2, a->v);
    char last[4];

    for (int32_t i = n; i < n + more; i++)
        sum -= a->v[i];
    attend_parts(a->v, words, sum, a->bits, (uint32_t)k->p1, a->same, a->parts,
                 (char *)y);
    if (!more)
        return;
    attend_parts(a->v + 4 * words, 1, sum, a->bits, (uint32_t)k->p1, a->same,
                 a->parts, last);
    for (int32_t i = 4 * words; i < n; i++)
        y[i] = (Y)last[i & 3];
}

void FN(const struct weigh_dims *k, const struct io *io)
{
    const int8_t *x = io->in[0];
    const MASK *mask = io->in[4];
    const int32_t n = k->n;
    Y *y = io->out[0];
    struct weigh a = {
        .scores = (const int8_t *)io->in[1] + 128,
        .powers = (const POWERS *)io->in[2] + 255,
        .parts = io->in[3],
        .bits = bits((uint32_t)k->most | 1),
        .t = io->tmp,
        .v = (uint16_t *)(void *)((char *)io->tmp + ((n + 3) & ~3)),
    };
    int32_t i, end;

    a.same = k->same_parts;
    span(k->rows, io->core, io->ncore, &i, &end);
    for (; i < end; i++)
        put_weights(k, &a, look_up(&a, x + (ptrdiff_t)i * n, n,
                                   mask ? mask + (ptrdiff_t)i * k->mrow : NULL),
                    y + (ptrdiff_t)i * n);
}
