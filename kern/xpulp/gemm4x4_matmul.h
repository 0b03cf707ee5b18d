/* Matrix products over gemm4x4.h, four rows by four columns.  Where b lies in
 * rows (GEMM_PACKED), the four columns at hand are packed into rows of their
 * own in io->tmp, as far apart as those of a; else the rows of b are, already,
 * or four rows of a are copied to io->tmp, word by word beside each other
 * (GEMM_ODD), and the last words of their rows are filled up with zeros.
 *
 * Fours by fours of all batches are dealt out to the cores, row by row; packed,
 * column by column, so that a core packs each of its own once.
 * There are four rows and four columns or more: the last four begin four before
 * the end.  The including file defines scaled(). */
#ifndef GEMM4X4_MATMUL_H
#define GEMM4X4_MATMUL_H

#include "kern/kern.h"

typedef A LEFT;
typedef B RIGHT;
typedef BIAS START;
#ifdef GEMM_ODD
#define GEMM_SIDES 1
#endif
#include "kern/xpulp/gemm4x4.h"
#ifdef GEMM_ODD
#include "kern/xpulp/apart.h"
#endif

/* Words of a core's products from which on cores part first. */
#define GEMM_LONG 256

#define GEMM_FOLLOW(T, name, given, each, none)                              \
    do {                                                                     \
        const T *from = given;                                               \
                                                                             \
        t->name = from && each ? from : f->name;                             \
        t->name##next = from && each ? 4 * (int32_t)sizeof(T) : 0;           \
        for (int32_t i = 0; i < 4; i++)                                      \
            f->name[i] = from ? from[0] : (T)none;                           \
    } while (0)

static inline void gemm_init(const struct matmul_dims *k, const struct io *io,
                             struct fours *f, struct gemm *t)
{
#ifdef GEMM_ODD
    t->words = (k->k + 3) >> 2;
    t->jump = 4 * (k->bn - t->words);
    t->side = 1;
#else
    t->words = k->k >> 2;
    t->step = k->am;
#endif
    t->shift = io->in[3] ? k->shift : 0;
    t->lo = gemm_bound(k->lo);
    t->hi = gemm_bound(k->hi);
    GEMM_FOLLOW(START, bias, io->in[2], k->biasn, 0);
    GEMM_FOLLOW(MUL, mul, io->in[3], k->muln, 1);
    GEMM_FOLLOW(ADD, add, io->in[4], k->addn, 0);
#ifdef SHIFTS
    GEMM_FOLLOW(SHIFTS, shifts, io->in[5], k->muln, 0);
#endif
    gemm_own_shifts(t);
}

#ifdef GEMM_PACKED
#ifdef XPULPV2
/* Four rows of four bytes, as four columns at `to`, rows `step` apart. */
static inline void gemm_transpose(const B *b, int32_t next, B *to, int32_t step)
{
    const int32_t low = 0x05010400, high = 0x07030602, tops = 0x07060302;
    const int32_t r0 = word_load(b), r1 = word_load(b + next);
    const int32_t r2 = word_load(b + 2 * next), r3 = word_load(b + 3 * next);
    const int32_t p = xp_shuffle4(r0, r1, low), q = xp_shuffle4(r0, r1, high);
    const int32_t u = xp_shuffle4(r2, r3, low), v = xp_shuffle4(r2, r3, high);

    word_store(to, xp_pack2(u, p));
    word_store(to + step, xp_shuffle4(p, u, tops));
    word_store(to + 2 * step, xp_pack2(v, q));
    word_store(to + 3 * step, xp_shuffle4(q, v, tops));
}
#else
static inline void gemm_transpose(const B *b, int32_t next, B *to, int32_t step)
{
    for (int32_t i = 0; i < 16; i++)
        to[(i & 3) * step + (i >> 2)] = b[(i >> 2) * next + (i & 3)];
}
#endif

static NOINLINE void gemm_pack(const struct matmul_dims *k, const B *b, B *to)
{
    for (int32_t i = k->k >> 2; i > 0; i--, b += 4 * k->bk, to += 4)
        gemm_transpose(b, k->bk, to, k->am);
}
#endif

/* Where four rows of y begin, at most the last four. */
static inline int32_t gemm_rows(const struct matmul_dims *k, int32_t m, Y *y,
                                Y *rows[4])
{
    m = m + 4 < k->m ? m : k->m - 4;
    y += (ptrdiff_t)m * k->n;
    for (int i = 0; i < 4; i++, y += k->n)
        rows[i] = y;
    return m;
}

#ifdef GEMM_PACKED
/* Fours [from, to) of the fours of rows, of the four columns from n on. */
static void gemm_part(const struct matmul_dims *k, struct gemm *t,
                      const struct io *io, const A *a, const B *b, int32_t n,
                      int32_t from, int32_t to, Y *y)
{
    Y *rows[4];

    n = n + 4 < k->n ? n : k->n - 4;
    gemm_pack(k, b + n, io->tmp);
    t->w = (const B *)io->tmp - (ptrdiff_t)n * k->am;
    for (; from < to; from++) {
        const int32_t m = gemm_rows(k, 4 * from, y, rows);

        gemm_row(t, a + (ptrdiff_t)m * k->am, n, 1, rows);
    }
}
#elif defined GEMM_ODD
/* Copies of the last four rows of b, with zeros at their ends: where the last
 * word of a row of b reaches into the next, theirs would reach beyond all. */
