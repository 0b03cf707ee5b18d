/* Attention of bytes: a head at a time, weights by tables.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:s8
 *          mask:none -> y:s8
 * isa      xpulpv2
 * when     has.parts && krow == d && vrow == e && qrow == d && yrow == e && (heads == 1 ||
 *          (khead == rows * d && vhead == rows * e)) && d % 4 == 0 &&
 *          e % 4 == 0 && n > 0 && p0 < 32 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 && most < 8388608 &&
 *          most * n < 2147483648
 * scratch  5 * n + 16
 * split    heads * m
 * stack    192
 * let      r = ceil(heads * m, ncore)
 * cycles   ncore * (fit.call + r * (fit.row + n * (fit.position + (d > 4) *
 *          (fit.dot + 2 * d / 4) + 5 * e / 4)))
 * code     1100
 *
 * What is in scratch begins with a place for what comes before the first
 * element: loops store what the turn before has made.
 */
#include "kern/finish.h"
#include "kern/xpulp/inverse.h"
#define WEIGHT int8_t
#include "kern/xpulp/weighted.h"

struct attend {
    const struct attend_dims *k;
    const SCALE *scale;
    const SCORES *scores;       /* of 0 */
    const POWERS *powers;       /* of the greatest score */
    const PARTS *parts;
    int8_t *x;                  /* scores, then parts */
    uint32_t *power;
};

#ifdef XPULPV2
/* The table's values for n sums. */
static inline int32_t looked_up(const struct attend *a, int32_t sum)
{
    return a->scores[xp_clip((sum * a->scale[0] + a->scale[1]) >> a->k->p0, 8)];
}

/* Scores of rows of four elements; returns the greatest. */
static inline int32_t scores_word(const struct attend *a, const Q *q,
                                  const K *key)
{
    int32_t most = -128, t = most, s;
    int8_t *x = a->x - 1;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 9\n"
        "xp.lw.post %[s], %[key], 4\n"
        "xp.max %[most], %[most], %[t]\n"
        "xpv.dotsp.b %[s], %[s], %[q]\n"
        "xp.sb.post %[t], %[x], 1\n"
        "mul %[s], %[s], %[mul]\n"
        "add %[s], %[s], %[add]\n"
        "sra %[s], %[s], %[shift]\n"
        "xp.clip %[s], %[s], 8\n"
        "xp.lb.at %[t], %[table], %[s]\n" XP_BLOCK_END
        : [most] "+&r"(most), [t] "+&r"(t), [s] "=&r"(s), [x] "+&r"(x),
          [key] "+&r"(key)
        : [n] "r"(a->k->n), [q] "r"(xp_load(q)), [mul] "r"(a->scale[0]),
          [add] "r"(a->scale[1]), [shift] "r"(a->k->p0),
          [table] "r"(a->scores)
        : XP_CLOBBERS);
    *x = (int8_t)t;
    return xp_max(most, t);
}

/* Products of n words, three at least. */
static inline int32_t dot(const Q *q, const K *key, int32_t n)
{
    int32_t sum = 0, s, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 3\n"
        "xp.lw.post %[s], %[q], 4\n"
        "xp.lw.post %[t], %[key], 4\n"
        "xpv.sdotsp.b %[sum], %[s], %[t]\n" XP_BLOCK_END
        : [sum] "+&r"(sum), [s] "=&r"(s), [t] "=&r"(t), [q] "+&r"(q),
          [key] "+&r"(key)
        : [n] "r"(n)
        : XP_CLOBBERS);
    return sum;
}

/* Powers of the scores; returns their sum. */
static inline uint32_t sum_powers(const struct attend *a, int32_t most)
{
    const POWERS *table = a->powers - most;
    uint32_t *v = a->power - 1, sum = 0, z = 0;
    const int8_t *x = a->x;
    int32_t t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 5\n"
        "xp.lb.post %[t], %[x], 1\n"
        "xp.sw.post %[z], %[v], 4\n"
        "slli %[t], %[t], 2\n"
        "add %[sum], %[sum], %[z]\n"
        "xp.lw.at %[z], %[table], %[t]\n" XP_BLOCK_END
        : [t] "=&r"(t), [z] "+&r"(z), [x] "+&r"(x), [v] "+&r"(v),
          [sum] "+&r"(sum)
        : [n] "r"(a->k->n), [table] "r"(table)
        : XP_CLOBBERS);
    *v = z;
    return sum + z;
}

