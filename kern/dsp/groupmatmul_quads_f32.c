/* Products with weights of 8 or 4 bits in groups, each with a scale, four rows
 * of them side by side, by rows that become int8 in the same groups.
 *
 * op       groupmatmul
 * types    x:f32 w:s8|u8 scale:f32|u16 -> y:f32
 * isa      dsp
 * when     (mode & 5) == 5 && g <= 512 && k % 4 == 0 && (g % 4 == 0 || g == k)
 * split    m
 * let      groups = ceil(k, g)
 * scratch  groups * 24 + 2 * k
 * stack    464
 * cycles   rows * (90 + 20 * k + 40 * groups + m * (8 + 20 * groups + k))
 *
 * A half of a word has the weights of a column: of two rows 256 v + u + 128, of
 * 8 bits each, or of four rows of 4 bits.  One product sums them all as they
 * are, one for each row but the last sums what is below it; the differences are
 * the rows' own sums.  No sum of a group goes beyond 32 bits but by what a
 * difference takes away again.
 */
#include <math.h>
#include "kern/dsp/group.h"

/* A group of x as integers, and their sum. */
static NOINLINE int32_t narrow(const float *x, int32_t n, float scale,
                               int16_t *q)
{
    int32_t all = 0;

    for (; n > 0; n -= 4, x += 4, q += 4) {
        const int32_t v0 = near(x[0] / scale), v1 = near(x[1] / scale);
        const int32_t v2 = near(x[2] / scale), v3 = near(x[3] / scale);

        all += v0 + v1 + v2 + v3;
        q[0] = (int16_t)v0, q[1] = (int16_t)v1;
        q[2] = (int16_t)v2, q[3] = (int16_t)v3;
    }
    return all;
}

static void narrow_row(const struct group_dims *k, const float *x,
                       struct part *p, int16_t *q)
{
    for (int32_t i = 0; i < k->k; i += k->g, x += k->g, p++) {
        const int32_t n = k->k - i < k->g ? k->k - i : k->g;
        const float most = most_of(x, n);

        p->x = (const uint32_t *)(const void *)q;
        p->by = most / 127.0f;
        p->sum = narrow(x, n, most > 0 ? p->by : INFINITY, q);
        p->n = n;
        q += n;
    }
}

/* Sums of a group of four rows, as they are: of bytes s[0] and s[2] of a row,
 * s[1] and s[3] of all in a half; of four bits s[i] of i + 1 rows.  The weights
 * behind them.  Here for weights at any address. */
static NOINLINE const W *bytes_anywhere(const struct part *p, const W *w,
                                        int32_t s[4])
{
    for (int32_t i = 0; i < p->n / 2; i++)
        for (int32_t j = 0; j < 4; j += 2, w += 4) {
            const uint32_t v = dsp_load(w);

            s[j + 1] = dsp_mac(v, p->x[i], s[j + 1]);
            s[j] = dsp_mac(dsp_even(v, 0), p->x[i], s[j]);
        }
    return w;
}

static NOINLINE const W *fours_anywhere(const struct part *p, const W *w,
                                        int32_t s[4])
{
    static const uint32_t mask[4] = {0x000f000f, 0x00ff00ff, 0x0fff0fff,
                                     0xffffffff};

    for (int32_t i = 0; i < p->n / 2; i++, w += 4)
        for (int32_t j = 0; j < 4; j++)
            s[j] = dsp_mac(dsp_load(w) & mask[j], p->x[i], s[j]);
    return w;
}

#ifdef DSP
/* A word v of two columns of bytes, of two rows. */
#define BYTES(v, x, all, low)                                           \
    "smlad " all ", " v ", " x ", " all "\n"                            \
    "uxtb16 " v ", " v "\n"                                             \
    "smlad " low ", " v ", " x ", " low "\n"
#define BYTES_STEP                                                      \
    "ldm %[w]!, {r4, r5, r6, r8}\n"                                     \
    "ldrd r9, r10, [%[x]], #8\n"                                        \
    BYTES("r4", "r9", "%[s1]", "%[s0]") BYTES("r5", "r9", "%[s3]", "%[s2]") \
    BYTES("r6", "r10", "%[s1]", "%[s0]") BYTES("r8", "r10", "%[s3]", "%[s2]")
/* A word v of two columns of four bits, of four rows. */
#define FOURS(v, x)                                                     \
    "and r8, " v ", #0x000f000f\n"                                      \
    "smlad %[s0], r8, " x ", %[s0]\n"                                   \
    "and r8, " v ", #0x00ff00ff\n"                                      \
    "smlad %[s1], r8, " x ", %[s1]\n"                                   \
    "bic r8, " v ", #0xf000f000\n"                                      \
    "smlad %[s2], r8, " x ", %[s2]\n"                                   \
    "smlad %[s3], " v ", " x ", %[s3]\n"
#define FOURS_STEP                                                      \
    "ldrd r4, r5, [%[w]], #8\n"                                         \
    "ldrd r9, r10, [%[x]], #8\n"                                        \
    FOURS("r4", "r9") FOURS("r5", "r10")
