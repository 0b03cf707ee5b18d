/* The products of matmul/dot.h with a left side of 16 bits and a right side of
 * signed bytes, with packed instructions; sums of 32 or 64 bits.
 *
 * Bytes become halves in order, so that the left side is taken as it is. */
#ifndef DSP_SHORT_H
#define DSP_SHORT_H

#include "kern/dsp/dsp.h"

/* Four bytes as two words of two halves. */
struct short_pairs {
    uint32_t first, last;
};

static inline struct short_pairs short_spread(const RIGHT *p)
{
    const uint32_t v = dsp_load(p), even = dsp_even(v, 1), odd = dsp_odd(v, 1);

#ifdef DSP
    struct short_pairs w;

    __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(w.first) : "r"(even), "r"(odd));
    __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(w.last) : "r"(odd), "r"(even));
    return w;
#else
    return (struct short_pairs){(even & 0xffff) | odd << 16,
                                even >> 16 | (odd & 0xffff0000)};
#endif
}

static inline int64_t dsp_mac64(uint32_t a, uint32_t b, int64_t sum)
{
#ifdef DSP
    return __smlald((int16x2_t)a, (int16x2_t)b, sum);
#else
    return sum + (int32_t)(int16_t)a * (int16_t)b +
           (int32_t)(int16_t)(a >> 16) * (int16_t)(b >> 16);
#endif
}

/* Two rows by two over a multiple of four elements, up to `end` of u: 25
 * instructions for 16 products, which compilers cannot keep in registers. */
#ifdef DSP
#define SHORT_SPREAD(row, first, last)                                  \
    "ldr %[x], [" row "], #4\n"                                         \
    "sxtb16 " last ", %[x]\n"                                           \
    "sxtb16 %[x], %[x], ror #8\n"                                       \
    "pkhbt " first ", " last ", %[x], lsl #16\n"                        \
    "pkhtb " last ", %[x], " last ", asr #16\n"
#define SHORT_TWO(row, p, q, s0, s1)                                    \
    "ldr %[x], [" row "], #4\n"                                         \
    "smlad " s0 ", %[x], " p ", " s0 "\n"                               \
    "smlad " s1 ", %[x], " q ", " s1 "\n"
#define SHORT_STEP                                                      \
    "1:\n" SHORT_SPREAD("%[u]", "%[p0]", "%[p1]")                       \
        SHORT_SPREAD("%[v]", "%[q0]", "%[q1]")                          \
        SHORT_TWO("%[a]", "%[p0]", "%[q0]", "%[s0]", "%[s1]")           \
        SHORT_TWO("%[a]", "%[p1]", "%[q1]", "%[s0]", "%[s1]")           \
        SHORT_TWO("%[b]", "%[p0]", "%[q0]", "%[t0]", "%[t1]")           \
        SHORT_TWO("%[b]", "%[p1]", "%[q1]", "%[t0]", "%[t1]")           \
    "ldr %[x], %[end]\n"                                                \
    "cmp %[u], %[x]\n"                                                  \
    "bne 1b\n"

static inline void short_fours(const LEFT *a, const LEFT *b, const RIGHT *u,
                               const RIGHT *v, const RIGHT *end, int32_t s[2],
                               int32_t t[2])
{
    int32_t s0 = s[0], s1 = s[1], t0 = t[0], t1 = t[1];
    uint32_t p0, p1, q0, q1, x;

    __asm__ volatile(SHORT_STEP
                     : [s0] "+r"(s0), [s1] "+r"(s1), [t0] "+r"(t0),
                       [t1] "+r"(t1), [a] "+r"(a), [b] "+r"(b),
                       [u] "+r"(u), [v] "+r"(v), [p0] "=&r"(p0),
                       [p1] "=&r"(p1), [q0] "=&r"(q0), [q1] "=&r"(q1),
                       [x] "=&r"(x)
                     : [end] "m"(end)
                     : "cc", "memory");
    s[0] = s0, s[1] = s1;
    t[0] = t0, t[1] = t1;
}
#else
static inline void short_fours(const LEFT *a, const LEFT *b, const RIGHT *u,
                               const RIGHT *v, const RIGHT *end, int32_t s[2],
                               int32_t t[2])
{
    for (; u != end; a += 4, b += 4, u += 4, v += 4) {
        const struct short_pairs p = short_spread(u), q = short_spread(v);

        s[0] = dsp_mac(dsp_load(a), p.first, s[0]);
        s[0] = dsp_mac(dsp_load(a + 2), p.last, s[0]);
        s[1] = dsp_mac(dsp_load(a), q.first, s[1]);
        s[1] = dsp_mac(dsp_load(a + 2), q.last, s[1]);
        t[0] = dsp_mac(dsp_load(b), p.first, t[0]);
        t[0] = dsp_mac(dsp_load(b + 2), p.last, t[0]);
        t[1] = dsp_mac(dsp_load(b), q.first, t[1]);
        t[1] = dsp_mac(dsp_load(b + 2), q.last, t[1]);
    }
}
#endif

static inline void short22(const LEFT *a, const LEFT *b, const RIGHT *u,
                           const RIGHT *v, int32_t n, int32_t s[2],
                           int32_t t[2])
{
    const int32_t fours = n & -4;

    if (fours > 0)
        short_fours(a, b, u, v, u + fours, s, t);
    for (int32_t i = fours; i < n; i++) {
        s[0] += a[i] * u[i];
        s[1] += a[i] * v[i];
        t[0] += b[i] * u[i];
        t[1] += b[i] * v[i];
    }
}

/* One row of a by two of b, in sums of type T made by MAC. */
#define SHORT12(name, T, MAC)                                                \
    static inline void name(const LEFT *a, const RIGHT *u, const RIGHT *v,   \
                            int32_t n, T s[2])                               \
    {                                                                        \
        T s0 = s[0], s1 = s[1];                                              \
                                                                             \
        for (int32_t i = n >> 2; i > 0; i--, a += 4, u += 4, v += 4) {       \
            const struct short_pairs p = short_spread(u);                    \
            const struct short_pairs q = short_spread(v);                    \
            const uint32_t x = dsp_load(a), y = dsp_load(a + 2);             \
                                                                             \
            s0 = MAC(y, p.last, MAC(x, p.first, s0));                        \
            s1 = MAC(y, q.last, MAC(x, q.first, s1));                        \
        }                                                                    \
        for (n &= 3; n > 0; n--, a++, u++, v++) {                            \
            s0 += *a * *u;                                                   \
            s1 += *a * *v;                                                   \
        }                                                                    \
        s[0] = s0, s[1] = s1;                                                \
    }
SHORT12(short12, int32_t, dsp_mac)
SHORT12(long12, int64_t, dsp_mac64)

#include "kern/matmul/wide.h"

#endif
