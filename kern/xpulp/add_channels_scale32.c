/* Sums of 32 bits: the bias, multiplier and addend of each row or channel, or
 * one for all, in 32 bits.
 *
 * op       add
 * types    x:s8|u8|s16|s32 y:s8|u8|s16|s32 mul:int add:int -> z:s8|u8|s16
 * isa      xpulpv2
 * when     has.mul && has.add && n[0] * n[1] * n[2] * n[3] == 1 &&
 *          shift < 32 && max(-scaled.lo, scaled.hi) < 2147483648 &&
 *          (s1[5] + sm[5] + sa[5] == 0 || s1[4] + sm[4] + sa[4] == 0)
 * split    n
 * stack    128
 * let      lines = s1[5] + sm[5] + sa[5] ? n[5] : n[4]
 * let      length = z.n / lines
 * let      pairs = ceil(length, 2)
 * let      parts = lines * (ceil(pairs, ncore) + 3) < ceil(lines, ncore) *
 *          (pairs + 3)
 * cycles   ncore * (fit.call + (parts ? lines : ceil(lines, ncore)) *
 *          (fit.line + length % 2 * fit.odd + 2 * fit.element *
 *          (parts ? ceil(pairs, ncore) : length / 2)))
 * code     480
 * cold     455
 * asks     35
 *
 * What is left of a layer whose sums an accelerator made and does not scale:
 * (x + y) mul + add is x mul + (y mul + add), of 32 bits whatever parts have.
 */
#include "kern/xpulp/lines.h"

static inline struct scaling line(const struct map_dims *k,
                                  const struct io *io, int axis, int32_t i)
{
    const uint32_t y = (uint32_t)((const Y *)io->in[1])[i * k->s1[axis]];
    const MUL mul = ((const MUL *)io->in[2])[i * k->sm[axis]];
    const ADD add = ((const ADD *)io->in[3])[i * k->sa[axis]];

    return (struct scaling){
        (int32_t)mul, (int32_t)(y * (uint32_t)mul + (uint32_t)add), k->shift,
        k->lo, k->hi};
}

LINES(line)

void FN(const struct map_dims *k, const struct io *io)
{
    lines(k, io, k->s1[5] | k->sm[5] | k->sa[5] ? 5 : 4);
}
