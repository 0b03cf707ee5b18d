/* What is known of a fused group: its tile sizes, and what their tiles ask of
 * each work.  Only fused.c and cut.c include this. */
#ifndef PLAN_CUT_H
#define PLAN_CUT_H

#include "plan/tile/tile.h"

enum { MOST_EDGE = 4, ROWS = 2 * MOST_EDGE + 1, MOST_ALLOCS = 6 };

/* What tiles of one kind ask of a layer. */
typedef struct Kind {
    int64_t halo;         /* bytes of the result of the layer before it */
    const Kern *kern;
    int64_t cycles, scratch;
    Code code;
    Piece piece[NOPER];
    int64_t move[NOPER];  /* cycles of its transfer, */
    int64_t l3_move[NOPER]; /* and from or to L3, if it may be */
} Kind;

/* A tile size of the last layer.  Its tiles are of few kinds: along rows those
 * that padding of some layer may reach, at both edges, and those between, along
 * channels the last and the others. */
typedef struct Cut {
    int64_t len[NCUT];
    int count[NCUT];
    int edge;
    bool reuse;           /* rows are kept from tile to tile */
    bool begun, known, ok; /* the kind in the middle is known, all are */
    Kind *kind[ROWS][2][MOST_FUSED];
    unsigned dep[MOST_FUSED][NOPER]; /* axes along which a piece changes */
    int64_t most[MOST_FUSED][NOPER]; /* bytes of its largest */
    int64_t halo[MOST_FUSED]; /* most bytes that are */
    int64_t scratch;
    int64_t busy[2];      /* cycles in which cores work, with rows inside
                             channels [true] or not */
    Times times;
} Cut;

/* Candidates for one place of the operands of all layers, one size of what is
 * fetched, and one choice of what is considered. */
typedef struct FusedSet {
    unsigned in_l3;     /* allocations in L3, by bit */
    unsigned konst[MOST_FUSED]; /* constants there, of each layer */
    int64_t chunk;
    Fusion fusion;
    Cands *cands;
} FusedSet;

struct Fused {
    int first, n;
    int nalloc, alloc[MOST_ALLOCS]; /* those that have levels, by bit */
    FusedSet *set;      /* those known */
    int nset;
    Cands any;
    Cut *cut;
    int ncut;
};

/* All tile sizes that a fused group may have. */
void cut_list(Tiler *t, Fused *c);
/* The kind in the middle of its tiles, of which most are.  ok: there is such a
 * tile, and it is not too large. */
void cut_begin(Tiler *t, const Fused *c, Cut *g);
/* All kinds of its tiles.  ok: there are such tiles, and they are worth it. */
void cut_make(Tiler *t, const Fused *c, Cut *g);
/* A candidate with such tiles, without bytes and cycles. */
Cand cut_cand(const Fused *c, const Cut *g);
/* Which kind the tile i along rows is of. */
int cut_row(const Cut *g, int i);
/* The kinds of a tile, by layer. */
Kind *const *cut_kinds(const Cut *g, const int i[NCUT]);
/* Bytes of a slot of what layer m makes for the next one. */
int64_t cut_inner(const Tiler *t, const Fused *c, const Cut *g, int m);
/* Least bytes in L1 of the kinds known until now. */
int64_t cut_least(const Tiler *t, const Fused *c, const Cut *g);

#endif
