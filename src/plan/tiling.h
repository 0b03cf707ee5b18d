/* Tiling: how each layer is cut so that what its cores work on lies in the
 * nearest memory, and where values live between layers.
 *
 * Every store (store.c) has a home, the nearest memory or the next.  What is
 * at home in the nearest is used in place; of the rest a layer has tiles in
 * slots, moved by DMA while cores work on the tile before.  tile.c lists the
 * ways to cut a layer that are worth considering, given the homes of its
 * values, chain.c and cut.c those for several layers at once; solve.c chooses
 * homes and ways together, for the least predicted time; emit.c writes the
 * steps. */
#ifndef TILING_H
#define TILING_H

#include "plan/plan.h"

enum { NOPER = NARG + NRES, MOST_CHAIN = 6, FEW_SIZES = 20,
       MOST_SIZES = 60 };

/* What the cores pay beside kernels' own time, cycles, with a program in the
 * instruction cache: for a call on all of them, of that to make ready for the
 * next, to start a transfer while they work, and while they wait, to look
 * whether some are over, to meet between two calls, to ask for a transfer from
 * or to the outer memory, to turn a page of the program, for its share of that
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
    int store;          /* index; of a constant: -1 */
    bool outer;         /* it lies in memory behind the next: a constant, or
                           what is not in the next at this layer */
    int since;          /* the last work before it that writes the store; -1:
                           none does */
    int bit;            /* of the layer's stores, which bit of a set of homes;
                           -1: a constant */
    Ref place;          /* in its store */
} Oper;

/* A way to cut a layer, or a chain of them. */
typedef struct Way {
    int before, after;  /* works of its chain before and behind it; the tiles
                           are those of the last */
    int64_t len[NCUT];  /* of a tile */
    int count[NCUT];
    bool rows_first;    /* rows run inside channels */
    bool rolls;         /* a chain's tiles keep rows of the tile before */
    bool direct;        /* not cut, and used wherever it lies */
    bool whole;         /* small constants are loaded once, all of them */
    int depth;          /* slots of an operand that changes: 1 or 2 */
    int64_t bytes;      /* in the nearest memory: slots and scratch */
    int64_t slots;      /* of a tile's pieces, one slot each; 0: of a chain, or
                           not cut */
    int64_t outer_bytes; /* in the next memory, of what is behind it */
    int64_t cycles;     /* with the first load, from the layer before's end */
    int64_t toll;       /* of what it moves (Tiler.toll) */
    int64_t pre_bytes, pre_cycles; /* what may be loaded before: slots of
                           what is early, and the time that it saves */
    int64_t pre_starts; /* of those: in which cores start the loads */
    int64_t pre_least;  /* may be saved even if there is no slack before */
    int64_t slack;      /* cycles in which nothing is loaded */
    int64_t idle;       /* cycles in which cores wait */
    int64_t turns;      /* cycles that a chain may take less, for code that may
                           not have to come in again */
    int64_t saves;      /* bytes of the next memory, if the result follows an
                           operand that dies there at a distance; -1: not
                           worked out */
    int over;           /* that operand */
    int64_t lag;        /* the distance: the result begins as much before */
} Way;

/* Ways of one grid whose time is known: by where stores are, and which operands
 * pass through the next memory; whatever else lies behind it. */
typedef struct Timed {
    unsigned far, streams;
    Way way;
} Timed;

typedef struct Times {
    Timed *v;
    int n;
} Times;

typedef struct Ways {
    Way *v;
    int n;
    bool known;
} Ways;

/* Ways for one place of a layer's operands and one size of what is fetched. */
typedef struct WaySet {
    unsigned outer;     /* operands behind the next memory, by bit */
    int64_t chunk;
    Ways *ways;
} WaySet;

/* How far before an operand a result must begin, with tiles in some order. */
typedef struct Lag {
    int oper, works;    /* works: in the chain */
    int64_t len[NCUT];
    bool rows_first, rolls;
    int64_t bytes;
} Lag;

/* A kernel that a layer may have, bytes of it that a call goes through, and
 * cycles that one takes longer if none of them are in the cache. */
typedef struct Code {
    const Kern *kern;
    int64_t bytes, cycles;
} Code;

