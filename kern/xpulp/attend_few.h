/* Attention of bytes over four to eight keys for XpulpV2: weights of all rows of
 * a head, which are two words a row, then four columns of v in registers at a
 * time for all rows.  To be included after the types of its operands are
 * defined; after POWERS_WEIGH where powers are weights. */
#ifndef ATTEND_FEW_H
#define ATTEND_FEW_H

#ifdef POWERS_WEIGH
#define LEFT POWERS
#define TAKEN POWERS /* powers, of which weights are made, or which are these */
#else
#define LEFT PARTS
#define TAKEN int32_t
#endif
#define RIGHT V
#undef X
#define X V
#include "kern/finish.h"
#include "kern/xpulp/transpose.h"
#include "kern/xpulp/word.h"
#include "kern/row/shares.h"

enum { KEYS = 8,              /* at most */
       FACTOR = 8000,         /* 255 * 128 * KEYS times it, and the addend, */
       ADDEND = 1 << 25 };    /* are below 2^31 */

/* A row: its weights, 0 behind the last, and where powers are weights what its
 * sums are multiplied by. */
struct weights {
    LEFT w[KEYS];
#ifdef POWERS_WEIGH
    int32_t mul;
#endif
};

/* How sums become results: by lower or upper halves of products. */
struct results {
    int32_t mul, add, shift;
    int small;              /* in 32 bits */
};

/* From row to row of v; behind the fourth one 0 where there are no more. */
struct columns {
    int32_t row, to[4];
};

/* The greatest score of a row of n keys; in x scores times the bytes of a
 * power. */
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
        "slli %[a], %[a], %[up]\n"
        "xp.sw.post %[a], %[x], 4\n" XP_BLOCK_END
        : [p] "=&r"(p), [sum] "=&r"(sum), [a] "=&r"(a), [b] "=&r"(b),
          [c] "=&r"(c), [d] "=&r"(d), [top] "+&r"(top), [key] "+&r"(key),
          [x] "+&r"(x)
        : [n] "r"(n), [q] "r"(q), [pairs] "r"(k->d >> 3),
          [step] "r"(k->krow - k->d), [mul] "r"(scale[0]),
          [add] "r"(scale[1]), [shift] "r"(k->p0), [table] "r"(table),
          [up] "i"(sizeof(POWERS) > 1 ? 2 : 0)
        : XP_CLOBBERS);
    return top;
}

/* The n powers of scores at x, which may be `to` itself; zero: that of 0.  Returns
 * their sum.  What is behind the last of x is read too. */
static inline uint32_t take_powers(const POWERS *zero, int32_t n,
                                   const int32_t *x, TAKEN *to)
{
    int32_t at = *x++, v;
    uint32_t sum = 0;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 4\n"
        "xp.lt.at %[v], %[zero], %[at], %[load]\n"
        "xp.lw.post %[at], %[x], 4\n"
        "add %[sum], %[sum], %[v]\n"
        "xp.st.post %[v], %[to], %[size], %[store]\n" XP_BLOCK_END
        : [v] "=&r"(v), [at] "+&r"(at), [x] "+&r"(x), [to] "+&r"(to),
          [sum] "+&r"(sum)
        : [n] "r"(n), [zero] "r"(zero), [load] "i"(XP_TYPE(POWERS)),
          [size] "i"(sizeof *to), [store] "i"(XP_TYPE(TAKEN))
        : XP_CLOBBERS);
    return sum;
}

#ifndef POWERS_WEIGH
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
#endif

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

#ifdef POWERS_WEIGH
#define LOAD_MUL "xp.lw.post %[mul], %[w], 4\n"
#define RESULT(v) "mulh " v ", " v ", %[mul]\n"
#define COUNT "26"
#else
#define LOAD_MUL
#define RESULT(v) "mul " v ", " v ", %[mul]\n"
#define COUNT "25"
#endif
#define SHIFT(v) "xp.addnr " v ", %[add], %[shift]\n"
#define CLIP(v) "xp.clip " v ", " v ", 8\n"
#define EACH(op) op("%[a]") op("%[b]") op("%[c]") op("%[d]")

