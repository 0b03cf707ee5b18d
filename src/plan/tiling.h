/* Tiling: how each layer is cut so that what its cores work on lies in the L1,
 * and where values live between layers.
 *
 * Every allocation (alloc.c) is resident in L1 or L2.  What is resident in L1
 * is used in place; of the rest a layer has tiles in slots, moved by DMA while
 * cores work on the tile before.  tile.c lists the candidates to cut a layer
 * that are worth considering, given the levels of its values, fused.c and cut.c
 * those for several layers at once; solve.c chooses levels and candidates
 * together, for the least predicted time; emit.c writes the steps. */
#ifndef TILING_H
#define TILING_H

#include "plan/plan.h"

enum { NOPER = NARG + NRES, MOST_FUSED = 6, FEW_SIZES = 20,
       MOST_SIZES = 60 };

/* What the cores pay beside kernels' own time, cycles, with a program in the
 * instruction cache: for a call on all of them, of that to make ready for the
 * next, to start a transfer while they work, and while they wait, to look
 * whether some are over, to meet between two calls, to ask for a transfer from
 * or to L3, to turn a page of the program, for its share of that
 * a call, before the first layer, until the first page has come, and after the
 * last. */
enum { CALL_CYCLES = 130, READY_CYCLES = 60, MOVE_CYCLES = 20,
       START_CYCLES = 90, WAIT_CYCLES = 50, MEET_CYCLES = 75, ASK_CYCLES = 200,
       TURN_CYCLES = 100, TURN_SHARE = 19, BEGIN_CYCLES = 390,
       END_CYCLES = 70 };

/* An operand (first) or result of a layer. */
typedef struct Oper {
    const Val *val;     /* NULL: absent */
    bool konst, out;
    int alloc;          /* index; of a constant: -1 */
    bool in_l3;         /* it lies in L3: a constant, or what is
                           spilled at this layer */
    int since;          /* the last layer before it that writes the allocation;
                           -1: none does */
    int bit;            /* of the layer's allocations, which bit of a set of
                           levels; -1: a constant */
    Ref place;          /* in its allocation */
} Oper;

/* A candidate to cut a layer, or a fused group. */
typedef struct Cand {
    int before, after;  /* layers of its fused group before and behind it; the
                           tiles are those of the last */
    int64_t len[NCUT];  /* of a tile */
    int count[NCUT];
    bool rows_first;    /* rows run inside channels */
    bool reuse;         /* a fused group's tiles keep rows of the tile before */
    bool direct;        /* not cut, and used wherever it lies */
    bool whole;         /* small constants are loaded once, all of them */
    int depth;          /* slots of an operand that changes: 1 or 2 */
    int64_t bytes;      /* in L1: slots and scratch */
    int64_t slots;      /* of a tile's pieces, one slot each; 0: of a fused
                           group, or not cut */
    int64_t l2_bytes;    /* in L2, of what is behind it */
    int64_t cycles;     /* with the first load, from the layer before's end */
    int64_t energy;     /* of what it moves (Tiler.energy_weight) */
    int64_t pre_bytes, pre_cycles; /* what may be loaded before: slots of
                           what is early, and the time that it saves */
    int64_t pre_starts; /* of those: in which cores start the loads */
    int64_t pre_least;  /* may be saved even if there is no slack before */
    int64_t slack;      /* cycles in which nothing is loaded */
    int64_t idle;       /* cycles in which cores wait */
    int64_t turns;      /* cycles that a fused group may take less, for code
                           that may not have to come in again */
    int64_t saves;      /* bytes of L2, if the result follows an
                           operand that dies there at a distance; -1: not
                           worked out */
    int over;           /* that operand */
    int64_t distance;   /* the distance: the result begins as much before */
} Cand;

/* Candidates of one grid whose time is known: by where allocations are, and
 * which operands pass through L2; whatever else lies behind it. */
typedef struct Timed {
    unsigned in_l2, staged;
    Cand cand;
} Timed;

