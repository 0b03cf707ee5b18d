/* shard: one network for many chips.
 *
 * A graph in kernel form becomes N graphs, one a chip, that compute the same
 * bits together.  A product's columns, a convolution's output channels and with
 * them whatever follows element by element, by heads or by channels are cut
 * along one axis; a product over a cut axis gives partial sums, added as int32
 * before anything narrows them.  Where that meets an operator that needs all of
 * a value, an exchange (allsum, allgather) gives it to every chip.  Every chip
 * has the same exchanges in the same order, so none waits for another for ever.
 *
 * After "Distributed inference with minimal off-chip traffic for Transformers
 * on low-power MCUs" (DATE 2025): attention by heads, feed-forward by columns,
 * then rows. */
#ifndef SHARD_H
#define SHARD_H

#include "ir/ir.h"

enum { CHIPS_MOST = 64, MOST_PHASES = 6 };

/* Elements [from, to) of an axis. */
typedef struct Band {
    int64_t from, to;
} Band;

/* An axis in `parts` equal parts, of which chip i of n has those from i *
 * parts / n on.  axis -1: every chip has all.  band: by chip, what it has
 * instead, which may be more than one chip's. */
typedef struct Cut {
    int axis;
    int64_t parts;
    int origin; /* the node that was cut first: Node.id */
    bool of_sum; /* what chips have of a sum: for what follows element by
                    element or row by row; all else has it whole */
    const Band *band;
} Cut;

/* Which layers with windows are cut by rows of the image: as many of the first
 * as are predicted to be quickest, all that can be, or none. */
typedef enum Images { IMAGES_best, IMAGES_rows, IMAGES_channels } Images;

/* Products over a cut axis: sums of all chips, or of the value as all have
 * gathered it; whichever is predicted to be quicker. */
typedef enum Inner { INNER_best, INNER_sums, INNER_gather } Inner;

/* What a layer's shares save against what an exchange costs. */
typedef struct ShardOpts {
    int chips;
    bool timed;         /* what follows is known of the chips, else all that can
                           be cut is, whatever it costs, in one way */
    int cores;          /* of a chip */
    double mac_rate;    /* of all of them, MACs a cycle */
    double byte_rate;   /* of constants into the cores' memory, bytes a cycle; */
    int64_t memory;     /* of a chip for constants, bytes; 0: any; */
    double far_rate;    /* of those beyond */
    double link_rate;   /* between chips, bytes a cycle */
    double link_cycles; /* of a message beside its bytes */
    bool half;          /* a chip has one wire, out or in; */
    bool shared;        /* all chips have one */
    const uint8_t *next; /* [from][to]: the chip that a message goes to first;
                           NULL: any two are joined */
    bool beside;        /* partial sums, and what is gathered, are sent by pieces
                           beside the work on the next, if that is quicker */
    int sum_columns;    /* a piece has a multiple of so many */
    Images images;
    Inner inner;
    bool pipeline;      /* consecutive layers on consecutive chips */
    bool neighbours;    /* chips i and i + 1 are connected */
    int64_t room;       /* bytes of a chip's memory that an exchange may take;
                           what takes more is exchanged by pieces; 0: any */
} ShardOpts;

/* The phases of an exchange.  Chips that meet in one are `step` apart, within
 * blocks of as many as the phase before had as its step; step 0: all in a ring.
 * cycles: that it should take; link: of these on links; bytes: from chip to
 * chip, of all. */
typedef struct Way {
    int n, step[MOST_PHASES];
    double cycles, link, bytes;
} Way;

/* Messages of a byte that leave at once: bytes of the way that has most of
 * them, of all ways, and hops of the longest. */
typedef struct Load {
    double most, bytes;
    int hops;
} Load;

typedef struct Exchange {
    const char *layer; /* the node before it */
    bool sum, whole;   /* every chip makes all of the sum */
    bool halo;         /* rows of neighbours */
    int64_t bytes;     /* of the whole value; of a halo what all chips get */
} Exchange;

