/* Attention with integers: scores, weights by tables, weighted sums.
 *
 * op       iattend
 * types    q:int k:int v:int scale:int scores:int powers:int parts:int
 *          mask:int -> y:int
 * isa      any
 * split    heads * m
 * scratch  4 * n
 * stack    256
 * cycles   ncore * ceil(heads * m, ncore) * n * (200 + 12 * d + 12 * e) *
 *          (1 + 2 * quotients)
 *
 * s = clip((q k scale[0] + scale[1]) >> p0, -128, 127) of each row of k,
 * x = clip(scores[s + 128] + mask, -128, 127) with one's element of the row of
 * q and the row of k, or, bound, min(scores[s + 128], mask), or, both, -128
 * where that is -128; p = powers[255 + x - greatest x], a = parts[p p1 / sum of
 * p], parts[0] if that sum is 0; the result is the sum of a v, scaled by
 * scale[2], scale[3] and shift.  Without
 * parts it is that of p v, scaled by scale[2] / sum of p and shift, rounded,
 * and scale[3] more.
 *
 * Of quotients a = p p1 / sum of p, rounded half to even, at most 255; q, k and
 * v are less their zero points; scores and results are scaled and rounded, and
 * have scale[1] and scale[3] more.  If the mask hides, p is 0 where that is
 * -128; a is `none` if the sum of p is 0.  With p4 that sum is times p4 / 2^26,
 * rounded down.
 */
#include "kern/finish.h"

/* A row's, or NULL. */
static const MASK *attend_mask(const struct attend_dims *k,
                               const struct io *io, ptrdiff_t head,
                               ptrdiff_t row)
{
    const MASK *mask = io->in[7];

    return mask ? mask + head * k->mhead + row * k->mrow : NULL;
}

/* sum * mul / 2^shift, rounded half up, and add more. */
static int32_t rounded(ACC sum, int32_t mul, int32_t add, int shift, int32_t lo,
                       int32_t hi)
{
    return narrow(requant(sum, mul, INT64_C(1) << (shift - 1), shift) + add,
                  lo, hi);
}

/* The table's value for each row of k; returns the greatest. */
static int32_t score(const struct attend_dims *k, const struct io *io,
                     const Q *q, const K *key, const MASK *mask, int32_t *x)
{
    const SCALE *scale = io->in[3];
    const SCORES *table = io->in[4];
    int32_t most = INT32_MIN;

    for (int32_t i = 0; i < k->n; i++, key += k->krow) {
        ACC sum = 0;

        for (int32_t j = 0; j < k->d; j++)
            sum += ((ACC)q[j] - k->qzero) * ((ACC)key[j] - k->kzero);
        x[i] = (int32_t)table[128 + (k->quotients
                   ? rounded(sum, scale[0], scale[1], k->p0, -128, 127)
                   : rescale(sum, scale[0], scale[1], k->p0, -128, 127))];
        if (mask && k->bound)
            x[i] = x[i] < (int32_t)mask[i] ? x[i] : (int32_t)mask[i];
        else if (mask && k->both && mask[i] == -128)
            x[i] = -128;
        else if (mask)
            x[i] = clip(x[i] + (int32_t)mask[i], -128, 127);
        most = x[i] > most ? x[i] : most;
    }
    return most;
}

/* v / sum, rounded half to even. */
static int32_t quotient(int64_t v, int64_t sum)
{
    const int64_t q = v / sum, twice = 2 * (v - q * sum);

    return (int32_t)(q + (twice > sum || (twice == sum && q & 1)));
}

/* Powers become weights; returns their sum. */
static int64_t weigh(const struct attend_dims *k, const struct io *io,
                     int32_t most, const MASK *mask, int32_t *x)
{
    const POWERS *power = io->in[5];
    const PARTS *table = io->in[6];
    int64_t sum = 0;

    for (int32_t i = 0; i < k->n; i++) {
        x[i] = (int32_t)power[255 + x[i] - most];
        if (k->hides && mask[i] == -128)
            x[i] = 0;
        sum += x[i];
    }
    for (int32_t i = 0; i < k->n && table; i++)
        x[i] = (int32_t)table[sum ? (int64_t)x[i] * k->p1 / sum : 0];
    if (k->quotients && k->p4)
        sum = (sum >> 32) * k->p4 * 64 + ((sum & 0xffffffff) * k->p4 >> 26);
    for (int32_t i = 0; i < k->n && k->quotients; i++)
        x[i] = sum ? clip(quotient((int64_t)x[i] * k->p1, sum), 0, 255)
                   : k->none;
    return sum;
}

/* What becomes of the sum of weighted rows of v. */
static int32_t result(const struct attend_dims *k, const struct io *io,
                      int64_t powers, ACC sum)
{
    const SCALE *scale = io->in[3];

    if (io->in[6])
        return rescale(sum, scale[2], scale[3], k->shift, k->lo, k->hi);
    if (k->quotients)
        return rounded(sum, scale[2], scale[3], k->shift, k->lo, k->hi);
    return narrow(requant(sum, scale[2] / (powers + !powers),
                          INT64_C(1) << (k->shift - 1), k->shift) + scale[3],
                  k->lo, k->hi);
}

void FN(const struct attend_dims *k, const struct io *io)
{
    int32_t *x = io->tmp, from, to;

    span(k->heads * k->m, io->core, io->ncore, &from, &to);
    for (int32_t r = from; r < to; r++) {
        const ptrdiff_t head = r / k->m, row = r % k->m;
        const Q *q = (const Q *)io->in[0] + row * k->qrow + head * k->qhead;
        const K *key = (const K *)io->in[1] + head * k->khead;
        const V *v = (const V *)io->in[2] + head * k->vhead;
        const MASK *mask = attend_mask(k, io, head, row);
        Y *y = (Y *)io->out[0] + row * k->yrow + head * k->yhead;
        const int64_t powers =
            weigh(k, io, score(k, io, q, key, mask, x), mask, x);

        for (int32_t j = 0; j < k->e; j++) {
            ACC sum = 0;

            for (int32_t i = 0; i < k->n; i++)
                sum += x[i] * ((ACC)v[(ptrdiff_t)i * k->vrow + j] - k->vzero);
            y[j] = (Y)result(k, io, powers, sum);
        }
    }
}