typedef struct Times {
    Timed *v;
    int n;
} Times;

typedef struct Cands {
    Cand *v;
    int n;
    bool known;
} Cands;

/* Candidates for one place of a layer's operands and one size of what is
 * fetched. */
typedef struct CandSet {
    unsigned in_l3;     /* operands behind L2, by bit */
    int64_t chunk;
    Cands *cands;
} CandSet;

/* How far before an operand a result must begin, with tiles in some order. */
typedef struct Distance {
    int oper, layers;   /* layers: in the fused group */
    int64_t len[NCUT];
    bool rows_first, reuse;
    int64_t bytes;
} Distance;

/* A kernel that a layer may have, bytes of it that a call goes through, and
 * cycles that one takes longer if none of them are in the cache. */
typedef struct Code {
    const Kern *kern;
    int64_t bytes, cycles;
} Code;

/* The clocks of a candidate's pipeline. */
typedef struct Pipe {
    int64_t core, in, out, io; /* when each is free */
    int64_t idle;       /* cycles in which cores wait */
    int64_t loading;    /* cycles of all loads */
    int64_t loads, early; /* how many, and of what is there early, */
    int64_t early_cycles; /* which take so long */
    int64_t ready;      /* when the tile's data is there; 0: it was */
} Pipe;

typedef struct Fused Fused; /* fused.c */

/* A layer as the planner sees it. */
typedef struct LayerInst {
    const Node *node;
    int part;
    int pos;            /* of the node in the order */
    const Choice *choice;
    int noper;
    Oper oper[NOPER];
    int nalloc, alloc[NOPER]; /* the different ones it uses, by bit */
    bool shared;        /* its result lies on an operand */
    bool overlaps;      /* only candidates whose result may overlap an operand
                           */
    Cands *cands;       /* by the set of those resident in L2 */
    CandSet *set;       /* these, and others that may be wanted again */
    int nset;
    struct Grid *grids;
    int ngrid;
    int64_t wanted, denied; /* the room with which all kernels chosen for it are
                           allowed, and that with which one is that was not:
                           from the one to the other, they stay as they are */
    Code *code;         /* of all kernels in its candidates */
    int ncode;
    Distance *distance; /* those known */
    int ndistance;
    Fused **fused;      /* that begins here, by its length; NULL: none */
} LayerInst;

/* Bytes that are brought from L3 to L2: rows, which lie
 * there without gaps. */
typedef struct Fetch {
    int layer;
    int buf;            /* where they are brought */
    Ref from;
    int64_t bytes;      /* of all rows */
    int64_t rows, stride;
    int after;          /* the first step at which they are there */
} Fetch;

/* An allocation that is not in L2 all its life. */
enum { SPILL_QUEUE = 4, /* transfers out that may be under way at once */
       OUT_SLOTS = 2 };   /* of those, of pieces of one result */
typedef struct Spill {
    bool *spilled;      /* by layer: it lies in L3 alone */
    bool *may;          /* by layer: or not, as one likes; NULL: nowhere */
    int l3_buf;         /* its buffer there */
    int own;            /* the buffer of its values' places */
    int buf;            /* in L2, where it is now; -1: nowhere */
    int token;          /* of the transfer out; -1: none is under way */
    int ready;          /* the first step at which it is at level */
} Spill;

/* What is tried where constants lie outside: how many eighths of what buffers
 * never need are filled with them, and whether with those that would come late;
 * bytes that are fetched at once; what the program is taken for at first. */
typedef struct Trial {
    int fill;
    bool late;
    int64_t chunk, code;
} Trial;

/* Which fused groups are considered: none; those that may take less time
 * than the layers one by one, if there is room for these; all; or all as if
 * they took a quarter of their time. */
typedef enum Fusion {
    FUSE_none, FUSE_faster, FUSE_all, FUSE_always
} Fusion;