/* How a node is computed: its operands and result, each as every chip has it;
 * partial: what it gives is to be added over all. */
typedef struct Share {
    const Node *node;
    Cut *arg, res;
    bool partial;
} Share;

typedef struct Shard {
    Arena *mem;
    ShardOpts o;
    Graph *whole;
    int nnode;
    Share *share;   /* by id of the whole graph's nodes */
    Cut *in, *out;  /* of its inputs, outputs */
    Graph **g;      /* by chip */
    int *stage;     /* of a pipeline: by chip the id of its first node, then the
                       number of nodes; NULL: layers are cut */
    double latency; /* of a pipeline: predicted cycles of all stages */
    int **out_at;   /* of a pipeline: by chip, then by output of the whole
                       graph, which of the chip's outputs it is, or -1 */
    int nexchange;
    Exchange *exchange; /* by tag; in a pipeline as many for each value */
    Way *way;           /* by tag; NULL: of links without figures */
    Load *load;     /* way.c: by chips of a block, then of those it becomes */
    /* while it is decided */
    bool trial;     /* mem is its own, to end with it */
    Cut *at;        /* by id of values */
    int nrow;       /* layers with windows before this one are cut by rows */
    Band **need;    /* by id of values, by chip: all that windows read; NULL: no
                       more than is there */
    Cut *use;       /* by id of values: all that is read of them */
    int64_t *limit; /* most parts, by origin; 0: as many as there are */
    bool *fixed;    /* inputs that stay whole, by id */
    bool *first;    /* by node: what others follow was cut here first, */
    bool *stay;     /* or is not to be; */
    bool *whole_in; /* it is made of the whole value rather than by sums; */
    bool *by_all;   /* all make its sum, of which all then have all; */
    bool *by_rows;  /* a norm or softmax of what all have: each some rows */
    bool again;
} Shard;

/* err(ERR_MODEL) if nothing can be cut into so many shares, with the most that
 * can. */
Shard *shard_make(Arena *mem, Graph *g, const ShardOpts *o);
int shard_split(const Shard *s); /* layers of which each chip has a share */

/* rule.c: the share of a node, from those of what it reads (s->at); all
 * operands whole and so the result, if there is none. */
void shard_rule(Shard *s, const Node *n, Share *y);

/* rows.c: bands of images.  The rows of its first operand that the windows of a
 * node read, whose result is cut so; axis -1: a chip's are padding alone. */
Cut shard_window(const Shard *s, const Node *n, Cut y);
bool is_image(const Node *n);  /* a convolution or a pool */
int image_axis(const Node *n); /* of its rows */
/* Row r of the result reads `reach` rows, from r * stride - before on. */
typedef struct Window {
    int64_t stride, before, reach;
} Window;
Window image_window(const Node *n);
/* Chips compute rows that their neighbours have too where that is quicker than
 * to exchange them; of what all would have, only what they read. */
void shard_widen(Shard *s);
/* How v is resharded as c says, on all chips alike. */
typedef enum Reshard {
    RESHARD_none, RESHARD_slice, RESHARD_halo, RESHARD_gather
} Reshard;
Reshard shard_reshard(const Shard *s, const Val *v, Cut c);

/* cost.c: predicted cycles of the chip that has most to do.  Of all, as
 * decided; of a node without exchanges. */
double cost_shares(const Shard *s);
double cost_node(const Shard *s, const Share *h);
/* Of the partial sums that a chip makes of a node. */
double cost_sums(const Shard *s, const Node *n);
/* Of so much of a node's result, whose constants have come. */
double cost_rows(const Shard *s, const Node *n, double share);
/* An exchange with neighbours; that of rows that windows read of v. */
double cost_near(const Shard *s, double bytes, double messages);
double cost_halo(const Shard *s, const Val *v, Cut is);
/* Of what goes between neighbours, how many such take one wire. */
double cost_wires(const Shard *s);
/* Of so many bytes of constants those that a chip has no room for. */
double cost_far(const Shard *s, double bytes);
/* Are there such, of all shares? */
bool cost_short(const Shard *s);
/* Of v, which is cut so, what the chip with most of it has. */
double cost_share(const Shard *s, const Val *v, Cut c);

