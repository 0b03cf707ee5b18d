/* Convolutions of XpulpV2 on the chip, split over cores, against kern/ref on
 * the same chip: random operators from SEED, or with CASE one operator, whose
 * cycles are printed.  Built per kernel: fast and plain are its instances. */
#include "kern/kern.h"

typedef struct conv_dims Dims;
enum { BYTES = 40960, SCRATCH = 65536, CHANNELS = 1024 };
#include "test/sim/guest.h"

#ifndef WARM
#define WARM 4 /* the cache replaces at random: calls until it holds all */
#endif
static int without; /* bits: bias, add */

static struct io operands(void *out)
{
    struct io io = {.in = {x, w, bias, mul, add}, .out = {out}, .ncore = 1};

    if (without & 1)
        io.in[2] = 0;
    if (without & 2)
        io.in[4] = 0;
    return io;
}

static void fill(void)
{
    /* small shifts leave no room for large addends */
    const int even = seed >> 20 & 1, up = SHIFT < 20 ? SHIFT : even ? 32 : 21;

    for (int i = 0; i < BYTES; i++) {
        x[i] = (uint8_t)(i + (i >> 3) * 7 + (int32_t)(seed >> 9));
        w[i] = (uint8_t)(i * 5 + (i >> 4) * 11 + (int32_t)(seed >> 17));
        y[i] = want[i] = 0x5a;
        seed = seed * 1103515245u + 12345u;
    }
    for (int i = 0; i < CHANNELS; i++) {
        bias[i] = roll(20001) - 10000;
        mul[i] = roll(MUL_MOST) + 1;
        add[i] = (ADDTYPE)(roll(2001) - 1000) *
                 ((ADDTYPE)1 << (int)sizeof(ADDTYPE) / 8 * up);
    }
}

/* g groups of c channels to m; h by w pixels, kh by kw taps. */
static void shape(Dims *k, int32_t h, int32_t w_, int32_t g, int32_t c,
                  int32_t m, int32_t kh, int32_t kw, int32_t step, int32_t pad)
{
    *k = (Dims){.n = 1, .g = g, .c = c, .m = m, .h = h, .w = w_, .kh = kh,
                .kw = kw, .sh = step, .sw = step, .dh = 1, .dw = 1,
                .ph = pad, .pw = pad, .mulc = 1, .addc = 1, .padv = 0};
    k->oh = (h + 2 * pad - kh) / step + 1;
    k->ow = (w_ + 2 * pad - kw) / step + 1;
    k->xc = k->yc = k->wc = 1;
    k->xw = g * c, k->xh = w_ * g * c, k->yw = g * m, k->yh = k->ow * g * m;
    k->ww = c, k->wh = kw * c, k->wm = kh * kw * c;
}

/* As tiles have them: rows apart, windows that reach beyond any end. */
static void distort(Dims *k)
{
    const int32_t beyond = roll(2);

    k->dh = 1 + (roll(4) == 0);
    k->dw = 1 + (roll(4) == 0);
    k->sw = 1 + roll(3);
    k->ph = roll(k->kh);
    k->pw = roll(k->kw);
    k->oh = (k->h + k->ph + beyond * roll(k->kh)) / k->sh;
    k->ow = (k->w + k->pw + beyond * roll(k->kw)) / k->sw;
    k->oh += k->oh == 0;
    k->ow += k->ow == 0;
    k->xw += roll(2) * roll(9);
    k->xh = k->w * k->xw + roll(2) * roll(9);
    k->yw += roll(2) * roll(9);
    k->yh = k->ow * k->yw + roll(2) * roll(9);
    k->padv = XLOW ? roll(9) - 4 : roll(9);
    k->mulc = roll(4) > 0;
    k->addc = roll(4) > 0;
    without = roll(4);
}

/* Is it an operator, and one that the kernel is for? */
static inline int allowed(const Dims *k)
{
    if (k->oh < 1 || k->ow < 1)
        return 0;
#ifdef STATIONARY
    if (k->kh * k->kw == 1
            ? k->c % 4 || k->ph || k->pw || (k->oh - 1) * k->sh >= k->h ||
                  (k->ow - 1) * k->sw >= k->w
            : k->dh > 1)
        return 0;
#endif
#ifdef TAPS
    return k->g == 1 && k->m > 3 && k->ow > 3 && k->xw == k->c &&
           (k->dw == 1 || k->kw == 1);
#elif defined NINE
    return k->kh == 3 && k->kw == 3 && k->sh == k->sw && k->sh < 3 &&
           k->dh == 1 && k->dw == 1;
#elif defined DEPTH
    return 1;
#else
    return k->wm > 1;
#endif
}

static inline void draw(Dims *k)
{
#ifdef DEPTH
    const int32_t taps[] = {3, 3, 3, 5, 1, 4, 7, 10};

    shape(k, roll(9) + 1, roll(9) + 1, roll(40) + 4, 1, 1, taps[roll(8)],
          taps[roll(7)], roll(2) + 1, 1);
#elif defined STATIONARY
    const int32_t c[] = {8, 16, 28, 32};

    if (roll(2))
        shape(k, roll(9) + 1, roll(9) + 4, 1, c[roll(4)], roll(30) + 4, 1, 1,
              roll(2) + 1, 0);
    else
        shape(k, roll(5) + 1, roll(140) + 4, 1, 3, roll(12) + 4, 3, 3,
              roll(2) + 1, 1);
    if (roll(3) == 0)
        return;
#else
    if (roll(2))
        shape(k, roll(8) + 1, roll(8) + 1, 1,
              (roll(30) + 1) * (1 + roll(2) * 3),
              roll(roll(3) ? 40 : 5) + 1, 1, 1, 1, 0);
    else
        shape(k, roll(6) + 1, roll(6) + 1, 1 + (roll(4) == 0) * roll(3),
              roll(12) + 1, roll(12) + 1, roll(5) + 1, roll(5) + 1,
              roll(2) + 1, 1);
    if (roll(3) == 0)
        return;
#endif
    distort(k);
}

static inline int32_t macs(const Dims *k)
{
    return k->oh * k->ow * k->g * k->m * k->c * k->kh * k->kw;
}

int main(void)
{
    Dims k;
    int bad = 0;

#ifdef CASE
    fill();
    shape(&k, CASE);
    epilogue(&k);
    for (int i = 0; i < WARM; i++)
        measure(&k, CORES);
    rt_print_hex("cycles ", measure(&k, CORES));
    rt_print_hex(" macs ", (uint32_t)macs(&k));
#ifndef QUICK
    bad = differs(&k);
#endif
    rt_print_hex(" bad ", (uint32_t)bad);
    rt_print("\n");
#else
    for (int i = 0; i < RUNS; i++) {
        fill();
        do
            draw(&k);
        while (!allowed(&k));
        epilogue(&k);
        measure(&k, i % 2 ? 8 : 1 + roll(8));
        if (differs(&k)) {
            bad++;
            rt_print_hex("g ", (uint32_t)k.g);
            rt_print_hex(" c ", (uint32_t)k.c);
            rt_print_hex(" m ", (uint32_t)k.m);
            rt_print_hex(" h ", (uint32_t)k.h);
            rt_print_hex(" w ", (uint32_t)k.w);
            rt_print_hex(" kh ", (uint32_t)k.kh);
            rt_print_hex(" kw ", (uint32_t)k.kw);
            rt_print_hex(" run ", (uint32_t)i);
            rt_print("\n");
        }
    }
    rt_print_hex("runs ", RUNS);
    rt_print_hex(" bad ", (uint32_t)bad);
    rt_print("\n");
#endif
    return bad != 0;
}
