/* What attend.c, attend_find.c and attend_table.c know of an attention. */
#ifndef PASS_ATTENTION_H
#define PASS_ATTENTION_H

#include "ir/attend.h"
#include "pass/pass.h"

enum { BYTES = 256, GREATEST = 127, LEAST = -128 };

typedef struct Attention {
    Node *end;          /* the sum, or what divides it by that of weights */
    Node *sum, *after, *soft, *masked, *before, *score; /* from there on */
    Val *bytes;         /* scores before the mask, or the softmax */
    Val *mask, *bias;   /* what is added before the mask bounds it, or NULL */
    int64_t far;        /* rounded quotients: what the mask has where it hides, */
    bool hides;         /* if it does more than bound scores */
    Val *q, *k, *v;
    int64_t zero[3];    /* their zero points */
    bool one_key;       /* k has one head for all of q */
    int64_t group;      /* heads of q that share one of k and of v, or 1 */
    int64_t rows_first; /* p2 */
    Node *last;         /* whose result becomes that of the operator */
} Attention;

/* Are weights divided once a row, behind the product?  Are they rounded
 * quotients, of sides with zero points? */
bool attention_divides(const Attention *a);
bool attention_rounds(const Attention *a);

/* attend_find.c: the attention that ends with n, of one row or many; false:
 * there is none. */
bool attention_find(Graph *g, Node *n, Attention *a, bool many);
void attention_take_zeros(Graph *g, Attention *a); /* of sides that have one */
bool attention_is_byte(const Val *v);
bool attention_is_transposed(const Node *n); /* the right side of a product? */
Val *attention_reshaped(Graph *g, const Attention *a, Val *v, Shape s);
int64_t attention_zero(const Node *n); /* added to rounded results */

/* attend_table.c: operands of iattend; NULL: absent, or not possible. */
Val *attention_scores(Graph *g, const Attention *a);
Val *attention_powers(Graph *g, const Attention *a);
Val *attention_parts(Graph *g, const Attention *a);
Val *attention_scale(Graph *g, const Attention *a);
int64_t attention_above(const Val *v); /* bytes with a sign, how far */

#endif
