/* plan: how a graph is executed: an order, a kernel and an address for
 * everything, as a small program of steps.
 *
 * Every engine (cores, DMA) has the same two steps: start, which names what is
 * done and gives a token, and wait, after which what the token stands for has
 * happened.  A Plan has four readers that share no code: gen prints it as C,
 * cost predicts its time, verify proves it, report draws it. */
#ifndef PLAN_H
#define PLAN_H

#include "base/base.h"
#include "ir/ir.h"
#include "soc/soc.h"

typedef enum BufKind {
    BUF_temp, BUF_const, BUF_input, BUF_output,
    BUF_state /* an input, in whose place its next value is in the end */
} BufKind;

/* Storage: one piece of one memory during one stretch of the program. */
typedef struct Buf {
    BufKind kind;
    const char *name;
    const Val *val;  /* the value (of several that share it: the largest) */
    int64_t size;    /* bytes */
    int align;
    int mem;         /* index into soc->mems */
    int64_t addr;    /* bytes from the start of our part of that memory */
    int over;        /* 1 + another that may overlap it: what is written there
                        follows what is read here; 0: none */
    int from, to;    /* steps [from, to) in which its content matters;
                        inputs from -1, outputs to nstep, states both */
} Buf;

/* A place: bytes of a buffer. */
typedef struct Ref {
    int buf;         /* index; -1: absent operand */
    int64_t off;     /* bytes */
} Ref;

typedef enum StepKind { STEP_start, STEP_wait } StepKind;

/* What a step of a DMA engine moves: rows of bytes.  On the nearer side they
 * lie without gaps: their distance there is `row`. */
typedef struct Move {
    Ref from, to;
    int64_t row, rows;              /* bytes of a row, and how many */
    int64_t from_stride, to_stride; /* bytes from row to row */
} Move;

/* A step of a kernel computes a tile of its node: `tile` is a node of its own,
 * over values of the tile's shapes (ir/tile.c); the whole node where nothing
 * is cut.  Of every operand and result, in_piece and out_piece say which bytes
 * of the value are meant, and the Ref where the first of them is.  If packed
 * they lie there row after row without gaps, else at the value's distances. */
typedef struct Step {
    StepKind kind;
    int engine;      /* soc->engine[] */
    int token;       /* start: gives it; wait: until it is done */
    int layer;       /* index into Plan.layer; of a move: the one it is for */
    const Node *node;
    int part;        /* of a concat: the argument that is copied */
    Move move;       /* of a DMA engine; nothing below is then used */
    const Node *tile;
    int32_t at[NCUT];  /* where the tile begins, by axis (ir/tile.c) */
    const Kern *kern;
    const KernSig *sig;
    Dims dims;
    int nfollow;       /* words of dims that follow run-time numbers */
    Follow *follow;
    int nin, nout;
    Ref in[NARG], out[NRES];
    Piece in_piece[NARG], out_piece[NRES];
    bool in_packed[NARG], out_packed[NRES];
    int64_t in_bytes[NARG], out_bytes[NRES]; /* extent that may be touched,
                                                from the Ref on */
    Type in_type[NARG], out_type[NRES];
    Ref tmp;         /* scratch; buf -1: none */
    int64_t tmp_bytes;
    Ref stage;       /* where operand 1, constant, is copied first */
    int64_t stage_bytes; /* 0: it is not */
    int ncore;       /* cores that share the layer; each has an equal part of
                        the scratch */
    int64_t stack;   /* bytes of a call, from the head */
    int64_t cycles;  /* predicted; 0 if the head says nothing */
} Step;

/* Why a layer has its kernel: texts for the user, "" where there is none. */
typedef struct Why {
    const char *chosen; /* the kernel and its cycles */
    const char *next;   /* the next best that could run */
    const char *rest;   /* each other kernel and why not: a line each */
    int contenders;     /* kernels that come into question; 0: nobody asked */
    int open;           /* of those, to be measured yet */
} Why;

/* A node, or one copy of a concat: what reports have a row for.  Its steps
 * need not be neighbours: data for it may be fetched long before. */
