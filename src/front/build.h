/* Inside front: what importers of every format are written in.  A Reading is
 * the model being read, a Call the node of it that is being imported; the words
 * below make nodes of the graph for it.  Nothing here knows a format. */
#ifndef FRONT_BUILD_H
#define FRONT_BUILD_H

#include "front/front.h"

/* One model being read. */
typedef struct Reading {
    Graph *g;
    Arena *mem;       /* dropped when reading is over */
    const FrontOpts *o;
    int64_t made;     /* elements of constants that no file holds */
    Str bad;          /* problems so far, a line each */
    int nbad;
    const char *bad_node; /* of the first problem that has one */
} Reading;

/* One node being imported.  An importer keeps what its format says of the node
 * in a struct that begins with this one. */
typedef struct Call {
    Reading *model;
    Graph *g;    /* the model's */
    Arena *mem;  /* the model's: dropped when reading is over */
    const char *op, *name; /* of the node; the name is never empty */
    int narg, nres;
    Val **arg;   /* NULL: absent */
    Val **res;   /* the importer gives them */
    bool bad;    /* refused, and listed already */
} Call;

/* read.c: problems.  All of a model are told together. */
void problem(Reading *r, const char *node, const char *what); /* or NULL */
void problems_tell(const Reading *r); /* err if there are any */
/* Runs import; what err() says meanwhile is a problem, and c is bad. */
void attempt(Call *c, void (*import)(Call *c));

/* --state IN=OUT number i: that input, and y, the output, becomes it in the next
 * run; err if they are not alike. */
Val *state_input(const Reading *r, int i);
void state_join(const Reading *r, int i, Val *y);

/* call.c: operands */
_Noreturn void call_err(const Call *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
Val *arg_at(const Call *c, int i); /* NULL: absent */
Val *must(const Call *c, int i);   /* err if absent */
int axis_of(const Call *c, int64_t axis, int rank); /* counts from 0 */
/* n of them in place, none of them twice; n < 0: absent. */
void axes_of(const Call *c, int n, int64_t *axes, int rank);
Shape shape_checked(const char *what, int rank, const int64_t *dim);

/* build.c: nodes; the last value made takes the name of the result */
Node *node_of(Call *c, OpCode op, int narg, ...); /* of Val *; NULL: absent */
Node *node_list(Call *c, OpCode op, int narg, Val *const *arg);
Val *done(Call *c, Node *n); /* after attributes are set: infers, gives y */
Val *op1(Call *c, OpCode op, Val *x);
Val *op2(Call *c, OpCode op, Val *x, Val *y);
Val *op3(Call *c, OpCode op, Val *x, Val *y, Val *z);
/* Says that n elements will be made of nothing: there is a limit. */
void room(Call *c, int64_t n);
Val *blank(Call *c, Type t, Shape s); /* zeros */
Val *num_like(Call *c, const Val *x, double v); /* rank 0, of x's type */
Val *nums(Call *c, Shape s, const float *v);
Val *ints(Call *c, Type t, Shape s, const int64_t *v);
Val *op_num(Call *c, OpCode op, Val *x, double y); /* y a constant like x */
Val *to_shape(Call *c, Val *x, Shape s);
Val *to_rank(Call *c, Val *x, int rank, int axis); /* [n] -> [1,n,1,1] */
Val *perm(Call *c, Val *x, const int64_t *order);
Val *part(Call *c, Val *x, int axis, int64_t start, int64_t count,
          int64_t step);
Val *part_sized(Call *c, Val *x, int axis, Size start, Size count,
                int64_t step);
Val *join(Call *c, int axis, int n, Val **x);
Val *cast(Call *c, Val *x, Type t);
Val *spread(Call *c, Val *x, Shape s);
Val *clamp(Call *c, Val *x, double lo, double hi);
Val *reduce(Call *c, OpCode op, Val *x, int n, const int64_t *axes, bool keep);
Val *matmul(Call *c, Val *a, Val *b, Val *bias, bool ta, bool tb);
Val *softmax(Call *c, Val *x, int axis);
Val *take(Call *c, Val *x, Val *i, int axis);
Val *floats(Call *c, Val *x); /* integers as f32; f32, b8 and NULL as is */
void mix(Call *c, int n, Val **x); /* integers beside floats become floats */
Shape broadcast(Call *c, Shape a, Shape b);
void give(Call *c, int i, Val *v); /* result i; ignored if not wanted */

#endif
