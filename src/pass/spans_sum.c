/* Spans of sums over weights: each channel's are added up by sign. */
#include "pass/span.h"

#include <math.h>
#include <string.h>


/* The weights between one channel and another, added up by sign. */
typedef struct Taps {
    bool any; /* one is not zero */
    int64_t pos, neg;
    double real;
} Taps;

static void add_tap(Taps *t, int64_t v)
{
    t->pos += v > 0 ? v : 0;
    t->neg += v > 0 ? 0 : v;
    t->any |= v != 0;
}

static void add_real(Taps *t, double v)
{
    t->real += v;
    t->any |= v != 0;
}

/* Of n channels: `taps` weights each, from number `at` on, `step` on from one
 * channel to the next. */
static void taps_of(const Val *w, int64_t at, int64_t n, int64_t step,
                    int64_t taps, Taps *to)
{
    int64_t i, j;

    memset(to, 0, (size_t)n * sizeof *to);
#define EACH(type, add)                                                \
    for (i = 0; i < n; i++, at += step)                                \
        for (j = 0; j < taps; j++)                                     \
            add(&to[i], ((const type *)w->data)[at + j])
    switch (w->type) {
    case T_f32: EACH(float, add_real); break;
    case T_s8: EACH(int8_t, add_tap); break;
    default:
        for (i = 0; i < n; i++, at += step)
            for (j = 0; j < taps; j++)
                add_tap(&to[i], val_int(w, at + j));
    }
}

#undef EACH

/* The taps times a channel that may also read as `pad` at the border. */
static Span term(Span x, Taps t, bool padded, int64_t pad)
{
    Span edge = {0, pad, pad};

    if (!t.any)
        return (Span){0, 0, 0};
    if (padded)
        x = span_join(x, edge);
    return (Span){(float)(x.real * t.real),
                  sat_add(sat_mul(x.lo, t.pos), sat_mul(x.hi, t.neg)),
                  sat_add(sat_mul(x.hi, t.pos), sat_mul(x.lo, t.neg))};
}

static Span bias(const Val *b, int64_t c)
{
    if (!b)
        return (Span){0, 0, 0};
    if (!is_const(b))
        return span_unknown();
    return span_element(b, val_count(b) > 1 ? c : 0);
}

static Taps *room_for_taps(Spans *p, int64_t n)
{
    return NEWN(p->mem, Taps, (size_t)MAX(n, 1));
}

void spans_conv(Spans *p, const Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    int64_t each = w->shape.dim[1], m, i, pad = attr_int(n, A_padvalue);
    int64_t taps = val_count(w) / MAX(w->shape.dim[0] * each, 1);
    int64_t per = w->shape.dim[0] / attr_int(n, A_group);
    bool padded = !nothing_padded(n);
    Chans *k = span_channels(p, n->res[0], 1);
    Taps *t = room_for_taps(p, each);

    for (m = 0; m < k->n; m++) {
        Span s = bias(arg_of(n, 2), m);

        taps_of(w, m * each * taps, each, taps, taps, t);
        for (i = 0; i < each; i++)
            s = span_add(s, term(span_at(p->all, x, 1, m / per * each + i),
                                 t[i], padded, pad));
        k->span[m] = span_epilogue(n, s, m);
    }
}

/* Taps that reach no element give nothing, so everything counts as padded. */
void spans_convt(Spans *p, const Node *n)
{
    const Val *x = n->arg[0], *w = n->arg[1];
    int64_t per = w->shape.dim[1], c = w->shape.dim[0];
    int64_t taps = val_count(w) / MAX(c * per, 1), m, i, first;
    int64_t each = c / attr_int(n, A_group);
    Chans *k = span_channels(p, n->res[0], 1);
    Taps *t = room_for_taps(p, each);

    for (m = 0; m < k->n; m++) {
        Span s = bias(arg_of(n, 2), m);

        first = m / per * each;
        taps_of(w, (first * per + m % per) * taps, each, per * taps, taps, t);
        for (i = 0; i < each; i++) {
            /* of the taps any part may count */
            t[i].real = NAN;
            s = span_add(s, term(span_at(p->all, x, 1, first + i), t[i], true,
                                 0));
        }
        k->span[m] = span_epilogue(n, s, m);
    }
}

void spans_matmul(Spans *p, const Node *n)
{
    const Val *a = n->arg[0], *b = n->arg[1], *c = arg_of(n, 2);
    int rank = n->res[0]->shape.rank, depth_axis = a->shape.rank - 1;
    Chans *k = span_channels(p, n->res[0], rank - 1);
    bool swapped = attr_int(n, A_transb);
    int64_t depth = b->shape.dim[swapped], i, m;
    Taps *t = room_for_taps(p, depth);

    for (m = 0; m < k->n; m++) {
        Span s = !c ? (Span){0, 0, 0}
                 : is_const(c) ? span_const(c, rank, rank - 1, m)
                               : span_unknown();

        taps_of(b, swapped ? m * depth : m, depth, swapped ? 1 : k->n, 1, t);
        for (i = 0; i < depth; i++)
            s = span_add(s, term(span_at(p->all, a, depth_axis, i), t[i], false,
                                 0));
        k->span[m] = span_clip(n, has_epilogue(n) ? span_unknown() : s);
    }
}