typedef struct Layer {
    const Node *node;
    int part;
    int first, last; /* its first and last step of a kernel (starts) */
    int tiles;       /* steps of a kernel */
    int after;       /* layers behind it that are computed with it, tile by
                        tile in turn; the time of all stands with the last */
    const char *tile; /* "1x16x32 of 1x64x32, 4 tiles, rows inside, double";
                         NULL: not cut */
    int64_t cycles;  /* predicted, with waits; 0: unknown */
    int64_t wait;    /* of those: in which cores wait for data: transfers, lines
                        that no cache has */
    int64_t miss;    /* in which they wait for code */
    int64_t beside;  /* what it takes beside its kernels and waits for data, in
                        thousandths of what is predicted, as measured; 0: that
                        is not known */
    int64_t moved[MOST_ENGINES]; /* bytes, by engine */
    Why why;
} Layer;

/* What a plan is to have least of. */
typedef enum Objective {
    AIM_time, AIM_memory, AIM_energy, AIM_flash, NAIM
} Objective;
extern const char *const objective_name[NAIM]; /* plan.c */

typedef struct Plan {
    Arena *mem;
    Arena *steps;       /* of these alone; NULL: the same */
    Graph *g;
    Soc *soc;
    int nbuf, nstep, nlayer;
    Buf *buf;
    Step *step, *spare; /* spare: room of an earlier try */
    int cstep, cspare;  /* steps there is room for */
    Layer *layer;
    Ref *place;      /* of each value, by Val.id; buf -1: none (unused) */
    int64_t used[16];  /* bytes per memory for buffers, = highest end */
    int64_t room[16];  /* bytes per memory that buffers might have taken */
    uint64_t vain[64]; /* hashes of buffers, and room, of which no packing was
                          found in a long search, in turns; so many were */
    int nvain;
    int64_t consts[16]; /* bytes per memory for constants; their addresses
                           count from the start of a part of their own */
    int64_t program_room; /* tiled: bytes kept for the program, where code lies
                             */
    struct Program *program; /* what runs (program.c) */
    int64_t bound;   /* largest sum of live bytes at any step */
    int64_t ram;     /* sum of used over memories that are not for weights */
    int64_t weights; /* bytes of constants */
    bool tiled;      /* made by tiled.c */
    Objective aim;
    double gap;      /* (ram - bound) / ram, 0 where packing is optimal; tiled:
                        (cost - least) / cost */
    int64_t cycles;  /* predicted, of all steps; 0 if a head says nothing */
    int64_t cost;    /* tiled: of these cycles, and what is moved in cycles, if
                        that counts, */
    int64_t least;   /* the bound (bound.c), at most the cost */
    const struct Options *way; /* how it was found, so that another of such
                        layers is found at once; NULL: not by that alone */
    struct GridTable *grids; /* what is known of layers' tiles (alike.c); all
                        orders share it; NULL: nothing yet */
    int tried;       /* plans that were made, of which this is the best, */
    bool ended;      /* and there was time for all */
    int64_t stack;   /* bound of the run function and its kernels */
    const struct DimsRows *rows;
    bool straight;       /* the program has no loops */
    const char *host_isa; /* what the chip has beyond its description */
} Plan;

typedef struct PlanOpts {
    const char *kernels; /* --kernels DIR or NULL */
    Objective aim;
    double until;        /* by plan_clock: better plans are looked for as long;
                            0: not at all */
    int64_t limit[16];   /* --mem: bytes for buffers, by memory; -1: all */
    int64_t beside;      /* bytes of code and constants of the program that uses
                            the network, beside what all need */
    bool straight;       /* every record stands by itself, for reviews */
    bool no_copies;      /* stage.c copies nothing */
    bool fuse_always;   /* layers are computed together wherever they can be,
                           not where it is faster or needed: for tests */
    const struct Plan *like; /* of layers as these: what was best there is tried
                           first, and nothing else if it is as good; NULL */
    bool only_like;      /* nothing else in any case */
    const char *host_isa;
    const char *ledger;  /* what kernels took when measured, or NULL */
    int part;            /* from 1: nodes take kernels that are to be measured,
                            in each part others; 0: the best */
    bool exhaustive;     /* all variants are to be measured */
    bool halving;        /* the better ones again */
} PlanOpts;

