/* Strided copy of bytes that swaps its two innermost axes, four bytes of a column
 * at a time.
 *
 * op       transpose slice windows expand concat
 * types    x:s8|u8 -> y:=x
 * isa      dsp
 * when     ys[7] == 1 && xs[6] == 1
 * stack    192
 * cycles   n[0] * n[1] * n[2] * n[3] * n[4] * n[5] *
 *          (40 + n[7] * (20 + 3 * n[6]))
 */
#include <string.h>

#include "kern/copy/swap.h"

static void swap(const int32_t n[8], ptrdiff_t xs, ptrdiff_t ys, const X *x,
                 Y *y)
{
    for (int32_t j = 0; j < n[7]; j++, x += xs, y++) {
        const uint8_t *from = (const uint8_t *)x;
        uint8_t *to = (uint8_t *)y;
        int32_t i = n[6];

        for (; i >= 4; i -= 4, from += 4, to += 4 * ys) {
            uint32_t v;

            memcpy(&v, from, 4);
            to[0] = (uint8_t)v;
            to[ys] = (uint8_t)(v >> 8);
            to[2 * ys] = (uint8_t)(v >> 16);
            to[3 * ys] = (uint8_t)(v >> 24);
        }
        for (; i > 0; i--, to += ys)
            *to = *from++;
    }
}

void FN(const struct copy_dims *k, const struct io *io)
{
    swap_all(k, io);
}
