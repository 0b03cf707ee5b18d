/* Attention of bytes over four to eight keys: weights of all rows of a head by
 * tables, then four columns of v at a time for all rows.
 *
 * op       iattend
 * types    q:s8 k:s8 v:s8 scale:s32 scores:s8 powers:s32 parts:s8|u8
 *          mask:none -> y:s8
 * isa      xpulpv2
 * when     has.parts && n > 3 && n < 9 && d % 8 == 0 && e % 4 == 0 &&
 *          lo == -128 && hi == 127 && p0 < 32 && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648 && most < 65536 &&
 *          most * most * n < 4194304 && p1 < 256
 * scratch  8 * m
 * split    heads * m
 * stack    256
 * let      share = ceil(heads * m, ncore)
 * cycles   ncore * (fit.call + ceil(share, m) * (fit.head + e / 4 * fit.four) +
 *          share * (fit.row + n * (fit.key + 3 * d / 4) + 25 * e / 4))
 * code     1000
 *
 * Weights of a row are two words, 0 behind the last, and four columns of v two
 * words each, in registers.
 */
#include "kern/finish.h"
#define LEFT PARTS
#define RIGHT V
#undef X
#define X V
#include "kern/xpulp/transpose.h"
#include "kern/xpulp/word.h"

enum { KEYS = 8,              /* at most */
       FACTOR = 8000,         /* 255 * 128 * KEYS times it, and the addend, */
       ADDEND = 1 << 25 };    /* are below 2^31 */

/* From row to row of v; behind the fourth one 0 where there are no more. */
struct columns {
    int32_t row, to[4];
};

/* The greatest score of a row of n keys, scores times 4 in x. */
#ifdef XPULPV2
static inline int32_t scores(const struct attend_dims *k, int32_t n,
                             const SCALE *scale, const SCORES *table,
                             const Q *q, const K *key, int32_t *x)
{
    const Q *p;
    int32_t sum, a, b, c, d, top = -128;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 1, %[n], 17\n"
        "mv %[p], %[q]\n li %[sum], 0\n"
        "xlp.setup 0, %[pairs], 6\n"
        "xp.lw.post %[a], %[p], 4\n xp.lw.post %[b], %[key], 4\n"
        "xp.lw.post %[c], %[p], 4\n xp.lw.post %[d], %[key], 4\n"
        "xpv.sdotsp.b %[sum], %[a], %[b]\n"
        "xpv.sdotsp.b %[sum], %[c], %[d]\n"
        "mul %[sum], %[sum], %[mul]\n"
        "xp.addnr %[sum], %[add], %[shift]\n"
        "xp.clip %[sum], %[sum], 8\n"
        "xp.lb.at %[a], %[table], %[sum]\n"
        "add %[key], %[key], %[step]\n"
        "xp.max %[top], %[top], %[a]\n"
        "slli %[a], %[a], 2\n"
        "xp.sw.post %[a], %[x], 4\n" XP_BLOCK_END
        : [p] "=&r"(p), [sum] "=&r"(sum), [a] "=&r"(a), [b] "=&r"(b),
          [c] "=&r"(c), [d] "=&r"(d), [top] "+&r"(top), [key] "+&r"(key),
          [x] "+&r"(x)
        : [n] "r"(n), [q] "r"(q), [pairs] "r"(k->d >> 3),
          [step] "r"(k->krow - k->d), [mul] "r"(scale[0]),
          [add] "r"(scale[1]), [shift] "r"(k->p0), [table] "r"(table)
        : XP_CLOBBERS);
    return top;
}

/* The n powers at x in its place; zero: that of 0.  Returns their sum.  What is
 * behind the last is read too. */
static inline uint32_t take_powers(const POWERS *zero, int32_t n, int32_t *x)
{
    int32_t *to = x, at = *x++, v;
    uint32_t sum = 0;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 4\n"
        "xp.lw.at %[v], %[zero], %[at]\n xp.lw.post %[at], %[x], 4\n"
        "add %[sum], %[sum], %[v]\n xp.sw.post %[v], %[to], 4\n" XP_BLOCK_END
        : [v] "=&r"(v), [at] "+&r"(at), [x] "+&r"(x), [to] "+&r"(to),
          [sum] "+&r"(sum)
        : [n] "r"(n), [zero] "r"(zero)
        : XP_CLOBBERS);
    return sum;
}