/* plan.c: the graph must be in kernel form; outputs that need one get a copy
 * node.  err(ERR_FIT) names the memory and the bytes missing; `missing` of each
 * memory stays readable.  Exactly that much more (by limit) then suffices. */
Plan *plan_make(Arena *mem, Graph *g, Soc *soc, const PlanOpts *o);
extern int64_t plan_missing[16];

/* ---- the program: what runs ---- */

/* A kernel with the types it is used with: one C function. */
typedef struct Inst {
    const char *name; /* of the function, without the network's prefix */
    const Kern *kern;
    const Step *step; /* the first that calls it */
} Inst;

/* instance.c: which of p's instances each step of a kernel calls: by step. */
typedef struct Insts {
    Inst *v;
    int n;
    int *of; /* by step */
} Insts;
Insts plan_instances(Arena *mem, const Plan *p);
/* Does a kernel take or make floats? */
bool step_is_float(const Step *s);
/* The type in which a kernel sums: the narrowest that holds every sum. */
const char *step_acc_type(const Step *s);
/* Is it one of ours, or from --kernels? */
bool kern_is_shipped(const Kern *k);
/* The type of operand i as its function's name has it: "n" if absent. */
const char *step_arg_type(const Step *s, int i);

/* Where an operand, or one end of a transfer, lies. */
typedef enum PlaceKind {
    PLACE_none,     /* absent */
    PLACE_memory,   /* `off` bytes from the start of our part of memory `mem` */
    PLACE_const,    /* `off` bytes from the start of constant `buf` */
    PLACE_page,     /* constant `buf`, which comes with the page */
    PLACE_external  /* address `off` of memory `mem`, which only DMA reaches */
} PlaceKind;

typedef struct Place {
    PlaceKind kind;
    int mem, buf;
    int64_t off;
} Place;

enum { NPLACE = NARG + NRES + 1 };

typedef enum RecKind {
    REC_call,           /* cores meet, then a kernel runs on all of them, or on
                           core 0 */
    REC_start,   /* core 0 begins a kernel of an accelerator, under a slot */
    REC_share,   /* core 0's share of a call that is deferred */
    REC_barrier, /* cores meet */
    REC_move,    /* core 0 starts a transfer, under a slot */
    REC_wait,    /* core 0 waits for all that is under way in a slot */
    REC_layer,   /* a layer is done when cores have met */
    REC_loop,    /* what stands before REC_next is done `turns` times */
    REC_next
} RecKind;

/* A record.  In a loop, operand i lies by[i] bytes further on every turn. */
typedef struct Rec {
    RecKind kind;
    const Step *step;   /* call, move: what it does; in a loop on turn 0 */
    const Step **each;  /* in a loop: on each of neach turns */
    int neach;
    int pos;            /* call, start, move, wait: index of the step; else -1
                           */
    bool page_begins;   /* in code[] */
    int flat;           /* in item[]: index into code[], on turn 0 */
    int inst, nin;      /* call, start: of Program.inst; operands with absent
                           ones */
    bool deferred;      /* call: core 0 starts transfers before its share */
    bool direct;        /* start: by registers, without its kernel */
    bool last;          /* call: the last of `layer` */
    int dims;           /* call, start: which of its page's */
    int layer;          /* layer; call: if last */
    int alike;          /* equal for records that differ in offsets alone */
    int engine;         /* start, move, wait: whose */
    int slot;           /* of these: the engine's slots count from 0 */
    bool in;            /* move: towards the cores */
    int64_t row, rows, stride; /* move: bytes; stride on the far side */
    int turns;          /* loop */
    int nplace;         /* in, out, scratch; of a move: near, far */
    Place place[NPLACE];
    bool moving;        /* some by[] is not 0 */
    int64_t by[NPLACE];
} Rec;

/* What a kernel is told, or of a direct job the words of its registers. */
typedef struct PageDims {
    const Step *step;
    bool direct;
} PageDims;

