/* Layers and the candidates to run each, or a fused group of them. */
#ifndef PLAN_TILE_H
#define PLAN_TILE_H

#include "plan/tiling.h"

/* layer.c: layers and their operands, of q, which is completed. */
void tiler_layers(Tiler *t, Problem *q);
/* Begins an attempt with these options: what the last one has made is dropped,
 * and forgotten what depends on options that are others. */
void tiler_begin(Tiler *t, const Options *opt);
/* Sets its room of L1, and forgets what depends on that. */
void tiler_room(Tiler *t, int64_t l1);
/* Takes the candidates that go with where operands lie now. */
void tiler_recall(Tiler *t, LayerInst *w);
int64_t slot_bytes(int64_t n); /* of a buffer for n bytes, with alignment */
/* A constant that comes with the program, and needs no transfer. */
bool oper_is_inlined(const Oper *o);
/* Does it come from or go to L3, piece by piece? */
bool oper_is_staged(const Oper *o);
/* A table that its kernel reads from external memory. */
bool oper_is_far(const LayerInst *w, int oper);
/* Is it loaded while the layers before it are computed?  Those that it is
 * loaded with begin with layer `first`; constants, and what is done by then. */
bool oper_early(const Oper *o, int first);
/* Is a value with this place all that the allocation holds? */
bool alloc_filled(const Alloc *s, const Val *v, Ref place);
/* Is the allocation an operand of the layer? */
bool layer_uses(const LayerInst *w, int alloc);
/* Operands in the nearer memories, by bit, that nobody reads later: the result
 * may take their place. */
unsigned tiler_dying(const Tiler *t, int layer);
/* The node of which kernels are asked: of the whole the layer's own, but where
 * an argument of a concat is copied from slot to slot, that copy. */
const Node *tile_seen(const LayerInst *w, const Tile *tile, bool whole);
/* A scatter whose result lies on x: what is not new stays as it is. */
bool layer_scatters(const LayerInst *w);
/* The kernel of a tile, or of the whole: the fastest whose scratch leaves half
 * of L1, or so many bytes (0: half) of it for slots; min_memory: of
 * those with the least. */
bool tiler_choice(const Tiler *t, LayerInst *w, const Node *tile, const Dims *d,
                  int64_t slots, Choice *to);
/* The same of a layer that is not cut: its operands may lie where accelerators
 * do not work. */
bool direct_choice(const Tiler *t, LayerInst *w, const Dims *d, Choice *to);
/* Notes in w->code that the layer has a kernel. */
void layer_code(Tiler *t, LayerInst *w, Code code);
/* Bytes of code that a call of a kernel goes through, noted in w->code. */
Code tiler_code(Tiler *t, LayerInst *w, const Node *n, const Choice *c,
                const Dims *d);
/* What it takes the cores to load and store what layer w has in L2, constants
 * or not: elements, or words where a kernel is for the chip. */
int64_t l2_cycles(const Tiler *t, const LayerInst *w, unsigned in_l2,
                  bool constants, const Choice *c);

/* layer.c: one attempt's options for another; both keep arrays of their own. */
void options_copy(const Tiler *t, Options *to, const Options *from);
/* May anything be written out to L3? */
bool spills_to(const Tiler *t);
/* Is an allocation in L3 alone at a layer?  -1 and nlayer: when inputs are
 * given, and outputs wanted. */
bool tiler_is_spilled(const Tiler *t, int alloc, int layer);
/* Marks operands as allocations and constants lie now. */
void mark_opers(Tiler *t);
void set_chunk(Tiler *t, int64_t chunk);

/* alike.c: grids of the layer, and of those that are alike, as far as they are
 * known and hold with the room there is.  Do they with so much of L1? */
Grids *tiler_grids(Tiler *t, const LayerInst *w);
bool grids_hold(const Grids *g, int64_t l1);

/* cand.c: what is the same of all candidates. */
int cand_tiles(const Cand *w);
/* Which tile along each axis comes as number t. */
void cand_index(const Cand *w, int t, int i[NCUT]);
/* Tile i of a candidate, in the order in which they are computed; tile i along
 * each axis, of tiles of a size. */
void cand_tile(const Cand *w, int i, int64_t at[NCUT], int64_t len[NCUT],
               const int64_t all[NCUT]);
void place_tile(const int64_t size[NCUT], const int i[NCUT],
                const int64_t all[NCUT], int64_t at[NCUT], int64_t len[NCUT]);
bool oper_is_buffered(const LayerInst *w, int oper, unsigned in_l2,
                      const Cand *cand);
