/* What the files of part.c share. */
#ifndef VERIFY_PART_H
#define VERIFY_PART_H

#include "verify/verify.h"

/* Parts by their kernels' dims: as part_check. */
bool part_conv(Work *w);   /* part_image.c */
bool part_pool(Work *w);
bool part_matmul(Work *w); /* part_matmul.c */
bool part_rowmatmul(Work *w);
bool part_map(Work *w);    /* part_map.c */
bool part_row(Work *w);
bool part_attend(Work *w);
bool part_reduce(Work *w);
bool part_copy(Work *w);   /* part_move.c */
bool part_pad(Work *w);
bool part_gather(Work *w);

/* part_operand.c */
bool part_wrong(Work *w); /* notes wrong dimensions; false */
int part_bytes(const Val *v); /* of an element */
/* Product of dimensions [from, to). */
int64_t part_elements(const Val *v, int from, int to);
int64_t part_count(const int32_t *n, int len); /* product; -1: too large */
/* Loops in elements become loops in bytes. */
Loops part_in_bytes(Loops l);
/* Does memory hold the elements of operand i that the loops meet?  Sets
 * w->count[i] and w->read[i]. */
bool part_meets(Work *w, int i, Loops l);
/* One element per channel of the part, or one for all. */
bool part_meets_channels(Work *w, const char *name, int64_t first,
                         int64_t count, int64_t here);
/* A result without gaps: `count` elements in order, those of the piece. */
bool part_dense_out(Work *w, int64_t count);

/* A nest of loops over elements in order: the kernel's in memory, or that of
 * the value, each with axes of its own. */
typedef struct Walk {
    int rank;
    int64_t n[RANK + 1], s[RANK + 1];
} Walk;
void walk_join(Walk *t); /* as few axes as can be */
/* Where element i is, and for how many more the last axis goes on. */
int64_t walk_at(const Walk *t, int64_t i, int64_t *more);

#endif