/* Records that are in L1 together. */
typedef struct Page {
    int from, to;       /* items [from, to) */
    int words, bytes;   /* on the chip */
    int ndims, nvalue;
    PageDims *dims;
    int *value;         /* constants that it has, by buffer */
} Page;

/* Word 0 of the page behind the last is the end. */
typedef struct Spot {
    int page, word;
} Spot;

/* Bytes of a page on the chip, one record with its dims at least. */
enum { PAGE_BYTES = 1024, JOB_WORDS = 18 }; /* words of registers in dims.job */

typedef struct Program {
    Arena *mem;
    const Plan *p;
    Insts inst;
    bool team;          /* cores share the layer: records come in pages */
    bool values;        /* pages may have constants */
    int ncode, nitem, npage;
    Rec *code;          /* without loops */
    int *end;           /* by layer: records up to where it is complete */
    Rec *item;          /* with loops; not of a team: none */
    int *stop;          /* the same of items */
    Page *page;
    Spot *start;        /* by layer: where its records begin; [nlayer]: the end
                           */
} Program;

/* program.c: of the steps as they are now. */
Program *program_make(Arena *mem, const Plan *p);
/* The flat list alone: no items, no pages. */
Program *program_flat(Arena *mem, const Plan *p);
/* Bytes of constants that it takes on the chip. */
int64_t program_bytes(const Program *q);
/* Does a memory hold values of ours that cores can address? */
bool plan_uses(const Plan *p, int mem);
/* The address in external memory of a place; -1: it lies elsewhere. */
int64_t plan_external(const Plan *p, Ref r);
/* Do inputs or outputs lie in external memory? */
bool plan_external_inout(const Plan *p);
/* Do both kernels get the same dims, as C has them (without what floats alone
 * read, if they are not)? */
bool step_same_dims(const Step *a, const Step *b);
/* By layer: the first one whose kernel gets the same dims, which are one
 * constant, or a row, then where there is no team. */
int *layers_first_dims(Arena *mem, const Plan *p);
/* By layer: the first one that calls the same kernel with the same dims and
 * with as many operands, where the call is worth a function that several share;
 * and how many calls that makes in C: one that is shared counts as one, and a
 * part of one for each layer more. */
int *layers_first_call(Arena *mem, const Plan *p);
double plan_calls(const Plan *p);
/* Operands of a kernel: what is read, what is written, scratch memory. */
int step_operands(const Step *s);
Ref step_operand(const Step *s, int k);
const Step *layer_step(const Plan *p, int layer); /* from 0: its first kernel */

/* rows.c: dims of a family's layers as rows of a table, of one core. */
typedef enum NumberFrom {
    NUMBER_constant, /* value */
    NUMBER_same,     /* word a */
    NUMBER_product,  /* words a and b */
    NUMBER_cell      /* cell a of the row */
} NumberFrom;
typedef struct DimsNumber {
    NumberFrom from;
    int32_t value;
    int a, b;
} DimsNumber;
typedef struct DimsRows {
    const struct DimsRows *next;
    const DimsInfo *info;
    Type cell;
    int ncell;          /* of a row */
    DimsNumber *number; /* by 32-bit word of the struct, but for floats */
    int *order, norder; /* words, those that others follow from first */
    int nword;
} DimsRows;
void find_rows(Plan *p);
/* Of whose rows its dims are one; NULL: they are a constant. */
const DimsRows *step_rows(const Plan *p, const Step *s);
int32_t dims_word(const Step *s, int word);
int64_t plan_dims_bytes(const Plan *p); /* of all constants and rows */
int64_t step_stack(const Plan *p, const Step *s); /* of a run that computes it */

/* page.c: 32-bit words of a record; where page q has constant buf (nvalue: it
 * has not). */
int rec_words(const Rec *c);
/* Jobs that a direct one is: with the last rows apart, two. */
int rec_jobs(const Rec *c);
int page_value(const Page *q, int buf);

/* ---- time ---- */

/* local.c: seconds, from some moment on. */
double plan_clock(void);

/* text.c: prints a plan for people and tests. */
void plan_print(const Plan *p, Str *out);

