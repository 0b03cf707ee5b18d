/* What is known of a chain: its tile sizes, and what their tiles ask of each
 * work.  Only chain.c and cut.c include this. */
#ifndef PLAN_CUT_H
#define PLAN_CUT_H

#include "plan/tiling.h"

enum { MOST_EDGE = 4, ROWS = 2 * MOST_EDGE + 1, MOST_STORES = 6 };

/* What tiles of one kind ask of a work. */
typedef struct Kind {
    int64_t kept;         /* bytes of the result of the work before it */
    const Kern *kern;
    int64_t cycles, scratch;
    Code code;
    Piece piece[NOPER];
    int64_t move[NOPER];  /* cycles of its transfer, */
    int64_t outer[NOPER]; /* and from or to the outer memory, if it may be */
} Kind;

/* A tile size of the last work.  Its tiles are of few kinds: along rows those
 * that padding of some work may reach, at both edges, and those between, along
 * channels the last and the others. */
typedef struct Cut {
    int64_t len[NCUT];
    int count[NCUT];
    int edge;
    bool rolls;           /* rows are kept from tile to tile */
    bool begun, known, ok; /* the kind in the middle is known, all are */
    Kind *kind[ROWS][2][MOST_CHAIN];
    unsigned dep[MOST_CHAIN][NOPER]; /* axes along which a piece changes */
    int64_t most[MOST_CHAIN][NOPER]; /* bytes of its largest */
    int64_t kept[MOST_CHAIN]; /* most bytes that are */
    int64_t scratch;
    int64_t busy[2];      /* cycles in which cores work, with rows inside
                             channels [true] or not */
    Times times;
} Cut;

/* Ways for one place of the operands of all works, one size of what is fetched,
 * and one choice of what is considered. */
typedef struct ChainSet {
    unsigned outer;     /* stores in the outer memory, by bit */
    unsigned konst[MOST_CHAIN]; /* constants there, of each work */
    int64_t chunk;
    Chains chains;
    Ways *ways;
} ChainSet;

struct Chain {
    int first, n;
    int nstore, store[MOST_STORES]; /* those that have homes, by bit */
    ChainSet *set;      /* those known */
    int nset;
    Ways any;
    Cut *cut;
    int ncut;
};

/* All tile sizes that a chain may have. */
void cut_list(Tiler *t, Chain *c);
/* The kind in the middle of its tiles, of which most are.  ok: there is such a
 * tile, and it is not too large. */
void cut_begin(Tiler *t, const Chain *c, Cut *g);
/* All kinds of its tiles.  ok: there are such tiles, and they are worth it. */
void cut_make(Tiler *t, const Chain *c, Cut *g);
/* A way with such tiles, without bytes and cycles. */
Way cut_way(const Chain *c, const Cut *g);
/* Which kind the tile i along rows is of. */
int cut_row(const Cut *g, int i);
/* The kinds of a tile, by work. */
Kind *const *cut_kinds(const Cut *g, const int i[NCUT]);
/* Bytes of a slot of what work m makes for the next one. */
int64_t cut_inner(const Tiler *t, const Chain *c, const Cut *g, int m);
/* Least bytes in the nearest memory of the kinds known until now. */
int64_t cut_least(const Tiler *t, const Chain *c, const Cut *g);

#endif
