/* The integer softmax of bytes, its powers from a table, four at a time.
 *
 * op       isoftmax
 * types    x:s8|u8 -> y:s8|u8
 * isa      mve
 * when     p0 == 1 && p2 >= 0 && p3 > 0 && hi > 0 && hi < 256 &&
 *          max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2 < 8388608 &&
 *          (max(p1 * p1, (p3 - p1) * (p3 - p1)) + p2) * n < 2147483648
 * inplace  x
 * scratch  1024
 * stack    96
 * cycles   2000 + rows * (120 + 9 * ceil(n, 4) + 3 * ceil(n, 16))
 */
#include "kern/mve/powers.h"

void FN(const struct row_dims *k, const struct io *io)
{
    powers_rows(k, io);
}
