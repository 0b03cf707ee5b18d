/* An instance of a kernel: compiled for certain types, and beside it the
 * reference kernel of the same operator, compiled wide. */
#ifndef TEST_KERN_H
#define TEST_KERN_H

#include "ir/ir.h"

typedef void Fn(const void *dims, const struct io *io);

typedef struct Inst {
    const char *name;        /* of the kernel, or a variant */
    int sig;                 /* which line of types */
    Type arg[NARG], res;
    int shifts;              /* number of the operand shifts; 0: it has none */
    int round;               /* the attribute */
    int upper;               /* compiled with UPPER_HALF */
    int small;               /* sums are made in 32 bits */
    Fn *fn, *ref;
} Inst;
extern const Inst insts[];
extern const int ninst;

/* kerndraw.c */
extern Arena *mem;    /* of one draw */
extern unsigned seed; /* of all chance */
int roll(int n); /* 0 to n - 1 */
int64_t roll64(int64_t lo, int64_t hi); /* the ends are likely */
const char *draw(OpCode op, const Inst *in);
/* Are the sums of n small enough for that? */
bool upper_fits(const Node *n);

/* kernedge.c: makes the operands behind the first of a sum of products
 * constants, if it is one; then such that scaled sums end where 32 bits do;
 * then an input, native and wide, for which the largest is met: how large. */
bool edge_make(Graph *g, Node *n);
void edge_scale(Graph *g, Node *n);
int64_t edge_meet(const Node *n, const Dims *d, Val *x, Val *other);

#endif
