/* A row that is multiplied by a table's values, in 32 bits
 * (kern/ref/gate_int.c): a hardware loop of eleven instructions.
 *
 * op       gate
 * types    x:s8|u8 table:s8|u8|s16 -> y:s8|u8|s16
 * isa      xpulpv2
 * when     rows == 1 && max(-scaled.lo, scaled.hi) < 2147483648 && shift < 32
 *          && n > 0
 * split    n
 * stack    64
 * cycles   ncore * (fit.call + fit.element * ceil(n, ncore))
 * code     160
 */
#include "kern/kern.h"
#include "kern/xpulp/xpulp.h"

#ifdef XPULPV2
static inline void gate(const struct gate_dims *k, const X *x,
                        const TABLE *table, Y *y, int32_t n)
{
    const X *up = x + k->n;
    int32_t t, u, v;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 11\n"
            "xp.lt.post %[t], %[x], 1, 4\n"
            "xp.lt.post %[u], %[up], 1, %[xt]\n"
            "slli %[t], %[t], %[size]\n"
            "xp.lt.at %[t], %[table], %[t], %[tt]\n"
            "mv %[v], %[half]\n"
            "mul %[t], %[t], %[u]\n"
            "xp.mac %[v], %[t], %[mul]\n"
            "sra %[v], %[v], %[shift]\n"
            "xp.max %[v], %[v], %[lo]\n"
            "xp.min %[v], %[v], %[hi]\n"
            "xp.st.post %[v], %[y], %[yn], %[yt]\n" XP_BLOCK_END
            : [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v), [x] "+&r"(x),
              [up] "+&r"(up), [y] "+&r"(y)
            : [n] "r"(n), [table] "r"(table), [half] "r"(1 << (k->shift - 1)),
              [mul] "r"(k->mul), [shift] "r"(k->shift), [lo] "r"(k->lo),
              [hi] "r"(k->hi), [size] "i"(sizeof(TABLE) - 1),
              [xt] "i"(XP_TYPE(X)), [tt] "i"(XP_TYPE(TABLE)),
              [yn] "i"(sizeof(Y)), [yt] "i"(XP_TYPE(Y))
            : XP_CLOBBERS);
}
#else
static inline void gate(const struct gate_dims *k, const X *x,
                        const TABLE *table, Y *y, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t v = table[(uint8_t)x[i]] * x[k->n + i];

        y[i] = (Y)clip((v * k->mul + (1 << (k->shift - 1))) >> k->shift,
                       k->lo, k->hi);
    }
}
#endif

void FN(const struct gate_dims *k, const struct io *io)
{
    int32_t from, to;

    span(k->n, io->core, io->ncore, &from, &to);
    gate(k, (const X *)io->in[0] + from, io->in[1], (Y *)io->out[0] + from,
         to - from);
}
