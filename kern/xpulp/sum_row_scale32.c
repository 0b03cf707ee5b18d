/* Sums of rows of bytes, scaled in 32 bits.
 *
 * op       sum
 * types    x:s8|u8 mul:s8|u8|s16|u16|s32 add:s8|u8|s16|u16|s32
 *          -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     has.mul && m[5] == count && ms[5] == 1 && count < 8388608 &&
 *          (n[5] == 1 || xs[5] == count) &&
 *          (n[4] == 1 || xs[4] == n[5] * count) &&
 *          n[0] * n[1] * n[2] * n[3] == 1 && shift < 32 &&
 *          scaled.lo >= -2147483648 && scaled.hi < 2147483648
 * split    n
 * stack    192
 * let      alike = mulc == 0 && addc == 0 && count % 4 == 0
 * cycles   ncore * (fit.call + ceil(n[4] * n[5], ncore) * (alike ?
 *          fit.row + fit.pair * (count / 8) : fit.each + fit.word * (count / 4) +
 *          (count % 4 ? fit.rest : 0)))
 * code     300
 *
 * A word is four products with ones.  Rows of words that are scaled alike have
 * loops of their own.
 */
#define LEFT X
#define RIGHT uint8_t
#include "kern/xpulp/word.h"
#include "kern/xpulp/scale.h"

enum { SUM_ONES = 0x01010101 };

/* How sums become results. */
struct sum_scale {
    int32_t mul, add, shift, lo, hi;
};

static inline Y sum_result(const struct sum_scale *s, int32_t sum)
{
    return (Y)scale_clip(scale32(sum, s->mul, s->add, s->shift), s->lo, s->hi);
}

/* All of n words and of the bytes behind them, fewer than four. */
static inline int32_t sum_row(const X *x, int32_t n, int32_t rest)
{
    int32_t sum = 0;

    for (; n > 0; n--, x += 4)
        sum = word_dot(sum, word_load(x), SUM_ONES);
    for (; rest > 0; rest--)
        sum += *x++;
    return sum;
}

/* Rows of so many words, one at least. */
#ifdef XPULPV2
#define SUM_PAIRS                                                             \
    "xlp.setup 0, %[pairs], 4\n"                                              \
    "xp.lw.post %[a], %[x], 4\n xp.lw.post %[b], %[x], 4\n"                   \
    "xpv.sdott.b %[v], %[a], %[ones], %[signs]\n"                             \
    "xpv.sdott.b %[v], %[b], %[ones], %[signs]\n"
#define SUM_ONE                                                               \
    "xp.lw.post %[a], %[x], 4\n nop\n"                                        \
    "xpv.sdott.b %[v], %[a], %[ones], %[signs]\n"
#define SUM_ROWS(name, count, WORDS)                                          \
    static inline void name(const X *x, Y *y, int32_t rows, int32_t pairs,    \
                            const struct sum_scale *s)                        \
    {                                                                         \
        int32_t v, a, b;                                                      \
                                                                              \
        (void)pairs;                                                          \
        __asm__ volatile(                                                     \
            XP_BLOCK "xlp.setup 1, %[rows], " #count "\n"                     \
            "mv %[v], zero\n" WORDS                                           \
            "mul %[v], %[v], %[mul]\n xp.addnr %[v], %[add], %[shift]\n"      \
            "xp.max %[v], %[v], %[lo]\n xp.min %[v], %[v], %[hi]\n"           \
            "xp.st.post %[v], %[y], %[size], %[type]\n" XP_BLOCK_END          \
            : [v] "=&r"(v), [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x),         \
              [y] "+&r"(y)                                                    \
            : [rows] "r"(rows), [pairs] "r"(pairs), [ones] "r"(SUM_ONES),     \
              [mul] "r"(s->mul), [add] "r"(s->add), [shift] "r"(s->shift),    \
              [lo] "r"(s->lo), [hi] "r"(s->hi), [size] "i"(sizeof(Y)),        \
              [type] "i"(XP_TYPE(Y)), [signs] "i"(XP_SIGNS(X, int8_t))       \
            : XP_CLOBBERS);                                                   \
    }
SUM_ROWS(sum_rows_even, 11, SUM_PAIRS)
SUM_ROWS(sum_rows_odd, 14, SUM_PAIRS SUM_ONE)
SUM_ROWS(sum_rows_one, 9, SUM_ONE)

static void sum_rows(const X *x, Y *y, int32_t rows, int32_t words,
                     const struct sum_scale *s)
{
    if (rows < 1)
        return;
    if (words == 1)
        sum_rows_one(x, y, rows, 0, s);
    else if (words & 1)
        sum_rows_odd(x, y, rows, words >> 1, s);
    else
        sum_rows_even(x, y, rows, words >> 1, s);
}
#else
static void sum_rows(const X *x, Y *y, int32_t rows, int32_t words,
                     const struct sum_scale *s)
{
    for (; rows > 0; rows--, x += 4 * words)
        *y++ = sum_result(s, sum_row(x, words, 0));
}
#endif

void FN(const struct reduce_dims *k, const struct io *io)
{
    const int32_t n = k->n[5], count = k->count;
    const X *x = io->in[0];
    const MUL *mul = io->in[1];
    const ADD *add = io->in[2];
    struct sum_scale s = {mul[0], add[0], k->shift, k->lo, k->hi};
    Y *y = io->out[0];
    int32_t i, end, channel;

    span(k->n[4] * n, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * count;
    if (!k->mulc && !k->addc && !(count & 3)) {
        sum_rows(x, y + i, end - i, count >> 2, &s);
        return;
    }
    for (channel = i % n; i < end; i++, x += count) {
        s.mul = mul[(ptrdiff_t)channel * k->mulc];
        s.add = add[(ptrdiff_t)channel * k->addc];
        y[i] = sum_result(&s, sum_row(x, count >> 2, count & 3));
        channel = channel + 1 < n ? channel + 1 : 0;
    }
}