/* layer.c: a constant so small that the program of a team has it beside its
 * records. */
bool val_is_inlined(const Val *v);

/* cost.c: when every record of code[] happens, in predicted cycles; [ncode]:
 * the end. */
typedef struct When {
    int64_t at;       /* the cores come to the record */
    int64_t from, to; /* its engine works; of a wait: the cores stand still */
    int64_t miss;     /* cores wait for code */
} When;
When *program_trace(Arena *mem, const Program *q);
/* When the cores come to each step; [nstep]: the end. */
int64_t *program_times(Arena *mem, const Program *q, const When *when);

/* pack.c: static allocation alone.  Half-open lives [lower, upper). */
typedef struct PackItem {
    const char *id;
    int64_t lower, upper, size, align, offset;
} PackItem;
typedef struct PackResult {
    int64_t height;  /* highest end */
    int64_t bound;   /* no packing is lower: at least the largest live sum */
    bool optimal;
    int64_t nodes;
} PackResult;
/* Deterministic; stops at `budget` search nodes (0: default) or as soon as
 * height <= capacity (0: as low as possible). */
PackResult pack(Arena *mem, PackItem *item, int n, int64_t capacity,
                int64_t budget);

/* ---- inside the part ---- */

/* roll.c, page.c: the stages behind the flat list of records. */
void program_roll(Program *q);
void program_pages(Program *q);
/* Records that differ in offsets alone, moves and calls alike. */
bool rec_alike(const Rec *a, const Rec *b);
Rec *rec_new(Program *q, RecKind kind);
/* Does a kernel begin with it, on the cores or an accelerator? */
static inline bool rec_is_kernel(const Rec *c)
{
    return c->kind == REC_call || c->kind == REC_start;
}

/* plan.c */
/* Is it a chip with DMA, and memories for tiles? */
bool tiled_fits(const Soc *soc);
int plan_add_buf(Plan *p, Buf b); /* its index */
void plan_add_step(Plan *p, Step s);
void plan_add_layer(Plan *p, Layer l);
/* Does it start or wait for a transfer, or a kernel? */
bool step_moves(const Plan *p, const Step *s);
bool step_starts_kernel(const Plan *p, const Step *s);
/* Is the time of layer i its own? */
bool plan_is_alone(const Plan *p, int i);
void plan_lives(Plan *p); /* from and to of every buffer */
bool buf_lives_on(const Buf *b); /* beyond the last step */

/* ledger.c: what kernels took when they were measured.  A task is what makes
 * nodes alike, so that they take a kernel equally long; a key is of a kernel
 * and a task, or of all kernels (NULL) and the tasks of a network. */
enum {
    LEDGER_permille = 3, /* of what the head predicts */
    LEDGER_UNITS,
    LEDGER_wrong = LEDGER_UNITS, /* marks: it gave other bits; it was slower,
                                    among the others, than it seemed; it was
                                    not used where it was to be measured */
    LEDGER_slower,
    LEDGER_unfit,
    LEDGER_beside, /* what a layer of it takes beside, code and calls, in
                      thousandths of what is predicted */
    LEDGER_WORDS
};
extern const char *const ledger_unit[LEDGER_WORDS];
typedef struct Ledger Ledger;
Ledger *ledger_read(Arena *mem, const Soc *soc, const char *path);
uint64_t ledger_task(const Node *n);
uint64_t ledger_tasks(const Graph *g);
uint64_t ledger_key(const Ledger *l, const Kern *k, uint64_t task);
/* The least value of a key in a unit, of thousandths the mean, -1: there is
 * none; and how many. */
int64_t ledger_find(const Ledger *l, uint64_t key, int unit);
int ledger_count(const Ledger *l, uint64_t key, int unit);

