/* dot22() and dot12() of matmul/dot.h, by short22() and short12() with sums of
 * 32 bits, long12() with sums of 64. */
#ifndef MATMUL_WIDE_H
#define MATMUL_WIDE_H

static NOINLINE void dot12(const LEFT *a, const RIGHT *b0, const RIGHT *b1,
                           int32_t n, ACC s[2])
{
    if (sizeof(ACC) == 8) {
        long12(a, b0, b1, n, (int64_t *)s);
    } else {
        short12(a, b0, b1, n, (int32_t *)s);
    }
}

static NOINLINE void dot22(const LEFT *a0, const LEFT *a1, const RIGHT *b0,
                           const RIGHT *b1, int32_t n, ACC s[2], ACC t[2])
{
    if (sizeof(ACC) == 8) {
        long12(a0, b0, b1, n, (int64_t *)s);
        long12(a1, b0, b1, n, (int64_t *)t);
    } else {
        short22(a0, a1, b0, b1, n, (int32_t *)s, (int32_t *)t);
    }
}

#endif