/* The clocks of a way's pipeline. */
typedef struct Pipe {
    int64_t core, in, out, io; /* when each is free */
    int64_t idle;       /* cycles in which cores wait */
    int64_t loading;    /* cycles of all loads */
    int64_t loads, early; /* how many, and of what is there early, */
    int64_t early_cycles; /* which take so long */
    int64_t ready;      /* when the tile's data is there; 0: it was */
} Pipe;

typedef struct Chain Chain; /* chain.c */

/* A layer as the planner sees it. */
typedef struct Work {
    const Node *node;
    int part;
    int pos;            /* of the node in the order */
    const Choice *choice;
    int noper;
    Oper oper[NOPER];
    int nstore, store[NOPER]; /* the different ones it uses, by bit */
    bool shared;        /* its result lies on an operand */
    bool follow;        /* only ways whose result may follow an operand */
    Ways *ways;         /* by the set of those at home in the next memory */
    WaySet *set;        /* these, and others that may be wanted again */
    int nset;
    struct Grid *grids;
    int ngrid;
    int64_t wanted, denied; /* the room with which all kernels chosen for it are
                           allowed, and that with which one is that was not:
                           from the one to the other, they stay as they are */
    Code *code;         /* of all kernels in its ways */
    int ncode;
    Lag *lag;           /* those known */
    int nlag;
    Chain **chain;      /* that begins here, by its length; NULL: none */
} Work;

/* Bytes that are brought from the outer memory to the next: rows, which lie
 * there without gaps. */
typedef struct Fetch {
    int work;
    int buf;            /* where they are brought */
    Ref from;
    int64_t bytes;      /* of all rows */
    int64_t rows, stride;
    int after;          /* the first step at which they are there */
} Fetch;

/* A store that is not in the next memory all its life. */
enum { SPILL_QUEUE = 4, /* transfers out that may be under way at once */
       OUT_SLOTS = 2 };   /* of those, of pieces of one result */
typedef struct Spilled {
    bool *away;         /* by work: it lies in the outer one alone */
    bool *may;          /* by work: or not, as one likes; NULL: nowhere */
    int home;           /* its buffer there */
    int own;            /* the buffer of its values' places */
    int buf;            /* in the next, where it is now; -1: nowhere */
    int token;          /* of the transfer out; -1: none is under way */
    int ready;          /* the first step at which it is at home */
} Spilled;

/* What is tried where constants lie outside: how many eighths of what buffers
 * never need are filled with them, and whether with those that would come late;
 * bytes that are fetched at once; what the program is taken for at first. */
typedef struct Trial {
    int fill;
    bool late;
    int64_t chunk, code;
} Trial;

/* Which chains of layers are considered: none; those that may take less time
 * than the layers one by one, if there is room for these; all; or all as if
 * they took a quarter of their time. */
typedef enum Chains {
    CHAIN_none, CHAIN_faster, CHAIN_all, CHAIN_always
} Chains;

/* The best of some plans, with memory of its own, and what of the tiler it was
 * made with. */
typedef struct BestPlan {
    int64_t cost;       /* -1: there is none */
    Plan plan;
    Arena *draft;
    Chains chains;
    bool fills, spills, *outside;
    int64_t chunk, code;
} BestPlan;

typedef struct Failed Failed; /* again.c */

typedef struct Tiler {
    Arena *mem;         /* of the plan that is made, */
    Arena *known;       /* and of what is known of layers, whatever the plan */
    Plan *p;
    Stores *s;
    const Chooser *chooser;
    const Dma *dma, *io; /* near and next, next and outer; io may be NULL */
    int near, next, outer; /* memories; outer -1: none */
    bool *outside;      /* by store: a constant that lies in the outer one */
    int64_t chunk;      /* bytes of a constant that are fetched at once */
    Chains chains;
    bool merged;        /* some results follow operands: */
    int *lead, nlead;   /* by buffer: whom it keeps a distance from, */
    int64_t *off;       /* and which; of buffers from nlead on: none */
    int64_t code;       /* bytes there for the steps as a program */
    bool counted;       /* that is not guessed */
    bool fills;         /* fetches fill the memory to the brim: */
    int64_t room;       /* of the nearest: bytes */
    int64_t listed;     /* ways are listed that need as much */
    Work *work;
    int nwork;
    int *first, *last;  /* by store: works between which it lives */
    int *wrote;         /* by store: how many works there are up to the last
                           that writes it; 0: none does */
    Fetch *fetch;
    int nfetch;
    bool spills;        /* some stores are spilled, */
    bool ends;          /* and inputs among them are given, and outputs wanted,
                           in the outer memory: */
    Spilled **spilled;  /* by store; NULL: it never is */
    int *away, naway;   /* the stores that are, in order */
    bool *streams;      /* by work: its tiles may pass through the next, */
    int64_t streams_room; /* with so much of the nearest */
    int care;           /* 0: what frees the most; 1: no more than must be,
                           2: or where that is quicker */
    int effort;         /* 1: more sizes of tiles are considered; 2: and homes
                           of more stores at once */
    int64_t *cap;       /* by work: room of the nearest; NULL: all there is */
    bool drafts;        /* each plan has memory of its own: */
    Arena *draft, *kept; /* of the one that is tried, and of the best */
    BestPlan best;      /* of those that are tried together */
    double toll[2];     /* cycles that a byte is worth that ENG_dma, ENG_io
                           move; 0 but for least energy */
    bool lean;          /* for least memory: kernels with the least scratch,
                           constants a piece at a time, nothing ahead */
    bool floats;        /* what is spilled may be at home in the nearest
                           memory instead */
    Failed *failed;     /* of lean plans */
    int nfailed;
    int64_t grows;      /* the next memory is as large as its limit, and so
                           much is the least for buffers; 0: it is as it is */
} Tiler;

