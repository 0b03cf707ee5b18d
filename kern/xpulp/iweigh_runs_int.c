/* Weights of attention of its scores where a mask, if there is one, shows the
 * first columns of a row by 0 and hides the last ones by -128 (causal masks,
 * and those of lengths).
 *
 * op       iweigh
 * types    x:s8 scores:s8 powers:s32 parts:s8|u8 mask:s8 -> y:=parts
 * isa      xpulpv2
 * when     rising && n > 3 && n % 4 == 0 && n < 4096 && most < 65536 &&
 *          p1 < 256 && most * n < 2147483648 &&
 *          most * most * n < 68719476736
 * scratch  1408 + 24 * n
 * split    rows
 * stack    384
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + n / 4 *
 *          (fit.shown - has.mask * (fit.shown - fit.hidden) / 2 *
 *          (reach + hidden < 1))))
 * code     2600
 *
 * The table of scores rises, so the greatest score is that of the greatest x,
 * and scores need no place of their own: from x a table has the place of a
 * power.  What a mask hides has a table of its own; it has no weight where its
 * powers are too small for one, or 0.  Words of columns between shown and hidden
 * ones go the usual way (kern/xpulp/weigh.h).
 */
#include "kern/xpulp/weigh.h"
#include "kern/xpulp/fill.h"

enum { TABLE = 256, BANKS = 64 }; /* bytes of a word in each bank */

/* Rows that are made together, under the same row of the mask. */
enum { ROWS = 8 };

/* A call, and what its rows are now. */
struct call {
    struct weigh weigh;
    const int16_t *shown, *hidden; /* places of powers from those of score 0, by
                                      x, of what is shown and what is hidden */
    int32_t words;                 /* of a row, and of those */
    int32_t first, last;           /* the first, shown, and the last, hidden */
    int32_t rows;
    uintptr_t zero[ROWS];          /* powers of score 0, */
    uint32_t sum[ROWS];            /* sums of powers, */
    int32_t made[ROWS];            /* and words that have weights */
};

/* ---- loops ---- */

#ifdef XPULPV2
/* Sum of powers of `words` times four, kept or not. */
#define PLACED_POWERS                                                         \
    "xp.lw.post %[w], %[x], 4\n"                                              \
    "xpv.sdotup.h %[sum], %[c], %[ones]\n"                                    \
    FOUR_PLACES FOUR_LOOK_UP("xp.lh.at", "%[table]")                          \
    FOUR_LOOK_UP("xp.lw.at", "%[zero]")                                       \
    "xpv.pack %[a], %[b], %[a]\n"                                             \
    "xpv.pack %[c], %[d], %[c]\n"                                             \
    "xpv.sdotup.h %[sum], %[a], %[ones]\n"
#define PLACED(name, STORE, count)                                            \
    static inline uint32_t name(const int8_t *x, int32_t words,               \
                                const int16_t *table, uintptr_t zero,         \
                                uint16_t *v)                                  \
    {                                                                         \
        int32_t sum = 0, a, b, c = 0, d, w;                                   \
                                                                              \
        if (words > 0)                                                        \
            __asm__ volatile(                                                 \
                XP_BLOCK "xlp.setup 0, %[n], " #count "\n"                     \
                PLACED_POWERS STORE XP_BLOCK_END                              \
                : [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b),               \
                  [c] "+&r"(c), [d] "=&r"(d), [w] "=&r"(w), [x] "+&r"(x),     \
                  [v] "+&r"(v)                                                \
                : [n] "r"(words), [table] "r"(table), [zero] "r"(zero),       \
                  [i0] "r"(2), [i1] "r"(2 << 8), [i2] "r"(2 << 16),           \
                  [i3] "r"(2 << 24), [ones] "r"(0x10001),                     \
                  [signs] "i"(XP_SIGNS(int8_t, int8_t))                       \
                : XP_CLOBBERS);                                               \
        return (uint32_t)sum + (uint16_t)c + ((uint32_t)c >> 16);             \
    }
PLACED(placed_powers, "xp.sw.post %[a], %[v], 4\n xp.sw.post %[c], %[v], 4\n",
       19)
PLACED(placed_sum, "", 17)