#define PARTS_LOOP(MUL)                                                       \
    __asm__ volatile(                                                         \
        XP_BLOCK "xlp.setup 0, %[n], 5\n"                                     \
        "xp.lw.post %[s], %[v], 4\n"                                          \
        "xp.sb.post %[t], %[x], 1\n" MUL " %[s], %[s], %[inverse]\n"          \
        "srl %[s], %[s], %[shift]\n"                                          \
        "xp.lb.at %[t], %[table], %[s]\n" XP_BLOCK_END                        \
        : [t] "+&r"(t), [s] "=&r"(s), [x] "+&r"(x), [v] "+&r"(v)              \
        : [n] "r"(a->k->n), [inverse] "r"(inverse), [shift] "r"(shift),       \
          [table] "r"(a->parts)                                               \
        : XP_CLOBBERS)

/* Parts: the table's of each power times inverse >> shift, of 32 or more if
 * the product is longer than a word. */
static inline void look_up_parts(const struct attend *a, uint32_t inverse,
                                 int32_t shift)
{
    const uint32_t *v = a->power;
    int8_t *x = a->x - 1;
    int32_t t = 0, s;

    if (shift >= 32)
        PARTS_LOOP("mulhu");
    else
        PARTS_LOOP("mul");
    *x = (int8_t)t;
}
#else
static int32_t looked_up(const struct attend *a, int32_t sum)
{
    return a->scores[rescale32(sum, a->scale[0], a->scale[1], a->k->p0, -128,
                               127)];
}

static int32_t dot(const Q *q, const K *key, int32_t n)
{
    int32_t sum = 0;

    for (int32_t i = 0; i < 4 * n; i++)
        sum += q[i] * key[i];
    return sum;
}

static uint32_t sum_powers(const struct attend *a, int32_t most)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < a->k->n; i++) {
        a->power[i] = (uint32_t)a->powers[a->x[i] - most];
        sum += a->power[i];
    }
    return sum;
}

static void look_up_parts(const struct attend *a, uint32_t inverse,
                          int32_t shift)
{
    for (int32_t i = 0; i < a->k->n; i++)
        a->x[i] = a->parts[(uint64_t)a->power[i] * inverse >> shift];
}
#endif

static inline int32_t make_scores(const struct attend *a, const Q *q,
                                  const K *key)
{
    const int32_t d = a->k->d;
    int32_t most = -128;

#ifdef XPULPV2
    if (d == 4)
        return scores_word(a, q, key);
#endif
    for (int32_t i = 0; i < a->k->n; i++, key += d) {
        const int32_t t = looked_up(a, dot(q, key, d >> 2));

        a->x[i] = (int8_t)t;
        most = t > most ? t : most;
    }
    return most;
}

/* Powers of a sum become parts: one times the inverse is a word if it and the
 * sum have 24 bits together, for hi has eight. */
static inline void make_parts(const struct attend *a, uint32_t sum)
{
    const uint32_t hi = (uint32_t)a->k->p1;
    int32_t greatest = bits((uint32_t)a->k->most | 1), s, all = bits(sum | 1);

    s = (greatest < all ? greatest : all) + all;
    s = s <= 24 ? 24 : s > 32 ? s : 32;
    look_up_parts(a, inverse(hi, sum | !sum, s), s);
}

static inline void make_result(const struct attend *a, const V *v, Y *y)
{
    const int32_t n = a->k->n, e = a->k->e;

    for (int32_t j = 0; j < e; j += 4, v += 4) {
        int32_t sum[4] = {0, 0, 0, 0};

        if (n > 3)
            sum_columns(a->x, v, e, n >> 2, sum);
        for (int32_t i = 0; i < 4; i++) {
            for (int32_t r = n & ~3; r < n; r++)
                sum[i] += a->x[r] * v[r * e + i];
            *y++ = (Y)rescale(sum[i], a->scale[2], a->scale[3], a->k->shift,
                              a->k->lo, a->k->hi);
        }
    }
}

void FN(const struct attend_dims *k, const struct io *io)
{
    const struct attend a = {
        .k = k, .scale = io->in[3], .scores = (const SCORES *)io->in[4] + 128,
        .powers = (const POWERS *)io->in[5] + 255, .parts = io->in[6],
        .power = (uint32_t *)io->tmp + 1,
        .x = (int8_t *)((uint32_t *)io->tmp + 2 + k->n),
    };
    const Q *q = io->in[0];
    Y *y = io->out[0];
    int32_t from, to, m = 0, head;

    span(k->heads * k->m, io->core, io->ncore, &from, &to);
    head = from / k->m;
    m = from - head * k->m;
    for (int32_t r = from; r < to; r++) {
        const ptrdiff_t at = head * (ptrdiff_t)k->rows;

        make_parts(&a, sum_powers(&a, make_scores(&a, q + r * k->d,
                                                  (const K *)io->in[1] +
                                                  at * k->d)));
        make_result(&a, (const V *)io->in[2] + at * k->e, y + r * k->e);
        if (++m == k->m)
            m = 0, head++;
    }
}
