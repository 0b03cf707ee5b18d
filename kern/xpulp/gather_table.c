/* A look-up per element by indices of one byte, four elements at a time.
 *
 * op       gather
 * types    x:s8|u8|s16|u16|s32 i:s8|u8 -> y:=x
 * isa      xpulpv2
 * when     inner == 1 && outer == 1 && mode == 0 && (len == 256 ||
 *          i.lo >= 0)
 * split    n
 * stack    64
 * let      team = ncore > 1
 * cycles   ncore * (fit.call + ceil(n, 4 * ncore) * ((y.bytes == 1 ? fit.bytes
 *          : fit.words) + fit.team * team) / 2)
 * code     260
 * cold     240
 * asks     60
 *
 * In a table of 256 a negative index counts from the end: at its own byte,
 * read without a sign.
 */
#include "kern/kern.h"

#include "kern/xpulp/four.h"

#ifdef XPULPV2
#define TABLE_AT(d, b1, b0)                                                  \
    "xpv.extractu.b " d ", %[w], 2 * " #b1 " + " #b0 "\n"
#define TABLE_FOUR(w)                                                        \
    "xpv.extractu.b %[a], %[" w "], 0\n xpv.extractu.b %[b], %[" w "], 1\n"  \
    "xpv.extractu.b %[c], %[" w "], 2\n xpv.extractu.b %[d], %[" w "], 3\n"  \
    FOUR_LOOK_UP("xp.lbu.at", "%[x]") FOUR_PACK "xp.sw.post %[a], %[y], 4\n"

/* `words` words of indices; two at a time, lest one waits for its load. */
static inline void looked_up(const X *x, const I *i, Y *y, int32_t words)
{
    int32_t w, v, a, b, c, d;

#define TABLE_LOOP(count, length, load)                                      \
    __asm__ volatile(                                                        \
        XP_BLOCK "xlp.setup 0, %[n], " #length "\n"                          \
        "xp.lw.post %[w], %[i], 4\n" load XP_BLOCK_END                       \
        : [i] "+&r"(i), [y] "+&r"(y), [w] "=&r"(w), [v] "=&r"(v),            \
          [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)             \
        : [n] "r"(count), [x] "r"(x) : XP_CLOBBERS)
    if (words & 1)
        TABLE_LOOP(1, 12, TABLE_FOUR("w"));
    if (words > 1)
        TABLE_LOOP(words >> 1, 24, "xp.lw.post %[v], %[i], 4\n"
                   TABLE_FOUR("w") TABLE_FOUR("v"));
}

/* The same of elements of two or four bytes. */
#define TABLE_WIDE(d, b1, b0) TABLE_AT(d, b1, b0) "slli " d ", " d ", %[log]\n"
#define TABLE_MOVE(d)                                                        \
    "xp.lt.at " d ", %[x], " d ", %[load]\n"
#define TABLE_STORE(d) "xp.st.post " d ", %[y], %[size], %[log]\n"

static inline void looked_up_wide(const X *x, const I *i, Y *y, int32_t words)
{
    int32_t w, a, b, c, d;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 17\n" "xp.lw.post %[w], %[i], 4\n"
        TABLE_WIDE("%[a]", 0, 0) TABLE_WIDE("%[b]", 0, 1)
        TABLE_WIDE("%[c]", 1, 0) TABLE_WIDE("%[d]", 1, 1)
        TABLE_MOVE("%[a]") TABLE_MOVE("%[b]") TABLE_MOVE("%[c]")
        TABLE_MOVE("%[d]") TABLE_STORE("%[a]") TABLE_STORE("%[b]")
        TABLE_STORE("%[c]") TABLE_STORE("%[d]") XP_BLOCK_END
        : [i] "+&r"(i), [y] "+&r"(y), [w] "=&r"(w), [a] "=&r"(a),
          [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
        : [n] "r"(words), [x] "r"(x), [log] "i"(sizeof(X) == 4 ? 2 : 1),
          [size] "i"(sizeof(X)), [load] "i"(sizeof(X) == 4 ? 2 : 5)
        : XP_CLOBBERS);
}
#else
#define looked_up_wide looked_up
static inline void looked_up(const X *x, const I *i, Y *y, int32_t words)
{
    for (int32_t n = 0; n < 4 * words; n++)
        y[n] = x[(uint8_t)i[n]];
}
#endif

void FN(const struct gather_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const I *i = io->in[1];
    Y *y = io->out[0];
    int32_t from, to;

    span((k->n + 3) >> 2, io->core, io->ncore, &from, &to);
    from *= 4;
    to = 4 * to < k->n ? 4 * to : k->n;
    if (to - from > 3 && sizeof(X) == 1)
        looked_up(x, i + from, y + from, (to - from) >> 2);
    else if (to - from > 3)
        looked_up_wide(x, i + from, y + from, (to - from) >> 2);
    for (from += (to - from) & ~3; from < to; from++)
        y[from] = x[(uint8_t)i[from]];
}
