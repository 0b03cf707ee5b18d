/* Layers of which cores compute some rows, an accelerator the others, and layers
 * image by image. */
#ifndef PLAN_PART_H
#define PLAN_PART_H

#include "plan/plan.h"

/* Rows of n that its accelerator computes as `job`, of subtiles of so many pixels
 * a side, where it is quicker that cores compute the others, and there is room
 * for both in the nearest memory of so many bytes; 0: all. */
int64_t part_rows(const Chooser *c, Graph *g, Node *n, const Node *job,
                  int64_t side, int64_t room);
/* n in two parts: the first, of so many rows. */
Node *part_node(Graph *g, Node *n, int64_t rows);

/* Before n: of x `count` from one on along an axis. */
Val *part_slice(Graph *g, Node *n, Val *x, int axis, int64_t from,
                int64_t count);
/* Before n: values one after the other along an axis. */
Val *part_joined(Graph *g, Node *n, Val *const *part, int count, int axis);

/* Before the convolution n the same of image i, whose slice is the node before. */
Node *part_image(Graph *g, Node *n, int64_t i);
/* n as so many convolutions as there are images; the first. */
Node *part_images(Graph *g, Node *n);

#endif