/* work.c: layers and their operands. */
void tiler_works(Tiler *t);
/* Sets room, or effort, or whether for least memory (lean), and forgets what
 * depends on it. */
void tiler_room(Tiler *t, int64_t near);
void tiler_effort(Tiler *t, int effort);
void tiler_lean(Tiler *t, bool lean);
/* Takes the ways that go with where operands lie now. */
void tiler_recall(Tiler *t, Work *w);
int64_t slot_bytes(int64_t n); /* of a buffer for n bytes, with alignment */
/* A constant that comes with the program, and needs no transfer. */
bool oper_rides(const Oper *o);
/* Does it come from or go to the outer memory, piece by piece? */
bool oper_streams(const Oper *o);
/* Is it loaded while the works before it are computed?  Those that it is loaded
 * with begin with work `first`; constants, and what is done by then. */
bool oper_early(const Oper *o, int first);
/* Is a value with this place all that the store holds? */
bool store_filled(const Store *s, const Val *v, Ref place);
/* Is the store an operand of the work? */
bool work_uses(const Work *w, int store);
/* Operands in the nearer memories, by bit, that nobody reads later: the result
 * may take their place. */
unsigned tiler_dying(const Tiler *t, int work);
/* The node of which kernels are asked: of the whole the work's own, but where
 * an argument of a concat is copied from slot to slot, that copy. */
const Node *tile_seen(const Work *w, const Tile *tile, bool whole);
/* The kernel of a tile, or of the whole: the fastest whose scratch leaves half
 * of the nearest memory, or so many bytes (0: half) of it for slots; lean: of
 * those with the least. */
bool tiler_choice(const Tiler *t, Work *w, const Node *tile, const Dims *d,
                  int64_t slots, Choice *to);
/* Bytes of code that a call of a kernel goes through, noted in w->code. */
Code tiler_code(Tiler *t, Work *w, const Node *n, const Choice *c,
                const Dims *d);
/* What it takes the cores to load and store what work w has in the next memory:
 * elements, or words where a kernel is for the chip. */
int64_t far_cycles(const Tiler *t, const Work *w, unsigned far,
                   const Choice *c);

/* ways.c: what is the same of all ways. */
int way_tiles(const Way *w);
/* Which tile along each axis comes as number t. */
void way_index(const Way *w, int t, int i[NCUT]);
/* Tile i of a way, in the order in which they are computed; tile i along each
 * axis, of tiles of a size. */
void way_tile(const Way *w, int i, int64_t at[NCUT], int64_t len[NCUT],
              const int64_t all[NCUT]);
void place_tile(const int64_t size[NCUT], const int i[NCUT],
                const int64_t all[NCUT], int64_t at[NCUT], int64_t len[NCUT]);
bool tile_is_staged(const Work *w, int oper, unsigned far, const Way *way);
/* Is operand `oper` loaded once for all tiles, though each has a piece? */
bool tile_is_whole(const Work *w, int oper, const Way *way);
/* Operands, by bit, and whether results are used where they lie. */
void opers_in_place(const Work *w, unsigned far, const Way *way,
                    unsigned *in_place, bool *out_place);