/* pieces.c: of a sum, columns from from[i] up to from[i + 1] are piece i. */
typedef struct Pieces {
    int n;
    bool beside; /* each is on its way while the next is computed */
    int64_t *from;
} Pieces;
Pieces pieces_best(const Shard *s, const Share *h);
Pieces pieces_at_once(const Shard *s, int64_t all);
/* Cycles of a piece beside those of its columns; of a column, computed, and on
 * its way; and the bytes of L1 that it takes. */
typedef struct Pace {
    double each, work, link;
    int64_t bytes;
} Pace;
/* The quickest pieces of so many columns, and their cycles. */
Pieces pieces_beside(const Shard *s, int64_t all, Pace pace);
double pieces_cycles(const Shard *s, const Pieces *p, Pace pace);
/* beside.c: by which pieces of a chip's columns v is made and gathered.  *behind:
 * predicted cycles beside those of what makes it, if there are several. */
Pieces beside_pieces(const Shard *s, const Val *v, double *behind);
/* Predicted cycles beside those of the sums, if each is sent beside work. */
double pieces_behind(const Shard *s, const Share *h, const Pieces *p);
/* The axis of operand i that its result's columns are of; -1: it has none. */
int column_axis(const Node *n, int i, const Val *v);

/* build.c: the graph of a chip. */
Graph *shard_build(Shard *s, int chip);
/* What a chip has of an axis of dim. */
Band shard_band(const Shard *s, Cut c, int64_t dim, int chip);
void shard_part(const Shard *s, Cut c, int64_t dim, int chip, int64_t *from,
                int64_t *to);
Shape shard_shape(const Shard *s, Cut c, Shape whole, int chip);
/* The share of an array of v's type and whole shape. */
void *shard_data(const Shard *s, Cut c, const Val *v, const void *data,
                 int chip);

/* An exchange as links see it: `share` bytes of a chip, which lie in so many
 * pieces, each a message; whole: each chip makes all of the sum; even: shares
 * are alike. */
typedef struct Traffic {
    bool sum, whole, even;
    double share, pieces;
} Traffic;

/* way.c: the quickest way; that of each exchange. */
Way way_best(const Shard *s, Traffic x);
void shard_ways(Shard *s);
/* "direct", "ring", or how many chips meet in each phase: "8x8". */
const char *way_name(Arena *mem, const Shard *s, const Way *w);
/* stage.c: a pipeline.  s has nodes, of which every one is whole.  NULL, or why
 * there is none. */
const char *shard_stages(Shard *s);
/* Has a chip this input, or is it a state of another? */
bool shard_owns(const Shard *s, int chip, const Val *in);
Graph *shard_stage(Shard *s, int chip);
int shard_stage_of(const Shard *s, int node);
/* Which of a chip's outputs is this one of the whole graph; -1: none. */
int shard_out(const Shard *s, int chip, int out);
const char *shard_check_stages(Arena *mem, const Shard *s);

/* eval.c: all chips together, with the reference kernels; in: one array per
 * input of the whole graph.  Of each chip the values of its graph. */
Eval **shard_eval(Arena *mem, const Shard *s, void *const *in);
/* Equal numbers of equal shapes, whatever types they are kept in. */
bool vals_same(const Val *v, const Val *w);
/* Has a chip the bits of one chip alone in an output, or in its share of it? */
bool shard_same(const Shard *s, int chip, int out, const Eval *whole,
                const Eval *part);
/* NULL, or what differs: all graphs have the same exchanges in one order. */
const char *shard_check(Arena *mem, const Shard *s);

#endif
