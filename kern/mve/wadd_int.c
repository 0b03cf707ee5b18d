/* Weighted sum of bytes along dense rows, four at a time.
 *
 * op       wadd
 * types    x:s8|u8 y:s8|u8 c:int -> z:s8|u8
 * isa      mve
 * let      most = max(-scaled.lo, scaled.hi)
 * when     s0[5] == 1 && s1[5] == 1 && c.n == 1 &&
 *          (shift > 15 && shift < 48 && most < 1 << 46 ||
 *          shift < 32 && 255 * (max(p0, -p0) + max(p1, -p1)) +
 *          max(-c.lo, c.hi) < 1 << 31)
 * inplace  x y
 * stack    320
 * cycles   150 + (15 * z.n >> 2)
 */
#include <arm_mve.h>

#include "kern/conv/panel.h"
#include "kern/map/map.h"

/* With c the weighted sum is below 2^31 in size. */
static inline int wadd_small(const struct map_dims *k, int64_t c)
{
    const int64_t p0 = k->p0, p1 = k->p1;

    return 255 * ((p0 < 0 ? -p0 : p0) + (p1 < 0 ? -p1 : p1)) +
           (c < 0 ? -c : c) < (int64_t)1 << 31;
}

#define WADD_ASM(more, ...)                                             \
    __asm__ volatile("dlstp.32 lr, %[n]\n"                              \
                     "1:\n" __VA_ARGS__                                 \
                     "vmul.i32 q2, q0, %[p0]\n"                         \
                     "vmla.s32 q2, q1, %[p1]\n"                         \
                     "vadd.i32 q2, q2, %[c]\n" more                     \
                     "vshl.s32 q2, q2, %q[up]\n"                        \
                     "vmax.s32 q2, q2, %q[lo]\n"                        \
                     "vmin.s32 q2, q2, %q[hi]\n"                        \
                     "vstrb.32 q2, [%[z]], #4\n"                        \
                     "letp lr, 1b\n"                                    \
                     : [x] "+l"(x), [y] "+l"(y), [z] "+l"(z)            \
                     : [n] "r"(n), [p0] "r"(p0), [p1] "r"(p1),          \
                       [c] "r"(c), [p0l] "r"(p0l), [p1l] "r"(p1l),      \
                       [cl] "r"(cl), [up] "w"(up), [lo] "w"(lo),        \
                       [hi] "w"(hi)                                     \
                     : "lr", "d0", "d1", "d2", "d3", "d4", "d5", "d6",  \
                       "d7", "memory")
#define WADD_LOAD(sign_x, sign_y)                                       \
    "vldrb." sign_x " q0, [%[x]], #4\n"                                 \
    "vldrb." sign_y " q1, [%[y]], #4\n"
#define WADD_SIGNS(more)                                                \
    if (PANEL_SIGNED(X) && PANEL_SIGNED(Y))                             \
        WADD_ASM(more, WADD_LOAD("s32", "s32"));                        \
    else if (PANEL_SIGNED(X))                                           \
        WADD_ASM(more, WADD_LOAD("s32", "u32"));                        \
    else if (PANEL_SIGNED(Y))                                           \
        WADD_ASM(more, WADD_LOAD("u32", "s32"));                        \
    else                                                                \
        WADD_ASM(more, WADD_LOAD("u32", "u32"))

/* Of wide sums the lower sixteen bits of p0, p1 and c make sums of their own. */
static NOINLINE void run(const struct map_dims *k, const X *x, const Y *y,
                         int64_t wide, Z *z, int32_t n)
{
    const int small = wadd_small(k, wide);
    const int32_t p0 = small ? k->p0 : k->p0 >> 16;
    const int32_t p1 = small ? k->p1 : k->p1 >> 16;
    const int32_t c = (int32_t)(small ? wide : wide >> 16);
    const int32_t p0l = k->p0 & 0xffff, p1l = k->p1 & 0xffff;
    const int32_t cl = (int32_t)wide & 0xffff;
    const int32x4_t up = vdupq_n_s32((small ? 0 : 16) - k->shift);
    const int32x4_t lo = vdupq_n_s32(k->lo), hi = vdupq_n_s32(k->hi);

    if (small) {
        WADD_SIGNS("");
    } else {
        WADD_SIGNS("vmul.i32 q3, q0, %[p0l]\n"
                   "vmla.s32 q3, q1, %[p1l]\n"
                   "vadd.i32 q3, q3, %[cl]\n"
                   "vshr.s32 q3, q3, #16\n"
                   "vadd.i32 q2, q2, q3\n");
    }
}

void FN(const struct map_dims *k, const struct io *io)
{
    const int64_t c = *(const C *)io->in[2];
    struct nest p;
    const int some = nest_begin(k, io, &p);
    Z *z = (Z *)io->out[0] + p.out;

    if (!some)
        return;
    do {
        run(k, (const X *)io->in[0] + p.at0, (const Y *)io->in[1] + p.at1, c,
            z, p.n);
        z += p.step;
    } while (nest_next(k, &p));
}
