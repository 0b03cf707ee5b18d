/* Inside ir: what the families need to cut a node into tiles (tile.c). */
#ifndef IR_TILE_H
#define IR_TILE_H

#include "ir/ir.h"

/* A tile that is being made. */
typedef struct Cutter {
    Graph g; /* whose memory the tile is made in */
    const Node *n;
    int part;                /* of a concat: the argument */
    const int64_t *at, *len; /* by axis */
    Tile *t;
} Cutter;

/* tile.c: rows of `row` elements of v, `stride` apart, from element off on. */
Piece piece_of(const Val *v, int64_t off, int64_t row, int64_t rows,
               int64_t stride);
/* A value of the tile: v's type, range and name, another shape. */
Val *cut_val(Cutter *c, const Val *v, Shape s);
/* Operand i of the tile, or its result: of shape s, at p of the whole. */
void cut_arg(Cutter *c, int i, Shape s, Piece p);
void cut_res(Cutter *c, Shape s, Piece p);
/* The operands of these names: one element for each channel, or for all. */
void cut_epilogue(Cutter *c, const char *names[], size_t count);
/* v's shape with the axes [from, to) as one of len elements. */
Shape cut_joined(const Val *v, int from, int to, int64_t len);

/* Of each family the length of its result along what it may be cut by, and the
 * tile c; false: it is no set of Pieces.
 *
 * tile_image.c: convolutions, pools. */
void image_axes(const Node *n, int64_t len[NCUT]);
bool cut_conv(Cutter *c);
bool cut_pconv(Cutter *c);
bool cut_pool(Cutter *c);
/* tile_rows.c: matrix products, elementwise and along rows, reductions. */
void matmul_axes(const Node *n, int64_t len[NCUT]);
bool cut_matmul(Cutter *c);
void rowmatmul_axes(const Node *n, int64_t len[NCUT]);
bool cut_rowmatmul(Cutter *c);
void lines_axes(const Node *n, int64_t len[NCUT]);
bool cut_rows(Cutter *c);
void heads_axes(const Node *n, int64_t len[NCUT]);
bool cut_heads(Cutter *c);
void reduce_axes(const Node *n, int64_t len[NCUT]);
bool cut_reduce(Cutter *c);
/* tile_move.c: data that is moved. */
void long_axes(const Node *n, int64_t len[NCUT]);
bool cut_transpose(Cutter *c);
bool cut_slice(Cutter *c);
bool cut_expand(Cutter *c);
void pad_axes(const Node *n, int64_t len[NCUT]);
bool cut_pad(Cutter *c);
void gather_axes(const Node *n, int64_t len[NCUT]);
bool cut_gather(Cutter *c);
void concat_axes(const Node *n, int part, int64_t len[NCUT]);
bool cut_concat(Cutter *c);

#endif