/* choose.c: the kernel of a node, by the heads and what was measured. */
typedef struct Choice Choice;
struct Choice {
    const Kern *kern;      /* NULL: reshape, an alias always */
    const KernSig *sig;
    unsigned inplace;      /* operands the result may lie on, by bit */
    int64_t scratch, stack, cycles;
    int64_t ahead;         /* bytes that the result must begin ahead of the
                              first operand to overlap it; -1: it may not */
    int64_t denied;        /* of a tile: the least scratch of a kernel that may
                              be faster but wants too much; INT64_MAX: none */
    int ncore;             /* all of them if the kernel splits itself, or 1 */
    int engine;            /* soc->engine[] */
    Why why;
    const Kern *forced;    /* it is to be measured, or NULL */
    Choice *over;          /* a slower kernel whose result may lie on an
                              operand, where this one's may not; or NULL */
};

enum { SHARING = 32 }; /* the result may lie on an operand before that one */

/* May the result lie on operand i, of any number? */
static inline bool choice_shares(const Choice *c, int i)
{
    return i < SHARING && c->inplace >> i & 1;
}

/* The kernels of a chip, sorted; and the fastest of them for a tile: false if
 * none takes it.  d: what it would be told. */
typedef struct Chooser Chooser;
Chooser *chooser_new(Arena *mem, const Soc *soc, const PlanOpts *o);
bool choose_tile(const Chooser *c, const Node *tile, const Dims *d,
                 int64_t scratch, Choice *to);
/* The fastest of those with the least scratch. */
bool choose_least(const Chooser *c, const Node *tile, const Dims *d,
                  Choice *to);
/* The fastest of those that run on the cores. */
bool choose_cores(const Chooser *c, const Node *tile, const Dims *d,
                  int64_t scratch, Choice *to);
/* measured.c: sets what layers take beside their kernels, if that is known. */
void measured_beside(const Chooser *c, Plan *p);
/* The operands that every kernel for such a node has, absent ones too. */
int choose_least_args(const Chooser *c, const Node *n);
/* The same of a node, for the kernel it has; false: none has less. */
bool choose_less(const Chooser *c, const Node *n, Choice *to);
/* The quickest for n whole with so much scratch; false: there is none. */
bool choose_narrow(const Chooser *c, const Node *n, int64_t scratch,
                   Choice *to);
/* widen.c: gives kernels that are quicker with more scratch memory (`most` of the
 * head) what lies idle beside it while they run.  And bytes of scratch that a
 * step's kernel is told of (io->more.room); 0: it is not. */
void widen_scratch(Plan *p);
int64_t step_room(const Step *s);
/* stage.c: weights that are copied to nearer memory before they are read. */
void stage_weights(Plan *p);
/* fill.c: of a chip whose cores see slow memory through a cache of data: how
 * often a step's kernel goes through operand i; bytes of lines that come from
 * memory for it, if it lies where lines are missing at all; cycles in which
 * cores wait for all that, by where operands and results lie. */
int64_t step_reads(const Step *s, int i);
int64_t step_missed(const Plan *p, const Step *s, int i);
int64_t step_waits(const Plan *p, const Step *s);
/* The same if operand 1 were copied to a memory first. */
int64_t step_waits_staged(const Plan *p, const Step *s, int mem);
/* Cycles until a byte of memory m is there, if its line is not; 0: at once. */
double mem_fill(const Soc *s, int m);
/* pace.c: what the chip takes of the cycles in a kernel's head, percent. */
int kernel_pace(Arena *a, const Soc *soc, const char *kernel);
/* The mean of all kernels of floats for those without a unit; 100 for others. */
int kernel_weight(Arena *a, const Soc *soc, const char *kernel);
/* Predicts the copy of one argument of a concat. */
void choice_time(Choice *to, const Node *concat, const Dims *d);
/* The same of a scatter whose result lies on x: what is not new stays. */
void choice_in_place(Choice *to, const Node *scatter, const Dims *d);
/* How kernels of the chip's accelerators, or else of its cores, want weights
 * packed (`words`), each way once: how many there are, at most n. */
typedef struct Words {
    int64_t tile, word, mode, side;
    int port;        /* memory of the weight port; -1: it has none */
    bool sign;       /* inputs may have one */
} Words;
int chooser_packings(const Chooser *c, bool jobs, Words *v, int n);
/* How many cycles fewer than the node behind them do the nodes from `from` on
 * take, with what is packed on an accelerator, once its kernel's code is there?
 * 0: none fewer, or it is not one for an accelerator.  room: bytes of the
 * nearest memory, which bound the scratch of that node's kernel.  beside: jobs
 * between the first and the last go beside the cores' nodes.  *cold: what the
 * code takes. */
