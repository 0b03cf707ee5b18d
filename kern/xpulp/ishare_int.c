/* Rows of weighted sums divided by the sums of their weights: by upper halves of
 * products where a row's factor leaves room.
 *
 * op       ishare
 * types    x:s32 w:u8 scale:s32 -> y:s8|u8|s16
 * isa      xpulpv2
 * when     n > 0
 * split    rows
 * stack    160
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + n / 2 +
 *          fit.element * e))
 * code     520
 */
#define POWERS W
#define LEFT uint8_t
#define RIGHT uint8_t
#include "kern/row/shares.h"
#include "kern/xpulp/word.h"

#ifdef XPULPV2
static inline uint32_t sum_of(const W *w, int32_t n)
{
    int32_t sum = 0, a, b;

    if (n > 7)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 4\n"
            "xp.lw.post %[a], %[w], 4\n xp.lw.post %[b], %[w], 4\n"
            "xpv.sdotup.b %[sum], %[a], %[ones]\n"
            "xpv.sdotup.b %[sum], %[b], %[ones]\n" XP_BLOCK_END
            : [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b), [w] "+&r"(w)
            : [n] "r"(n >> 3), [ones] "r"(0x01010101)
            : XP_CLOBBERS);
    for (n &= 7; n > 0; n--)
        sum += *w++;
    return (uint32_t)sum;
}

/* n of (x mul >> 32) + add >> rest, within bounds. */
static inline void highs(const struct shares_dims *k, const X *x, int32_t n,
                         const struct attend_high *h, Y *y)
{
    int32_t a;

    if (n > 0)
        __asm__ volatile(
            XP_BLOCK "xlp.setup 0, %[n], 6\n"
            "xp.lw.post %[a], %[x], 4\n"
            "mulh %[a], %[a], %[mul]\n"
            "xp.addnr %[a], %[add], %[rest]\n"
            "xp.max %[a], %[a], %[lo]\n"
            "xp.min %[a], %[a], %[hi]\n"
            "xp.st.post %[a], %[y], %[yn], %[yt]\n" XP_BLOCK_END
            : [a] "=&r"(a), [x] "+&r"(x), [y] "+&r"(y)
            : [n] "r"(n), [mul] "r"(h->mul), [add] "r"(h->add),
              [rest] "r"(h->rest), [lo] "r"(k->lo), [hi] "r"(k->hi),
              [yn] "i"(sizeof(Y)), [yt] "i"(XP_TYPE(Y))
            : XP_CLOBBERS);
}
#else
static uint32_t sum_of(const W *w, int32_t n)
{
    uint32_t sum = 0;

    for (; n > 0; n--)
        sum += *w++;
    return sum;
}

static void highs(const struct shares_dims *k, const X *x, int32_t n,
                  const struct attend_high *h, Y *y)
{
    for (int32_t i = 0; i < n; i++)
        y[i] = (Y)clip(((int32_t)((int64_t)x[i] * h->mul >> 32) + h->add) >>
                       h->rest, k->lo, k->hi);
}
#endif

static NOINLINE void wide(const struct shares_dims *k, const X *x,
                          int32_t share, int32_t zero, Y *y)
{
    const int64_t half = INT64_C(1) << (k->shift - 1);

    for (int32_t i = 0; i < k->e; i++)
        y[i] = (Y)narrow(requant(x[i], share, half, k->shift) + zero, k->lo,
                         k->hi);
}

void FN(const struct shares_dims *k, const struct io *io)
{
    const X *x = io->in[0];
    const W *w = io->in[1];
    const SCALE *scale = io->in[2];
    Y *y = io->out[0];
    struct attend_high h = {0};
    const int high = attend_high(0, scale[1], k->shift, &h);
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * k->e;
    w += (ptrdiff_t)i * k->n;
    y += (ptrdiff_t)i * k->e;
    for (; i < end; i++, x += k->e, w += k->n, y += k->e) {
        const uint32_t sum = sum_of(w, k->n);
        const int32_t share = (int32_t)((uint32_t)scale[0] / (sum | !sum));

        if (!high || share > INT32_MAX >> h.up) {
            wide(k, x, share, scale[1], y);
            continue;
        }
        h.mul = (int32_t)((uint32_t)share << h.up);
        highs(k, x, k->e, &h, y);
    }
}
