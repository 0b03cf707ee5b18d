/* Products with weights of 8 or 4 bits in groups, each with a scale, by rows
 * that become int8 in the same groups.
 *
 * op       groupmatmul
 * types    x:f32 w:s8|u8 scale:f32|u16 -> y:f32
 * isa      dsp
 * when     (mode & 1) && mode < 4 && g > 3 && k < 65536 &&
 *          (mode < 2 || !(g & 1))
 * split    m
 * let      groups = ceil(k, g)
 * scratch  groups * (24 + 2 * (min(g, k) + 7 & -8))
 * stack    512
 * cycles   rows * (90 + 20 * k + 60 * groups + m * (12 + 16 * groups +
 *          (3 * k >> 1)) + (m & 3) * (12 + 16 * groups + 2 * k))
 *
 * The row of x lies in halves in the order that a step wants, its groups with
 * zeros to a whole step.  A step of bytes is a word of each of four rows: even
 * bytes, then odd ones.  A step of four bits is a word of each of two rows:
 * there a weight is 8 more than it should be, and so much times the sum of
 * x is taken away.
 */
#include <math.h>
#include "kern/dsp/group.h"

enum { STEP = 8 };

/* A group of x as integers where a step wants them, and their sum: with
 * weights of 4 bits every second half. */
static NOINLINE int32_t narrow(const float *x, int32_t n, float scale,
                               int16_t *q, int four)
{
    const int32_t c = four ? 4 : 1, d = four ? 6 : 3;
    int32_t all = 0, half = 0;

    if (n % STEP)
        memset(q + (n & -STEP), 0, STEP * sizeof *q);
    for (; n > 3; n -= 4, x += 4) {
        const int32_t v0 = near(x[0] / scale), v1 = near(x[1] / scale);
        const int32_t v2 = near(x[2] / scale), v3 = near(x[3] / scale);

        all += v0 + v1 + v2 + v3;
        q[0] = (int16_t)v0, q[2] = (int16_t)v1;
        q[c] = (int16_t)v2, q[d] = (int16_t)v3;
        q += !four ? 4 : half ? 7 : 1;
        half = !half;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t v = near(x[i] / scale);

        all += v;
        q[i < 2 ? 2 * i : c] = (int16_t)v;
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
        p->sum = narrow(x, n, most > 0 ? p->by : INFINITY, q,
                        k->mode > 1);
        p->n = n;
        q += (n + STEP - 1) & -STEP;
    }
}

/* A word of weights at *w by a step of x; *w goes on.  In assembler, lest the
 * compiler loads ahead more than registers hold. */
static inline int32_t step_bytes(const uint32_t x[2], const W **w, int32_t sum)
{
#ifdef DSP
    uint32_t even, odd;

    if (DSP_SIGNED(W))
        __asm__ volatile("ldr %1, [%0], #4\n\tsxtb16 %2, %1\n\t"
                         "smlad %3, %2, %4, %3\n\tsxtb16 %1, %1, ror #8\n\t"
                         "smlad %3, %1, %5, %3"
                         : "+r"(*w), "=&r"(odd), "=&r"(even), "+r"(sum)
                         : "r"(x[0]), "r"(x[1]) : "memory");
    else
        __asm__ volatile("ldr %1, [%0], #4\n\tuxtb16 %2, %1\n\t"
                         "smlad %3, %2, %4, %3\n\tuxtb16 %1, %1, ror #8\n\t"
                         "smlad %3, %1, %5, %3"
                         : "+r"(*w), "=&r"(odd), "=&r"(even), "+r"(sum)
                         : "r"(x[0]), "r"(x[1]) : "memory");
    return sum;
#else
    const uint32_t v = dsp_load(*w);

    *w += 4;
    sum = dsp_mac(dsp_even(v, DSP_SIGNED(W)), x[0], sum);
    return dsp_mac(dsp_odd(v, DSP_SIGNED(W)), x[1], sum);
#endif
}

static inline int32_t step_four(const uint32_t x[4], uint32_t w, int32_t sum)
{
    w ^= 0x88888888;
    sum = dsp_mac(w & 0xf000f, x[0], sum);
    sum = dsp_mac(w >> 4 & 0xf000f, x[1], sum);
    sum = dsp_mac(w >> 8 & 0xf000f, x[2], sum);
    return dsp_mac(w >> 12 & 0xf000f, x[3], sum);
}

/* Up to three bytes of a row, behind the words of a group. */
static NOINLINE int32_t rest_bytes(const struct part *p, const W *w,
                                   int32_t sum)
{
    const int16_t *x = (const int16_t *)(const void *)p->x + (p->n & -4);
    const int32_t n = p->n & 3;

    sum += n > 0 ? w[0] * x[0] : 0;
    sum += n > 1 ? w[1] * x[2] : 0;
    return sum + (n > 2 ? w[2] * x[1] : 0);
}