int64_t job_gain(const Chooser *c, const Graph *g, const Node *from,
                 const Node *than, int64_t room, bool beside, int64_t *cold);
/* What nodes take from `from` to that before `end`, with their calls, as
 * job_gain() has it; -1: one that wants an accelerator has none. */
int64_t nodes_cycles(const Chooser *c, const Graph *g, const Node *from,
                     const Node *end, bool beside, int64_t *cold);
/* unsigned.c: bytes between layers are without sign where they can be. */
void unsign_layers(Graph *g);
bool unsigned_can_be(Graph *g, Val *v); /* would v be? */
/* v, s8, plus 128, before a node that reads it; and the bias of a product with w,
 * of such an operand: `across`, w[k,m], else w[m,..]. */
Val *unsigned_value(Graph *g, Node *at, Val *v);
Val *unsigned_bias(Graph *g, const Val *w, bool across, const Val *bias);
/* bring.c: before anything else is planned, with the memories of p. */
void bring_layers(const Chooser *c, const Plan *p, const PlanOpts *o);
/* heads.c: attention comes apart where its quickest kernel wants more scratch than
 * the nearest memory has bytes, and that is quicker than another one. */
void unfuse_attention(const Chooser *c, Graph *g, int64_t room);
bool chooser_has_room(const Chooser *c, const Graph *g, const Node *n,
                      int64_t room);
/* nibbles.c: weights of four bits, two a byte, on chips of one core. */
void pack_layers(const Chooser *c, const Plan *p, const PlanOpts *o);
/* far.c: gathers whose tables stay in external memory (mode 1). */
void leave_tables_far(Graph *g, const Soc *s, const PlanOpts *o);
/* quads.c: orders weights in groups by four rows where kernels are quicker. */
void interleave_layers(const Chooser *c, Graph *g);
/* pairs.c: brings weights of two rows together where kernels are quicker. */
void pair_layers(const Chooser *c, Graph *g);
/* rowscales.c: puts scales of products of one row behind their weights where
 * kernels take no longer. */
void scale_rows(const Chooser *c, Graph *g);
/* Cycles of a node by the best kernel, as its head says, and with tiles what was
 * measured: else units may differ of two forms of a node. */
int64_t chooser_cycles(const Chooser *c, const Graph *g, const Node *n);
/* By Node.id.  err(ERR_MODEL) names a node that no kernel takes. */
Choice *choose_kernels(const Chooser *c, Graph *g);
/* Kernels of less scratch, of layers whose results lie on operands: these are
 * not tiled, and scratch of half the room, bytes, leaves the operands too
 * little. */
void choose_spare(const Chooser *chooser, const Graph *g, Choice *c,
                  int64_t room);
/* small.c: reference kernels, which are small, where others are hardly used. */
void choose_small(const Chooser *chooser, const Graph *g, Choice *c);
/* Is the word, of n letters, in a list with commas (or NULL)? */
bool isa_has(const char *list, const char *word, size_t n);

/* code.c: where code and buffers share a memory, a guess of what the code
 * takes, unless it is known. */
void reserve_code(Soc *s, const Graph *g, const Choice *c, int64_t beside);

/* order.c: the nodes in an order of execution: as they come, and for least
 * memory (NULL: none found).  *n is the number of nodes. */
Node **order_given(Arena *mem, Graph *g, int *n);
Node **order_least(Arena *mem, Graph *g, const Choice *c, int *n);
/* As in order `seq`, but for what saves waits for code; so many bytes of values
 * between layers may live anywhere.  NULL: none that is worth it. */
Node **order_warm(Arena *mem, const Plan *p, const Choice *c, Node **seq,
                  int *n, int64_t small);
/* Percent of a kernel's cycles in which a core asks the nearest memory, if its
 * head says nothing. */
enum { CORES_ASK = 40 };
/* accel.c: brings nodes into an order in which accelerators and cores work side
 * by side; false: they are.  early: jobs begin early too, and all is gone through
 * again for what that makes room for; more values live at once then. */
