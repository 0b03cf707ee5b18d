/* Strided copy of bytes that swaps its two innermost axes, eight bytes of a column
 * at a time.
 *
 * op       transpose slice windows expand concat
 * types    x:s8|u8 -> y:=x
 * isa      mve
 * when     ys[7] == 1 && xs[6] == 1 && ys[6] >= 0 && ys[6] < 8192
 * stack    192
 * cycles   n[0] * n[1] * n[2] * n[3] * n[4] * n[5] *
 *          (40 + n[7] * (20 + 4 * (n[6] + 7 >> 3)))
 */
#include <arm_mve.h>

#include "kern/copy/swap.h"

static void swap(const int32_t n[8], ptrdiff_t xs, ptrdiff_t ys, const X *x,
                 Y *y)
{
    const uint16x8_t apart = vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)ys);
    const ptrdiff_t step = 8 * ys;

    for (int32_t j = 0; j < n[7]; j++, x += xs, y++) {
        const X *from = x;
        Y *to = y;

        __asm__ volatile("dlstp.16 lr, %[n]\n"
                         "1:\n"
                         "vldrb.u16 q0, [%[from]], #8\n"
                         "vstrb.16 q0, [%[to], %q[apart]]\n"
                         "add %[to], %[to], %[step]\n"
                         "letp lr, 1b\n"
                         : [from] "+l"(from), [to] "+r"(to)
                         : [n] "r"(n[6]), [apart] "w"(apart), [step] "r"(step)
                         : "lr", "d0", "d1", "memory");
    }
}

void FN(const struct copy_dims *k, const struct io *io)
{
    swap_all(k, io);
}
