/* A row of bytes times a matrix in rows, scaled in 32 bits: what a token of a
 * language model needs, in little code.  A core makes four columns at a time;
 * where its own are no multiple of four, the first two fours share some.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:none mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     m == 1 && nb[0] * nb[1] * nb[2] == 1 && ak == 1 && bk == 1 &&
 *          k % 4 == 0 && k > 3 && n > 3 && has.mul && has.add && shift < 32 &&
 *          max(-scaled.lo, scaled.hi) < 2147483648
 * split    n
 * stack    128
 * let      groups = ceil(ceil(n, ncore), 4)
 * cycles   ncore * (fit.call + groups * (fit.four + fit.words * k / 4))
 * code     490
 * cold     330
 * asks     70
 */
#include "kern/kern.h"

#define LEFT A
#define RIGHT B
#include "kern/xpulp/four_rows.h"

/* Where the scale of the next column lies, and its steps. */
struct scales {
    const MUL *mul;
    const ADD *add;
    Y *y;
    int32_t muln, addn, shift, lo, hi;
};

#ifdef XPULPV2
/* The results of two columns. */
static inline void results(struct scales *e, int32_t s0, int32_t s1)
{
    int32_t m0, m1, a0, a1;

    __asm__ volatile(
        XP_BLOCK
        "xp.lt.postr %[m0], %[mul], %[mn], %[lm]\n"
        "xp.lt.postr %[a0], %[add], %[an], %[la]\n"
        "xp.lt.postr %[m1], %[mul], %[mn], %[lm]\n"
        "xp.lt.postr %[a1], %[add], %[an], %[la]\n"
        FOUR_ROWS_STORE
        XP_BLOCK_END
        : [m0] "=&r"(m0), [m1] "=&r"(m1), [a0] "=&r"(a0), [a1] "=&r"(a1),
          [mul] "+&r"(e->mul), [add] "+&r"(e->add), [y] "+&r"(e->y)
        : [s0] "r"(s0), [s1] "r"(s1), [mn] "r"(e->muln), [an] "r"(e->addn),
          [shift] "r"(e->shift), [lo] "r"(e->lo), [hi] "r"(e->hi),
          [lm] "i"(XP_TYPE(MUL)), [la] "i"(XP_TYPE(ADD)),
          [size] "i"(sizeof(Y)), [store] "i"(XP_TYPE(Y))
        : XP_CLOBBERS);
}
#else
static inline void results(struct scales *e, int32_t s0, int32_t s1)
{
    const int32_t sum[2] = {s0, s1};

    for (int32_t j = 0; j < 2; j++) {
        *e->y++ = (Y)clip((sum[j] * (int32_t)*e->mul + (int32_t)*e->add) >>
                              e->shift, e->lo, e->hi);
        e->mul += e->muln / (int32_t)sizeof *e->mul;
        e->add += e->addn / (int32_t)sizeof *e->add;
    }
}
#endif

/* Goes n columns on. */
static inline void advance(struct scales *e, const struct matmul_dims *k,
                           int32_t n)
{
    e->mul += n * k->muln;
    e->add += n * k->addn;
    e->y += n;
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    const int32_t step = k->bn, words = k->k >> 2;
    const A *x = io->in[0];
    const B *w = io->in[1];
    struct scales e = {
        .mul = io->in[3], .add = io->in[4], .y = io->out[0],
        .muln = k->muln * (int32_t)sizeof(MUL),
        .addn = k->addn * (int32_t)sizeof(ADD),
        .shift = k->shift, .lo = k->lo, .hi = k->hi,
    };
    int32_t from, to, left, shared, sum[4];

    span(k->n, io->core, io->ncore, &from, &to);
    left = to - from;
    shared = -left & 3;
    if (from > k->n - 4)
        from = k->n - 4;
    advance(&e, k, from);
    w += from * step;
    for (; left > 0; left -= 4) {
        four_rows(x, w, step, words, sum);
        results(&e, sum[0], sum[1]);
        results(&e, sum[2], sum[3]);
        w += 4 * step;
        if (shared == 0)
            continue;
        advance(&e, k, -shared);
        w -= shared * step;
        shared = 0;
    }
}
