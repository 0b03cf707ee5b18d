/* Matrix product with b transposed, four rows by four columns.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32 add:int
 *          -> y:s8|u8|s16|u16|s32
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:int shifts:int -> y:s8|u8|s16|u16|s32
 * round    0 1
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && k > 3 && biasm == 0 && mulm == 0 && addm == 0
 *          && max(-acc.lo, acc.hi) < 2147483648 && shift < 63 &&
 *          max(-scaled.lo, scaled.hi) >> shift < 2147483648
 * split    m n
 * stack    704
 * let      batches = nb[0] * nb[1] * nb[2]
 * let      fours = min(ceil((m + 3) / 4, ncore) * ((n + 3) / 4), (m + 3) / 4 *
 *          ceil((n + 3) / 4, ncore))
 * cycles   ncore * (fit.call + batches * (fit.batch + (m < 3 ? fit.two + (k % 4
 *          ? fit.two_rest + 7 * k : 7 * k / 2) : fit.four + (k % 4 ?
 *          fit.four_rest + 12 * k : fit.word * k)) * fours))
 * code     1880
 */
#include "kern/kern.h"

#define scaled scale64
#include "kern/share.h"

typedef A LEFT;
typedef B RIGHT;
typedef BIAS START;
#include "kern/xpulp/tile.h"

#define MATMUL_ROWS 4
#define MATMUL_STEP 4
#include "kern/matmul/matmul.h"

static void matmul_one(const struct matmul_dims *k, const struct io *io,
                       const struct share *of, const A *a, const B *b, Y *y)
{
    struct tiles t = {b, io->in[2], io->in[3], io->in[4],
                      k->k, k->bn, k->am, k->n,
                      k->biasn, k->muln, k->addn,
                      k->shift, k->lo, k->hi};

#ifdef SHIFTS
    t.shifts = io->in[5];
#endif
    tile_defaults(&t);
    tile_all(&t, a, of->rows.lo, of->rows.hi, of->channels.lo,
             of->channels.hi, y);
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
