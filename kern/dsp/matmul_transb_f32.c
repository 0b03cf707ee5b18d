/* Matrix product with b transposed, a row by four columns at a time: several
 * floats by one load.
 *
 * op       matmul
 * types    a:f32 b:f32 bias:f32 mul:none add:none -> y:f32
 * isa      dsp
 * when     ak == 1 && bk == 1
 * split    m n
 * stack    288
 * cycles   nb[0] * nb[1] * nb[2] * m * ((n >> 2) * (30 + 6 * k) +
 *          (n & 3) * (25 + 5 * k))
 */
#include <math.h>
#include "kern/kern.h"

#define MATMUL_ROWS 1
#define MATMUL_STEP 4
#include "kern/matmul/matmul.h"

/* y += a.b of n elements, of each of four rows of b, so far apart. */
static inline void dot4(const float *a, const float *b, int32_t apart,
                        int32_t n, float y[4])
{
    const float *b1 = b + apart, *b2 = b1 + apart, *b3 = b2 + apart;
#ifdef FPU
    int32_t turns = n >> 2;

    n &= 3;
    if (turns)
        __asm__ volatile("vldmia %[y], {s24-s27}\n"
            "1:\n\t"
            "vldmia %[a]!, {s0-s3}\n\t"
            "vldmia %[b]!, {s4-s7}\n\t"
            "vldmia %[b1]!, {s8-s11}\n\t"
            "vldmia %[b2]!, {s12-s15}\n\t"
            "vldmia %[b3]!, {s16-s19}\n\t"
            "subs %[turns], %[turns], #1\n\t"
            "vfma.f32 s24, s0, s4\n\t" "vfma.f32 s25, s0, s8\n\t"
            "vfma.f32 s26, s0, s12\n\t" "vfma.f32 s27, s0, s16\n\t"
            "vfma.f32 s24, s1, s5\n\t" "vfma.f32 s25, s1, s9\n\t"
            "vfma.f32 s26, s1, s13\n\t" "vfma.f32 s27, s1, s17\n\t"
            "vfma.f32 s24, s2, s6\n\t" "vfma.f32 s25, s2, s10\n\t"
            "vfma.f32 s26, s2, s14\n\t" "vfma.f32 s27, s2, s18\n\t"
            "vfma.f32 s24, s3, s7\n\t" "vfma.f32 s25, s3, s11\n\t"
            "vfma.f32 s26, s3, s15\n\t" "vfma.f32 s27, s3, s19\n\t"
            "bne 1b\n\t"
            "vstmia %[y], {s24-s27}"
            : [a] "+r"(a), [b] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2),
              [b3] "+r"(b3), [turns] "+r"(turns)
            : [y] "r"(y)
            : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9",
              "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18",
              "s19", "s24", "s25", "s26", "s27", "cc", "memory");
#endif
    for (; n > 0; n--) {
        const float v = *a++;

        y[0] += v * *b++;
        y[1] += v * *b1++;
        y[2] += v * *b2++;
        y[3] += v * *b3++;
    }
}

/* Columns [n, end) of a row. */
static NOINLINE void rest(const struct matmul_dims *k, const float *a,
                          const float *b, int32_t n, int32_t end, float *y)
{
    for (; n < end; n++) {
        const float *p = b + (ptrdiff_t)n * k->bn;
        float sum = y[n];

        for (int32_t i = 0; i < k->k; i++)
            sum += a[i] * p[i];
        y[n] = sum;
    }
}

static NOINLINE void begin(const struct matmul_dims *k, const struct io *io,
                           int32_t m, int32_t n, int32_t end, float *y)
{
    if (io->in[2])
        for (; n < end; n++)
            y[n] = bias_at(k, io, m, n);
    else
        for (; n < end; n++)
            y[n] = 0;
}

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    const int bounded = k->flo > -INFINITY || k->fhi < INFINITY;
    int32_t n;

    a += (ptrdiff_t)of->rows.lo * k->am;
    y += (ptrdiff_t)of->rows.lo * k->n;
    for (int32_t m = of->rows.lo; m < of->rows.hi; m++, a += k->am, y += k->n) {
        begin(k, io, m, of->channels.lo, of->channels.hi, y);
        for (n = of->channels.lo; n + 4 <= of->channels.hi; n += 4)
            dot4(a, b + (ptrdiff_t)n * k->bn, k->bn, k->k, y + n);
        rest(k, a, b, n, of->channels.hi, y);
        for (n = of->channels.lo; bounded && n < of->channels.hi; n++)
            y[n] = clipf(y[n], k->flo, k->fhi);
    }
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
