/* Inside front/onnx: the ONNX model that is being read, and the operator of it
 * that is being imported. */
#ifndef FRONT_ONNX_IMPORT_H
#define FRONT_ONNX_IMPORT_H

#include "front/build.h"
#include "front/onnx/onnx.h"
#include "onnx.pb-c.h"

typedef Onnx__TensorProto Tensor;
typedef Onnx__AttributeProto OnnxAttr;
typedef Onnx__NodeProto OnnxNode;
typedef Onnx__GraphProto OnnxGraph;
typedef Onnx__ModelProto Model;

enum { OPSETS = 28 }; /* of the default domain, as far as they are known */
enum { DEEP = 16 }; /* functions in functions, graphs in graphs */

typedef struct Scope Scope;

/* What an operator does to integers that arrive as floats (dialect):
 * FLOATS computes with real numbers only; BOTH has an exact meaning on
 * integers; ROUNDS has one too, but another than on the same floats; DIALECT is
 * defined on integers only; TYPED goes by ONNX types. */
typedef enum Meaning { FLOATS, BOTH, ROUNDS, DIALECT, TYPED } Meaning;

typedef struct Row { /* of onnx.def */
    const char *name;  /* "Conv", "com.microsoft::Attention" */
    Meaning meaning;
    void (*import)(Call *c);
    int since, min, max; /* opset; operands, at least and at most */
    const char *about;
} Row;

/* One model being read. */
typedef struct Import Import;
struct Import {
    Reading r;
    /* body_import: operators that hold graphs need not know the walk */
    bool (*body)(Import *im, Scope *s, size_t n, OnnxNode **node);
    Scope *top;       /* the names of the model's own graph */
    const Model *model;
    const char *dir;  /* of external data; NULL: none allowed */
    int opset;        /* of the default domain */
    int depth;        /* of functions within functions */
    bool states_given; /* vectors are given for states too */
    Type state_type[MOST_STATES]; /* of an exact network's states, as tried */
    unsigned met;     /* a bit for each type of ONNX that values are of */
};

/* A name in a graph or function, and what it stands for. */
typedef struct Entry {
    const char *name;
    Val *val;              /* NULL: not imported yet */
    const Tensor *tensor;  /* an initializer */
    const Onnx__SparseTensorProto *sparse;
    int maker;             /* index of its node plus one; 0: none */
    const Scope *home;     /* of the maker */
    bool absent;           /* an operand a function was called without */
    bool bad;              /* its node was refused: say no more */
} Entry;

/* One node being imported. */
typedef struct OnnxCall {
    Call c;
    Import *im;
    const OnnxNode *p;
    const Row *row;
    Scope *scope;
    int opset;
} OnnxCall;

/* Every Call of this folder is part of one. */
static inline OnnxCall *onnx(const Call *c)
{
    return (OnnxCall *)c;
}

/* cache.c: the size of an axis of an input as --dim and --context have it, which
 * is --state `state` or, -1, none; -1: they say nothing of it. */
int64_t cache_size(const FrontOpts *o, int state, size_t axis,
                   const Onnx__TensorShapeProto *s);

/* names.c: names of the model, fit to be shown. */
void names_clean(Arena *a, Model *m);

/* table.c */
const Row *row_find(const char *domain, const char *op); /* NULL: unknown */
const char *row_nearest(const char *op); /* a name like it, or NULL */

/* order.c: indices of nodes; err on cycles.  s knows who makes what. */
size_t *order_of(Import *im, Scope *s, size_t n, OnnxNode **node);

/* body.c: imports the nodes of a graph or function whose names are in s; false
 * if some were refused (and listed). */
bool body_import(Import *im, Scope *s, size_t n, OnnxNode **node);

/* entry.c */
const char *name_of(Import *im, const OnnxNode *p, size_t i); /* of node i */
/* A new name; `what` it is of.  err if it is there already. */
Entry *scope_claim(Scope *s, const char *name, const char *what);
void body_tensors(Import *im, Scope *s, const OnnxGraph *p);
Val *entry_val(Import *im, Entry *e); /* NULL: its node was refused */

/* scope.c */
Scope *scope_new(Arena *a, const Scope *outer, size_t room);
Entry *scope_find(const Scope *s, const char *name); /* NULL: unknown */
Entry *scope_add(Scope *s, const char *name);        /* NULL: already there */
/* Values of the attributes a function was called with. */
void scope_caller(Scope *s, const Call *c);
const Call *scope_call(const Scope *s);

/* schema.c: err if attributes or operands are not what ONNX wants. */
void schema_check(const Call *c);

/* wire.c: err if these bytes are no model. */
Model *onnx_unpack(Arena *mem, const void *p, size_t n);

/* tensor.c */
Type tensor_type(int onnx); /* the type that holds it; T_none: none does */
const char *tensor_type_name(int onnx);
/* A constant of the graph, whatever the encoding; name may be NULL.  In an
 * exact graph floats that are all integers become integers. */
Val *tensor_val(Import *im, const Tensor *t, const char *name);
Val *tensor_sparse(Import *im, const Onnx__SparseTensorProto *t,
                   const char *name);
bool tensor_integral(Import *im, const Tensor *t);
/* The same constant as integers of the least type, or as it was if it has
 * elements that are no integers. */
Val *val_exact(Graph *g, Val *v);

/* kind.c: integers or floats? */
bool kind_exact(Import *im);
bool kind_may_be_exact(Import *im); /* if integers were given */
/* What --input-type says of an input; NULL: nothing. */
const Type *kind_asked(const Import *im, const char *name);
Type kind_input(const Import *im, const char *name, int declared, int i);

/* call.c: attributes and operands */
const OnnxAttr *call_attr(const Call *c, const char *name);
bool call_has(const Call *c, const char *name);
int64_t call_int(const Call *c, const char *name, int64_t none);
double call_num(const Call *c, const char *name, double none);
const char *call_str(const Call *c, const char *name, const char *none);
/* Elements of a list, or of the one number given; -1: absent. */
int call_ints(const Call *c, const char *name, int max, int64_t *list);
int call_nums(const Call *c, const char *name, int max, double *list);
Val *call_tensor(Call *c, const char *name); /* as a constant; NULL: absent */
int64_t call_need(const Call *c, const char *name); /* must be there */
Val *arg_known(Call *c, int i);   /* constant; err if not; NULL if absent */
int arg_ints(Call *c, int i, int max, int64_t *list); /* -1: absent */
/* A list that is an operand in newer opsets, an attribute in older ones. */
int list_of(Call *c, int i, const char *attr, int max, int64_t *list);

/* op_*.c: what one importer lends another */
OpCode op_named(const Call *c); /* ours, by op.def's ONNX column */
Val *conv(Call *c, Val *x, Val *w, Val *b); /* attributes as Conv has them */
Val *averagepool(Call *c, Val *x);
Val *matmul_onnx(Call *c, Val *a, Val *b); /* any ranks */
Val *pad(Call *c, Val *x, const int64_t *pads, double value, int mode);
/* x by a constant scale and zero point (or NULL) of one element or one per
 * index of the axis. */
Val *dequantize(Call *c, Val *x, Val *scale, Val *zero, int axis);
Val *as_bytes(Call *c, Val *x); /* rounded to a byte of its own range */

#define ONNX(name, meaning, how, since, min, max, about) \
    void import_##how(Call *c);
#include "front/onnx/onnx.def"

#endif
