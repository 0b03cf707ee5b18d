/* Matrix product with b transposed, four rows by four columns,
 * scaled in 32 bits.
 *
 * op       matmul
 * types    a:s8|u8 b:s8|u8 bias:s8|u8|s16|u16|s32 mul:s8|u8|s16|u16|s32
 *          add:s8|u8|s16|u16|s32 -> y:s8|u8|s16|u16|s32
 * isa      xpulpv2
 * when     ak == 1 && bk == 1 && k > 3 && biasm == 0 && mulm == 0 && addm == 0
 *          && shift < 32 && max(-scaled.lo, scaled.hi) < 2147483648
 * split    m n
 * stack    704
 * cycles   ncore * (700 + nb[0] * nb[1] * nb[2] * (300 + (m < 3 ?
 *          330 + (k % 4 ? 120 + 7 * k : 7 * k / 2) :
 *          437 + (k % 4 ? 160 + 12 * k : 6 * k)) *
 *          min(((m + 3) / 4 + ncore - 1) / ncore * ((n + 3) / 4),
 *          (m + 3) / 4 * (((n + 3) / 4 + ncore - 1) / ncore))))
 * code     1790
 */
#include "kern/kern.h"

#define scaled scaled_scale32
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

    tile_defaults(&t);
    tile_all(&t, a, of->rows.lo, of->rows.hi, of->channels.lo,
             of->channels.hi, y);
}

void FN(const struct matmul_dims *k, const struct io *io)
{
    matmul_batches(k, io);
}
