/* The layer norm of bytes on a grid (kern/ref/qlayernorm_int.c): a row by upper
 * halves of products.
 *
 * op       qlayernorm
 * types    x:s8|u8 w:s32 b:s64 -> y:s8|u8
 * isa      any
 * when     n < 4096 && shift > 31
 * inplace  x
 * split    rows
 * stack    256
 * let      long = ncore > 1
 * cycles   ncore * (ceil(rows, ncore) * (250 + 480 * long + (34 + 18 * long) *
 *          n) + 60)
 */
#include "kern/row/inverse.h"

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

static NOINLINE void take_scale(const struct row_dims *k, const X *x,
                                struct scale *to)
{
    int32_t sum = 0, shift = 39 - k->p0 / 2, up;
    uint32_t squares = 0, top;
    uint64_t v, u;

    for (int32_t i = 0; i < k->n; i++) {
        sum += x[i];
        squares += (uint32_t)(x[i] * x[i]);
    }
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

static NOINLINE void row(const struct row_dims *k, const X *x, const W *w,
                         const B *b, Y *y)
{
    const int32_t n = k->n, shift = k->shift - 32, lo = k->lo, hi = k->hi;
    struct scale s;

    take_scale(k, x, &s);
    for (int32_t i = 0; i < n; i++) {
        const int32_t d = (n * x[i] - s.sum) * (1 << s.up);
        const int32_t z = upper(d, s.by) >> s.down;
        const int64_t v = (int64_t)z * w[i] + b[i];

        y[i] = (Y)clip((int32_t)(v >> 32) >> shift, lo, hi);
    }
}

#include "kern/row/norm_rows.h"

void FN(const struct row_dims *k, const struct io *io)
{
    rows(k, io);
}