/* Weights: what the table makes of n powers times the inverse of their sum. */
static inline void take_parts(const int32_t *v, int32_t n, uint32_t inverse,
                              const PARTS *table, PARTS *w)
{
    int32_t power = *v++, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 5\n"
        "mul %[t], %[power], %[inverse]\n xp.lw.post %[power], %[v], 4\n"
        "srli %[t], %[t], 24\n xp.lbu.at %[t], %[table], %[t]\n"
        "xp.sb.post %[t], %[w], 1\n" XP_BLOCK_END
        : [t] "=&r"(t), [power] "+&r"(power), [v] "+&r"(v), [w] "+&r"(w)
        : [n] "r"(n), [inverse] "r"(inverse), [table] "r"(table)
        : XP_CLOBBERS);
}

/* Four columns of eight rows at v. */
static inline void load_rows(const V *v, const struct columns *by,
                             int32_t w[KEYS])
{
    __asm__ volatile(
        "xp.lw.postr %0, %8, %9\n xp.lw.postr %1, %8, %9\n"
        "xp.lw.postr %2, %8, %9\n xp.lw.postr %3, %8, %10\n"
        "xp.lw.postr %4, %8, %11\n xp.lw.postr %5, %8, %12\n"
        "xp.lw.postr %6, %8, %13\n lw %7, 0(%8)\n"
        : "=&r"(w[0]), "=&r"(w[1]), "=&r"(w[2]), "=&r"(w[3]), "=&r"(w[4]),
          "=&r"(w[5]), "=&r"(w[6]), "=&r"(w[7]), "+&r"(v)
        : "r"(by->row), "r"(by->to[0]), "r"(by->to[1]), "r"(by->to[2]),
          "r"(by->to[3])
        : "memory");
}

#define RESULT(v) "mul " v ", " v ", %[mul]\n"
#define SHIFT(v) "xp.addnr " v ", %[add], %[shift]\n"
#define CLIP(v) "xp.clip " v ", " v ", 8\n"
#define EACH(op) op("%[a]") op("%[b]") op("%[c]") op("%[d]")

/* Four results of each of `rows` rows of weights, by columns of v. */
static inline void results(const PARTS *w, int32_t rows, const int32_t c[KEYS],
                           const SCALE *scale, int32_t shift, Y *y,
                           int32_t step)
{
    int32_t a, b, c_, d, e, f;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 25\n"
        "xp.lw.post %[e], %[w], 4\n xp.lw.post %[f], %[w], 4\n"
        "xpv.dott.b %[a], %[e], %[c0], %[signs]\n"
        "xpv.dott.b %[b], %[e], %[c1], %[signs]\n"
        "xpv.dott.b %[c], %[e], %[c2], %[signs]\n"
        "xpv.dott.b %[d], %[e], %[c3], %[signs]\n"
        "xpv.sdott.b %[a], %[f], %[c4], %[signs]\n"
        "xpv.sdott.b %[b], %[f], %[c5], %[signs]\n"
        "xpv.sdott.b %[c], %[f], %[c6], %[signs]\n"
        "xpv.sdott.b %[d], %[f], %[c7], %[signs]\n"
        EACH(RESULT) EACH(SHIFT) EACH(CLIP)
        "xpv.packlo.b %[a], %[b], %[a]\n xpv.packhi.b %[a], %[d], %[c]\n"
        "xp.sw.postr %[a], %[y], %[step]\n" XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c_), [d] "=&r"(d),
          [e] "=&r"(e), [f] "=&r"(f), [w] "+&r"(w), [y] "+&r"(y)
        : [n] "r"(rows), [c0] "r"(c[0]), [c1] "r"(c[1]), [c2] "r"(c[2]),
          [c3] "r"(c[3]), [c4] "r"(c[4]), [c5] "r"(c[5]), [c6] "r"(c[6]),
          [c7] "r"(c[7]), [mul] "r"(scale[2]), [add] "r"(scale[3]),
          [shift] "r"(shift), [step] "r"(step),
          [signs] "i"(XP_SIGNS(PARTS, V))
        : XP_CLOBBERS);
}

#else
static inline int32_t scores(const struct attend_dims *k, int32_t n,
                             const SCALE *scale, const SCORES *table,
                             const Q *q, const K *key, int32_t *x)
{
    int32_t top = -128;

    for (int32_t i = 0; i < n; i++, key += k->krow) {
        int32_t sum = 0, s;

        for (int32_t j = 0; j < k->d; j++)
            sum += q[j] * key[j];
        s = table[rescale32(sum, scale[0], scale[1], k->p0, -128, 127)];
        top = s > top ? s : top;
        x[i] = 4 * s;
    }
    return top;
}

static inline uint32_t take_powers(const POWERS *zero, int32_t n, int32_t *x)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        x[i] = zero[x[i] / 4];
        sum += (uint32_t)x[i];
    }
    return sum;
}

