/* Arithmetic on spans, and spans of constants and epilogues. */
#include "pass/span.h"

#include <math.h>

Span span_unknown(void)
{
    return (Span){NAN, INT64_MIN, INT64_MAX};
}

Span span_number(int64_t v)
{
    return (Span){NAN, v, v};
}

bool span_fixed(const Val *v, Span s)
{
    return val_is_int(v) ? s.lo == s.hi : !isnan(s.real);
}

Span span_join(Span a, Span b)
{
    return (Span){a.real == b.real ? a.real : NAN, MIN(a.lo, b.lo),
                  MAX(a.hi, b.hi)};
}

Span span_add(Span a, Span b)
{
    return (Span){(float)(a.real + b.real), sat_add(a.lo, b.lo),
                  sat_add(a.hi, b.hi)};
}

Span span_mul(Span a, Span b)
{
    int64_t p = sat_mul(a.lo, b.lo), q = sat_mul(a.lo, b.hi);
    int64_t r = sat_mul(a.hi, b.lo), s = sat_mul(a.hi, b.hi);

    return (Span){(float)(a.real * b.real), MIN(MIN(p, q), MIN(r, s)),
                  MAX(MAX(p, q), MAX(r, s))};
}

Span span_neg(Span a)
{
    return (Span){-a.real, a.hi == INT64_MIN ? INT64_MAX : -a.hi,
                  a.lo == INT64_MIN ? INT64_MAX : -a.lo};
}

int64_t span_clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static double clampf(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v; /* of NaN: NaN */
}

Span span_clip(const Node *n, Span a)
{
    int64_t lo = attr_int(n, A_lo), hi = attr_int(n, A_hi);

    return (Span){clampf(a.real, attr_num(n, A_flo), attr_num(n, A_fhi)),
                  span_clamp(a.lo, lo, hi), span_clamp(a.hi, lo, hi)};
}

Span span_element(const Val *v, int64_t i)
{
    return val_is_int(v) ? span_number(val_int(v, i))
                         : (Span){val_num(v, i), 0, 0};
}

Span span_at(const Chans *all, const Val *v, int axis, int64_t c)
{
    const Chans *k = &all[v->id];

    if (axis >= 0 && k->axis == axis)
        return k->span[k->n > 1 ? c : 0];
    return val_is_int(v) ? (Span){NAN, v->lo, v->hi} : span_unknown();
}

Span span_const(const Val *v, int rank, int axis, int64_t c)
{
    int64_t inner = 1, d, i, j, n = val_count(v);
    int k, from_end = rank - 1 - axis;
    Span s;

    if (!n)
        return span_unknown();
    for (k = 0; k < from_end && k < v->shape.rank; k++)
        inner *= dim_from_end(v, k);
    d = dim_from_end(v, from_end);
    c = d > 1 ? c * inner : 0;
    s = span_element(v, c);
    for (i = c; i < n; i += d * inner)
        for (j = 0; j < inner; j++)
            s = span_join(s, span_element(v, i + j));
    return s;
}

/* Factor, addend and shift; sums below 0 may get less added (kern/kern.h). */
Span span_scale(const Node *n, Span s, Span mul, Span add, Span shift)
{
    bool round = attr_int(n, A_round) && shift.hi > ROUND_SHIFT;
    Span y;

    if (round && s.lo < 0)
        add.lo = sat_add(add.lo, -ROUND_LESS);
    if (round && s.hi < 0 && shift.lo > ROUND_SHIFT)
        add.hi = sat_add(add.hi, -ROUND_LESS);
    y = span_add(span_mul(s, mul), add);
    if (y.lo == INT64_MIN || y.hi == INT64_MAX)
        return y;
    return (Span){y.real, MIN(y.lo >> shift.lo, y.lo >> shift.hi),
                  MAX(y.hi >> shift.lo, y.hi >> shift.hi)};
}

static Span const_at(const Val *v, int64_t c)
{
    return span_number(val_int(v, val_count(v) > 1 ? c : 0));
}

Span span_epilogue(const Node *n, Span s, int64_t c)
{
    const Val *mul = node_arg(n, "mul"), *add = node_arg(n, "add");
    const Val *shifts = node_arg(n, "shifts");

    if (mul && (!is_const(mul) || !is_const(add) ||
                (shifts && !is_const(shifts))))
        return span_clip(n, span_unknown());
    if (mul)
        s = span_scale(n, s, const_at(mul, c), const_at(add, c),
                       shifts ? const_at(shifts, c)
                              : span_number(attr_int(n, A_shift)));
    return span_clip(n, s);
}

Chans *span_channels(Spans *p, const Val *v, int axis)
{
    Chans *k = &p->all[v->id];

    k->axis = axis;
    k->n = v->shape.dim[axis];
    k->span = NEWN(p->mem, Span, (size_t)MAX(k->n, 1));
    return k;
}