/* Four results of each of `rows` rows of weights, by columns of v. */
static inline void put_results(const struct weights *w, int32_t rows,
                               const int32_t c[KEYS], const struct results *r,
                               Y *y, int32_t step)
{
    int32_t a, b, c_, d, e, f, mul = r->mul;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], " COUNT "\n"
        "xp.lw.post %[e], %[w], 4\n xp.lw.post %[f], %[w], 4\n" LOAD_MUL
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
          [e] "=&r"(e), [f] "=&r"(f), [w] "+&r"(w), [y] "+&r"(y),
          [mul] "+&r"(mul)
        : [n] "r"(rows), [c0] "r"(c[0]), [c1] "r"(c[1]), [c2] "r"(c[2]),
          [c3] "r"(c[3]), [c4] "r"(c[4]), [c5] "r"(c[5]), [c6] "r"(c[6]),
          [c7] "r"(c[7]), [add] "r"(r->add), [shift] "r"(r->shift),
          [step] "r"(step), [signs] "i"(XP_SIGNS(LEFT, V))
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
        x[i] = s * (int32_t)sizeof(POWERS);
    }
    return top;
}

static inline uint32_t take_powers(const POWERS *zero, int32_t n,
                                   const int32_t *x, TAKEN *to)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        to[i] = (TAKEN)zero[x[i] / (int32_t)sizeof *zero];
        sum += (uint32_t)to[i];
    }
    return sum;
}

#ifndef POWERS_WEIGH
static inline void take_parts(const int32_t *v, int32_t n, uint32_t inverse,
                              const PARTS *table, PARTS *w)
{
    for (int32_t i = 0; i < n; i++)
        w[i] = table[(uint32_t)v[i] * inverse >> 24];
}
#endif

static inline void load_rows(const V *v, const struct columns *by,
                             int32_t w[KEYS])
{
    for (int32_t i = 0; i < KEYS; i++) {
        w[i] = word_load(v);
        v += i < 3 ? by->row : i < 7 ? by->to[i - 3] : 0;
    }
}

/* A result of a row. */
static inline Y result(const struct weights *w, int32_t sum,
                       const struct results *r)
{
#ifdef POWERS_WEIGH
    return (Y)attend_upper(sum, w->mul, r->add, r->shift);
#else
    (void)w;
    return (Y)rescale32(sum, r->mul, r->add, r->shift, -128, 127);
#endif
}

static inline void put_results(const struct weights *w, int32_t rows,
                               const int32_t c[KEYS], const struct results *r,
                               Y *y, int32_t step)
{
    const V *v = (const V *)c;

    for (; rows > 0; rows--, w++, y += step)
        for (int32_t j = 0; j < 4; j++) {
            int32_t sum = 0;

            for (int32_t i = 0; i < KEYS; i++)
                sum += w->w[i] * v[i / 4 * 16 + 4 * j + i % 4];
            y[j] = result(w, sum, r);
        }
}
#endif

#ifdef POWERS_WEIGH
/* How results are made but for each row's factor; the left shift of that. */
static inline int32_t take_results(const struct attend_dims *k,
                                   const struct io *io, struct results *r)
{
    const SCALE *scale = io->in[3];
    struct attend_high of = {0};

    r->mul = 0; /* each row has its own */
    r->small = attend_high_of_result(io->in[5], scale, k->shift, &of);
    r->add = of.add;
    r->shift = of.rest;
    return of.up;
}

/* The weights of a row. */
static inline void weigh(const struct attend_dims *k, const struct io *io,
                         const Q *q, const K *key, int32_t up,
                         struct weights *to)
{
    int32_t x[KEYS + 1];
    const int32_t top = scores(k, k->n, io->in[3],
                               (const SCORES *)io->in[4] + 128, q, key, x);
    uint32_t sum;

