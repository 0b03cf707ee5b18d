/* The integer RMS norm of 16 bits: squares are summed in 64, and a row is
 * divided by its root once (Granlund, Montgomery, Division by invariant
 * integers using multiplication, 1994, theorem 4.2): of a root d, 2^(l-1) < d
 * <= 2^l, v < 2^31 and m = 2^(31+l) / d + 1, m d exceeds 2^(31+l) by 2^l at
 * most, and v / d is v m >> 31 + l.
 *
 * A core takes a stretch of all elements, whatever the rows; of a row that it
 * shares, it has the sum too.  To be included behind inverse.h, after X, W and
 * Y are defined; and SQUARES, a function that sums squares, and CLIP, if there
 * are better ones. */
#ifndef ROW_RMSNORM_H
#define ROW_RMSNORM_H

#ifndef SQUARES
#define SQUARES squares
static inline uint64_t squares(const X *x, int32_t n)
{
    uint64_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += (uint32_t)((int32_t)x[i] * x[i]);
    return sum;
}
#endif

#ifndef CLIP
#define CLIP clip
#endif

struct divisor {
    uint32_t root, inverse;
    int32_t shift;
};

static inline uint32_t mean_of(uint64_t sum, uint32_t n)
{
    if (!(n & (n - 1)))
        return (uint32_t)(sum >> (bits(n) - 1));
    return sum >> 32 ? (uint32_t)(sum / n) : (uint32_t)sum / n;
}

static inline struct divisor divisor_of(const X *x, int32_t n)
{
    const uint32_t mean = mean_of(SQUARES(x, n), (uint32_t)n);
    const uint32_t root = isqrt32(mean + 1);
    const int32_t l = root > 1 ? bits(root - 1) : 0;

    return (struct divisor){root, root > 1 ? inverse(1, root, 31 + l) : 0,
                            l - 1};
}

/* v / root as in C, the sign taken off and put on without branches. */
static inline int32_t divided(int32_t v, struct divisor d)
{
    const uint32_t sign = (uint32_t)(v >> 31);
    const uint32_t size = ((uint32_t)v ^ sign) - sign;
    const uint32_t q = (uint32_t)((uint64_t)size * d.inverse >> 32) >> d.shift;

    return (int32_t)((q ^ sign) - sign);
}

static inline void row(const struct row_dims *k, const X *x, const W *w, Y *y,
                       int32_t from, int32_t to)
{
    const struct divisor d = divisor_of(x, k->n);
    const int32_t shift = k->shift, lo = k->lo, hi = k->hi;

    if (d.root < 2)
        for (int32_t i = from; i < to; i++)
            y[i] = (Y)CLIP((int32_t)x[i] * w[i] >> shift, lo, hi);
    else
        for (int32_t i = from; i < to; i++)
            y[i] = (Y)CLIP(divided((int32_t)x[i] * w[i], d) >> shift, lo, hi);
}

static inline void rows(const struct row_dims *k, const struct io *io)
{
    const int32_t n = k->n;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t at, end, first;

    span(k->rows * n, io->core, io->ncore, &at, &end);
    first = at % n;
    x += at - first;
    y += at - first;
    for (; at < end; x += n, y += n, first = 0) {
        const int32_t to = n - first < end - at ? n : first + end - at;

        row(k, x, io->in[1], y, first, to);
        at += to - first;
    }
}

#endif
