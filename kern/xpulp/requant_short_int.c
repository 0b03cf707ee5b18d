/* Scaling of elements of up to 16 bits in 32, a factor for all or for each row
 * or channel.
 *
 * op       requant
 * types    x:s8|u8|s16 mul:int add:int -> y:s8|u8|s16
 * isa      xpulpv2
 * when     n[0] * n[1] * n[2] * n[3] == 1 && shift > 15 && shift < 48 &&
 *          max(-scaled.lo, scaled.hi) < 140737488355328 &&
 *          (sm[5] + sa[5] == 0 || sm[4] + sa[4] == 0)
 * split    n
 * stack    128
 * let      lines = sm[5] + sa[5] ? n[5] : n[4]
 * let      length = y.n / lines
 * let      pairs = ceil(length, 2)
 * let      parts = lines * (ceil(pairs, ncore) + 3) < ceil(lines, ncore) *
 *          (pairs + 3)
 * cycles   ncore * (fit.call + (parts ? lines : ceil(lines, ncore)) *
 *          (fit.line + length % 2 * fit.odd + 2 * fit.element *
 *          (parts ? ceil(pairs, ncore) : length / 2)))
 * code     520
 * cold     490
 */
#define Z Y
#define LINES_CUT 16
#include "kern/xpulp/lines.h"

static inline struct scaling line(const struct map_dims *k,
                                  const struct io *io, int axis, int32_t i)
{
    return scaling_of(k, (int64_t)((const MUL *)io->in[1])[i * k->sm[axis]],
                      (int64_t)((const ADD *)io->in[2])[i * k->sa[axis]]);
}

LINES(line)

void FN(const struct map_dims *k, const struct io *io)
{
    lines(k, io, k->sm[5] | k->sa[5] ? 5 : 4);
}
