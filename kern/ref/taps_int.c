/* Each element along an axis is a weighted sum of a few: linear resizing.
 *
 * op       taps
 * types    x:int i:int w:int -> y:int
 * isa      any
 * split    outer n
 * stack    128
 * cycles   20 * y.n * taps
 */
#define TAPS_SUM int64_t
#include "kern/row/taps.h"

void FN(const struct taps_dims *k, const struct io *io)
{
    taps_all(k, io);
}
