/* pass: graph to graph, one pass per file, a row each in pass.def. */
#ifndef PASS_H
#define PASS_H

#include "ir/ir.h"

typedef struct Pass {
    const char *name;
    const char *about;
    void (*run)(Graph *g);
    bool keeps; /* user may switch it off with --no-NAME */
} Pass;
extern const Pass passes[];
extern const int npass;

/* Runs all passes in order but those in `off` (names, NULL ends), checking
 * the graph after each; dumps the text after the pass named `dump`. */
void pass_all(Graph *g, const char *const *off, const char *dump);
/* One pass alone, by name, and the check after it; false: no such pass. */
bool pass_one(Graph *g, const char *name);

/* The passes, a file each. */
#define PASS(name, function, needs, breaks, about) void function(Graph *g);
#include "pass/pass.def"

/* edit.c: changes to a graph that keep Val.nuse true */
Node *edit_node(Graph *g, Node *at, OpCode op, const Node *like, int narg,
                Val *const *arg);
void edit_name(Val *v, Val *from);
void edit_arg(Graph *g, Node *n, int i, Val *v);
void edit_pair(Graph *g, Node *n, Val *a, Val *b);
void edit_replace(Graph *g, Val *old, Val *by);
void edit_drop(Graph *g, Node *n);
bool edit_bypass(Graph *g, Node *n, Val *v);
void edit_take(Graph *g, Node *p, Node *n);
void edit_hoist(Graph *g, Node *n);
Node *edit_after(Graph *g, Node *n, OpCode op);
Val *edit_transpose(Graph *g, Node *at, const Node *like, Val *x,
                    const int64_t *perm);

/* look.c: questions about operators, nodes and constants */
Val *arg_of(const Node *n, int i);       /* NULL: absent */
int op_operand(OpCode op, const char *name); /* index, or -1 */
bool op_takes(OpCode op, const char *attr);
bool has_epilogue(const Node *n);        /* mul and add are given */
bool has_clip(const Node *n);            /* any of lo hi flo fhi */
Node *sole_producer(const Val *v);       /* of a value with one reader */
bool all_equal(const Val *v, double x);  /* a constant of nothing but x */
bool is_const(const Val *v);
int64_t dim_from_end(const Val *v, int i); /* 1 beyond its rank */
bool fits_in(const Val *c, Shape s); /* broadcasts to s, not growing it */
bool along_axis(const Val *c, Shape s, int axis);
void perm_to_last(int64_t *perm, int rank);  /* axis 1 moves to the end */
void perm_to_first(int64_t *perm, int rank); /* and back */
bool perm_is_identity(const int64_t *perm, int rank);
bool perm_keeps_order(const int64_t *perm, Shape s);
void float_bounds(const Val *v, double *lo, double *hi);
bool nothing_padded(const Node *n);

/* cut.c: the cheapest way to part a graph in two */
typedef struct Cut Cut;
enum { CUT_SOURCE, CUT_SINK }; /* the first two nodes */
#define CUT_NEVER (INT64_C(1) << 50)
Cut *cut_new(Arena *a);
int cut_node(Cut *c);
void cut_edge(Cut *c, int from, int to, int64_t cost);
void cut_solve(Cut *c); /* so that the edges from source to sink side cost
                           the least */
bool cut_is_sink(const Cut *c, int node);

/* spans.c: what values each channel of each value can take */
typedef struct Span {
    double real;    /* of a float: the only value; NAN: not known */
    int64_t lo, hi; /* of an integer */
} Span;
typedef struct Chans {
    int axis; /* -1: channels are not known */
    int64_t n;
    Span *span; /* by channel */
    int slot;   /* of channel 0, among those of the whole graph (dead.c) */
} Chans;
Chans *spans_of(Arena *mem, Graph *g);
bool span_fixed(const Val *v, Span s);

/* prune.c: leaves channels away */
typedef struct Keep {
    const int64_t *list; /* of channels, rising; NULL: all */
    int64_t n;
} Keep;
void prune(Graph *g, Node *n, const Chans *all, const Keep *keep);

/* constant.c: new constants from old ones */
Val *const_vector(Graph *g, const char *name, int64_t n, Type t);
Val *const_transpose(Graph *g, const Val *v, const int64_t *perm);
Val *const_as(Graph *g, const Val *v, Shape s); /* the same elements */
Val *const_at_rank(Graph *g, Val *v, int rank); /* ones in front */
Val *const_op(Graph *g, const Val *a, const Val *b, char op);
Val *const_settle(Graph *g, Val *v);
Val *const_pick(Graph *g, Val *v, int axis, int64_t n, const int64_t *list);

/* columns.c: products with constant matrices.  Can columns of the result be
 * computed alone?  How many are there?  The product of those that the list
 * names, before `at`. */
bool columns_apart(const Node *n);
int64_t columns_count(const Node *n);
Node *columns_some(Graph *g, Node *at, const Node *n, int64_t count,
                   const int64_t *list);

/* heads.c: attention in so many groups of heads, where they divide its heads;
 * 0: in as many as take the least memory.  The most that there can be. */
bool heads_by_groups(Graph *g, int64_t groups);
int64_t heads_grouped(const Graph *g);

/* merge.c: weights of q and k become one matrix where that is fewer products,
 * or wherever they can; how many did. */
int merge_weights(Graph *g, bool all);

/* channels.c: what if a layer had so many channels?  NULL: it has them now, and
 * so has what reads them; else why that cannot be.  Passes are done. */
const char *channels_set(Graph *g, Node *n, int64_t count);
int64_t channels_of(const Node *n);         /* 0: they are those of others */
Node *channels_maker(Graph *g, Node *n); /* of those that n reads; or NULL */

/* transposes.c: a list of one number per axis, or of two, renumbered: what axis
 * i has goes to axis perm[i]. */
void renumber_list(Graph *g, Node *n, AttrCode c, const int64_t *perm,
                   int rank);

#endif
