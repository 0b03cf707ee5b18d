/* ir: the network as a graph of operators, and what kernels promise.
 *
 * A Graph is a list of nodes in an order that can be executed, over values
 * that each have a type and a shape.  Integer values are exact integers with
 * a known range; scale and zero are notes for the user and never part of the
 * meaning.  The graph prints as text and reads back (text.c), is checked after
 * every pass (check.c), and runs with the reference kernels (eval.c). */
#ifndef IR_H
#define IR_H

#include "base/base.h"
#include "kern/kern.h"

enum { RANK = 8, NARG = 8, NRES = 4 }; /* concat may have more arguments */
enum { SHIFT_MAX = 62 };    /* of 64 bits, to the right */
enum { MOST_NUMBERS = 4 }; /* run-time numbers of a graph */

typedef enum Type {
    T_none,
#define TYPE(name, ctype, bytes, kind, npy, onnx) T_##name,
#include "ir/type.def"
    NTYPE
} Type;

typedef enum TypeKind { FLOAT, SINT, UINT } TypeKind;

typedef struct TypeInfo {
    const char *name, *ctype, *npy;
    int bytes, onnx;
    TypeKind kind;
    int64_t lo, hi; /* of an integer type (u64: hi is INT64_MAX) */
} TypeInfo;
extern const TypeInfo type_info[NTYPE];

typedef enum OpCode {
    OP_none,
#define OP(name, args, family, reach, attrs, onnx) OP_##name,
#include "ir/op.def"
    NOP
} OpCode;

typedef enum Reach { R_MAP, R_ROW, R_WINDOW, R_ALL, R_MOVE } Reach;

/* How a shape follows; those in kern/dims.def also have a dims struct. */
typedef enum Family {
    FAM_map, FAM_conv, FAM_convt, FAM_pool, FAM_matmul, FAM_row, FAM_reduce,
    FAM_reshape, FAM_transpose, FAM_slice, FAM_expand, FAM_concat, FAM_pad,
    FAM_gather, FAM_gatherelem, FAM_gathernd, FAM_scatterelem, FAM_scatternd,
    FAM_taps, FAM_topk, FAM_poolat, FAM_dft, FAM_grid, FAM_nms, FAM_group,
    FAM_pack, FAM_attend, FAM_qattend, FAM_rotate, FAM_gate,
    FAM_pconv, FAM_pinterleave, FAM_windows, FAM_exchange, FAM_rowmatmul,
    FAM_shares, FAM_weigh,
    NFAM
} Family;

typedef struct OpInfo {
    const char *name, *args, *attrs, *onnx;
    Family family;
    Reach reach;
} OpInfo;
extern const OpInfo op_info[NOP];

typedef enum AttrCode {
    A_none,
#define ATTR(name, kind, none, about) A_##name,
#include "ir/attr.def"
    NATTR
} AttrCode;

typedef enum AttrKind { INT, FLOAT_, INTS } AttrKind;

typedef struct AttrInfo {
    const char *name;
    AttrKind kind;
    int64_t i; /* defaults */
    double f;
    const char *about;
} AttrInfo;
extern const AttrInfo attr_info[NATTR];

/* A run-time number: known only when the network runs, from lo to hi.  Sizes
 * that follow it are kept as they are when it is `now`. */
typedef struct Number {
    const char *name;
    int64_t lo, hi, now;
    int id; /* index in Graph.num */
} Number;

/* How a size follows a number: by for each 1 of it.  num NULL: not at all. */
typedef struct Vary {
    const Number *num;
    int64_t by;
} Vary;

typedef struct Attr {
    AttrCode code;
    int n; /* of list */
    int64_t i;
    double f;
    int64_t list[2 * RANK];
    const Vary *vary; /* of list, each; NULL: none varies */
    struct Attr *next;
} Attr;

typedef struct Shape {
    int rank;
    int64_t dim[RANK];
    Vary vary[RANK];
} Shape;

typedef struct Range {
    int64_t lo, hi;
} Range;

typedef struct Val Val;
typedef struct Node Node;
typedef struct Graph Graph;