/* Is operand `oper` loaded once for all tiles, though each has a piece? */
bool tile_is_whole(const LayerInst *w, int oper, const Cand *cand);
/* Operands, by bit, and whether results are used where they lie. */
void opers_in_place(const LayerInst *w, unsigned in_l2, const Cand *cand,
                    unsigned *in_place, bool *out_place);
/* Slots in L2 of a result on its way out. */
int out_slots(const Tiler *t, const Cand *cand);
/* Is a constant fetched piece by piece from L3? */
bool fetch_by_piece(const Tiler *t, const Oper *o, Piece p);
/* Bytes in L2 of a constant that lies behind it. */
int64_t const_bytes(const Tiler *t, const Oper *o, const Cand *cand, Piece p,
                    int64_t most);
/* The same of slots through which tiles of an operand pass. */
int64_t staging_bytes(const Tiler *t, const Oper *o, const Cand *cand,
                      bool changes, int64_t most);
/* A transfer of so many cycles; when what is stored is there; a wait, of 0 for
 * nothing; and what is early saves if it is loaded before. */
void pipe_load(const Tiler *t, int64_t move, bool early, Pipe *c);
int64_t pipe_store(const Tiler *t, int64_t move, Pipe *c);
void pipe_wait(const Tiler *t, int64_t then, Pipe *c);
void pipe_before(const Tiler *t, const Pipe *c, Cand *cand);
/* The same from L3 to L2, and back. */
void pipe_bring(const Tiler *t, int64_t move, Pipe *c);
void pipe_send(const Tiler *t, int64_t move, Pipe *c);
/* All of a candidate but l2_bytes; false: it is not known. */
bool times_find(const Times *l, const Timed *like, Cand *cand);
void times_add(Tiler *t, Times *l, const Timed *x);
/* How many layers are computed together, and the result of the last. */
int cand_layers(const Cand *w);
const Oper *cand_result(const LayerInst *first, const Cand *w);
/* Does a candidate go through all rows once for each channel tile? */
bool cand_rereads(const Cand *w);
/* What is to be least: cycles, and what a candidate moves. */
int64_t cand_cost(const Cand *w);
/* Is one of them no worse in anything? */
bool cands_cover(const Cands *l, const Cand *cand);
void cands_add(Tiler *t, Cands *l, const Cand *cand);
void cands_sort(Cands *l);
/* distance.c: works out saves, over and lag, of a candidate of layer w, or of a
 * fused group that begins with it; dies: set of operands of w that may be
 * written over. */
void tiler_overlap(Tiler *t, const LayerInst *w, Cand *cand, unsigned dies);
/* It saves no more. */
int64_t tiler_overlap_most(const Tiler *t, const LayerInst *w, const Cand *cand,
                           unsigned dies);

/* tile.c: the candidates to do layer w with the allocations of set `in_l2` in
 * L2, none worse than another in everything; some may need more
 * than t->a.room. */
Cands *tiler_cands(Tiler *t, LayerInst *w, unsigned in_l2);
/* May its tiles come from behind L2, and go there? */
bool tiler_can_stage(Tiler *t, LayerInst *w);
/* Sizes worth trying along an axis, *n of them, at most MOST_SIZES. */
void tile_sizes(const Tiler *t, int64_t all, int64_t step, int64_t *size,
                int *n);
/* Channels in fours, or in groups that are no fours. */
int64_t channel_step(const Node *n);
/* Tiles of so many channels between the first and the last must be whole groups
 * too, or lie within one, if there are several. */
bool keeps_groups(const Node *n, int64_t len);

/* fused.c: layers that are computed together, a tile of the last at a time.
 * n layers from `first` on; NULL: none. */
Fused *tiler_fused(Tiler *t, int first, int n);
/* Has the allocation no level, in the fused group of n layers? */
bool fused_within(const Tiler *t, int alloc, int first, int n);
/* The allocations that have one, by bit of a set of levels. */
const int *fused_allocs(const Fused *c, int *n);
Cands *fused_cands(Tiler *t, Fused *c, unsigned in_l2);
/* One that takes nothing, if there may be any. */
Cands *fused_any(Tiler *t, Fused *c);
/* Which operand of w is the result of the layer before it in a fused group. */
int fused_link(const LayerInst *w, const LayerInst *before);

/* cut.c */
/* Tile i of all layers that are computed together, from layer `first` on, each
 * making what the next one reads.  false: there are no such tiles. */
typedef struct FusedTile {
    Tile tile;
    int64_t at[NCUT], len[NCUT];
} FusedTile;
bool fused_tiles(Arena *mem, const Tiler *t, int first, const Cand *cand, int i,
                 FusedTile *to);
/* Bytes of what w reads of the result of the layer before it that is there from
 * the tile before. */
int64_t fused_halo(const LayerInst *w, const FusedTile *c,
                   const FusedTile *before);

#endif
