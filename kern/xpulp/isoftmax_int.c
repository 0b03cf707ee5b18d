/* The integer softmax of bytes, without divisions but of rows.
 *
 * op       isoftmax
 * types    x:s8|u8 -> y:s8|u8
 * isa      xpulpv2
 * when     p0 == 1 && p2 >= 0 && p3 > 1 && hi > 0 && hi < 256 &&
 *          max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2 < 8388608 &&
 *          (max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2) * n < 2147483648
 * scratch  4 * n + 4
 * split    rows n
 * stack    160
 * let      team = ncore > 1
 * cycles   ncore * (fit.call + team * fit.team + ceil(rows, ncore) * (fit.row +
 *          fit.element * n / 2 + fit.result * ((n - 1) / max(1, ncore / rows) +
 *          1)))
 * code     580
 * cold     530
 *
 * t / log2 of t < 256 is t q >> 16 with q = 2^16 / log2 + 1: q log2 exceeds
 * 2^16 by at most log2, and what t log2 adds is less than 2^16 if log2 < 256;
 * else t q is at most 255 * 257.
 * v hi / sum is v q >> s (inverse.h).
 */
#include "kern/xpulp/quotients.h"
#include "kern/row/powers.h"
#include "kern/xpulp/rows.h"

/* What powers are computed with: of x = top - t, p + b = x + base + z log2. */
struct powers {
    int32_t top, base, log2, inverse, c;
};

#ifdef XPULPV2
/* The powers of n elements into v; returns their sum. */
static inline uint32_t powers(const struct powers *p, const X *x, int32_t n,
                              uint32_t *v)
{
    int32_t a, t, q, z = 0;
    uint32_t sum = 0;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 11\n"
        "xp.lt.post %[a], %[x], 1, %[type]\n"
        "add %[sum], %[sum], %[z]\n"
        "sub %[t], %[top], %[a]\n"
        "add %[q], %[a], %[base]\n"
        "xp.mulun %[t], %[t], %[inverse], 16\n"
        "xp.mac %[q], %[t], %[log2]\n"
        "xp.min %[t], %[t], %[most]\n"
        "mul %[z], %[q], %[q]\n"
        "add %[z], %[z], %[c]\n"
        "srl %[z], %[z], %[t]\n"
        "xp.sw.post %[z], %[v], 4\n" XP_BLOCK_END
        : [a] "=&r"(a), [t] "=&r"(t), [q] "=&r"(q), [z] "+&r"(z),
          [sum] "+&r"(sum), [x] "+&r"(x), [v] "+&r"(v)
        : [n] "r"(n), [top] "r"(p->top), [base] "r"(p->base),
          [log2] "r"(p->log2), [inverse] "r"(p->inverse), [c] "r"(p->c),
          [most] "r"(31), [type] "i"(XP_TYPE(X))
        : XP_CLOBBERS);
    return sum + (uint32_t)z;
}

#else
static uint32_t powers(const struct powers *p, const X *x, int32_t n,
                       uint32_t *v)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const int32_t z = (p->top - x[i]) * p->inverse >> 16;
        const int32_t q = x[i] + p->base + z * p->log2;

        v[i] = (uint32_t)(q * q + p->c) >> (z < 31 ? z : 31);
        sum += v[i];
    }
    return sum;
}

#endif

/* Results from..to of a row, whose greatest power has as many bits as that. */
static inline void row(const struct row_dims *k, struct powers *p, const X *x,
                       const struct rows *r, int32_t greatest, uint32_t *v,
                       Y *y)
{
    const uint32_t hi = (uint32_t)k->hi;
    uint32_t sum;
    int32_t s;

    p->top = rows_greatest(x, k->n);
    p->base = k->p1 - p->top;
    sum = powers(p, x, k->n, v);
    if (sum > hi) {
        s = greatest + bits(sum);
        s = s > 32 ? s : 32;
        quotients(v + r->from, r->to - r->from, inverse(hi, sum, s), s - 32,
                  y + r->from);
    } else {
        const uint32_t q = inverse(hi, sum | !sum, 24);

        for (int32_t i = r->from; i < r->to; i++)
            y[i] = (Y)(v[i] * q >> 24); /* hi has eight bits */
    }
}

void FN(const struct row_dims *k, const struct io *io)
{
    const struct rows r = rows_of(k, io);
    const X *x = (const X *)io->in[0] + (ptrdiff_t)r.row * k->n;
    Y *y = (Y *)io->out[0] + (ptrdiff_t)r.row * k->n;
    const int32_t greatest = powers_most(k);
    struct powers p = {.log2 = k->p3, .inverse = 65536 / k->p3 + 1,
                       .c = k->p2};

    if (r.from == r.to)
        return;
    for (int32_t i = r.row; i < r.end; i++, x += k->n, y += k->n)
        row(k, &p, x, &r, greatest, io->tmp, y);
}
