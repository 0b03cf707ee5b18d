/* What a softmax of bytes has before it divides, from a table, four at a time.
 *
 * op       powers
 * types    x:s8 t:u8 -> y:u8
 * isa      xpulpv2
 * when     n > 3
 * split    rows
 * stack    96
 * cycles   ncore * (fit.call + ceil(rows, ncore) * (fit.row + fit.word * n / 4))
 * code     320
 */
#include "kern/xpulp/four.h"
#include "kern/xpulp/rows.h"

/* Words of four, of which none exceeds the greatest; zero: where the table has
 * what is 0 below it, perhaps before its begin. */
#ifdef XPULPV2
static inline void look_up(const X *x, int32_t words, uintptr_t zero, Y *y)
{
    int32_t a, b, c, d, w;

    __asm__ volatile(
        XP_BLOCK "xlp.setup 0, %[n], 12\n"
        "xp.lw.post %[w], %[x], 4\n"
        FOUR_PLACES FOUR_LOOK_UP("xp.lbu.at", "%[zero]") FOUR_PACK
        "xp.sw.post %[a], %[y], 4\n" XP_BLOCK_END
        : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d),
          [w] "=&r"(w), [x] "+&r"(x), [y] "+&r"(y)
        : [n] "r"(words), [zero] "r"(zero), [i0] "r"(0xff),
          [i1] "r"(0xff00), [i2] "r"(0xff0000), [i3] "r"(0xff000000u),
          [signs] "i"(XP_SIGNS(int8_t, int8_t))
        : XP_CLOBBERS);
}
#else
static void look_up(const X *x, int32_t words, uintptr_t zero, Y *y)
{
    for (int32_t i = 0; i < 4 * words; i++)
        y[i] = *(const Y *)(zero - (uintptr_t)(ptrdiff_t)x[i]);
}
#endif

void FN(const struct row_dims *k, const struct io *io)
{
    const int32_t n = k->n;
    const X *x = io->in[0];
    Y *y = io->out[0];
    int32_t i, end;

    span(k->rows, io->core, io->ncore, &i, &end);
    x += (ptrdiff_t)i * n;
    y += (ptrdiff_t)i * n;
    for (; i < end; i++, x += n, y += n) {
        const uintptr_t zero = (uintptr_t)io->in[1] +
                               (uintptr_t)(ptrdiff_t)rows_greatest(x, n);

        look_up(x, n >> 2, zero, y);
        if (n & 3)
            look_up(x + n - 4, 1, zero, y + n - 4);
    }
}
