/* Matrix products of XpulpV2 on the chip, split over cores, against kern/ref
 * on the same chip: random operators from SEED, or with CASE one operator,
 * whose cycles are printed; FEW: of three to five rows of words.  Built per
 * kernel: fast and plain are its instances. */
#include "kern/kern.h"

typedef struct matmul_dims Dims;
typedef int32_t ADDTYPE;
enum { BYTES = 16384, SCRATCH = 9216, CHANNELS = 256 };
#include "test/sim/guest.h"

static struct io operands(void *out)
{
    struct io io = {.in = {x, w, bias, mul, add}, .out = {out}, .ncore = 1};

    return io;
}

static void fill(void)
{
    for (int i = 0; i < BYTES; i++) {
        x[i] = (uint8_t)roll(256);
        w[i] = (uint8_t)roll(256);
        y[i] = want[i] = 0x5a;
    }
    for (int i = 0; i < CHANNELS; i++) {
        bias[i] = roll(20001) - 10000;
        mul[i] = roll(MUL_MOST) + 1;
        add[i] = roll(2001) - 1000;
    }
}

static void shape(Dims *k, int32_t m, int32_t n, int32_t c)
{
    *k = (Dims){.nb = {1, 1, 1}, .m = m, .n = n, .k = c, .am = c, .ak = 1,
                .bk = 1, .bn = c, .biasn = 1, .muln = 1, .addn = 1};
}

static inline void draw(Dims *k)
{
#ifdef FEW
    shape(k, roll(3) + 3, roll(40) + 2, 4 * (roll(30) + 1));
#else
    shape(k, roll(20) + 1, roll(20) + 1, roll(120) + 4);
#endif
    if (roll(3) == 0)
        k->am += roll(8);
}

static inline int32_t macs(const Dims *k)
{
    return k->m * k->n * k->k;
}

int main(void)
{
    Dims k;
    int bad = 0;

#ifdef CASE
    fill();
    shape(&k, CASE);
    epilogue(&k);
    measure(&k, CORES);
    rt_print_hex("cycles ", measure(&k, CORES));
    rt_print_hex(" macs ", (uint32_t)macs(&k));
    rt_print("\n");
    bad = differs(&k);
#else
    for (int i = 0; i < RUNS; i++) {
        fill();
        draw(&k);
        epilogue(&k);
        measure(&k, i % 2 ? 8 : 1 + roll(8));
        bad += differs(&k);
    }
    rt_print_hex("runs ", RUNS);
    rt_print_hex(" bad ", (uint32_t)bad);
    rt_print("\n");
#endif
    return bad != 0;
}
