/* How heads and rows of an attention lie (attend.c). */
#ifndef IR_ATTEND_H
#define IR_ATTEND_H

#include "ir/ir.h"

enum {
    ATTEND_ROWS_FIRST = 7, /* p2, where q, k and v are rows of heads */
    ATTEND_BOUND = 1,      /* mode, where a mask bounds scores */
    ATTEND_QUOTIENTS = 2,  /* or where weights are rounded quotients, */
    ATTEND_HIDES = 3,      /* none of what the mask hides */
    ATTEND_BOTH = 4        /* where it adds, but -128 is what a score becomes */
};

/* Of operand i of an attention, 3 being its result: heads of rows of so many
 * elements, and how many elements there are from one to the next. */
typedef struct AttendSide {
    int64_t heads, rows, width, row, head;
} AttendSide;
AttendSide attend_side(const Node *n, int i);
bool attend_rows_first(const Node *n, int i); /* rows of heads? */
bool attend_has_quotients(const Node *n);     /* weights are rounded ones? */

/* The mask of an attention that has one, of one head or all, of one row of q or
 * all: elements from a row and from a head to the next. */
typedef struct AttendMask {
    int64_t heads, rows, keys, row, head;
} AttendMask;
AttendMask attend_mask(const Node *n);

#endif
