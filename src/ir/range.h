/* What the files of range.c share. */
#ifndef IR_RANGE_H
#define IR_RANGE_H

#include "ir/ir.h"

/* Since range_infer began: did a bound not fit, and what was met on the way, of
 * sums and of what an epilogue scales? */
extern struct RangeSeen {
    bool overflowed;
    Range acc, scaled;
} range_seen;

/* range_num.c */
Range range_val(const Val *v); /* as it is known */
Range range_join(Range a, Range b);
Range range_add(Range a, Range b);
Range range_neg(Range a);
Range range_mul(Range a, Range b);
Range range_times(Range a, int64_t k);
Range range_abs(Range a);
Range range_clip(Range a, int64_t lo, int64_t hi);
Range range_clip_by(const Node *n, Range a); /* its attributes lo and hi */
/* Element i of a constant epilogue operand that has one per channel or one
 * for all; the range of one that is not constant. */
Range range_element(const Val *v, int64_t i);
Range range_shifted(Range a, Range by);
Range range_with_zero(Range a);
Range range_met(Range acc); /* notes it; returns it */

/* range_sum.c: of products, their sum, and every part of it in whatever order
 * it is made. */
typedef struct Sum {
    Range all, any;
} Sum;
Sum sum_any(Range all); /* of which nothing more is known */
/* The result of a sum that begins with a bias, of channel c; of no one channel:
 * c < 0.  What is too large of its parts alone does not matter to it. */
Range sum_result(const Node *n, Sum s, Range bias, int64_t c);
/* Element i of the shifts, or the one there is; of no one element: i < 0. */
Range sum_shift(const Node *n, int64_t i);
/* What an epilogue, where there is one, makes of x. */
Range range_epilogue(const Node *n, Range x);
Range range_conv(const Node *n);
Range range_pconv(const Node *n);
Range range_convt(const Node *n);
Range range_matmul(const Node *n);
Range range_pool(const Node *n);
Range range_attend(const Node *n);
Range range_qattend(const Node *n);
Range range_rotate(const Node *n);
Range range_gate(const Node *n);
Range range_rowmatmul(const Node *n);

#endif
