/* The integer softmax of bytes, its powers from a table, without divisions but
 * of rows.
 *
 * op       isoftmax
 * types    x:s8|u8 -> y:s8|u8
 * isa      xpulpv2
 * when     p0 == 1 && p2 >= 0 && p3 > 0 && hi > 0 && hi < 256 &&
 *          max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2 < 8388608 &&
 *          (max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2) * n < 2147483648
 * inplace  x
 * scratch  1024 + 4 * n + 4
 * split    rows
 * stack    160
 * let      most = max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + (most < 2048 ?
 *          fit.short : fit.element) * n))
 * code     850
 * cold     500
 */
#include "kern/xpulp/quotients.h"
#include "kern/row/powers.h"
#include "kern/xpulp/rows.h"

/* The powers of n elements into v; returns their sum. */
#ifdef XPULPV2
static inline uint32_t powers(uintptr_t zero, const X *x, int32_t n,
                              uint32_t *v)
{
    uint32_t sum = 0;
    int32_t a, b;

    /* two at a time, lest an addition waits for its load */
    if (n > 1)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 10\n"
            "xp.lt.post %[a], %[x], 1, %[type]\n"
            "xp.lt.post %[b], %[x], 1, %[type]\n"
            "slli %[a], %[a], 2\n"
            "slli %[b], %[b], 2\n"
            "xp.lw.at %[a], %[zero], %[a]\n"
            "xp.lw.at %[b], %[zero], %[b]\n"
            "add %[sum], %[sum], %[a]\n"
            "xp.sw.post %[a], %[v], 4\n"
            "add %[sum], %[sum], %[b]\n"
            "xp.sw.post %[b], %[v], 4\n" XP_BLOCK_END
            : [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b), [v] "+&r"(v),
              [x] "+&r"(x)
            : [n] "r"(n >> 1), [zero] "r"(zero), [type] "i"(XP_TYPE(X))
            : XP_CLOBBERS);
    if (n & 1) {
        *v = power(zero, *x);
        sum += *v;
    }
    return sum;
}
#else
static uint32_t powers(uintptr_t zero, const X *x, int32_t n, uint32_t *v)
{
    uint32_t sum = 0;

    for (int32_t i = 0; i < n; i++) {
        v[i] = power(zero, x[i]);
        sum += v[i];
    }
    return sum;
}
#endif

/* Products of powers and `hi`, and their inverses, have 32 bits where powers
 * have 11 or the sum has few (kern/row/inverse.h). */
static inline void row(const struct row_dims *k, const uint32_t *table,
                       int32_t most, const X *x, uint32_t *v, Y *y)
{
    const uintptr_t zero = powers_zero(table, rows_greatest(x, k->n));
    const uint32_t sum = powers(zero, x, k->n, v), hi = (uint32_t)k->hi;
    const int32_t s = most + bits(sum | 1), more = s > 32 ? s - 32 : 0;

    if (s <= 24 || sum <= hi)
        quotients_short(v, k->n, (hi << 24) / (sum | !sum) + 1, 24, y);
    else if (most <= 11)
        quotients_short(v, k->n, inverse(hi, sum, s), s, y);
    else
        quotients(v, k->n, inverse(hi, sum, 32 + more), more, y);
}

void FN(const struct row_dims *k, const struct io *io)
{
    const int32_t most = powers_most(k);
    const X *x = io->in[0];
    Y *y = io->out[0];
    uint32_t *table = io->tmp;
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    if (i == end)
        return;
    powers_table(k, table);
    x += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->n;
    for (; i < end; i++, x += k->n, y += k->n)
        row(k, table, most, x, table + POWERS, y);
}