    word_store(to->w, 0);
    word_store(to->w + 4, 0);
    sum = take_powers((const POWERS *)io->in[5] + 255 - top, k->n, x, to->w);
    to->mul = attend_share(io->in[3], sum) * (1 << up);
}

/* A result of any size. */
static inline int32_t wide(const struct attend_dims *k, const SCALE *scale,
                           const struct weights *w, int32_t sum)
{
    return attend_result(k, scale, w->mul, sum);
}
#else
/* How results are made: in 32 bits, if sums of KEYS products, scaled, fit. */
static inline int32_t take_results(const struct attend_dims *k,
                                   const struct io *io, struct results *r)
{
    const SCALE *scale = io->in[3];

    *r = (struct results){.mul = (int32_t)scale[2], .add = (int32_t)scale[3],
                          .shift = k->shift};
    r->small = (uint32_t)r->mul + FACTOR <= 2 * FACTOR &&
               (uint32_t)r->add + ADDEND <= 2 * ADDEND;
    return 0;
}

/* The weights of a row; powers and their sum have 24 bits together
 * (kern/row/inverse.h). */
static inline void weigh(const struct attend_dims *k, const struct io *io,
                         const Q *q, const K *key, int32_t up,
                         struct weights *to)
{
    const int32_t n = k->n;
    int32_t x[KEYS + 1];
    const int32_t top = scores(k, n, io->in[3],
                               (const SCORES *)io->in[4] + 128, q, key, x);
    const uint32_t sum =
        take_powers((const POWERS *)io->in[5] + 255 - top, n, x, x);

    (void)up;
    word_store(to->w, 0);
    word_store(to->w + 4, 0);
    take_parts(x, n, ((uint32_t)k->p1 << 24) / (sum | !sum) + 1, io->in[6],
               to->w);
}

static inline int32_t wide(const struct attend_dims *k, const SCALE *scale,
                           const struct weights *w, int32_t sum)
{
    (void)w;
    return rescale(sum, scale[2], scale[3], k->shift, -128, 127);
}
#endif

/* Results that are not made in 32 bits. */
static NOINLINE void wide_results(const struct attend_dims *k,
                                  const SCALE *scale, const struct weights *w,
                                  int32_t rows, const V *v, Y *y)
{
    for (; rows > 0; rows--, w++, y += k->yrow)
        for (int32_t j = 0; j < k->e; j++) {
            int32_t sum = 0;

            for (int32_t i = 0; i < k->n; i++)
                sum += w->w[i] * v[i * k->vrow + j];
            y[j] = (Y)wide(k, scale, w, sum);
        }
}

/* Results of `rows` rows of weights. */
static inline void add_up(const struct attend_dims *k, const struct results *r,
                          const struct weights *w, int32_t rows, const V *v,
                          Y *y)
{
    const int32_t row = k->vrow, n = k->n;
    const struct columns by = {row, {n > 4 ? row : 0, n > 5 ? row : 0,
                                     n > 6 ? row : 0, n > 7 ? row : 0}};
    int32_t in[KEYS], c[KEYS];

    for (int32_t j = 0; j < k->e; j += 4) {
        load_rows(v + j, &by, in);
        transpose_words(in, c);
        transpose_words(in + 4, c + 4);
        put_results(w, rows, c, r, y + j, k->yrow);
    }
}

static inline void attend_few(const struct attend_dims *k, const struct io *io)
{
    struct weights *w = io->tmp;
    struct results r;
    const int32_t up = take_results(k, io, &r);
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

        for (int32_t i = 0; i < rows; i++, q += k->qrow)
            weigh(k, io, q, key, up, w + i);
        if (r.small)
            add_up(k, &r, w, rows, v, y);
        else
            wide_results(k, io->in[3], w, rows, v, y);
        from += rows;
    }
}

#endif