/* Steps of four columns, two at a time; an odd one first. */
#define GROUP(step)                                                     \
    __asm__ volatile("sub r4, %[end], %[x]\n\ttst r4, #8\n\tbeq 1f\n" step \
                     "cmp %[x], %[end]\n\tbeq 2f\n1:\n" step step       \
                     "cmp %[x], %[end]\n\tbne 1b\n2:\n"                \
                     : [w] "+r"(w), [x] "+r"(x), [s0] "+r"(s[0]),       \
                       [s1] "+r"(s[1]), [s2] "+r"(s[2]), [s3] "+r"(s[3]) \
                     : [end] "r"(end)                                   \
                     : "r4", "r5", "r6", "r8", "r9", "r10", "cc", "memory")

#endif

static inline const W *bytes(const struct part *p, const W *w, int32_t s[4])
{
#ifdef DSP
    const uint32_t *x = p->x, *end = x + (p->n >> 1);

    if (!((uintptr_t)w & 3)) {
        GROUP(BYTES_STEP);
        return w;
    }
#endif
    return bytes_anywhere(p, w, s);
}

static inline const W *fours(const struct part *p, const W *w, int32_t s[4])
{
#ifdef DSP
    const uint32_t *x = p->x, *end = x + (p->n >> 1);

    if (!((uintptr_t)w & 3)) {
        GROUP(FOURS_STEP);
        return w;
    }
#endif
    return fours_anywhere(p, w, s);
}

/* The difference of two sums, which is a multiple of 1 << shift. */
static inline int32_t part_of(int32_t all, int32_t low, int32_t shift)
{
    return (int32_t)((uint32_t)all - (uint32_t)low) >> shift;
}

/* What a group adds to four results, whose scales lie side by side. */
static inline void add_scaled(const int32_t s[4], const SCALE *scale, float by,
                              float y[4])
{
    float f[4];

    if (sizeof *scale == 2) {
        uint32_t u[4];

        memcpy(u, scale, 8);
        u[3] = u[1] & 0xffff0000, u[2] = u[1] << 16;
        u[1] = u[0] & 0xffff0000, u[0] = u[0] << 16;
        memcpy(f, u, sizeof f);
    } else {
        memcpy(f, scale, sizeof f);
    }
    y[0] += (float)s[0] * f[0] * by;
    y[1] += (float)s[1] * f[1] * by;
    y[2] += (float)s[2] * f[2] * by;
    y[3] += (float)s[3] * f[3] * by;
}

/* Four rows at a time, n times. */
static NOINLINE void quads_bytes(const struct part *first,
                                 const struct part *last, const W *w,
                                 const SCALE *scale, int32_t n, float *to)
{
    for (; n > 0; n--, to += 4) {
        float y[4] = {0, 0, 0, 0};

        for (const struct part *p = first; p != last; p++, scale += 4) {
            const int32_t more = 128 * p->sum;
            int32_t s[4] = {0, 0, 0, 0};

            w = bytes(p, w, s);
            s[1] = part_of(s[1], s[0], 8);
            s[3] = part_of(s[3], s[2], 8);
            s[0] -= more;
            s[2] -= more;
            add_scaled(s, scale, p->by, y);
        }
        memcpy(to, y, sizeof y);
    }
}

static NOINLINE void quads_fours(const struct part *first,
                                 const struct part *last, const W *w,
                                 const SCALE *scale, int32_t n, float *to)
{
    for (; n > 0; n--, to += 4) {
        float y[4] = {0, 0, 0, 0};

        for (const struct part *p = first; p != last; p++, scale += 4) {
            const int32_t more = 8 * p->sum;
            int32_t s[4] = {0, 0, 0, 0};

            w = fours(p, w, s);
            s[3] = part_of(s[3], s[2], 12);
            s[2] = part_of(s[2], s[1], 8) - more;
            s[1] = part_of(s[1], s[0], 4) - more;
            s[0] -= more;
            add_scaled(s, scale, p->by, y);
        }
        memcpy(to, y, sizeof y);
    }
}

void FN(const struct group_dims *k, const struct io *io)
{
    const float *x = io->in[0];
    const int32_t groups = (k->k + k->g - 1) / k->g;
    const int32_t row = k->mode > 5 ? k->k >> 1 : k->k;
    struct part *part = io->tmp;
    float *y = io->out[0];
    int32_t from, to;

    span(k->m / 4, io->core, io->ncore, &from, &to);
    for (int32_t r = 0; r < k->rows; r++, x += k->k, y += k->m) {
        const W *w = (const W *)io->in[1] + 4 * from * row;
        const SCALE *scale = (const SCALE *)io->in[2] + 4 * from * groups;

        narrow_row(k, x, part, (int16_t *)(void *)(part + groups));
        if (k->mode > 5)
            quads_fours(part, part + groups, w, scale, to - from, y + 4 * from);
        else
            quads_bytes(part, part + groups, w, scale, to - from, y + 4 * from);
    }
}
