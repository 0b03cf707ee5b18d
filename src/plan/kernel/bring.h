/* Layers brought to accelerators: what bring.c and heads.c make of job.c. */
#ifndef PLAN_BRING_H
#define PLAN_BRING_H

#include "plan/kernel/layer.h"

/* Operands of a pconv but the first, and the shift. */
typedef struct Shared {
    Val *arg[5];
    int shift;
    bool scaled;     /* factors, addends and shift are there */
} Shared;

/* A layer as the unit sees it: an image and its weights [m][kh][kw][c], or
 * [kh][kw][m] where each channel is a group. */
typedef struct Bringer {
    Graph *g;
    Node *n;         /* what may be replaced */
    Node *before;    /* new nodes come behind it, */
    Node *at;        /* before this one: n, or one whose part n is */
    Val *x;          /* [n,h,w,c] */
    Val *w;          /* a constant, or made when the layer is due */
    Val *bias;       /* a constant, or NULL */
    int64_t m, c, k[2], stride[2], pad[4], padvalue;
    int64_t every[2]; /* of the rows and columns that are made */
    int64_t step;    /* of a vector that is taken for an image: from a pixel to
                        the next one; 0: it is none */
    bool depth;
    bool sums;        /* the unit's results are sums, which cores scale */
    bool sign;        /* its inputs may have one */
    bool try;         /* only to know what it takes; what can be without sign
                         (unsigned.c) is so */
    int64_t room;     /* bytes of the nearest memory, */
    int64_t port;     /* and of that of the weight port */
    Val *whole;       /* what x is, or is part of */
    Val *rows;        /* of a w that is made, where x is 128 more than it was; */
    Val *made;        /* addends that are made of their sums, NULL: constants */
    Shared *shared;   /* of the images before, or nothing yet */
} Bringer;

/* A way to pack, and what it has brought. */
typedef struct Way {
    Words words;
    bool windows;     /* not of one tap, for which there is another */
    bool sums;        /* scaled by cores */
    int64_t *port;    /* bytes left behind its port */
    int64_t gain;     /* cycles of all layers that it makes quicker, if the */
    int64_t cold;     /* code is there, which takes so many */
} Way;

/* Ones on the diagonals of `count` matrices side by side: w[n,1,1,count n]. */
Val *bring_identities(Graph *g, const char *name, int64_t n, int count);
/* b->w packed, behind the weight port if that has room. */
Val *bring_weights(Bringer *b, Words p);
/* A constant list. */
Val *bring_numbers(Graph *g, const char *name, Type t, int64_t n,
                   const int64_t *v);
/* New nodes, before `at`: an operator of one operand and a list; x in another
 * shape; w packed, or w[blocks,rows,c] as blocks on a matrix's diagonal, of whole
 * words (mode 1), or of tiles or all within one (words of two bytes), or columns
 * v[n,blocks,c] as rows of such blocks, `each` of them a matrix, n being whole
 * words; x without a sign, if it must be, to meet weights that are made of `rows`;
 * scales, false: they do not fit; a job, NULL: the same; the layer's bias and
 * epilogue behind a job's sums. */
Val *bring_node(Bringer *b, OpCode op, Val *x, AttrCode c, int len,
                const int64_t *list);
Val *bring_reshaped(Bringer *b, Val *x, Shape s);
Val *bring_packed(Bringer *b, Words p, Val *w);
Val *bring_blocks(Bringer *b, Words p, Val *w);
Val *bring_columns(Bringer *b, Words p, Val *v, int64_t each);
Val *bring_unsigned(Bringer *b, Val *x, Val *rows);
bool bring_scale(Bringer *b);
Node *bring_job(Bringer *b, Words p);
Val *bring_scaled(Bringer *b, Val *sums);

/* Are all channels scaled by the same? */
bool bring_is_alike(const Bringer *b);
/* May the layer be brought, and may words hold its window? */
bool bring_may(const Bringer *b);
bool bring_fits(const Bringer *b, const Way *w);

/* heads.c: what nodes behind `before` gain with weights that cores pack, which
 * are several more: job_gain(), if that is worth it. */
int64_t made_gain(const Chooser *c, const Graph *g, const Node *before,
                  const Node *n, int64_t room, int64_t *cold);
/* Products of so many heads, and attention; the cycles gained.  try:
 * nothing is replaced. */
int64_t heads_of(const Node *n);
int64_t bring_heads(const Chooser *c, Graph *g, Node *n, Way *w, int64_t room,
                    bool try);
int64_t bring_attention(const Chooser *c, Graph *g, Node *n, Way *w,
                        int64_t room, bool try);

/* residual.c: sums behind jobs, of one tap by way w. */
void bring_residuals(const Chooser *c, Graph *g, Way *w, int64_t room);

#endif
