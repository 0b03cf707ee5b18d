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
    int64_t energy;     /* of what it moves (Problem.energy_weight) */
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
    unsigned in_l2, staged, early;
    Cand cand;
} Timed;

typedef struct Times {
    Timed *v;
    int n;
} Times;

/* Grids of layers that are alike. */
typedef struct Grids Grids;
struct Grids {
    struct Grid *v;     /* NULL: not listed */
    int n;
    int64_t wanted, denied; /* as of a layer, for those that are known */
    int64_t *key;       /* what is alike */
    int nkey;
    Grids *next;
};
typedef struct GridTable GridTable; /* alike.c */

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
    bool varies;        /* its node does, with run-time numbers */
    bool shared;        /* its result lies on an operand */
    bool overlaps;      /* only candidates whose result may overlap an operand
                           */
    Cands *cands;       /* by the set of those resident in L2 */
    CandSet *set;       /* these, and others that may be wanted again */
    int nset;
    Grids *grids;
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

/* What is spilled where L2 is too small: what frees the most bytes for its
 * transfers; then less of that, as long as it is quicker; then also others,
 * that need not be. */
typedef enum SpillPolicy { SPILL_most, SPILL_less, SPILL_other } SpillPolicy;

/* What is spilled: by allocation, NULL: it never is; and those that are, in
 * order. */
typedef struct Spills {
    Spill **of;
    int *list, n;
} Spills;

/* How a plan is tried: one value for each attempt, which is a function of it
 * (attempt.c).  All zero: all constants in L2, nothing spilled. */
typedef struct Options {
    Fusion fusion;
    int effort;         /* 1: more sizes of tiles are considered; 2: and levels
                           of more allocations at once */
    bool min_memory;    /* for least memory: kernels with the least scratch,
                           constants a piece at a time, nothing ahead */
    bool *in_l3;        /* by allocation: a constant that lies in L3; NULL:
                           none does */
    int64_t chunk;      /* bytes of a constant that are fetched at once */
    bool fills;         /* fetches fill L2 to the brim */
    bool spills;        /* some allocations are spilled */
    Spills spilled;     /* which; of NULL: none */
    SpillPolicy spill_policy;
    bool spill_optional; /* what is spilled may be resident in L1 instead */
    bool inout_in_l3;   /* inputs are given, and outputs wanted, in L3 if they
                           are spilled */
    bool first_fit;     /* only whether there is a plan matters */
    int64_t code;       /* bytes of L2 for the steps as a program */
    bool eager;         /* loads begin several layers before theirs */
    bool crowded;       /* of values that live at once the levels of some more
                           are tried */
    bool halves;        /* layers beside an accelerator's are cut in two */
    int64_t *cap;       /* by layer: room of L1; NULL: all there is */
    int64_t states;     /* bytes of L1 that are for states alone, before all
                           else; the other ones are in either */
    Trial trial;        /* if it fills L2 and is one */
} Options;

/* What is planned: allocations and the layers between which they live, kernels
 * and the chip.  No attempt changes it. */
typedef struct Problem {
    Allocs *s;
    const Chooser *chooser;
    const Engine *dma, *io; /* L1 and L2, L2 and L3; io may be NULL */
    int l1, l2, l3;     /* memories of levels 1 to 3; l3 -1: none */
    double energy_weight[MOST_ENGINES]; /* cycles that a byte is worth that the
                           engine moves; 0 but for least energy */
    int nlayer;
    int *first, *last;  /* by allocation: layers between which it lives */
    int *wrote;         /* by allocation: how many layers there are up to the
                           last that writes it; 0: none does */
} Problem;

/* What an attempt has made until now. */
typedef struct Attempt {
    int64_t room;       /* of L1: bytes */
    bool counted;       /* Options.code is that of a program, no guess */
    Fetch *fetch;
    int nfetch;
    bool overlapped;    /* some results overlap operands: */
    int *lead, nlead;   /* by buffer: whom it keeps a distance from, */
    int64_t *off;       /* and which; of buffers from nlead on: none */
} Attempt;

/* The best of some plans, with memory of its own, and how it was made. */
typedef struct BestPlan {
    int64_t cost;       /* -1: there is none */
    Plan plan;
    Arena *draft;
    Options opt;
} BestPlan;

typedef struct Infeasible Infeasible; /* infeasible.c */

/* What is known, whatever is tried. */
typedef struct Known {
    Arena *mem;
    int64_t listed;     /* candidates are listed that need as much of L1 */
    bool *can_stage;    /* by layer: its tiles may be staged in L2, */
    int64_t stage_room; /* with so much of L1 */
    Infeasible *infeasible; /* minimum-memory plans */
    int ninfeasible;
    bool crowded;       /* a solution was, and so may be better */
    int64_t lacked;     /* bytes of L2 that the last plan too large for it had
                           for buffers, */
    int64_t lacked_code; /* beside these of its program; 0: there was none */
} Known;

typedef struct Tiler {
    const Problem *q;
    Options opt;        /* of the attempt that is made, */
    Attempt a;          /* and what it has made */
    Plan *p;            /* the plan that is made of it */
    LayerInst *layer;   /* by layer, with the candidates known of each */
    Known k;
    BestPlan best;      /* of attempts that are tried together */
    int64_t grows;      /* L2 is as large as its limit, and so much is the least
                           for buffers; 0: it is as it is */
    bool drafts;        /* each plan has memory of its own: */
    Arena *draft, *best_draft; /* of the one that is tried, and of the best */
    Arena *program;     /* of the plan's program; NULL: there was none */
    Arena *mem;         /* of the plan that is made */
} Tiler;

#endif