struct Val {
    const char *name; /* unique, as the user wrote it */
    Type type;
    Shape shape;
    void *data;     /* a constant's elements in C order; NULL: not constant */
    int64_t lo, hi; /* range of an integer value; its type's if unknown */
    double scale;   /* note: real = scale * (value - zero); 0: none */
    int64_t zero;
    int port;       /* of a constant that an engine reads by its weight port:
                       1 + that memory's index; else 0 */
    Node *def;      /* NULL: a constant or an input of the graph */
    int part;       /* which result of def */
    Val *state;     /* output only: the input that it becomes in the next run */
    int id;         /* dense, valid while graph_number()'s order holds */
    int nuse;       /* readers, plus one if an output; valid after graph_uses */
    Val *prev, *next; /* of the graph, no particular order */
};

struct Node {
    OpCode op;
    const char *name;   /* the user's node name; unique */
    const char *origin; /* the operator as the user wrote it ("Gemm") */
    int narg, nres;
    Val **arg;          /* NULL where an optional operand is absent */
    Val *res[NRES];
    Attr *attr;
    Range acc, scaled;  /* of integers on the way to a result: its sums and
                           all parts of them; these and what mul and add make
                           of them.  As valid as the result's range */
    Node *prev, *next;  /* in execution order */
    int id;
    bool placed;        /* a slice or a concat that is to be a view, even where
                           copies need less memory (plan/kernel/part.c) */
    int64_t macs_removed; /* by lossless removal of dead structure */
    int64_t bytes_removed;
    uint64_t task;        /* what measurements of it, and of its tiles, go by;
                             0: none are known (plan/kernel/measured.c) */
    const struct Kern *forced; /* a kernel that is to be measured, or NULL */
};

struct Graph {
    Arena *mem;
    const char *name, *file;
    Node *first, *last;
    Val *vals;
    int nin, nout;
    Val **in, **out;
    int nnum;
    Number *num[MOST_NUMBERS];
    struct Names *names; /* those taken (graph.c) */
    uint64_t hash;    /* of the model file */
    const char *author, *licence; /* of the model, as its file says; or NULL */
    int64_t context;  /* positions of a language model; 0: it is none */
    bool settled;     /* quantize and dequantize nodes mean what they say: no
                         integer operators are to be made of what is between */
    bool exact;       /* integer types follow ranges: the least that holds
                         every value.  false: types as ONNX declares them,
                         results of integer operators wrap */
};

/* graph.c */
Graph *graph_new(Arena *mem, const char *name);
Val *graph_val(Graph *g, const char *name, Type t, Shape s); /* name made
                                            unique; NULL: "v1", "v2" ... */
Val *graph_const(Graph *g, const char *name, Type t, Shape s,
                 const void *data); /* data is copied; NULL: zeros */
Val *graph_const_int(Graph *g, Type t, int64_t v); /* rank 0 */
Val *graph_const_f32(Graph *g, float v);
void graph_input(Graph *g, Val *v);
void graph_output(Graph *g, Val *v);
/* A node of one result, appended, or before `at`; both are called name (made
 * unique; NULL: after the operator).  Set its attributes, then call node_infer,
 * which gives the result type, shape and range. */
Node *graph_node(Graph *g, Node *at, OpCode op, const char *name, int narg,
                 Val *const *arg);
void val_rename(Graph *g, Val *v, const char *name); /* made unique */
void node_rename(Graph *g, Node *n, const char *name);
Val *graph_find(const Graph *g, const char *name); /* value, or NULL */
void node_remove(Graph *g, Node *n);  /* its results must have no readers */
void node_move(Graph *g, Node *n, Node *at); /* before at; NULL: to the end */
/* In arguments and outputs; an output's name and state go along, so that the
 * user finds it under the name he gave it. */
void graph_replace(Graph *g, Val *old, Val *by);
/* The same where old->nuse tells how many they are, all behind what makes it:
 * it does not go further than the last. */
