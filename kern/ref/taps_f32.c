/* Each element along an axis is a weighted sum of a few: linear resizing.
 *
 * op       taps
 * types    x:f32 i:int w:f32 -> y:f32
 * isa      any
 * split    outer n
 * stack    224
 * cycles   20 * y.n * taps
 */
#define TAPS_SUM float
#include "kern/row/taps.h"

void FN(const struct taps_dims *k, const struct io *io)
{
    taps_all(k, io);
}
