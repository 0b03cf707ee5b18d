/* build: what graphs of chips are made with. */
#ifndef SHARD_BUILD_H
#define SHARD_BUILD_H

#include "shard/shard.h"

typedef struct Build {
    Shard *s;
    Graph *g;
    int chip, tag;
    Val **has;   /* as the node that makes it leaves it, by id */
    Val **whole; /* gathered, by id; NULL: not yet */
    Val **wide;  /* with the rows of neighbours that windows read, by id */
} Build;

/* A graph that has the inputs alone. */
Build build_begin(Shard *s, int chip);
void build_node(Build *b, const Share *h);
/* v, or the same of another type. */
Val *build_typed(Build *b, Val *v, Type t);
/* y is what a chip has of v, an output, which may be a state's next. */
void build_output(Build *b, const Val *v, Val *y);
/* The next exchange; room: NULL, or where what has been sent comes. */
Val *build_exchange(Build *b, OpCode op, const char *layer, Val *x, Val *room);
/* Of shape `to`, from element `from` of the axis on. */
Val *build_slice(Build *b, Val *x, int axis, int64_t from, Shape to);
Val *build_join(Build *b, const char *name, int axis, int n, Val **piece);
/* Notes an exchange, once, of chip 0. */
void build_note(Build *b, Exchange e);
/* Operand i of a node, as its share wants it. */
Val *build_operand(Build *b, const Share *h, int i);
/* n columns of a constant along an axis. */
Val *build_columns(Build *b, const Val *v, int axis, int64_t from, int64_t n);
/* A node of this chip's share, or of some of it. */
Node *build_part(Build *b, const Share *h, Val **arg);
/* beside.c: v, made and gathered by pieces. */
Val *beside_build(Build *b, const Val *v, const Pieces *p);
/* Attributes of an exchange of v, which is cut so. */
void build_moved(Build *b, Node *n, const Val *v, Cut c);
/* Makes of x, a chip's share of v, what takes so many bytes; by pieces along
 * another axis than c's for which there is room: the same on all chips. */
Val *build_pieces(Build *b, const Val *v, Cut c, Val *x, int64_t bytes,
                  Val *(*make)(Build *, const Val *, Cut, Val *));

/* halo.c: v, cut so, with the rows of neighbours that windows read; how it is
 * cut then. */
Val *halo_build(Build *b, const Val *v, Cut is);
Cut halo_cut(Build *b, const Val *v, Cut is);
/* The padding of y, n's share, at the ends of an image. */
void halo_pads(Build *b, Node *y, const Share *h);

#endif