void graph_replace_counted(Graph *g, Val *old, Val *by);
void graph_uses(Graph *g);
void graph_number(Graph *g);   /* ids of nodes and values, dense, from 0 */
void graph_sort(Graph *g);     /* so that it can be executed; err on cycles */
void graph_sweep(Graph *g);    /* removes nodes and values nobody reads */
int graph_nval(const Graph *g);
bool val_is_int(const Val *v);
bool val_is_output(const Graph *g, const Val *v);
/* The output that input v becomes in the next run, or NULL: v is no state. */
Val *graph_next_state(const Graph *g, const Val *v);
int64_t val_count(const Val *v); /* elements */
int64_t val_bytes(const Val *v);
/* What v shows through reshapes, which have no kernel; v, if it is of none. */
const Val *val_shown(const Val *v);
int64_t val_int(const Val *v, int64_t i);  /* element of a constant */
double val_num(const Val *v, int64_t i);
void val_set(Val *v, int64_t i, int64_t x);
void val_range(Val *v); /* a constant's range from its data; of none: 0 */
void val_read_range(Val *v); /* as val_range, but of none: as it was */
void val_narrow(Val *v); /* a constant's range and least type from its data */
Type type_for(int64_t lo, int64_t hi); /* first of s8 u8 s16 s32 s64 */
Shape shape_of(int rank, const int64_t *dim);
#define SHAPE(...) \
    shape_of((int)LEN(((int64_t[]){__VA_ARGS__})), (int64_t[]){__VA_ARGS__})
int64_t shape_count(Shape s); /* err(ERR_MODEL) above 2^40 elements */
int64_t shape_product(Shape s, int from, int to); /* of axes [from, to) */
bool shape_same(Shape a, Shape b);
const char *shape_str(Arena *a, Shape s); /* "[1,3,32,32]" */

/* number.c: run-time numbers */
enum { NUMBER_MOST = 1 << 14 }; /* values of one */
Number *graph_number_new(Graph *g, const char *name, int64_t lo, int64_t hi);
Number *graph_number_find(const Graph *g, const char *name); /* NULL */
/* All sizes as they are at these values, by Number.id. */
void graph_set_numbers(Graph *g, const int64_t *value);
void graph_numbers_most(Graph *g); /* at the greatest */
/* Of graphs that have the same numbers, all at once. */
void graphs_set_numbers(int n, Graph *const *g, const int64_t *value);
void graphs_numbers_most(int n, Graph *const *g);
/* A node of its own, over values of its own, as it is there; and so that
 * nothing of such a one varies. */
Node *node_at(Arena *mem, const Node *n, const int64_t *value);
void node_fix(Node *n);
bool shape_varies(Shape s);
bool node_varies(const Node *n); /* an operand, a result or an attribute */
int64_t dim_at(Shape s, int i, const int64_t *value);
int64_t val_count_at(const Val *v, const int64_t *value);
int64_t val_bytes_at(const Val *v, const int64_t *value);
/* Bit i: something of the node follows the number of that id. */
unsigned node_numbers(const Node *n);
/* One size: as it is now, and how it follows. */
typedef struct Size {
    int64_t n;
    Vary vary;
} Size;
Size size_at(Shape s, int i);
Size size_const(int64_t n); /* a constant */
bool size_same(Size a, Size b);
bool size_is(Size a, int64_t n); /* whatever the numbers are */
/* err if they follow two numbers. */
Size size_add(const Node *n, Size a, Size b);
Size size_times(Size a, int64_t by);
void shape_put(Shape *s, int i, Size a);
/* Sums and products of sizes are the same whatever the numbers are if they are
 * the same at a place where no two sizes meet by chance. */
uint64_t dim_anywhere(Shape s, int i);
uint64_t size_anywhere(Size a);
bool shapes_as_many(Shape a, Shape b); /* elements, whatever the numbers are */
/* "n", "2*n+1", "64": for messages and the text form; 64 calls hold. */
const char *size_text(Size a);