/* The best of some plans, with memory of its own, and what of the tiler it was
 * made with. */
typedef struct BestPlan {
    int64_t cost;       /* -1: there is none */
    Plan plan;
    Arena *draft;
    Fusion fusion;
    bool fills, spills, *in_l3;
    int64_t chunk, code;
} BestPlan;

typedef struct Infeasible Infeasible; /* infeasible.c */

typedef struct Tiler {
    Arena *mem;         /* of the plan that is made, */
    Arena *known;       /* and of what is known of layers, whatever the plan */
    Plan *p;
    Allocs *s;
    const Chooser *chooser;
    const Dma *dma, *io; /* L1 and L2, L2 and L3; io may be NULL */
    int l1, l2, l3;     /* memories of levels 1 to 3; l3 -1: none */
    bool *in_l3;        /* by allocation: a constant that lies in L3 */
    int64_t chunk;      /* bytes of a constant that are fetched at once */
    Fusion fusion;
    bool overlapped;    /* some results overlap operands: */
    int *lead, nlead;   /* by buffer: whom it keeps a distance from, */
    int64_t *off;       /* and which; of buffers from nlead on: none */
    int64_t code;       /* bytes there for the steps as a program */
    bool counted;       /* that is not guessed */
    bool fills;         /* fetches fill the memory to the brim: */
    int64_t room;       /* of L1: bytes */
    int64_t listed;     /* candidates are listed that need as much */
    LayerInst *layer;
    int nlayer;
    int *first, *last;  /* by allocation: layers between which it lives */
    int *wrote;         /* by allocation: how many layers there are up to the
                           last that writes it; 0: none does */
    Fetch *fetch;
    int nfetch;
    bool spills;        /* some allocations are spilled, */
    bool inout_in_l3;   /* and inputs among them are given, and outputs wanted,
                           in L3: */
    Spill **spill;      /* by allocation; NULL: it never is */
    int *spill_list, nspill; /* the allocations that are, in order */
    bool *can_stage;    /* by layer: its tiles may be staged in L2, */
    int64_t stage_room;   /* with so much of L1 */
    int spill_policy;   /* 0: what frees the most; 1: no more than must be,
                           2: or where that is quicker */
    int effort;         /* 1: more sizes of tiles are considered; 2: and levels
                           of more allocations at once */
    int64_t *cap;       /* by layer: room of L1; NULL: all there is */
    bool drafts;        /* each plan has memory of its own: */
    Arena *draft, *best_draft; /* of the one that is tried, and of the best */
    BestPlan best;      /* of those that are tried together */
    double energy_weight[2]; /* cycles that a byte is worth that ENG_dma, ENG_io
                           move; 0 but for least energy */
    bool min_memory;    /* for least memory: kernels with the least scratch,
                           constants a piece at a time, nothing ahead */
    bool spill_optional; /* what is spilled may be resident in L1
                            instead */
    Infeasible *infeasible; /* of minimum-memory plans */
    int ninfeasible;
    int64_t grows;      /* L2 is as large as its limit, and so
                           much is the least for buffers; 0: it is as it is */
} Tiler;

/* layer.c: layers and their operands. */
void tiler_layers(Tiler *t);
/* Sets room, or effort, or whether for least memory (min_memory), and forgets
 * what depends on it. */
void tiler_room(Tiler *t, int64_t l1);
void tiler_effort(Tiler *t, int effort);
void tiler_min_memory(Tiler *t, bool min_memory);
/* Takes the candidates that go with where operands lie now. */
void tiler_recall(Tiler *t, LayerInst *w);
int64_t slot_bytes(int64_t n); /* of a buffer for n bytes, with alignment */
/* A constant that comes with the program, and needs no transfer. */
bool oper_is_inlined(const Oper *o);
/* Does it come from or go to L3, piece by piece? */
bool oper_is_staged(const Oper *o);
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
/* The kernel of a tile, or of the whole: the fastest whose scratch leaves half
 * of L1, or so many bytes (0: half) of it for slots; min_memory: of
 * those with the least. */