/* Slots in the next memory of a result on its way out. */
int out_slots(const Tiler *t, const Way *way);
/* Is a constant fetched piece by piece from the outer memory? */
bool fetch_by_piece(const Tiler *t, const Oper *o, Piece p);
/* Bytes in the next memory of a constant that lies behind it. */
int64_t const_bytes(const Tiler *t, const Oper *o, const Way *way, Piece p,
                    int64_t most);
/* The same of slots through which tiles of an operand pass. */
int64_t stream_bytes(const Tiler *t, const Oper *o, const Way *way,
                     bool changes, int64_t most);
/* A transfer of so many cycles; when what is stored is there; a wait, of 0 for
 * nothing; and what is early saves if it is loaded before. */
void pipe_load(const Tiler *t, int64_t move, bool early, Pipe *c);
int64_t pipe_store(const Tiler *t, int64_t move, Pipe *c);
void pipe_wait(int64_t then, Pipe *c);
void pipe_before(const Tiler *t, const Pipe *c, Way *way);
/* The same from the outer memory to the next, and back. */
void pipe_bring(int64_t move, Pipe *c);
void pipe_send(int64_t move, Pipe *c);
/* All of a way but outer_bytes; false: it is not known. */
bool times_find(const Times *l, unsigned far, unsigned streams, Way *way);
void times_add(Tiler *t, Times *l, unsigned far, unsigned streams,
               const Way *way);
/* How many works are computed together, and the result of the last. */
int way_works(const Way *w);
const Oper *way_result(const Work *first, const Way *w);
/* Does a way go through all rows once for each channel tile? */
bool way_rereads(const Way *w);
/* What is to be least: cycles, and what a way moves. */
int64_t way_cost(const Way *w);
/* Is one of them no worse in anything? */
bool ways_cover(const Ways *l, const Way *way);
void ways_add(Tiler *t, Ways *l, const Way *way);
void ways_sort(Ways *l);
/* Works out saves, over and lag, of a way of work w, or of a chain that begins
 * with it; dies: set of operands of w that may be written over. */
void tiler_lag(Tiler *t, const Work *w, Way *way, unsigned dies);
/* It saves no more. */
int64_t tiler_lag_most(const Tiler *t, const Work *w, const Way *way,
                       unsigned dies);

/* tile.c: the ways to do work w with the stores of set `far` in the next
 * memory, none worse than another in everything; some may need more than
 * t->room. */
Ways *tiler_ways(Tiler *t, Work *w, unsigned far);
/* May its tiles come from behind the next memory, and go there? */
bool tiler_streams(Tiler *t, Work *w);
/* Sizes worth trying along an axis, *n of them, at most MOST_SIZES. */
void tile_sizes(const Tiler *t, int64_t all, int64_t step, int64_t *size,
                int *n);
/* Channels in fours, or in groups that are no fours. */
int64_t channel_step(const Node *n);
/* Tiles of so many channels between the first and the last must be whole groups
 * too, or lie within one, if there are several. */
bool keeps_groups(const Node *n, int64_t len);

/* chain.c: layers that are computed together, a tile of the last at a time.
 * n works from `first` on; NULL: none. */
Chain *tiler_chain(Tiler *t, int first, int n);
/* Has the store no home, in the chain of n works? */
bool chain_within(const Tiler *t, int store, int first, int n);
/* The stores that have one, by bit of a set of homes. */
const int *chain_stores(const Chain *c, int *n);
Ways *chain_ways(Tiler *t, Chain *c, unsigned far);
/* One that takes nothing, if there may be any. */
Ways *chain_any(Tiler *t, Chain *c);
/* Which operand of w is the result of the work before it in a chain. */
int chain_link(const Work *w, const Work *before);

/* cut.c */
/* Tile i of all works that are computed together, from work `first` on, each
 * making what the next one reads.  false: there are no such tiles. */
typedef struct ChainTile {
    Tile tile;
    int64_t at[NCUT], len[NCUT];
} ChainTile;
bool chain_tiles(Arena *mem, const Tiler *t, int first, const Way *way, int i,
                 ChainTile *to);
/* Bytes of what w reads of the result of the work before it that is there from
 * the tile before. */
int64_t chain_kept(const Work *w, const ChainTile *c, const ChainTile *before);