/* poly.c: what is derived from sizes, as a polynomial in numbers */
typedef struct Monomial {
    int64_t coef;
    unsigned char power[MOST_NUMBERS]; /* of each number, by id */
} Monomial;
typedef struct Poly {
    int n;
    Monomial *term;
} Poly;
int64_t poly_at(const Poly *p, const int64_t *value);
bool poly_const(const Poly *p);
bool poly_same(const Poly *a, const Poly *b);
/* As an expression of C; name: of each number, by id. */
void poly_put(const Poly *p, const char *const *name, Str *out);
/* m of them, which at every value of the numbers in a set (by bit) are what f
 * says, the others being greatest.  NULL: they are no polynomials. */
Poly *polys_fit(Arena *mem, const Graph *g, unsigned set, int m,
                void (*f)(void *arg, const int64_t *value, int64_t *y),
                void *arg);
/* Every value of one number of a set, of several together those that tell
 * polynomials apart; false: that was all. */
void values_first(const Graph *g, unsigned set, int64_t *value);
bool values_next(const Graph *g, unsigned set, int64_t *value);

/* attr.c: absent ones read as their default */
bool op_has_attr(OpCode op, AttrCode c);
int64_t attr_int(const Node *n, AttrCode c);
double attr_num(const Node *n, AttrCode c);
int attr_list(const Node *n, AttrCode c, const int64_t **list); /* length */
int64_t attr_at(const Node *n, AttrCode c, int i, int64_t none);
Size attr_size(const Node *n, AttrCode c, int i, Size none);
void attr_set_shape(Graph *g, Node *n, AttrCode c, Shape s);
bool attr_has(const Node *n, AttrCode c);
void attr_set_int(Graph *g, Node *n, AttrCode c, int64_t v);
void attr_set_num(Graph *g, Node *n, AttrCode c, double v);
void attr_set_list(Graph *g, Node *n, AttrCode c, int len,
                   const int64_t *v);
void attr_drop(Node *n, AttrCode c);
void attr_copy(Graph *g, Node *to, const Node *from);

/* infer.c: sets type, shape and range of a node's results from its operands
 * and attributes; err(ERR_MODEL) names the node where they do not agree. */