static inline void take_parts(const int32_t *v, int32_t n, uint32_t inverse,
                              const PARTS *table, PARTS *w)
{
    for (int32_t i = 0; i < n; i++)
        w[i] = table[(uint32_t)v[i] * inverse >> 24];
}

static inline void load_rows(const V *v, const struct columns *by,
                             int32_t w[KEYS])
{
    for (int32_t i = 0; i < KEYS; i++) {
        w[i] = word_load(v);
        v += i < 3 ? by->row : i < 7 ? by->to[i - 3] : 0;
    }
}

static inline void results(const PARTS *w, int32_t rows, const int32_t c[KEYS],
                           const SCALE *scale, int32_t shift, Y *y,
                           int32_t step)
{
    const V *v = (const V *)c;

    for (; rows > 0; rows--, w += KEYS, y += step)
        for (int32_t j = 0; j < 4; j++) {
            int32_t sum = 0;

            for (int32_t i = 0; i < KEYS; i++)
                sum += w[i] * v[i / 4 * 16 + 4 * j + i % 4];
            y[j] = (Y)rescale32(sum, scale[2], scale[3], shift, -128, 127);
        }
}
#endif

/* The weights of a row, 0 behind the last; powers and their sum have 24 bits
 * together (kern/row/inverse.h). */
static inline void weigh(const struct attend_dims *k, const struct io *io,
                         const Q *q, const K *key, PARTS *w)
{
    const int32_t n = k->n;
    int32_t x[KEYS + 1];
    const int32_t top = scores(k, n, io->in[3],
                               (const SCORES *)io->in[4] + 128, q, key, x);
    const uint32_t sum =
        take_powers((const POWERS *)io->in[5] + 255 - top, n, x);

    word_store(w, 0);
    word_store(w + 4, 0);
    take_parts(x, n, ((uint32_t)k->p1 << 24) / (sum | !sum) + 1, io->in[6], w);
}

/* Do results of sums of KEYS products, scaled, fit in 32 bits? */
static inline int fits(const SCALE *scale)
{
    return (uint32_t)scale[2] + FACTOR <= 2 * FACTOR &&
           (uint32_t)scale[3] + ADDEND <= 2 * ADDEND;
}

/* Results whose sums, scaled, are longer than 32 bits. */
static NOINLINE void wide_results(const struct attend_dims *k,
                                  const SCALE *scale, const PARTS *w,
                                  int32_t rows, const V *v, Y *y)
{
    for (; rows > 0; rows--, w += KEYS, y += k->yrow)
        for (int32_t j = 0; j < k->e; j++) {
            int32_t sum = 0;

            for (int32_t i = 0; i < k->n; i++)
                sum += w[i] * v[i * k->vrow + j];
            y[j] = (Y)rescale(sum, scale[2], scale[3], k->shift, -128, 127);
        }
}

/* Results of `rows` rows of weights. */
static inline void add_up(const struct attend_dims *k, const SCALE *scale,
                          const PARTS *w, int32_t rows, const V *v, Y *y)
{
    const int32_t row = k->vrow, n = k->n;
    const struct columns by = {row, {n > 4 ? row : 0, n > 5 ? row : 0,
                                     n > 6 ? row : 0, n > 7 ? row : 0}};
    int32_t in[KEYS], c[KEYS];

    for (int32_t j = 0; j < k->e; j += 4) {
        load_rows(v + j, &by, in);
        transpose_words(in, c);
        transpose_words(in + 4, c + 4);
        results(w, rows, c, scale, k->shift, y + j, k->yrow);
    }
}

void FN(const struct attend_dims *k, const struct io *io)
{
    const SCALE *scale = io->in[3];
    int32_t from, to, h = 0, row;

    span(k->heads * k->m, io->core, io->ncore, &from, &to);
    for (row = from; row >= k->m; row -= k->m)
        h++;
    for (; from < to; h++, row = 0) {
        const int32_t rows = k->m - row < to - from ? k->m - row : to - from;
        const Q *q = (const Q *)io->in[0] + row * k->qrow + h * k->qhead;
        const K *key = (const K *)io->in[1] + h * k->khead;
        const V *v = (const V *)io->in[2] + h * k->vhead;
        Y *y = (Y *)io->out[0] + row * k->yrow + h * k->yhead;
        PARTS *w = io->tmp;

        for (int32_t r = 0; r < rows; r++, q += k->qrow)
            weigh(k, io, q, key, w + r * KEYS);
        if (fits(scale))
            add_up(k, scale, w, rows, v, y);
        else
            wide_results(k, scale, w, rows, v, y);
        from += rows;
    }
}