/* solve.c */
typedef struct Solution {
    bool found;
    bool exact;         /* of all combinations considered the best */
    int64_t cycles;
    unsigned char *far; /* by store: at home in the next memory */
    Way **way;          /* by work; of a chain: each has its own */
    bool *within;       /* by store: it has no home, for a chain makes it */
    unsigned char *ahead; /* by work: what is early is loaded before */
    int64_t *rest;      /* by work: cycles from its begin to the end */
    unsigned *stay;     /* by work: its stores that are not away after all */
} Solution;
/* near, next: room by work. */
Solution solve_homes(Tiler *t, const int64_t *near, const int64_t *next);
/* Works that take no time beside what the line from the outer memory does: so
 * many bytes a cycle, but for what is there when they begin. */
typedef struct Line {
    bool *instant;      /* by work */
    int64_t *spare;     /* by work: bytes that may be there when it begins */
    double rate;
} Line;
/* No solution takes less time, and it need not be one: what is too much to be
 * tried out counts nowhere.  cold: cycles, by work, in which code comes in;
 * NULL: none. */
Solution solve_relaxed(Tiler *t, const int64_t *near, const int64_t *next,
                       const int64_t *cold, const Line *line);

/* bound.c: no plan takes fewer cycles.  near, next: room for buffers; all: for
 * buffers and constants in the next memory, of which values that may be away
 * (next is more) need nothing. */
int64_t tiler_bound(Tiler *t, int64_t near, int64_t next, int64_t all);

/* merge.c: lets results follow operands, where the room of the next memory (by
 * work) asks for it; buf: of stores.  Returns the bytes that are still too
 * many, over all works.  place_groups gives addresses then; the height. */
int64_t merge_stores(Tiler *t, const Solution *s, const int *buf,
                     const int64_t *room);
int64_t place_groups(Tiler *t, int mem);

/* emit.c */
void emit_steps(Tiler *t, const Solution *s);

/* spill.c: what is written out to the outer memory, and fetched back. */
bool spills_to(const Tiler *t);
/* At a work; -1 and nwork: when inputs are given, and outputs wanted. */
bool tiler_is_away(const Tiler *t, int store, int work);
/* Is a store in the next memory, if not nearer, at one of n works that are
 * computed together?  Bytes of those that may be spilled, but for what lies
 * within a chain. */
bool spill_is_here(const Tiler *t, int store, int work, int n);
int64_t spill_resident(const Tiler *t, const bool *within, int work, int n);
/* Spills what must be so that layers can be solved with so much room; false:
 * there is nothing more to spill. */
bool spill_stores(Tiler *t, int64_t near, int64_t next);
void spill_nothing(Tiler *t);
/* Spills all that may be; of that, none that is not far after all. */
void spill_all(Tiler *t);
void spill_far(Tiler *t, const unsigned char *far);
/* Which of the stores of a work, by bit, are away there and need not be; and
 * which of them are not. */
unsigned spill_may_stay(const Tiler *t, int work);
void spill_stay(Tiler *t, int work, unsigned stay);
/* Buffers; steps before n works, computed together, and after the last of them;
 * -1 and nwork for the ends. */
void spill_bufs(Tiler *t, const int *buf);
void spill_enter(Tiler *t, int work, int n);
void spill_leave(Tiler *t, int work, int *token);
void spill_move(Tiler *t, int work, int *token, Move m);
void spill_wait(Tiler *t, int work, int token);

/* fetch.c: adds the steps of all fetches to a plan, each as early as there is
 * room for it.  Returns the bytes that are missing in the next memory, and
 * (*work) where. */
int64_t add_fetches(Tiler *t, int *work);
Fetch *add_fetch(Tiler *t, Fetch f);

/* keep.c: of the constants that are outside, those stay inside, of at most
 * `most` bytes, without which others would come too late.  s: a solution with
 * all outside, and so much room. */
void keep_late(Tiler *t, const Solution *s, int64_t room, int64_t most);

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
int64_t code_cold(CodeCache *c, int unit, int64_t bytes);
/* The same of a kernel, for which not all cores wait alike. */
int64_t kern_cold(CodeCache *c, int unit, Code code);

/* cost.c: what is to be least.  tiler_aim sets what a byte is worth. */
void tiler_aim(Tiler *t);
/* The toll of so many bytes between the nearest memory and the next, and the
 * next and the outer. */