void node_infer(Graph *g, Node *n);
void graph_infer(Graph *g); /* all, in order */
/* Operand by its name in op.def, NULL if absent; its position, or -1. */
Val *node_arg(const Node *n, const char *name);
int op_arg(OpCode op, const char *name, bool *optional);
/* As err(ERR_MODEL), with "node 'name' (Op): " in front. */
_Noreturn void err_node(const Node *n, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* epilogue.c: the attribute round, 0 where no shift is so wide that it makes a
 * difference. */
int node_round(const Node *n);
/* Is the upper half of 4 * acc * mul all that n's epilogue needs?
 * Constants are then those of TensorFlow Lite, shifts above 31. */
bool node_upper_half(const Node *n);

/* dims_move.c: a gather whose table stays in external memory? */
bool node_is_far(const Node *n);

/* window.c: of windows */
Shape shape_conv(const Node *n);
int64_t pconv_channels(const Node *n); /* of the input's pixels */
Shape shape_pconv(const Node *n); /* of a pinterleave: of what is beside r */
Shape shape_pinterleave(const Node *n);
Shape shape_windows(const Node *n);
Shape shape_convt(const Node *n);
Shape shape_pool(const Node *n);
void check_epilogue(const Node *n, int64_t channels);

/* single.c: families of one operator each, their shapes and numbers */
Shape shape_topk(const Node *n);
Shape shape_dft(const Node *n);
Shape shape_grid(const Node *n);
Shape shape_nms(const Node *n);
Shape shape_group(const Node *n);
Shape shape_attend(const Node *n);
Shape shape_pack(const Node *n);
Shape shape_exchange(const Node *n);
/* Numbers of a halo's `start` (op.def). */
enum { HALO_before, HALO_after, HALO_up, HALO_down, HALO_at, HALO_n };
bool exchange_moves(OpCode op); /* or else it adds */
/* The first and the second half of one that goes on beside work. */
bool exchange_begins(OpCode op);
bool exchange_ends(OpCode op);
Shape shape_qattend(const Node *n);
Shape shape_rotate(const Node *n);
Shape shape_gate(const Node *n);
Shape shape_shares(const Node *n);
Shape shape_weigh(const Node *n);
Shape shape_rowmatmul(const Node *n);
int64_t macs_attend(const Node *n);
int64_t macs_qattend(const Node *n);

/* shape.c: the shape of the result alone; axis made positive and checked */
Shape shape_infer(const Node *n);
const char *shape_text(Shape s); /* shape_str for three calls more */
bool shape_fits(Shape s, Shape into); /* s broadcasts to `into` */
int node_axis(const Node *n, int rank); /* of attribute axis */
int64_t row_length(Shape s); /* of the last axis; of a single number 1 */
/* Elements of x from one of a slice to the next, along an axis; 1 where it takes
 * no second one, whatever its attribute says. */
int64_t slice_step(const Node *n, int axis);
/* Of a matmul: how many rows of b, as it lies, are multiplied: all, or `count`. */
Size product_rows(const Node *n);
/* Which axes of x a node of the reduce family reduces. */
void node_axes(const Node *n, bool set[RANK]);

/* range_num.c: the nearest to a + b, a * b and -a that fits 64 bits. */
int64_t sat_add(int64_t a, int64_t b);
int64_t sat_mul(int64_t a, int64_t b);
int64_t sat_neg(int64_t a);

/* range.c: every value an integer result can have lies within; acc, scaled:
 * those on the way to it (Node) */
Range range_infer(const Node *n, Range *acc, Range *scaled);

/* check.c: dies if the graph breaks a rule (after: name of the pass). */
void graph_check(Graph *g, const char *after);

/* print.c, text.c */
void graph_print(Graph *g, Str *out);
Graph *graph_parse(Arena *mem, const char *file, const char *text);
/* Does a file begin as the text form does, with its line `graph`? */
bool graph_is_text(const void *p, size_t n);

/* dims.c: what kernels are told of a node */
typedef union Dims {
#define I(name) int32_t name;
#define A(name, n) int32_t name[n];
#define F(name) float name;
#define FAMILY(name, ...) struct name##_dims name;
#include "kern/dims.def"
} Dims;

/* The families of kern/dims.def, and their fields by name. */
typedef struct Field {
    const char *name;
    char kind;  /* 'I', 'A', 'F' */
    int len;    /* of A */
    int offset; /* in the struct, bytes */
} Field;
typedef struct DimsInfo {
    const char *name; /* "conv": struct conv_dims */
    int size;
    int nfield;
    const Field *field;
} DimsInfo;
int32_t dims_32(const Node *n, int64_t v); /* err if it is wider */
/* job.c: words of the job of the last rows, which is another (dims.again), and
 * how many bytes further its results lie. */
void job_rest(const struct pconv_dims *d, int32_t *job, int32_t *y);
const DimsInfo *dims_of(OpCode op); /* NULL: no kernels of its own (reshape) */
/* Fills d for a node in kernel form. */
void dims_fill(const Node *n, Dims *d);
/* The same for the evaluator, which clips by itself, to 64 bits. */
void dims_fill_wide(const Node *n, Dims *d);
/* concat: the copy of argument i into the result. */
void dims_fill_concat(const Node *n, int i, Dims *d);
/* Of a concat that copy, of any other node all. */
void dims_fill_part(const Node *n, int i, Dims *d);
int64_t node_macs(const Node *n); /* multiply-accumulates */
int64_t graph_macs(const Graph *g); /* of all nodes */

/* follow.c: those of a node's dims that follow run-time numbers; err if one
 * does so in a way that kernels cannot be told. */
typedef struct Follow {
    int at; /* of the struct, in 32-bit words */
    Poly is;
} Follow;
Follow *dims_follow(Arena *mem, const Graph *g, const Node *n, int part,
                    int *count);

/* tile.c: a node cut into tiles.
 *
 * A node may be cut along three axes of its result, whose meaning is its
 * family's: batches (heads, or columns of one wide picture), rows, channels
 * (columns of a product).  What a tile reads and writes of a value is always a
 * Piece: rows of bytes at one distance, which is what a 2-D transfer moves. */
enum { CUT_batch, CUT_row, CUT_channel, NCUT };

typedef struct Piece {
    int64_t off;    /* bytes from the value's start to the first row */
    int64_t row;    /* bytes of a row */
    int64_t rows;
    int64_t stride; /* bytes from row to row; = row if there is one */
} Piece;

Piece piece_all(const Val *v);
int64_t piece_bytes(Piece p);
bool piece_same(Piece a, Piece b);

typedef struct Tile {
    Node *node;     /* computes the tile, over values of its shapes */
    Piece in[NARG], out[NRES]; /* of the whole node's values */
} Tile;

/* Lengths of the axes along which n may be cut; 1 where it may not.  part: of a
 * concat, the argument whose copy is meant; 0. */
void tile_axes(const Node *n, int part, int64_t len[NCUT]);
/* Are batches, of which there is one, columns instead? */
bool cut_columns(const Node *n);
/* The tile of n from `at` on, `len` long: false if it is no set of Pieces, or
 * all padding.  Channels of a convolution of groups are cut into whole groups,
 * or each group into equal parts. */
bool tile_make(Arena *mem, const Node *n, int part, const int64_t at[NCUT],
               const int64_t len[NCUT], Tile *t);
/* What its kernel is told: of packed pieces; of the operands of a set (by bit)
 * and of the result if they lie in place, where their rows have the distances
 * of the whole value.  false: kernels of this family cannot be told. */
bool tile_dims(const Node *n, const Tile *t, unsigned in_place,
               bool out_place, Dims *d);
/* Can they be told, where these lie in place in several rows? */
bool tile_tells(const Node *n, unsigned in_place, bool out_place);

/* head.c: the contract in a kernel file's first comment (doc/kernels.md) */
typedef struct KernType {
    const char *operand; /* "x", or a result "y" */
    unsigned types;      /* set of 1 << Type */
    const char *same;    /* "=x": the type of that operand; else NULL */
} KernType;

typedef struct KernSig { /* a `types` line */
    int narg, nres;
    KernType arg[NARG], res[NRES];
} KernSig;

typedef struct KernLet { /* a `let` line; text may name those before it */
    const char *name, *text;
} KernLet;

typedef struct KernParam { /* a `param` line: the first value is the default */
    const char *name;
    int n;
    int64_t value[8];
} KernParam;

typedef struct Kern {
    const char *path;  /* "kern/ref/conv_f32.c" */
    const char *name;  /* "conv_f32_ref": stem and folder; of a variant, with
                          the parameters that are not as by default */
    const char *base;  /* the name without those: the same by default */
    const char *text;  /* the file */
    const char *about; /* first line of the comment */
    int nop;
    OpCode op[16];       /* `op` line: one kernel may serve several */
    const char *isa;     /* words with commas; "" or "any": every chip */
    const char *when;    /* expressions over dims and ranges; NULL: always */
    const char *layout;  /* "any", "last" */
    const char *inplace; /* operands the result may lie on: "x", "x y"; "" */
    const char *scratch; /* bytes */
    const char *stack;   /* bytes, of a call */
    const char *cycles;  /* predicted; NULL: unknown */
    const char *code;    /* bytes of it that a call goes through; the same */
    const char *cold;    /* cycles that one takes longer without; the same */
    const char *asks;    /* percent of its cycles in which a core asks the
                            nearest memory; NULL: as most kernels (cost.c) */
    const char *most;    /* bytes of scratch beyond which more are no use; NULL:
                            those of `scratch` */
    const char *ahead;   /* bytes that the result must begin ahead of the first
                            operand to overlap it; less than 0: it may not;
                            NULL: the same */
    const char *direct;  /* not 0: registers of the dims tell its job whole */
    const char *serves;  /* kernels with the same word are the same code, for
                            all types; NULL: for these alone */
    const char *reads;   /* how often a call goes through its second operand;
                            NULL: once */
    const char *round;   /* values of the attribute; NULL: 0 */
    const char *engine;  /* name or model of an accelerator; NULL: the cores */
    const char *words;   /* of pconv: count, p2 and mode of the weights that it
                            takes; NULL: no layer is brought to it */
    const char *tile, *split; /* dimensions, for planners that tile */
    int ncore;           /* that share a call: `ncore` of its expressions; set
                            before any of them is read */
    int row;             /* of its engine, on the chip; -1: it has none such */
    int pace;            /* percent that a chip's cores take of `cycles`; set
                            before they are asked for */
    int weight;          /* percent that they count where kernels are compared */
    int nlet;
    KernLet let[24];
    int nparam;
    KernParam param[4];
    int64_t set[4];           /* values of the parameters, of this variant */
    const char *fit;          /* its rows in kern/fit.tsv; NULL: none */
    int nsig;
    KernSig sig[8];
    struct Exprs {
        struct Terms *terms;
        struct Expr *first;
    } *exprs;            /* those read so far (expr.c) */
} Kern;

/* All kernels packed in, then those of dir and of its folders (may be NULL);
 * behind a kernel with parameters its variants.  err(ERR_MODEL) says what is
 * wrong with a head. */
Kern **kern_load(Arena *a, const char *dir, int *n);
Kern *kern_parse(Arena *a, const char *path, const char *text);
/* Is any of its parameters not as by default? */
bool kern_is_variant(const Kern *k);
/* Lines of #define that say what the parameters are. */
void kern_put_params(const Kern *k, Str *out);
/* The sig of k that takes this node's types, or NULL. */
const KernSig *kern_takes(const Kern *k, const Node *n);
/* Reads all expressions of the head: err if one cannot be read. */
void kern_check(const Kern *k);
/* Is the code of k also that of another, for all types? */
bool kern_serves(const Kern *k, const Kern *of);
/* Does `cycles`, or what a `let` gives a name for it, say ncore? */
bool kern_counts_cores(const Kern *k);
/* The position of what sig calls name, results counting from NARG on, or where
 * another line of types has it, which is absent here; err if there is none such.  And the value at a position; NULL if absent. */
int kern_position(const Kern *k, const KernSig *sig, const char *name);
const Val *kern_at(const Node *n, int position);
/* As err(ERR_MODEL), with "kernel PATH: " in front. */
_Noreturn void kern_err(const Kern *k, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* expr.c */
/* Value of an expression of a head, NULL being 0.  Its names are the family's
 * fields and, of operands, x.lo, x.hi, x.n (elements), x.bytes (of one
 * element) and has.x; C's operators on 64-bit integers, saturating, and min
 * and max. */
int64_t kern_expr(const Kern *k, const char *expr, const Node *n,
                  const Dims *d);
/* The same where it is known which sig takes the node.  What expressions that
 * are asked about the same have in common is worked out once: as long as
 * neither node nor dims change, ask once and take all answers from that. */
typedef struct Asked {
    const Node *n;
    const Dims *d;
    uint64_t asked;
    int64_t room; /* `room` of the expressions: bytes at io->tmp; to be set before
                     the first answer */
} Asked;
Asked kern_ask(const Node *n, const Dims *d);
int64_t kern_answer(const Asked *x, const Kern *k, const KernSig *sig,
                    const char *expr);
struct Terms *terms_new(Arena *a);

/* eval.c: runs with the reference kernels; values by Val.id (graph_number). */
typedef struct Eval {
    Arena *mem;
    void **data; /* native type, C order, by Val.id; NULL: not computed */
} Eval;
/* in: one array of elements per graph input, native type. */
Eval *graph_eval(Arena *mem, Graph *g, void *const *in);
/* One node; arg: native types, by position.  Fills res with new arrays. */
void node_eval(Arena *mem, const Node *n, void *const *arg, void **res);
bool node_can_eval(const Node *n);

/* sums.c: of a convolution, told k, over native operands: [n][oh][ow][g * m];
 * NULL: they do not fit 32 bits, or are few. */
int64_t *conv_sums(Arena *a, const Node *n, const struct conv_dims *k,
                   const void *x, const void *w);

/* The plain kernels, built wide by tools/mkeval; the last row is empty. */
typedef struct EvalRow {
    const char *kern;  /* Kern.name */
    const char *types; /* of operands and results: f, i, n (absent) */
    void (*run)(const void *dims, const struct io *io);
} EvalRow;
extern const EvalRow eval_rows[];

#endif
