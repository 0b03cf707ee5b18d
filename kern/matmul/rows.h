/* Matrix product with b in rows, two rows by four columns at a time.  The
 * including file defines finish(k, io, sum, m, n). */
#ifndef MATMUL_ROWS_H
#define MATMUL_ROWS_H

#define MATMUL_STEP 4
#include "kern/matmul/matmul.h"

/* s[0..3] += a times four columns of b; s[4..7] with the next row of a. */
static NOINLINE void block2(const struct matmul_dims *k, const A *a,
                            const B *b, ACC s[8])
{
    const A *c = a + k->am;
    ACC s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    ACC s4 = s[4], s5 = s[5], s6 = s[6], s7 = s[7];

    for (int32_t i = 0; i < k->k; i++, a += k->ak, c += k->ak, b += k->bk) {
        const ACC p = (ACC)*a, q = (ACC)*c;

        s0 += p * (ACC)b[0];
        s1 += p * (ACC)b[1];
        s2 += p * (ACC)b[2];
        s3 += p * (ACC)b[3];
        s4 += q * (ACC)b[0];
        s5 += q * (ACC)b[1];
        s6 += q * (ACC)b[2];
        s7 += q * (ACC)b[3];
    }
    s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3;
    s[4] = s4, s[5] = s5, s[6] = s6, s[7] = s7;
}

static NOINLINE void block1(const struct matmul_dims *k, const A *a,
                            const B *b, ACC s[4])
{
    ACC s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];

    for (int32_t i = 0; i < k->k; i++, a += k->ak, b += k->bk) {
        s0 += (ACC)*a * (ACC)b[0];
        s1 += (ACC)*a * (ACC)b[1];
        s2 += (ACC)*a * (ACC)b[2];
        s3 += (ACC)*a * (ACC)b[3];
    }
    s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3;
}

static ACC column(const struct matmul_dims *k, const A *a, const B *b, ACC sum)
{
    for (int32_t i = 0; i < k->k; i++, a += k->ak, b += k->bk)
        sum += (ACC)a[0] * (ACC)b[0];
    return sum;
}

/* Columns n to end of row m. */
static void rest(const struct matmul_dims *k, const struct io *io, const A *a,
                 const B *b, int32_t m, int32_t n, int32_t end, Y *y)
{
    for (; n < end; n++)
        y[n] = (Y)finish(k, io,
                         column(k, a, b + n, bias_at(k, io, m, n)), m, n);
}

static void one_row(const struct matmul_dims *k, const struct io *io,
                    struct span of, const A *a, const B *b, int32_t m, Y *y)
{
    int32_t n = of.lo;

    for (; n + 4 <= of.hi; n += 4) {
        ACC s[4];

        for (int j = 0; j < 4; j++)
            s[j] = bias_at(k, io, m, n + j);
        block1(k, a, b + n, s);
        for (int j = 0; j < 4; j++)
            y[n + j] = (Y)finish(k, io, s[j], m, n + j);
    }
    rest(k, io, a, b, m, n, of.hi, y);
}

static void two_rows(const struct matmul_dims *k, const struct io *io,
                     struct span of, const A *a, const B *b, int32_t m, Y *y)
{
    int32_t n = of.lo;

    for (; n + 4 <= of.hi; n += 4) {
        ACC s[8];

        for (int j = 0; j < 4; j++) {
            s[j] = bias_at(k, io, m, n + j);
            s[4 + j] = bias_at(k, io, m + 1, n + j);
        }
        block2(k, a, b + n, s);
        for (int j = 0; j < 4; j++) {
            y[n + j] = (Y)finish(k, io, s[j], m, n + j);
            y[k->n + n + j] = (Y)finish(k, io, s[4 + j], m + 1, n + j);
        }
    }
    rest(k, io, a, b, m, n, of.hi, y);
    rest(k, io, a + k->am, b, m + 1, n, of.hi, y + k->n);
}

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    int32_t m = of->rows.lo;

    for (; m + 2 <= of->rows.hi; m += 2)
        two_rows(k, io, of->channels, a + (ptrdiff_t)m * k->am, b, m,
                 y + (ptrdiff_t)m * k->n);
    if (m < of->rows.hi)
        one_row(k, io, of->channels, a + (ptrdiff_t)m * k->am, b, m,
                y + (ptrdiff_t)m * k->n);
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}

#endif