int64_t tiler_toll(const Tiler *t, int64_t dma, int64_t io);
/* Of the plan, by its steps. */
int64_t tiler_cost(const Tiler *t);
/* Cycles in which an engine is busy with a transfer. */
int64_t move_cycles(const Dma *d, bool in, int64_t row, int64_t rows);
/* What a call of a kernel goes through. */
Code kern_code(const Kern *k, const KernSig *sig, const Node *n,
               const Dims *d);
/* The first call of each network, with nothing there; and a layer's code, with
 * the program's for it. */
int64_t call_cold(CodeCache *c);
int64_t layer_cold(CodeCache *c, int unit, Code code);

/* rounds.c: steps and addresses of a solution. */
enum { UNIT = 8 }; /* memory is given out in so many bytes */
typedef struct Rooms {
    int64_t *near, *next; /* by work */
    int late;             /* times that there was none for what is fetched */
} Rooms;
Rooms new_rooms(Tiler *t, int64_t near, int64_t next);
Solution solve_rooms(Tiler *t, int64_t near, int64_t next);
bool solves(Tiler *t, int64_t near, int64_t next);
int64_t whole_units(int64_t bytes);
/* Bytes for buffers in the nearest memory, beside all stacks; in units. */
int64_t near_left(const Tiler *t, const PlanOpts *o);
int64_t near_room_of(const Tiler *t, const PlanOpts *o);
/* Bytes of the next memory beside what the program takes; for buffers, beside
 * constants and code too, less than 0 where these do not fit; in units. */
int64_t next_all(const Tiler *t);
int64_t next_left(const Tiler *t, const PlanOpts *o);
int64_t next_room(const Tiler *t, const PlanOpts *o);
/* A plan with everything as it is set; false: none fits. */
bool try_rounds(Tiler *t, const PlanOpts *o);
/* Keeps the plan if it is the best until now; what is tried next is another.
 * The best takes its place again; false: there is none. */
void best_keep(Tiler *t, int64_t cost);
bool best_take(Tiler *t);
/* Live bytes of a memory by work, and the most of any. */
int64_t *live_of(Tiler *t, int mem, int64_t *most);

/* again.c: does a lean solution fail as it did before?  Then all is left as it
 * was then.  One that failed, by its key, with room in the nearest memory. */
bool fails_again(Tiler *t, const Solution *s, const PlanOpts *o, Rooms *r,
                 uint64_t *key);
void note_failed(Tiler *t, const Rooms *r, uint64_t key);

/* tiled.c: a plan for a chip with DMA. */
enum { LEAST_FETCHED = 512, /* bytes; smaller constants are never fetched */
       SPILL_PARTS = 16 };
void begin_anew(Tiler *t, Chains chains, bool lean);
void start_over(Tiler *t, Chains chains); /* with all constants inside */
void set_chunk(Tiler *t, int64_t chunk);
void mark_opers(Tiler *t); /* after what lies outside has changed */
/* All constants that are not small go outside; bytes of those that did not. */
void put_outside(Tiler *t);
int64_t bytes_inside(const Tiler *t);
void set_rooms(Tiler *t, const PlanOpts *o); /* as constants leave it */
bool place_outside(Tiler *t); /* is there room in the outer memory? */
/* What does not fit may, with chains wherever they save room, or spilled; or
 * where inputs and outputs may be in the outer memory too. */
bool try_all(Tiler *t, const PlanOpts *o);
bool try_ends(Tiler *t, const PlanOpts *o);
/* The cost of a plan with everything as it is set; of a trial; -1: none. */
int64_t try_again(Tiler *t, const PlanOpts *o);
int64_t try_trial(Tiler *t, const PlanOpts *o, const Trial *x);
/* Keeps the best of a few trials; false: there is none.  spill: as if the next
 * memory had so many parts of its SPILL_PARTS, with what is too much away; 0:
 * nothing is. */
bool try_outside(Tiler *t, const PlanOpts *o, int spill);

bool tiled_fits(const Soc *soc);
void tiled_plan(Plan *p, Stores *s, const Chooser *c, const PlanOpts *o);

/* least.c: the plan with the least memory, where nothing else fits, or what is
 * missing; a plan with the least of the next memory, of such plans a quick one,
 * false: there is none. */
void make_least(Tiler *t, const PlanOpts *o);
bool make_small(Tiler *t, const PlanOpts *o);

/* better.c: takes the place of a plan if it finds a better one in time. */
void plan_better(Tiler *t, const PlanOpts *o);

#endif