/* The greatest and `most`, each of four columns. */
static inline int32_t most_of(const int8_t *x, int32_t words, int32_t most)
{
    int32_t a, b;

    if (words > 1)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 4\n"
            "xp.lw.post %[a], %[x], 4\n xp.lw.post %[b], %[x], 4\n"
            "xpv.max.b %[most], %[most], %[a]\n"
            "xpv.max.b %[most], %[most], %[b]\n" XP_BLOCK_END
            : [a] "=&r"(a), [b] "=&r"(b), [x] "+&r"(x), [most] "+&r"(most)
            : [n] "r"(words >> 1)
            : XP_CLOBBERS);
    return words & 1 ? xp_max4(most, word_load(x)) : most;
}
#else
static uint32_t placed_powers(const int8_t *x, int32_t words,
                              const int16_t *table, uintptr_t zero,
                              uint16_t *v)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < 4 * words; i++) {
        v[i] = (uint16_t)power(zero, table[x[i]] / 4);
        sum += v[i];
    }
    return sum;
}

static uint32_t placed_sum(const int8_t *x, int32_t words,
                           const int16_t *table, uintptr_t zero, uint16_t *v)
{
    uint32_t sum = 0;

    (void)v;
    for (int32_t i = 0; i < 4 * words; i++)
        sum += (uint16_t)power(zero, table[x[i]] / 4);
    return sum;
}

static int32_t most_of(const int8_t *x, int32_t words, int32_t most)
{
    int8_t top[4];

    word_store(top, most);
    for (int32_t i = 0; i < 4 * words; i++)
        top[i & 3] = x[i] > top[i & 3] ? x[i] : top[i & 3];
    return word_load(top);
}
#endif

/* ---- of a call ---- */

/* Four times four scores, halves. */
static inline void put_place(int32_t scores, int16_t *to)
{
#ifdef XPULPV2
    word_store((char *)to, xp_pack2(xp_dot4(scores, 4 << 8),
                                    xp_dot4(scores, 4)));
    word_store((char *)(to + 2), xp_pack2(xp_dot4(scores, 4 << 24),
                                          xp_dot4(scores, 4 << 16)));
#else
    for (int i = 0; i < 4; i++)
        to[i] = (int16_t)(4 * (int8_t)(scores >> 8 * i));
#endif
}

/* A score and 128 less, within bytes. */
static inline int32_t below_4(int32_t scores)
{
#ifdef XPULPV2
    return xp_add4(xp_max4(scores, 0), LEAST_4);
#else
    uint32_t v = 0;

    for (int i = 0; i < 32; i += 8) {
        const int32_t t = (int8_t)(scores >> i);

        v |= (uint32_t)(uint8_t)((t > 0 ? t : 0) - 128) << i;
    }
    return (int32_t)v;
#endif
}

static NOINLINE void put_places(const int8_t *scores, int16_t *shown,
                                int16_t *hidden)
{
    for (int32_t i = 0; i < TABLE; i += 4) {
        const int32_t four = word_load(scores + i);

        put_place(four, shown + i);
        if (hidden)
            put_place(below_4(four), hidden + i);
    }
}

/* A table of one's own, each core's from another bank on: so many weights are
 * alike that all cores would want the same one. */
static const PARTS *own_parts(const PARTS *parts, char *to, int32_t core)
{
    char *at = to + (-(uintptr_t)to & (BANKS - 1)) + 8 * (core & 7);

    for (int32_t i = 0; i < TABLE; i += 4)
        word_store(at + i, word_load((const char *)parts + i));
    return (const PARTS *)at;
}

/* ---- of a row of the mask ---- */

static NOINLINE void take_mask(struct call *c, const MASK *mask)
{
    const int32_t words = c->words;
    int32_t i = 0;

    while (i < words && !word_load(mask + 4 * i))
        i++;
    c->first = i;
    while (i < words && word_load(mask + 4 * i) == LEAST_4)
        i++;
    c->last = i - c->first;
    if (i == words)
        return;
    for (i = words; word_load(mask + 4 * i - 4) == LEAST_4; i--)
        ;
    c->last = words - i;
}

/* ---- of some rows ---- */

/* The greatest scores, from which powers are counted; those of words between
 * shown and hidden ones are made. */
static NOINLINE void take_tops(struct call *c, const struct weigh_dims *k,
                               const int8_t *x, const MASK *mask)
{
    const struct weigh *a = &c->weigh;
    const int32_t end = c->words - c->last, between = end - c->first;

    for (int32_t i = 0; i < c->rows; i++, x += k->n) {
        int32_t top = -128, t;

        if (c->first)
            top = a->scores[greatest_4(most_of(x, c->first, LEAST_4))];
        if (between) {
            t = greatest_4(masked(x + 4 * c->first, between, LEAST_4,
                                  a->scores, mask + 4 * c->first,
                                  a->t + 4 * i * between));
            top = t > top ? t : top;
        }
        if (c->last && top < k->hidden) {
            t = a->scores[greatest_4(most_of(x + 4 * end, c->last, LEAST_4))];
            top = t - 128 > top ? t - 128 : top;
        }
        c->zero[i] = (uintptr_t)(a->powers - top);
    }
}

