/* Padding with a constant, a row of the last axis at a time.
 *
 * op       pad
 * types    x:int -> y:=x
 * isa      any
 * when     mode == 0 && before[7] >= 0 && before[7] + xn[7] <= n[7]
 * split    n
 * stack    256
 * let      rows = n[0] * n[1] * n[2] * n[3] * n[4] * n[5] * n[6]
 * let      each = ncore > 1 ? 8 : 1
 * let      row = ncore > 1 ? 400 : 150
 * cycles   ncore * min(ceil(rows, ncore) * (row + each * n[7]),
 *          rows * (row + each * ceil(n[7], ncore)))
 */
#include <string.h>
#include "kern/kern.h"

static inline Y pad_value(const struct pad_dims *k)
{
    return (Y)k->p0;
}

static inline void pad_copy(const X *x, Y *y, int32_t n)
{
    memcpy(y, x, (size_t)n * sizeof *y);
}

static inline void pad_fill(Y *y, Y value, int32_t n)
{
    while (n-- > 0)
        *y++ = value;
}

#include "kern/copy/pad_rows.h"

void FN(const struct pad_dims *k, const struct io *io)
{
    pad_rows(k, io);
}
