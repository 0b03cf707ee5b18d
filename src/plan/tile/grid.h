/* Grids: tile sizes of a layer. */
#ifndef PLAN_TILE_GRID_H
#define PLAN_TILE_GRID_H

#include "plan/cost/cost.h"
#include "plan/tile/tile.h"

enum { ROW_KINDS = 5, KINDS = 2 * ROW_KINDS * ROW_KINDS, MOST_TILES = 1024,
       LEAST_WIDE = 4 };

typedef struct Share { /* of an operand in a tile */
    Piece piece;
    int64_t move;         /* cycles of its transfer */
    int64_t l3_move;      /* and from or to L3, if it may be */
    int64_t bytes;        /* that are moved */
} Share;

typedef struct Kind {
    int64_t *cycles;      /* by the set of allocations in L2 */
    Share share[];        /* by operand */
} Kind;

typedef struct Grid {
    int64_t len[NCUT];
    int count[NCUT];
    bool known, ok;
    Kind *kind[KINDS];    /* NULL: no tile is of that kind */
    unsigned dep[NOPER];  /* axes along which its piece changes, by bit */
    int group;            /* channel tiles side by side that read the same */
    int64_t most[NOPER];  /* bytes of its largest piece */
    int64_t slots;        /* bytes of a tile's pieces, one slot each */
    int64_t *scratch;     /* by the set of allocations in L2, */
    int64_t *busy;        /* as cycles of all its tiles */
    Code *code;           /* the kernels of its tiles */
    int ncode;
    Times times;
} Grid;

int grid_kind_at(const Grid *g, const int i[NCUT]);
bool grid_is_whole(const Grid *g);
bool grid_know(Tiler *t, LayerInst *w, Grid *g);
void grid_list(Tiler *t, LayerInst *w);

#endif
