/* Rows of bytes by the factors of their roots, four elements at a time.
 *
 * op       rootscale
 * types    x:s8|u8 t:s8|u8|s16|u16|s32 -> y:s8|u8
 * isa      xpulpv2
 * when     n > 3 && n < 32768 && shift == 16 && lo == (y.lo < 0 ? -128 : 0) &&
 *          hi - lo == 255 && max(-x.lo, x.hi) * max(-t.lo, t.hi) < 2147483648
 * split    rows n
 * stack    160
 * let      team = ncore > 1
 * let      words = (n + 3) / 4
 * let      share = ceil(rows * words, ncore)
 * let      odd = (n & (n - 1)) > 0
 * cycles   ncore * (fit.call + team * fit.team + (share / words + (rows % ncore
 *          > 0)) * (fit.row + n / 2 + odd * fit.odd + (n % 4 > 0) * fit.rest) +
 *          share * fit.word)
 * code     700
 * cold     595
 *
 * A product has its result in byte 2.  A core takes a stretch of all words of
 * four elements, whatever the rows; of a row that it shares, it has the root
 * too.
 */
#include "kern/kern.h"
#include "kern/xpulp/mean.h"

#ifdef XPULPV2
#define log_of(v) xp_fl1(v)

static inline int32_t squares_more(int32_t v, int32_t sum)
{
    return XP_UNSIGNED(X) ? xp_sdot4u(sum, v, v) : xp_sdot4(sum, v, v);
}

/* Of n elements, 4 or more. */
static inline int32_t squares_of(const X *x, int32_t n)
{
    int32_t sum = 0, a, b;

    if (n > 7)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 4\n"
            "xp.lw.post %[a], %[x], 4\n"
            "xp.lw.post %[b], %[x], 4\n"
            "xpv.sdott.b %[sum], %[a], %[a], %[dot]\n"
            "xpv.sdott.b %[sum], %[b], %[b], %[dot]\n" XP_BLOCK_END
            : [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x)
            : [n] "r"(n >> 3), [dot] "i"(XP_SIGNS(X, X))
            : XP_CLOBBERS);
    if (!(n & 7))
        return sum;
    if (n & 4)
        sum = squares_more(xp_load_step(x, 4), sum);
    if (n & 3)
        sum = squares_more(xp_load(x + (n & 3) - 4) &
                               (int32_t)(UINT32_MAX << 8 * (-n & 3)), sum);
    return sum;
}

/* Byte i of word a, given as its bits 1 and 0, by the factor. */
#define SCALED_BYTE(t, a, b1, b0)                                            \
    "xpv.extractt.b " t ", " a ", 2 * " #b1 " + " #b0 ", %[byte]\n"          \
    "mul " t ", " t ", %[factor]\n"                                          \
    "xp.clipt " t ", " t ", %[bits], %[kind]\n"
#define SCALED_WORD(a)                                                       \
    SCALED_BYTE("%[t0]", a, 0, 0) SCALED_BYTE("%[t1]", a, 0, 1)              \
    "xpv.shuffle2.b %[t0], %[t1], %[third]\n"                                \
    SCALED_BYTE("%[t1]", a, 1, 0) SCALED_BYTE("%[t2]", a, 1, 1)              \
    "xpv.shuffle2.b %[t1], %[t2], %[third]\n"                                \
    "xpv.pack %[t0], %[t1], %[t0]\n"                                         \
    "xp.sw.post %[t0], %[y], 4\n"

/* So many times the words that BODY loads and scales. */
#define SCALED_LOOP(name, BODY, length)                                      \
    static inline void name(const X *x, int32_t factor, Y *y, int32_t count) \
    {                                                                        \
        int32_t a, b, t0, t1, t2;                                            \
                                                                             \
        __asm__ volatile(                                                    \
            XP_BLOCK "xlp.setup 0, %[count], %[steps]\n" BODY XP_BLOCK_END   \
            : [a] "=&r"(a), [b] "=&r"(b), [t0] "=&r"(t0), [t1] "=&r"(t1),    \
              [t2] "=&r"(t2), [x] "+&r"(x), [y] "+&r"(y)                     \
            : [count] "r"(count), [factor] "r"(factor), [steps] "i"(length), \
              [third] "r"(0x06020602), [byte] "i"(XP_UNSIGNED(X)),           \
              [bits] "i"(24 + XP_UNSIGNED(Y)), [kind] "i"(XP_UNSIGNED(Y))    \
            : XP_CLOBBERS);                                                  \
    }
SCALED_LOOP(scaled_one, "xp.lw.post %[a], %[x], 4\n" SCALED_WORD("%[a]"), 17)
SCALED_LOOP(scaled_two,
            "xp.lw.post %[a], %[x], 4\n xp.lw.post %[b], %[x], 4\n"
            SCALED_WORD("%[a]") SCALED_WORD("%[b]"), 34)

/* Words of four elements; two at a time, lest one waits for its load. */
static inline void scaled_words(const X *x, int32_t factor, Y *y, int32_t count)
{
    if (count & 1) {
        scaled_one(x, factor, y, 1);
        x += 4;
        y += 4;
    }
    if (count > 1)
        scaled_two(x, factor, y, count >> 1);
}
#else
#define log_of(v) (31 - __builtin_clz((unsigned)(v)))

static int32_t squares_of(const X *x, int32_t n)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

static void scaled_words(const X *x, int32_t factor, Y *y, int32_t count)
{
    const int32_t least = (Y)-1 < (Y)1 ? -128 : 0;

    for (int32_t i = 0; i < 4 * count; i++)
        y[i] = (Y)clip(x[i] * factor >> 16, least, least + 255);
}
#endif

/* `count` words of a row from the one numbered `first` on; the last one has the
 * last four elements, some of which another core may write too.  n is 2^log, or
 * log is below 0. */
static inline void part(int32_t n, int32_t log, const X *x, const T *t, Y *y,
                        int32_t first, int32_t count)
{
    const int32_t last = n - 4, at = 4 * first, sum = squares_of(x, n);
    const uint32_t mean = (uint32_t)(log < 0 ? sum / n : sum >> log);
    const int32_t factor = (int32_t)t[root_of(mean + 1) - 1];
    const int32_t whole = at + 4 * count > n ? count - 1 : count;

    scaled_words(x + at, factor, y + at, whole);
    if (whole < count)
        scaled_words(x + last, factor, y + last, 1);
}

void FN(const struct row_dims *k, const struct io *io)
{
    const int32_t n = k->n, words = (n + 3) >> 2;
    const int32_t log = n & (n - 1) ? -1 : log_of(n);
    int32_t at, end, row, first, count;
    const X *x = io->in[0];
    Y *y = io->out[0];

    span(k->rows * words, io->core, io->ncore, &at, &end);
    row = mean_of_sum(at, words);
    first = at - row * words;
    x += (ptrdiff_t)row * n;
    y += (ptrdiff_t)row * n;
    for (; at < end; at += count, first = 0, x += n, y += n) {
        count = words - first < end - at ? words - first : end - at;
        part(n, log, x, io->in[1], y, first, count);
    }
}