bool tiler_choice(const Tiler *t, LayerInst *w, const Node *tile, const Dims *d,
                  int64_t slots, Choice *to);
/* Bytes of code that a call of a kernel goes through, noted in w->code. */
Code tiler_code(Tiler *t, LayerInst *w, const Node *n, const Choice *c,
                const Dims *d);
/* What it takes the cores to load and store what layer w has in L2:
 * elements, or words where a kernel is for the chip. */
int64_t l2_cycles(const Tiler *t, const LayerInst *w, unsigned in_l2,
                  const Choice *c);

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
void pipe_wait(int64_t then, Pipe *c);
void pipe_before(const Tiler *t, const Pipe *c, Cand *cand);
/* The same from L3 to L2, and back. */
void pipe_bring(int64_t move, Pipe *c);
void pipe_send(int64_t move, Pipe *c);
/* All of a candidate but l2_bytes; false: it is not known. */
bool times_find(const Times *l, unsigned in_l2, unsigned staged, Cand *cand);
void times_add(Tiler *t, Times *l, unsigned in_l2, unsigned staged,
               const Cand *cand);
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
/* Works out saves, over and lag, of a candidate of layer w, or of a fused
 * group that begins with it; dies: set of operands of w that may be written
 * over. */
void tiler_overlap(Tiler *t, const LayerInst *w, Cand *cand, unsigned dies);
/* It saves no more. */
int64_t tiler_overlap_most(const Tiler *t, const LayerInst *w, const Cand *cand,
                           unsigned dies);

/* tile.c: the candidates to do layer w with the allocations of set `in_l2` in
 * L2, none worse than another in everything; some may need more
 * than t->room. */
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

/* solve.c */
typedef struct Solution {
    bool found;
    bool exact;         /* of all combinations considered the best */
    int64_t cycles;
    unsigned char *in_l2; /* by allocation: resident in L2 */
    Cand **cand;        /* by layer; of a fused group: each has its own */
    bool *within;       /* by allocation: it has no level, for a fused group
                           makes it */
    unsigned char *ahead; /* by layer: what is early is loaded before */
    int64_t *rest;      /* by layer: cycles from its begin to the end */
    unsigned *stay;     /* by layer: its allocations that stay in L2 after all
                           */
} Solution;
/* l1, l2: room by layer. */
Solution solve_levels(Tiler *t, const int64_t *l1, const int64_t *l2);
/* Layers that take no time beside what the line from L3 does: so
 * many bytes a cycle, but for what is there when they begin. */
typedef struct Line {
    bool *instant;      /* by layer */
    int64_t *spare;     /* by layer: bytes that may be there when it begins */
    double rate;
} Line;
/* No solution takes less time, and it need not be one: what is too much to be
 * tried out counts nowhere.  miss: cycles, by layer, in which code comes in;
 * NULL: none. */
Solution solve_relaxed(Tiler *t, const int64_t *l1, const int64_t *l2,
                       const int64_t *miss, const Line *line);

/* bound.c: no plan takes fewer cycles.  l1, l2: room for buffers; all: for
 * buffers and constants in L2, of which values that may be spilled
 * (next is more) need nothing. */
int64_t tiler_bound(Tiler *t, int64_t l1, int64_t l2, int64_t all);

/* overlap.c: lets results overlap operands, where the room of L2 (by layer)
 * asks for it; buf: of allocations.  Returns the bytes that are still too many,
 * over all layers.  place_groups gives addresses then; the height. */
int64_t overlap_allocs(Tiler *t, const Solution *s, const int *buf,
                       const int64_t *room);
int64_t place_groups(Tiler *t, int mem);

/* emit.c */
void emit_steps(Tiler *t, const Solution *s);