bool order_accel(const Choice *c, Node **seq, int n, bool early);

/* alloc.c: which values share storage. */
enum { POS_IN = -1 }; /* before the first node; after the last: n */
typedef struct Alloc {
    int64_t size;
    int from, to;          /* positions in the order, inclusive */
    bool in, out, konst;   /* holds a value that is one */
    bool state;            /* in and out: what is there in the end is there
                              when the next run begins */
    bool varies;           /* holds a value whose size follows a number */
    const Val *val;        /* the largest value it holds */
} Alloc;
typedef struct Allocs {
    Arena *mem;
    Graph *g;
    const Choice *choice;
    Node **seq;            /* the order */
    int nseq;
    Ref *place;            /* by Val.id: store and offset; -1: none */
    int nalloc;
    Alloc *alloc;          /* size 0: it became part of another */
    unsigned char **view;  /* by Node.id: [argument]: it is no copy but a
                              view; of all but concat, [0] alone */
    int64_t bound;         /* the largest sum of live bytes */
} Allocs;
Allocs *alloc_values(Arena *mem, Graph *g, const Choice *c, Node **seq,
                     int nseq);

/* profile.c: sums at n positions, each 0 at first; adds v to those from `from`
 * to `to`; the largest, and at how many positions it is. */
typedef struct Profile Profile;
Profile *profile_new(Arena *mem, int n);
void profile_add(Profile *l, int from, int to, int64_t v);
int64_t profile_most(const Profile *l, int *count);

/* exact.c: is there a packing of a given height?  Items sorted by start. */
typedef struct Search Search;
typedef enum SearchResult {
    SEARCH_found,   /* offsets are set */
    SEARCH_none,    /* *over: no packing is lower than that */
    SEARCH_unknown  /* the budget, in nodes, is spent */
} SearchResult;
Search *search_new(Arena *mem, PackItem **item, int n); /* NULL: too large */
SearchResult search_try(Search *s, int64_t height, int64_t budget,
                        int64_t *over);
int64_t search_nodes(const Search *s);
bool search_exact(const Search *s); /* SEARCH_none is a proof for the sizes
                                       given, not for multiples of alignment */

/* plan.c: buffers of allocations, buf[] by allocation, but for some (or NULL);
 * values find theirs in p->place */
void plan_bufs(Plan *p, const Allocs *s, const bool *without, int *buf);

/* memory.c: gives every buffer a memory and an address; err(ERR_FIT). */
void place_buffers(Plan *p, const PlanOpts *o);
void place_consts(Plan *p, const PlanOpts *o);
/* room.c: what the link of one of several chips keeps in the L1: what the others
 * agree to, 16 bytes each, and what it says of a fault.  rt/link/pulp.c is told
 * and has no more. */
int64_t plan_link_bytes(const Graph *g);

/* Bytes of L1 for buffers that a plan may need in comfort. */
int64_t near_room(const Plan *p, const PlanOpts *o);
/* Of all memories. */
int64_t all_room(const Plan *p, const PlanOpts *o);
/* Bytes of a memory that constants may take. */
int64_t room_for_consts(const Plan *p, int mem, const PlanOpts *o);
/* Packs the buffers whose memory it is; returns its height. */
int64_t pack_memory(Plan *p, int mem);
/* The same of constants, all; err(ERR_FIT). */
void pack_consts(Plan *p, const PlanOpts *o);
/* "; L1 needs 700 bytes for buffers, has 512: ..." and the error itself. */
void say_need(const Plan *p, int mem, const char *what, int64_t need,
              int64_t room, Str *out);
_Noreturn void no_room(const Plan *p, const char *needs);

/* tiled.c: a plan for a chip with DMA.  false: there is none, though it may be
 * that one with slots of the least size, which is tried if it must be. */
bool tiled_plan(Plan *p, Allocs *s, const Chooser *c, const PlanOpts *o,
                bool must);

/* cost.c: the predicted cycles of every layer, by the program alone. */
void plan_cost(Plan *p);

#endif
