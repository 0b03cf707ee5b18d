/* What a row of the layer norm of bytes on a grid (kern/ref/qlayernorm_int.c) is
 * multiplied by, by upper halves of products.  To be included after X is
 * defined, and `bits` and isqrt32 are (kern/row/inverse.h). */
#ifndef ROW_QLAYERNORM_H
#define ROW_QLAYERNORM_H

/* What a row is multiplied by: d << up by `by`, its upper half >> down. */
struct scale {
    int32_t sum, by, up, down;
};

static inline int32_t upper(int32_t a, int32_t b)
{
    return (int32_t)((int64_t)a * b >> 32);
}

/* floor(sqrt(u)) of 63 bits or 64: the root of the upper half, and 16 bits more
 * by a division, perhaps one too many (Zimmermann, Karatsuba square root,
 * 1999). */
static inline uint32_t root_of(uint64_t u)
{
    const uint32_t top = isqrt32((uint32_t)(u >> 32));
    const uint64_t rest = u - ((uint64_t)(top * top) << 32);
    const uint32_t more = (uint32_t)(rest >> 17) / top;
    const uint64_t r = ((uint64_t)top << 16) + (more < 65536 ? more : 65535);

    return (uint32_t)(r - (r * r > u));
}

/* From the sum of a row and that of its squares. */
static NOINLINE void take_scale(const struct row_dims *k, int32_t sum,
                                uint32_t squares, struct scale *to)
{
    int32_t shift = 39 - k->p0 / 2, up;
    uint32_t top;
    uint64_t v, u;

    v = (uint64_t)squares * (uint32_t)k->n -
        (uint64_t)((int64_t)sum * sum);
    u = (v << k->p0) + (uint32_t)k->p1;
    top = (uint32_t)(u >> 32);
    up = top ? 32 - bits(top) : u ? 64 - bits((uint32_t)u) : 0;
    up /= 2;
    shift -= up;
    *to = (struct scale){.sum = sum};
    if (!v)
        return; /* a row of equal elements */
    to->by = (int32_t)(((UINT64_C(1) << 62) - 1) / root_of(u << 2 * up));
    to->up = shift < 32 ? 32 - shift : 0;
    to->down = shift < 32 ? 0 : shift - 32;
}

#endif