/* spill.c: what is written out to L3, and fetched back. */
bool spills_to(const Tiler *t);
/* At a layer; -1 and nwork: when inputs are given, and outputs wanted. */
bool tiler_is_spilled(const Tiler *t, int alloc, int layer);
/* Is an allocation in L2, if not nearer, at one of n layers that are
 * computed together?  Bytes of those that may be spilled, but for what lies
 * within a fused group. */
bool spill_is_here(const Tiler *t, int alloc, int layer, int n);
int64_t spill_resident(const Tiler *t, const bool *within, int layer, int n);
/* Spills what must be so that layers can be solved with so much room; false:
 * there is nothing more to spill. */
bool spill_allocs(Tiler *t, int64_t l1, int64_t l2);
void spill_nothing(Tiler *t);
/* Spills all that may be; of that, none that is not in L2 after all. */
void spill_all(Tiler *t);
void spill_only_l2(Tiler *t, const unsigned char *in_l2);
/* Which of the allocations of a layer, by bit, are spilled there and need not
 * be; and which of them are not. */
unsigned spill_may_stay(const Tiler *t, int layer);
void spill_stay(Tiler *t, int layer, unsigned stay);
/* Buffers; steps before n layers, computed together, and after the last of
 * them; -1 and nwork for the ends. */
void spill_bufs(Tiler *t, const int *buf);
void spill_enter(Tiler *t, int layer, int n);
void spill_leave(Tiler *t, int layer, int *token);
void spill_move(Tiler *t, int layer, int *token, Move m);
void spill_wait(Tiler *t, int layer, int token);

/* fetch.c: adds the steps of all fetches to a plan, each as early as there is
 * room for it.  Returns the bytes that are missing in L2, and
 * (*layer) where. */
int64_t add_fetches(Tiler *t, int *layer);
Fetch *add_fetch(Tiler *t, Fetch f);

/* pin.c: of the constants that are outside, those stay inside, of at most
 * `most` bytes, without which others would come too late.  s: a solution with
 * all outside, and so much room. */
void pin_late(Tiler *t, const Solution *s, int64_t room, int64_t most);

/* cache.c: the instruction cache that the cores of a chip share. */
typedef struct CodeCache {
    Arena *mem;
    double size;        /* bytes; 0: there is none */
    double rate;        /* cycles a byte that comes in */
    double *there;      /* by unit: bytes */
    int n;
} CodeCache;
CodeCache *code_cache(Arena *mem, const Soc *s);
/* The program's loop goes through so many bytes of its code with a kernel, with
 * a transfer, and when a page turns.  Units: these, and behind them those of
 * kernels. */
enum { CALL_CODE = 500, MOVE_CODE = 450, TURN_CODE = 150 };
enum { CALL_UNIT, MOVE_UNIT, TURN_UNIT, KERNEL_UNIT };
/* A unit of the program, whose number is yours, goes through so many bytes of
 * its code: cycles until those that are not there have come in. */
int64_t code_miss(CodeCache *c, int unit, int64_t bytes);
/* The same of a kernel, for which not all cores wait alike. */
int64_t kern_miss(CodeCache *c, int unit, Code code);

/* cost.c: what is to be least.  tiler_aim sets what a byte is worth. */
void tiler_aim(Tiler *t);
/* What so many bytes between L1 and L2, and between L2 and L3, are
 * worth in cycles. */
int64_t tiler_energy(const Tiler *t, int64_t dma, int64_t io);
/* Of the plan, by its steps. */
int64_t tiler_cost(const Tiler *t);
/* Cycles in which an engine is busy with a transfer. */
int64_t move_cycles(const Dma *d, bool in, int64_t row, int64_t rows);
/* What a call of a kernel goes through. */
Code kern_code(const Kern *k, const KernSig *sig, const Node *n,
               const Dims *d);
/* The first call of each network, with nothing there; and a layer's code, with
 * the program's for it. */
int64_t call_miss(CodeCache *c);
int64_t layer_miss(CodeCache *c, int unit, Code code);

