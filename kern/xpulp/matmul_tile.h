/* A matrix product with b transposed for XpulpV2, by tiles of four rows by four
 * columns.  To be included after scaled() of tile.h is defined. */
#ifndef MATMUL_TILE_H
#define MATMUL_TILE_H

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

#endif
