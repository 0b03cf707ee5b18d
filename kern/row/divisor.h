/* The root of a row of 16 bits, and its inverse: a row is divided by it once
 * (Granlund, Montgomery, Division by invariant integers using multiplication,
 * 1994, theorem 4.2): of a root d, 2^(l-1) < d <= 2^l, v < 2^31 and m =
 * 2^(31+l) / d + 1, m d exceeds 2^(31+l) by 2^l at most, and v / d is
 * v m >> 31 + l.
 *
 * To be included behind inverse.h; and ROOT, floor(sqrt(v)) of v > 0, where
 * there is a better one. */
#ifndef ROW_DIVISOR_H
#define ROW_DIVISOR_H

#ifndef ROOT
#define ROOT isqrt32
#endif

struct divisor {
    uint32_t root, inverse;
    int32_t shift;
};

/* A quotient of at most 32 bits; sums that have more by two digits, for the
 * compiler would call a function. */
static inline uint32_t mean_of(uint64_t sum, uint32_t n)
{
    uint32_t high, digit;

    if (!(n & (n - 1)))
        return (uint32_t)(sum >> (bits(n) - 1));
    if (!(sum >> 32))
        return (uint32_t)sum / n;
    if (n >> 16)
        return (uint32_t)(sum / n);
    high = (uint32_t)(sum >> 16);
    digit = high / n;
    return (digit << 16) +
           (REST(high, digit, n) << 16 | ((uint32_t)sum & 0xffff)) / n;
}

/* The root of mean + 1, which has 16 bits: its inverse is of two digits. */
static inline struct divisor divisor_of(uint32_t mean)
{
    const uint32_t root = ROOT(mean + 1), digit = (1u << 31) / root;
    const int32_t l = root > 1 ? bits(root - 1) : 0;

    return (struct divisor){
        root,
        (digit << l) + (REST(1u << 31, digit, root) << l) / root + 1, l - 1};
}

#endif
