/* Fixed-point functions of 32 bits, as gemmlowp has them (fixedpoint.h): sums
 * and products saturate, and are rounded to the nearest. */
#ifndef KERN_ROW_FIXED_H
#define KERN_ROW_FIXED_H

#include <stdint.h>

static inline int64_t fixed_sat(int64_t v)
{
    return v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v;
}

/* Of two numbers in Q0.31; ties go up. */
static inline int64_t fixed_mul(int64_t a, int64_t b)
{
    return (a * b + ((int64_t)1 << 30)) >> 31;
}

static inline int64_t fixed_left(int64_t v, int n)
{
    return fixed_sat(v * ((int64_t)1 << n));
}

/* v / 2^n; ties go away from 0. */
static inline int64_t fixed_right(int64_t v, int n)
{
    return (v + (n ? ((int64_t)1 << (n - 1)) - (v < 0) : 0)) >> n;
}

/* v m 2^(31 - shift), rounded twice (MultiplyByQuantizedMultiplier). */
static inline int64_t fixed_scale(int64_t v, int64_t m, int shift)
{
    int64_t half = (int64_t)1 << (shift - 1);

    if (shift > 31)
        half += v < 0 ? -((int64_t)1 << 30) : (int64_t)1 << 30;
    return (v * m + half) >> shift;
}

/* exp(a) in Q0.31 of a <= 0 in Q(i).(31-i): a polynomial about -1/8 of what is
 * left of a in (-1/4, 0], and a factor for each further bit of it. */
static inline int64_t fixed_exp(int64_t a, int i)
{
    static const int32_t factor[] = {1672461947, 1302514674, 790015084,
                                     290630308, 39332535, 720401, 242};
    int64_t u = (int64_t)1 << (29 - i), c = (a & (u - 1)) - u, rest = c - a;
    int64_t x = fixed_left(c, i) + ((int64_t)1 << 28);
    int64_t x2 = fixed_mul(x, x), x3 = fixed_mul(x2, x);
    int64_t x4 = fixed_mul(x2, x2), t, r;

    if (a == 0)
        return INT32_MAX;
    t = fixed_right(fixed_mul(fixed_right(x4, 2) + x3, 715827883) + x2, 1);
    r = 1895147668 + fixed_mul(1895147668, x + t);
    for (int e = -2; e < 5 && e < i; e++)
        if (rest >> (31 - i + e) & 1)
            r = fixed_mul(r, factor[e + 2]);
    return r;
}

/* 2 / (1 + a) in Q2.29 of a in Q0.31 from 0 to 1 (Newton, Raphson). */
static inline int64_t fixed_reciprocal(int64_t a)
{
    int64_t s = a + INT32_MAX, h = (s + (s >= 0 ? 1 : -1)) / 2;
    int64_t x = 1515870810 + fixed_mul(h, -1010580540);

    for (int k = 0; k < 3; k++)
        x += fixed_left(fixed_mul(x, ((int64_t)1 << 29) - fixed_mul(h, x)),
                        2);
    return x;
}

/* 1 / (1 + a) and (1 - a) / (1 + a) in Q0.31. */
static inline int64_t fixed_inverse(int64_t a)
{
    return fixed_left(fixed_reciprocal(a), 1);
}

static inline int64_t fixed_quotient(int64_t a)
{
    return fixed_left(fixed_reciprocal(a) - ((int64_t)1 << 29), 2);
}

/* fixed_inverse of a in Q0.31 from 0 to 1 by numbers of 32 bits: no product of
 * Newton's method saturates. */
static inline int32_t fixed_mul32(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b + ((int64_t)1 << 30)) >> 31);
}

static inline int32_t fixed_inverse32(uint32_t a)
{
    const int32_t h = (int32_t)((a + ((uint32_t)1 << 31)) >> 1);
    int32_t x = 1515870810 + fixed_mul32(h, -1010580540);

    for (int k = 0; k < 3; k++)
        x += 4 * fixed_mul32(x, ((int32_t)1 << 29) - fixed_mul32(h, x));
    return x < (int32_t)1 << 30 ? 2 * x : INT32_MAX;
}

static inline int fixed_clz(uint32_t v)
{
    return v ? __builtin_clz(v) : 32;
}

/* log(v) in Q5.26 of v >= 2^-18 in Q12.19 (reference_ops,
 * log_x_for_x_greater_than_or_equal_to_1): v = r 2^e with r near 2^(-1/4), and
 * a quotient of polynomials about that for log(r). */
static inline int64_t fixed_log(int64_t v)
{
    const int64_t root2 = 1518500250, root4 = 1805811301, log2 = 1488522236;
    const int64_t quarter = 1 << 23;
    int a = fixed_clz((uint32_t)v) - 1;
    int b = fixed_clz((uint32_t)fixed_mul(v, root2)) - 1;
    int64_t ra = fixed_left(fixed_mul(v << a, root2), 1);
    int64_t rb = fixed_left(v, b);
    int64_t ea = (11 - a) * ((int64_t)1 << 25) + quarter;
    int64_t eb = (12 - b) * ((int64_t)1 << 25) - quarter;
    int64_t r = ra < rb ? ra : rb, e = ea > eb ? ea : eb;
    int64_t p = (r + root4 + 1) / 2, q = 2 * (r - root4);
    int64_t q2 = fixed_mul(q, q);
    int64_t num = fixed_mul(q, r) + fixed_mul(fixed_mul(q, q2), 117049297);
    int64_t den = fixed_mul(p, 1057819769 + q + fixed_mul(127690142, q2)) +
                  fixed_mul(638450708, q);

    return fixed_left(fixed_mul(e, log2) +
                      fixed_mul(fixed_right(num, 6), fixed_inverse(den)), 1);
}

/* 1 / sqrt(v) as m and the shift of fixed_scale, of 0 <= v < 2^31: Newton's
 * method in Q3.28 (reference_ops, GetInvSqrtQuantizedMultiplierExp). */
static inline int fixed_inverse_sqrt(int64_t v, int64_t *m)
{
    int64_t x = (int64_t)1 << 28, h, x3;
    int k, sh = 11;

    *m = INT32_MAX;
    if (v <= 1)
        return 31;
    for (; v >= (int64_t)1 << 29; v /= 4)
        sh++;
    k = (fixed_clz((uint32_t)v) - 1) / 2 - 1;
    sh -= k;
    h = fixed_right(v << (2 * k) >> 1, 1);
    for (k = 0; k < 5; k++) {
        x3 = fixed_left(fixed_mul(fixed_mul(x, x), x), 6);
        x = fixed_left(fixed_mul((int64_t)3 << 27, x) - fixed_mul(h, x3), 3);
    }
    *m = fixed_mul(x, 1518500250);
    if (sh < 0) {
        *m <<= -sh;
        sh = 0;
    }
    return 31 + sh;
}

#endif
