/* Matrix product of three to five rows with b transposed, all rows by two
 * columns, scaled in 32 bits.
 *
 * op       matmul
 * types    a:s8|u8 b:s8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     nb[0] * nb[1] * nb[2] == 1 && m > 2 && m < 6 && ak == 1 && bk == 1
 *          && k % 4 == 0 && k > 0 && has.mul && biasm == 0 && mulm == 0 &&
 *          addm == 0 && shift < 32 && max(-scaled.lo, scaled.hi) < 2147483648
 * split    n
 * stack    192
 * let      pairs = ceil(ceil(n, ncore), 2)
 * cycles   ncore * (fit.call + pairs * (fit.pair + fit.row * m + 9 * k / 2))
 * code     700
 *
 * Where there are fewer rows than five, the last is taken again.
 */
#include "kern/finish.h"
#define LEFT A
#define RIGHT B
#include "kern/xpulp/word.h"

enum { ROWS = 5 };

/* Distances from row to row of a, and back to the next word. */
struct rows {
    int32_t first, third, fourth, back;
};

/* Sums of rows by two columns, side by side, which begin with `one` and
 * `other`. */
#ifdef XPULPV2
#define BOTH(a, one, other)                                                   \
    "xpv.sdott.b %" #one ", " a ", t0, %[signs]\n"                            \
    "xpv.sdott.b %" #other ", " a ", t1, %[signs]\n"

static inline void products(const A *a, const struct rows *by, const B *v,
                            const B *w, int32_t words, int32_t one,
                            int32_t other, int32_t s[2 * ROWS])
{
    int32_t c, d, e, f, g, h, i, j;

    __asm__ volatile(
        XP_BLOCK "mv %2, %0\n mv %3, %1\n mv %4, %0\n mv %5, %1\n"
        "mv %6, %0\n mv %7, %1\n mv %8, %0\n mv %9, %1\n"
        "xlp.setup 0, %[n], 17\n"
        "xp.lw.post t0, %[v], 4\n xp.lw.post t1, %[w], 4\n"
        "xp.lw.postr t2, %[a], %[first]\n xp.lw.postr t3, %[a], %[first]\n"
        "xp.lw.postr t4, %[a], %[third]\n xp.lw.postr t5, %[a], %[fourth]\n"
        "xp.lw.postr t6, %[a], %[back]\n"
        BOTH("t2", 0, 1) BOTH("t3", 2, 3) BOTH("t4", 4, 5) BOTH("t5", 6, 7)
        BOTH("t6", 8, 9) XP_BLOCK_END
        : "+&r"(one), "+&r"(other), "=&r"(c), "=&r"(d), "=&r"(e), "=&r"(f),
          "=&r"(g), "=&r"(h), "=&r"(i), "=&r"(j), [a] "+&r"(a), [v] "+&r"(v),
          [w] "+&r"(w)
        : [n] "r"(words), [first] "r"(by->first), [third] "r"(by->third),
          [fourth] "r"(by->fourth), [back] "r"(by->back),
          [signs] "i"(XP_SIGNS(A, B))
        : XP_CLOBBERS, "t0", "t1", "t2", "t3", "t4", "t5", "t6");
    s[0] = one, s[1] = other, s[2] = c, s[3] = d, s[4] = e, s[5] = f;
    s[6] = g, s[7] = h, s[8] = i, s[9] = j;
}

/* Results of m rows of two columns, at y and z. */
static inline void put(const struct matmul_dims *k, const int32_t *s,
                       const int32_t mul[2], const int32_t add[2], Y *y, Y *z)
{
    int32_t a, b;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[m], 12\n"
        "xp.lw.post %[a], %[s], 4\n xp.lw.post %[b], %[s], 4\n"
        "mul %[a], %[a], %[mul]\n mul %[b], %[b], %[mul1]\n"
        "xp.addnr %[a], %[add], %[shift]\n"
        "xp.addnr %[b], %[add1], %[shift]\n"
        "xp.max %[a], %[a], %[lo]\n xp.max %[b], %[b], %[lo]\n"
        "xp.min %[a], %[a], %[hi]\n xp.min %[b], %[b], %[hi]\n"
        "xp.st.postr %[a], %[y], %[n], %[store]\n"
        "xp.st.postr %[b], %[z], %[n], %[store]\n"
        XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [s] "+&r"(s), [y] "+&r"(y), [z] "+&r"(z)
        : [m] "r"(k->m), [n] "r"(k->n * (int32_t)sizeof *y), [mul] "r"(mul[0]),
          [mul1] "r"(mul[1]), [add] "r"(add[0]), [add1] "r"(add[1]),
          [shift] "r"(k->shift), [lo] "r"(k->lo), [hi] "r"(k->hi),
          [store] "i"(XP_TYPE(Y))
        : XP_CLOBBERS);
}
#else
static inline void products(const A *a, const struct rows *by, const B *v,
                            const B *w, int32_t words, int32_t one,
                            int32_t other, int32_t s[2 * ROWS])
{
    for (int r = 0; r < 2 * ROWS; r += 2)
        s[r] = one, s[r + 1] = other;
    for (; words > 0; words--, v += 4, w += 4)
        for (int r = 0; r < ROWS; r++) {
            s[2 * r] = word_dot(s[2 * r], word_load(a), word_load(v));
            s[2 * r + 1] = word_dot(s[2 * r + 1], word_load(a), word_load(w));
            a += r < 2 ? by->first : r < 3 ? by->third : r < 4 ? by->fourth
                                                               : by->back;
        }
}

static inline void put(const struct matmul_dims *k, const int32_t *s,
                       const int32_t mul[2], const int32_t add[2], Y *y, Y *z)
{
    for (int32_t m = 0; m < k->m; m++, s += 2, y += k->n, z += k->n) {
        *y = (Y)rescale32(s[0], mul[0], add[0], k->shift, k->lo, k->hi);
        *z = (Y)rescale32(s[1], mul[1], add[1], k->shift, k->lo, k->hi);
    }
}
#endif

void FN(const struct matmul_dims *k, const struct io *io)
{
    const int32_t am = k->am, words = k->k >> 2;
    const struct rows by = {am, k->m > 3 ? am : 0, k->m > 4 ? am : 0,
                            4 - (k->m - 1) * am};
    const BIAS no_bias = 0, *bias = io->in[2] ? io->in[2] : &no_bias;
    const ADD no_add = 0, *add = io->in[4] ? io->in[4] : &no_add;
    const int32_t biasn = io->in[2] ? k->biasn : 0;
    const int32_t addn = io->in[4] ? k->addn : 0;
    int32_t from, to, s[2 * ROWS];

    span(k->n, io->core, io->ncore, &from, &to);
    for (; from < to; from += 2) {
        const int32_t next = from + 1 < to ? from + 1 : from;
        const B *b = io->in[1];
        const MUL *mul = io->in[3];
        Y *y = io->out[0];
        const int32_t muls[2] = {(int32_t)mul[from * k->muln],
                                 (int32_t)mul[next * k->muln]};
        const int32_t adds[2] = {(int32_t)add[from * addn],
                                 (int32_t)add[next * addn]};

        products(io->in[0], &by, b + from * k->bn, b + next * k->bn, words,
                 (int32_t)bias[from * biasn], (int32_t)bias[next * biasn], s);
        put(k, s, muls, adds, y + from, y + next);
    }
}
