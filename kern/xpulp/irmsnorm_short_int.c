/* The integer RMS norm of 16 bits: squares are summed two by two.
 *
 * op       irmsnorm
 * types    x:s16 w:s8|u8|s16 -> y:s8|u8|s16
 * isa      xpulpv2
 * when     max(-x.lo, x.hi) * max(-w.lo, w.hi) < 2147483648 && shift < 32 &&
 *          n > 1
 * split    rows n
 * stack    192
 * let      share = ceil(rows * n, ncore)
 * cycles   ncore * (fit.call + ceil(share, n) * (fit.row + 5 * n / 2) +
 *          fit.element * share)
 * code     620
 */
#include "kern/xpulp/inverse.h"

#ifdef XPULPV2
#define SQUARES squares_two
static inline uint64_t squares_two(const X *x, int32_t n)
{
    uint32_t lo = 0, hi = 0, s, t;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 5\n"
        "xp.lw.post %[s], %[x], 4\n"
        "xpv.dotsp.h %[s], %[s], %[s]\n"
        "add %[lo], %[lo], %[s]\n"
        "sltu %[t], %[lo], %[s]\n"
        "add %[hi], %[hi], %[t]\n" XP_BLOCK_END
        : [lo] "+&r"(lo), [hi] "+&r"(hi), [s] "=&r"(s), [t] "=&r"(t),
          [x] "+&r"(x)
        : [n] "r"(n >> 1)
        : XP_CLOBBERS);
    return ((uint64_t)hi << 32 | lo) +
           (n & 1 ? (uint32_t)((int32_t)*x * *x) : 0);
}
#endif

#include "kern/row/rmsnorm.h"

void FN(const struct row_dims *k, const struct io *io)
{
    rows(k, io);
}
