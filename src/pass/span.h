/* What the files of spans.c share. */
#ifndef PASS_SPAN_H
#define PASS_SPAN_H

#include "pass/pass.h"

typedef struct Spans {
    Graph *g;
    Arena *mem;
    Chans *all; /* by Val.id */
} Spans;

/* span.c */
Span span_unknown(void);
Span span_number(int64_t v);
Span span_join(Span a, Span b);
Span span_add(Span a, Span b);
Span span_mul(Span a, Span b);
Span span_neg(Span a);
int64_t span_clamp(int64_t v, int64_t lo, int64_t hi);
Span span_clip(const Node *n, Span a); /* as the node clips */
Span span_element(const Val *v, int64_t i); /* of a constant */
/* The span of place c of that axis of v; where v's channels are not that axis,
 * one for all. */
Span span_at(const Chans *all, const Val *v, int axis, int64_t c);
/* Of a constant that broadcasts to rank axes: all its elements at place c of
 * the axis. */
Span span_const(const Val *v, int rank, int axis, int64_t c);
/* Times mul, plus add, shifted as the node rounds. */
Span span_scale(const Node *n, Span s, Span mul, Span add, Span shift);
/* The epilogue: a factor, addend and shift per channel, then the clip. */
Span span_epilogue(const Node *n, Span s, int64_t c);
Chans *span_channels(Spans *p, const Val *v, int axis); /* v's, to be filled */

/* spans_sum.c */
void spans_conv(Spans *p, const Node *n);
void spans_convt(Spans *p, const Node *n);
void spans_matmul(Spans *p, const Node *n);

#endif
