/* What bring.c and nibbles.c share: a layer in the place of another. */
#ifndef PLAN_LAYER_H
#define PLAN_LAYER_H

#include "plan/plan.h"

static inline bool layer_is_const(const Val *v)
{
    return v && v->data;
}

/* Element i of v, of one for all or one each; 0: there is no v. */
static inline int64_t layer_element(const Val *v, int64_t i)
{
    return !v ? 0 : val_int(v, val_count(v) > 1 ? i : 0);
}

/* Is n a product of rows by one matrix, whose bias and epilogue follow its
 * columns? */
bool layer_is_product(const Node *n);
/* Do bias and epilogue of a product follow its columns? */
bool layer_follows_columns(const Node *n);
/* x in another shape, before n, of whose operator it is a part. */
Val *layer_reshaped(Graph *g, Node *n, Val *x, Shape s);
/* Puts `now` into the place of n's result; y, which makes it, gets n's name. */
void layer_replace(Graph *g, Node *n, Node *y, Val *now);
/* Removes the nodes behind `before` and before n. */
void layer_undo(Graph *g, Node *before, Node *n);

#endif
