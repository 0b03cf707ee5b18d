/* What emit.c and slots.c share. */
#ifndef PLAN_SCHEDULE_EMIT_H
#define PLAN_SCHEDULE_EMIT_H

#include "plan/schedule/schedule.h"
#include "plan/solve/solve.h"
#include "plan/tile/tile.h"

enum { MOST_TOKENS = 16 };

typedef struct Slot {
    int buf;                  /* -1: none yet */
    Piece holds;              /* row 0: nothing */
    int token[MOST_TOKENS], ntoken; /* moves to be waited for */
} Slot;

typedef struct Stage {        /* of an operand */
    Slot slot[2];
    int now;                  /* the slot that is loaded last */
    int use;                  /* the slot of the tile that is computed */
} Stage;

/* A result on its way to L3: the tile computed last is in the
 * L2, or nearly. */
typedef struct Outgo {
    int buf[OUT_SLOTS], token[OUT_SLOTS]; /* token -1: it is free */
    int now, stored;          /* stored: the slot it comes from; -1: none */
    Piece piece;
} Outgo;

typedef struct Emitter {
    Tiler *t;
    Plan *p;
    const Solution *sol;
    int layer;
    int token;
    int going;                /* moves that are not awaited */
    Stage (*stage)[NOPER];    /* by layer */
    Outgo outgo[NOPER];
    int *scratch;             /* by layer: buffer, or -1 */
    int64_t *halo;      /* by layer: bytes that it reads of a fused group's tile
                           before, */
    int *by;                  /* and the buffer through which they go, or -1 */
} Emitter;

typedef enum What { LOAD_all, LOAD_early } What;

/* Operands before the results. */
int emit_in_count(const LayerInst *w);
Slot *emit_slot(Emitter *e, int layer, int o, int i);
void emit_grow_buf(Emitter *e, int buf, int64_t size);
void emit_await(Emitter *e, int layer, Slot *s);
void emit_start_move(Emitter *e, int layer, Slot *s, Move m);
/* The layers that are computed together with layer `layer`: to[0] is the tile
 * of the first of them. */
void emit_tiles(const Emitter *e, int layer, int i, FusedTile *to);
Ref emit_place_of(Emitter *e, int layer, int o, Piece p);
bool emit_is_buffered(const Emitter *e, int layer, int o);
/* Is it made and read in one slot by two layers of a fused group? */
bool emit_is_within(const Emitter *e, int layer, int o);
void emit_load(Emitter *e, int layer, const Tile *tile, What what);
void emit_call(Emitter *e, const FusedTile *c);

#endif