static void gemm_ends(const struct matmul_dims *k, const B *b, char *to)
{
    b += (ptrdiff_t)(k->n - 4) * k->bn;
    for (int32_t i = 0; i < 4; i++, b += k->bn) {
        char *end = gemm_copy(to, b, k->k);

        to += (k->k + 3) & ~3;
        while (end < to)
            *end++ = 0;
    }
}

/* Fours [from, to) of the fours of columns, of the four rows from m on. */
static void gemm_part(const struct matmul_dims *k, struct gemm *t,
                      const struct io *io, const A *a, const B *b, int32_t m,
                      int32_t from, int32_t to, Y *y)
{
    const int32_t last = (k->n - 1) >> 2;
    char *x = io->tmp;
    Y *rows[4];

    a += (ptrdiff_t)gemm_rows(k, m, y, rows) * k->am;
    for (int32_t i = 0; i < 4; i++, a += k->am)
        bytes_apart(x + 4 * i, (const char *)a, k->k);
    if (from < last) {
        t->w = b;
        t->step = k->bn;
        gemm_row(t, io->tmp, 4 * from, (to < last ? to : last) - from, rows);
    }
    if (to > last) {
        t->step = 4 * t->words;
        t->w = (const B *)(x + 16 * t->words) - (k->n - 4) * t->step;
        gemm_row(t, io->tmp, k->n - 4, 1, rows);
    }
}
#else
/* Fours [from, to) of the fours of columns, of the four rows from m on. */
static void gemm_part(const struct matmul_dims *k, struct gemm *t,
                      const struct io *io, const A *a, const B *b, int32_t m,
                      int32_t from, int32_t to, Y *y)
{
    const int32_t whole = to < k->n >> 2 ? to : k->n >> 2;
    Y *rows[4];

    (void)io;
    a += (ptrdiff_t)gemm_rows(k, m, y, rows) * k->am;
    t->w = b;
    if (from < whole)
        gemm_row(t, a, 4 * from, whole - from, rows);
    if (whole < to)
        gemm_row(t, a, k->n - 4, 1, rows);
}
#endif

/* Fours [from, to) of one batch, counted along rows, or down columns where
 * those are packed. */
static void gemm_batch(const struct matmul_dims *k, struct gemm *t,
                       const struct io *io, const A *a, const B *b,
                       int32_t from, int32_t to, Y *y)
{
#ifdef GEMM_PACKED
    const int32_t lines = k->n, each = (k->m + 3) >> 2;
#else
    const int32_t lines = k->m, each = (k->n + 3) >> 2;
#endif
    int32_t at = 0;

#ifdef GEMM_ODD
    gemm_ends(k, b, (char *)io->tmp + 16 * t->words);
#endif
    for (int32_t i = 0; i < lines && at < to; i += 4, at += each)
        if (at + each > from)
            gemm_part(k, t, io, a, b, i, from > at ? from - at : 0,
                      to - at < each ? to - at : each, y);
}

#if defined XPULPV2 && !defined GEMM_PACKED && !defined GEMM_ODD
/* Rows are often a multiple of all banks apart: cores that begin at once wait for
 * one bank, and then for the next, all the time.  That code comes slowly brings
 * them together, so a core goes through its first block once, for a word alone,
 * and then lets those before it go ahead by some words.  What that leaves in y it
 * writes over. */
static NOINLINE __attribute__((cold)) void gemm_apart(
    const struct matmul_dims *k, struct gemm *t, const struct io *io,
    int32_t from)
{
    const int32_t line = (k->n + 3) >> 2, row = from / line, words = t->words;
    const int32_t at = 4 * (from - row * line);
    const A *a = io->in[0];
    Y *rows[4];

    a += (ptrdiff_t)gemm_rows(k, 4 * row, io->out[0], rows) * k->am;
    t->w = io->in[1];
    t->words = 1;
    gemm_row(t, a, at + 4 < k->n ? at : k->n - 4, 1, rows);
    t->words = words;
    for (int32_t i = 10 * io->core; i > 0; i--)
        __asm__ volatile("nop");
}
#endif

static inline void gemm_matmul(const struct matmul_dims *k, const struct io *io)
{
    const int32_t each = ((k->m + 3) >> 2) * ((k->n + 3) >> 2);
    const int32_t batches = k->nb[0] * k->nb[1] * k->nb[2];
    const A *a = io->in[0];
    const B *b = io->in[1];
    Y *y = io->out[0];
    struct gemm t;
    struct fours f;
    int32_t from, to;

    gemm_init(k, io, &f, &t);
    span(batches * each, io->core, io->ncore, &from, &to);
#if defined XPULPV2 && !defined GEMM_PACKED && !defined GEMM_ODD
    if (batches == 1 && t.words * (to - from) >= GEMM_LONG)
        gemm_apart(k, &t, io, from);
#endif
    for (int32_t i = 0; i < k->nb[0]; i++)
        for (int32_t j = 0; j < k->nb[1]; j++)
            for (int32_t l = 0; l < k->nb[2] && to > 0; l++) {
                if (from < each)
                    gemm_batch(k, &t, io,
                               a + i * k->ab[0] + j * k->ab[1] + l * k->ab[2],
                               b + i * k->bb[0] + j * k->bb[1] + l * k->bb[2],
                               from, to, y);
                from -= each, to -= each;
                y += (ptrdiff_t)k->m * k->n;
            }
}

#endif