/* Four rows of bytes. */
static NOINLINE void bytes_by_four(const struct group_dims *k,
                                   const struct part *p, const W *w,
                                   const SCALE *scale, float *y)
{
    const int32_t groups = (k->k + k->g - 1) / k->g;
    const struct part *last = p + groups;
    const W *w1 = w + k->k, *w2 = w1 + k->k, *w3 = w2 + k->k;
    float y0 = 0, y1 = 0, y2 = 0, y3 = 0;

    for (; p != last; p++, scale++) {
        const uint32_t *x = p->x, *end = x + (p->n >> 2 << 1);
        const int32_t rest = p->n & 3;
        int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;

        for (; x != end; x += 2) {
            const uint32_t v[2] = {x[0], x[1]};

            s0 = step_bytes(v, &w, s0);
            s1 = step_bytes(v, &w1, s1);
            s2 = step_bytes(v, &w2, s2);
            s3 = step_bytes(v, &w3, s3);
        }
        if (rest) {
            s0 = rest_bytes(p, w, s0), s1 = rest_bytes(p, w1, s1);
            s2 = rest_bytes(p, w2, s2), s3 = rest_bytes(p, w3, s3);
            w += rest, w1 += rest, w2 += rest, w3 += rest;
        }
        y0 = scaled(s0, scale, p->by, y0);
        y1 = scaled(s1, scale + groups, p->by, y1);
        y2 = scaled(s2, scale + 2 * groups, p->by, y2);
        y3 = scaled(s3, scale + 3 * groups, p->by, y3);
    }
    y[0] = y0, y[1] = y1, y[2] = y2, y[3] = y3;
}

static NOINLINE float bytes_by_one(const struct part *p, int32_t groups,
                                   const W *w, const SCALE *scale)
{
    float y = 0;

    for (; groups > 0; groups--, p++, scale++) {
        const uint32_t *x = p->x, *end = x + (p->n >> 2 << 1);
        int32_t sum = 0;

        for (; x != end; x += 2)
            sum = step_bytes(x, &w, sum);
        y = scaled(rest_bytes(p, w, sum), scale, p->by, y);
        w += p->n & 3;
    }
    return y;
}

/* Up to three bytes of weights of 4 bits, as a word. */
static NOINLINE uint32_t rest_four(const W *w, int32_t n)
{
    uint32_t v = 0;

    for (int32_t i = 0; i < n; i++)
        v |= (uint32_t)(uint8_t)w[i] << 8 * i;
    return v;
}

/* Two rows of weights of 4 bits, `next` and `groups` apart. */
static NOINLINE void fours_by_two(const struct part *p, int32_t groups,
                                  const W *w, int32_t next,
                                  const SCALE *scale, float *y)
{
    const struct part *last = p + groups;
    const SCALE *scale1 = next ? scale + groups : scale;
    const W *w1 = w + next;
    float y0 = 0, y1 = 0;

    for (; p != last; p++) {
        const uint32_t *x = p->x, *end = x + (p->n >> 3 << 2);
        const int32_t rest = (p->n & 7) >> 1;
        int32_t s0 = -8 * p->sum, s1 = s0;

        for (; x != end; x += 4, w += 4, w1 += 4) {
            s0 = step_four(x, dsp_load(w), s0);
            s1 = step_four(x, dsp_load(w1), s1);
        }
        if (rest) {
            s0 = step_four(x, rest_four(w, rest), s0);
            s1 = step_four(x, rest_four(w1, rest), s1);
            w += rest, w1 += rest;
        }
        y0 = scaled(s0, scale++, p->by, y0);
        y1 = scaled(s1, scale1++, p->by, y1);
    }
    y[0] = y0;
    if (next)
        y[1] = y1;
}

static void bytes_by_row(const struct group_dims *k, const struct part *p,
                         const W *w, const SCALE *scale, int32_t n, float *y)
{
    const int32_t groups = (k->k + k->g - 1) / k->g;

    for (; n > 3; n -= 4, w += 4 * k->k, scale += 4 * groups, y += 4)
        bytes_by_four(k, p, w, scale, y);
    for (; n > 0; n--, w += k->k, scale += groups)
        *y++ = bytes_by_one(p, groups, w, scale);
}

static void fours_by_row(const struct group_dims *k, const struct part *p,
                         const W *w, const SCALE *scale, int32_t n, float *y)
{
    const int32_t groups = (k->k + k->g - 1) / k->g, next = k->k >> 1;

    for (; n > 0; n -= 2, w += 2 * next, scale += 2 * groups, y += 2)
        fours_by_two(p, groups, w, n > 1 ? next : 0, scale, y);
}

void FN(const struct group_dims *k, const struct io *io)
{
    const float *x = io->in[0];
    const SCALE *scale = io->in[2];
    const W *w = io->in[1];
    const int32_t groups = (k->k + k->g - 1) / k->g;
    struct part *part = io->tmp;
    float *y = io->out[0];
    int32_t from, to;

    span(k->m, io->core, io->ncore, &from, &to);
    w += from * (k->mode > 1 ? k->k >> 1 : k->k);
    scale += from * groups;
    for (int32_t r = 0; r < k->rows; r++, x += k->k, y += k->m) {
        narrow_row(k, x, part, (int16_t *)(void *)(part + groups));
        if (k->mode > 1)
            fours_by_row(k, part, w, scale, to - from, y + from);
        else
            bytes_by_row(k, part, w, scale, to - from, y + from);
    }
}