/* Of a row whose sum of powers shown is known: the words that have weights.
 * What is hidden has none where it has no powers, or all are too small. */
static inline int32_t hidden_powers(const struct call *c,
                                    const struct weigh_dims *k, int32_t i,
                                    const int8_t *x, uint16_t *v,
                                    uint32_t *sum)
{
    const POWERS *zero = (const POWERS *)c->zero[i];
    const int32_t end = c->words - c->last;
    const int32_t top = (int32_t)(c->weigh.powers - zero);
    const int32_t most = k->hidden < top ? k->hidden : top;

    if (top - most >= k->reach)
        return end;
    if ((2 * zero[most] + 1) * k->p1 < (int32_t)*sum) {
        *sum += placed_sum(x, c->last, c->hidden, c->zero[i], NULL);
        return end;
    }
    *sum += placed_powers(x, c->last, c->hidden, c->zero[i], v);
    return c->words;
}

static NOINLINE void make_powers(struct call *c, const struct weigh_dims *k,
                                 const int8_t *x)
{
    const int32_t end = c->words - c->last, between = end - c->first;
    const int32_t n = k->n;
    const int8_t *t = c->weigh.t;
    uint16_t *v = c->weigh.v;

    for (int32_t i = 0; i < c->rows; i++, x += n, v += n, t += 4 * between) {
        uint32_t sum = placed_powers(x, c->first, c->shown, c->zero[i], v);

        if (between)
            sum += attend_powers(c->zero[i], t, between, v + 4 * c->first);
        c->made[i] = end;
        if (c->last)
            c->made[i] = hidden_powers(c, k, i, x + 4 * end, v + 4 * end, &sum);
        c->sum[i] = sum;
    }
}

/* The last words of a row all have the weight of no power. */
static NOINLINE void put_weights(const struct call *c,
                                 const struct weigh_dims *k, Y *y)
{
    const struct weigh *a = &c->weigh;
    const int32_t none = (int32_t)((uint8_t)a->parts[0] * 0x01010101u);

    for (int32_t i = 0; i < c->rows; i++, y += k->n) {
        const int32_t made = c->made[i];

        if (made)
            attend_parts(a->v + i * k->n, made, c->sum[i], a->bits,
                         (uint32_t)k->p1, a->same, a->parts, (char *)y);
        words_fill(y + 4 * made, c->words - made, none);
    }
}

static void put_rows(struct call *c, const struct weigh_dims *k,
                     const int8_t *x, const MASK *mask, Y *y)
{
    take_tops(c, k, x, mask);
    make_powers(c, k, x);
    put_weights(c, k, y);
}

/* Tables and places in the scratch. */
static void take_scratch(struct call *c, const struct weigh_dims *k,
                         const struct io *io)
{
    int16_t *shown = io->tmp, *hidden = shown + TABLE;
    char *own = (char *)(hidden + TABLE);

    c->shown = shown + TABLE / 2;
    c->hidden = hidden + TABLE / 2;
    put_places(io->in[1], shown, io->in[4] ? hidden : NULL);
    c->weigh.parts = own_parts(c->weigh.parts, own, io->core);
    c->weigh.v = (uint16_t *)(void *)(own + TABLE + 2 * BANKS);
    c->weigh.t = (int8_t *)(c->weigh.v + ROWS * k->n);
}

void FN(const struct weigh_dims *k, const struct io *io)
{
    const MASK *mask = io->in[4];
    const int8_t *x = io->in[0];
    struct call c = {.weigh = weigh_begin(k, io), .words = k->n >> 2,
                     .first = k->n >> 2};
    Y *y = io->out[0];
    int32_t i, end, left;

    span(k->rows, io->core, io->ncore, &i, &end);
    if (i >= end)
        return;
    take_scratch(&c, k, io);
    x += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->n;
    while (i < end) {
        const MASK *row = mask ? mask + (ptrdiff_t)(i / k->each) * k->mrow
                               : NULL;

        left = mask ? k->each - i % k->each : end - i;
        left = left < end - i ? left : end - i;
        if (mask)
            take_mask(&c, row);
        for (i += left; left > 0; left -= ROWS) {
            c.rows = left < ROWS ? left : ROWS;
            put_rows(&c, k, x, row, y);
            x += c.rows * k->n;
            y += c.rows * k->n;
        }
    }
}