/* placement.c: steps and addresses of a solution. */
enum { UNIT = 8 }; /* memory is given out in so many bytes */
typedef struct Rooms {
    int64_t *l1, *l2;     /* by layer */
    int late;             /* times that there was none for what is fetched */
} Rooms;
Rooms new_rooms(Tiler *t, int64_t l1, int64_t l2);
Solution solve_rooms(Tiler *t, int64_t l1, int64_t l2);
bool solves(Tiler *t, int64_t l1, int64_t l2);
int64_t whole_units(int64_t bytes);
/* Bytes for buffers in L1, beside all stacks; in units. */
int64_t l1_left(const Tiler *t, const PlanOpts *o);
int64_t l1_room_of(const Tiler *t, const PlanOpts *o);
/* Bytes of L2 beside what the program takes; for buffers, beside
 * constants and code too, less than 0 where these do not fit; in units. */
int64_t l2_all(const Tiler *t);
int64_t l2_left(const Tiler *t, const PlanOpts *o);
int64_t l2_room(const Tiler *t, const PlanOpts *o);
/* A plan with everything as it is set; false: none fits. */
bool try_placement(Tiler *t, const PlanOpts *o);
/* Keeps the plan if it is the best until now; what is tried next is another.
 * The best takes its place again; false: there is none. */
void best_keep(Tiler *t, int64_t cost);
bool best_take(Tiler *t);
/* Live bytes of a memory by layer, and the most of any. */
int64_t *live_of(Tiler *t, int mem, int64_t *most);

/* infeasible.c: does a minimum-memory solution fail as it did before?  Then all
 * is left as it was then.  One that failed, by its key, with room in L1. */
bool known_infeasible(Tiler *t, const Solution *s, const PlanOpts *o, Rooms *r,
                      uint64_t *key);
void note_infeasible(Tiler *t, const Rooms *r, uint64_t key);

/* tiled.c: a plan for a chip with DMA. */
enum { LEAST_FETCHED = 512, /* bytes; smaller constants are never fetched */
       SPILL_PARTS = 16 };
void begin_anew(Tiler *t, Fusion fusion, bool min_memory);
void start_over(Tiler *t, Fusion fusion); /* with all constants inside */
void set_chunk(Tiler *t, int64_t chunk);
void mark_opers(Tiler *t); /* after what lies outside has changed */
/* All constants that are not small go outside; bytes of those that did not. */
void consts_to_l3(Tiler *t);
int64_t consts_l2_bytes(const Tiler *t);
void set_rooms(Tiler *t, const PlanOpts *o); /* as constants leave it */
bool place_l3(Tiler *t);      /* is there room in L3? */
/* What does not fit may, with fused groups wherever they save room, or spilled;
 * or where inputs and outputs may be in L3 too. */
bool try_all(Tiler *t, const PlanOpts *o);
bool try_inout(Tiler *t, const PlanOpts *o);
/* The cost of a plan with everything as it is set; of a trial; -1: none. */
int64_t try_current(Tiler *t, const PlanOpts *o);
int64_t try_trial(Tiler *t, const PlanOpts *o, const Trial *x);
/* Keeps the best of a few trials; false: there is none.  spill: as if L2
 * had so many parts of its SPILL_PARTS, with what is too much spilled; 0:
 * nothing is. */
bool try_l3(Tiler *t, const PlanOpts *o, int spill);

bool tiled_fits(const Soc *soc);
void tiled_plan(Plan *p, Allocs *s, const Chooser *c, const PlanOpts *o);

/* minimum.c: the plan with the least memory, where nothing else fits, or what
 * is missing; a plan with the least of L2, of such plans a quick one, false:
 * there is none. */
void make_minimum(Tiler *t, const PlanOpts *o);
bool make_small(Tiler *t, const PlanOpts *o);

/* local.c: takes the place of a plan if it finds a better one in time. */
void plan_local_search(Tiler *t, const PlanOpts *o);

#endif
