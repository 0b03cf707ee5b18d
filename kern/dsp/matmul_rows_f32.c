/* Matrix product with b in rows, a row by eight columns at a time: several
 * floats by one load.
 *
 * op       matmul
 * types    a:f32 b:f32 bias:f32 mul:none add:none -> y:f32
 * isa      dsp
 * when     ak == 1 && bn == 1
 * split    m n
 * stack    256
 * cycles   nb[0] * nb[1] * nb[2] * m * ((n >> 3) * (60 + 12 * k) +
 *          (n & 7) * (25 + 7 * k))
 */
#include <math.h>
#include "kern/kern.h"

#define MATMUL_ROWS 1
#define MATMUL_STEP 8
#include "kern/matmul/matmul.h"

/* y += n elements of a by eight columns of b, whose rows are so far apart. */
static inline void column8(const float *a, const float *b, int32_t bk,
                           int32_t n, float y[8])
{
#ifdef FPU
    int32_t turns = n >> 2;

    n &= 3;
    if (turns)
        __asm__ volatile("vldmia %[y], {s16-s23}\n"
            "1:\n\t"
            "vldmia %[a]!, {s0-s3}\n\t"
            "subs %[turns], %[turns], #1\n\t"
            "vldmia %[b], {s8-s15}\n\t"
            "add %[b], %[b], %[bk], lsl #2\n\t"
            "vfma.f32 s16, s0, s8\n\t" "vfma.f32 s17, s0, s9\n\t"
            "vfma.f32 s18, s0, s10\n\t" "vfma.f32 s19, s0, s11\n\t"
            "vfma.f32 s20, s0, s12\n\t" "vfma.f32 s21, s0, s13\n\t"
            "vfma.f32 s22, s0, s14\n\t" "vfma.f32 s23, s0, s15\n\t"
            "vldmia %[b], {s24-s31}\n\t"
            "add %[b], %[b], %[bk], lsl #2\n\t"
            "vfma.f32 s16, s1, s24\n\t" "vfma.f32 s17, s1, s25\n\t"
            "vfma.f32 s18, s1, s26\n\t" "vfma.f32 s19, s1, s27\n\t"
            "vfma.f32 s20, s1, s28\n\t" "vfma.f32 s21, s1, s29\n\t"
            "vfma.f32 s22, s1, s30\n\t" "vfma.f32 s23, s1, s31\n\t"
            "vldmia %[b], {s8-s15}\n\t"
            "add %[b], %[b], %[bk], lsl #2\n\t"
            "vfma.f32 s16, s2, s8\n\t" "vfma.f32 s17, s2, s9\n\t"
            "vfma.f32 s18, s2, s10\n\t" "vfma.f32 s19, s2, s11\n\t"
            "vfma.f32 s20, s2, s12\n\t" "vfma.f32 s21, s2, s13\n\t"
            "vfma.f32 s22, s2, s14\n\t" "vfma.f32 s23, s2, s15\n\t"
            "vldmia %[b], {s24-s31}\n\t"
            "add %[b], %[b], %[bk], lsl #2\n\t"
            "vfma.f32 s16, s3, s24\n\t" "vfma.f32 s17, s3, s25\n\t"
            "vfma.f32 s18, s3, s26\n\t" "vfma.f32 s19, s3, s27\n\t"
            "vfma.f32 s20, s3, s28\n\t" "vfma.f32 s21, s3, s29\n\t"
            "vfma.f32 s22, s3, s30\n\t" "vfma.f32 s23, s3, s31\n\t"
            "bne 1b\n\t"
            "vstmia %[y], {s16-s23}"
            : [a] "+r"(a), [b] "+r"(b), [turns] "+r"(turns)
            : [y] "r"(y), [bk] "r"(bk)
            : "s0", "s1", "s2", "s3", "s8", "s9", "s10", "s11", "s12", "s13",
              "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22",
              "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31",
              "cc", "memory");
#endif
    for (; n > 0; n--, b += bk) {
        const float v = *a++;

        for (int j = 0; j < 8; j++)
            y[j] += v * b[j];
    }
}

/* Columns [n, end) of a row. */
static NOINLINE void rest(const struct matmul_dims *k, const float *a,
                          const float *b, int32_t n, int32_t end, float *y)
{
    for (; n < end; n++) {
        const float *p = b + n;
        float sum = y[n];

        for (int32_t i = 0; i < k->k; i++, p += k->bk)
            sum += a[i] * *p;
        y[n] = sum;
    }
}

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    const int bounded = k->flo > -INFINITY || k->fhi < INFINITY;
    int32_t n;

    a += (ptrdiff_t)of->rows.lo * k->am;
    y += (ptrdiff_t)of->rows.lo * k->n;
    for (int32_t m = of->rows.lo; m < of->rows.hi; m++, a += k->am, y += k->n) {
        for (n = of->channels.lo; n < of->channels.hi; n++)
            y[n] = bias_at(k, io, m, n);
        for (n = of->channels.lo; n + 8 <= of->channels.hi; n += 8)
            column8(a, b + n, k->bk, k->k, y + n);
        rest(k, a, b, n, of->channels.hi, y);
        for (n = of->channels.lo; bounded && n < of->channels.hi; n++)
            y[n] = clipf(y[n], k->flo, k->fhi);
    }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
