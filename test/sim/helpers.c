/* Single instructions as functions (kern/xpulp.h): FN(i, d, a, b) is what
 * helper i makes of them.  Compiled once as it is, with main(), and once as
 * `builtins` with the PULP compiler's builtins, which must come to the same. */
#include "kern/xpulp/xpulp.h"

#define CLIPS(i, n)                                                           \
    case i: return xp_clip(a, n);                                             \
    case i + 1: return xp_clipu(a, n);
#define TWO(i, f) case i: return f(a, b);
#define THREE(i, f) case i: return f(d, a, b);
enum { HELPERS = 43 };

int32_t builtins(int i, int32_t d, int32_t a, int32_t b);
int32_t FN(int i, int32_t d, int32_t a, int32_t b);

int32_t FN(int i, int32_t d, int32_t a, int32_t b)
{
    switch (i) {
    TWO(0, xp_min) TWO(1, xp_max) THREE(2, xp_mac) THREE(3, xp_msu)
    TWO(4, xp_dot4) TWO(5, xp_dot4u) TWO(6, xp_dot4us) TWO(7, xp_dot2)
    THREE(8, xp_sdot4) THREE(9, xp_sdot4u) THREE(10, xp_sdot4us)
    THREE(11, xp_sdot2) TWO(12, xp_add4) TWO(13, xp_add2) TWO(14, xp_sub4)
    TWO(15, xp_sub2) TWO(16, xp_min4) TWO(17, xp_min4u) TWO(18, xp_max4)
    TWO(19, xp_max4u) TWO(20, xp_min2) TWO(21, xp_max2) TWO(22, xp_pack2)
    THREE(23, xp_packlo4) THREE(24, xp_packhi4) THREE(25, xp_shuffle4)
    TWO(26, xp_srl4)
    case 27: return xp_add_shift(d, a, b & 31);
    case 28: return xp_clipr(a, b & 0x7fffffff);
    case 29: return xp_clipur(a, b & 0x7fffffff);
    case 30: return xp_fl1(a);
    CLIPS(31, 2) CLIPS(33, 8) CLIPS(35, 9) CLIPS(37, 16) CLIPS(39, 17)
    CLIPS(41, 31)
    }
    return 0;
}

#ifndef BUILTINS
#include "rt.h"

static uint32_t state = SEED;

/* Now and then a corner. */
static int32_t roll(void)
{
    static const uint32_t corner[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff,
                                      0x80808080, 0x7f7f7f7f, 0x80007fff};

    state = state * 1664525 + 1013904223;
    if (state >> 29 == 0)
        return (int32_t)corner[state >> 10 & 7];
    return (int32_t)(state ^ state >> 15) >> (state >> 24 & 28);
}

int main(void)
{
    int bad = 0;

    for (int i = 0; i < 20000; i++) {
        const int which = i % HELPERS;
        const int32_t d = roll(), a = roll(), b = roll();

        if (FN(which, d, a, b) != builtins(which, d, a, b)) {
            rt_print_hex("helper ", (uint32_t)which);
            rt_print_hex(" of ", (uint32_t)a);
            rt_print("\n");
            bad++;
        }
    }
    rt_print_hex("bad ", (uint32_t)bad);
    rt_print("\n");
    return bad != 0;
}
#endif
