/* Softmax of integers by tables, as TensorFlow Lite computes it.
 *
 * op       qsoftmax
 * types    x:s8|u8|s16 t:int r:int -> y:s8|u8|s16
 * isa      any
 * split    rows
 * stack    480
 * cycles   ncore * ((rows + ncore - 1) / ncore) * (400 + 120 * n)
 *
 * Of bytes (p0: bits of y) t has exp(-d) in Q0.31 of d = max - x; the results
 * are its quotients by their sum.  With p2, levels, those are exact, rounded half
 * to even: t p2 / sum of t; then x may have 16 bits, and what is more than 255
 * below the greatest, or the least that 16 bits hold, has no t; with p1 the sum
 * is times p1 / 2^26, rounded down.  Of 16 bits
 * (p0: 0) the difference is scaled by p1 and shift to steps of the curve t, of
 * which 1/(1 + v), v being what the sum's leading bit leaves, is the curve r;
 * both have 513 points.
 */
#include "kern/row/fixed.h"
#include "kern/row/own_rows.h"

static int64_t greatest(const X *x, int32_t n)
{
    int64_t best = x[0];

    for (int32_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static int64_t limit(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static void row_bytes(const struct row_dims *k, const X *x, const T *t, Y *y)
{
    const int64_t top = greatest(x, k->n);
    int64_t sum = 0, inverse;
    int room, shift;

    for (int32_t i = 0; i < k->n; i++)
        sum += fixed_right((int64_t)t[top - x[i]], 12);
    sum = sum < 1 ? 1 : fixed_sat(sum);
    room = fixed_clz((uint32_t)sum);
    shift = 43 - room - k->p0;
    inverse = fixed_inverse((sum << room) - ((int64_t)1 << 31));
    for (int32_t i = 0; i < k->n; i++) {
        int64_t e = fixed_mul(inverse, (int64_t)t[top - x[i]]);

        y[i] = (Y)limit(fixed_right(e, shift < 0 ? 0 : shift) + k->lo, k->lo,
                        k->hi);
    }
}

/* v / sum, rounded half to even. */
static int64_t rounded(int64_t v, int64_t sum)
{
    const int64_t r = sum ? (2 * v + sum) / (2 * sum) : 0;

    return r * 2 * sum == 2 * v + sum ? r & ~(int64_t)1 : r;
}

static int64_t power_of(const T *t, int64_t top, int64_t x)
{
    return top - x > 255 || x == INT16_MIN ? 0 : (int64_t)t[top - x];
}

/* sum by / 2^26, if by is not 0. */
static int64_t part_of(int64_t sum, int64_t by)
{
    return by ? ((sum >> 32) * by * 64) + ((sum & 0xffffffff) * by >> 26) : sum;
}

static void row_levels(const struct row_dims *k, const X *x, const T *t, Y *y)
{
    const int64_t top = greatest(x, k->n);
    int64_t sum = 0;

    for (int32_t i = 0; i < k->n; i++)
        sum += power_of(t, top, x[i]);
    sum = part_of(sum, k->p1);
    for (int32_t i = 0; i < k->n; i++)
        y[i] = (Y)limit(rounded(power_of(t, top, x[i]) * k->p2, sum) + k->lo,
                        k->lo, k->hi);
}

/* Without r there are bytes alone. */
#ifdef NO_R
#define ROW_SHORTS(k, x, io, y)
#else
#define ROW_SHORTS(k, x, io, y) row_shorts(k, x, (io)->in[1], (io)->in[2], y)

/* A curve between two of its points, 128 steps apart. */
static int64_t look(const T *t, int64_t v)
{
    const int64_t i = 256 + (v >> 7), from = (int64_t)t[i];

    return from + ((((int64_t)t[i + 1] - from) * (v & 127) + 64) >> 7);
}

static int64_t look_r(const R *t, int64_t v)
{
    const int64_t i = 256 + (v >> 7), from = (int64_t)t[i];

    return from + ((((int64_t)t[i + 1] - from) * (v & 127) + 64) >> 7);
}

static int64_t power(const struct row_dims *k, const T *t, int64_t d)
{
    return look(t, limit(fixed_scale(d, k->p1, k->shift) + 32767, -32768,
                         32767));
}

static void row_shorts(const struct row_dims *k, const X *x, const T *t,
                       const R *r, Y *y)
{
    const int64_t top = greatest(x, k->n);
    int64_t sum = 0, q;
    int room;

    for (int32_t i = 0; i < k->n; i++)
        sum += power(k, t, x[i] - top);
    sum = sum < 2 ? 2 : fixed_sat(sum);
    room = fixed_clz((uint32_t)sum);
    q = (((sum << room >> 1) + (1 << 13)) >> 14) - 98304;
    q = look_r(r, limit(q, -32768, 32767));
    for (int32_t i = 0; i < k->n; i++) {
        int64_t e = power(k, t, x[i] - top) * q;

        y[i] = (Y)limit((e + ((int64_t)1 << (30 - room))) >> (31 - room), k->lo,
                        k->hi);
    }
}
#endif

void FN(const struct row_dims *k, const struct io *io)
{
    struct own_rows r = own_rows(k, io);

    for (; r.left > 0; next_row(&r))
        if (k->p2) {
            row_levels(k, r.x, io->in[1], r.y);
        } else if (k->p0) {
            row_bytes(k, r.x, io->in[1], r.y);
        } else {
            ROW_SHORTS(k, r.x, io, r.y);
        }
}
