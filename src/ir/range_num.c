/* Interval arithmetic on integers; what does not fit 64 bits saturates, and is
 * noted. */
#include "ir/range.h"

struct RangeSeen range_seen;

int64_t sat_add(int64_t a, int64_t b)
{
    int64_t y;

    if (!__builtin_add_overflow(a, b, &y))
        return y;
    range_seen.overflowed = true;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t sat_mul(int64_t a, int64_t b)
{
    int64_t y;

    if (!__builtin_mul_overflow(a, b, &y))
        return y;
    range_seen.overflowed = true;
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

int64_t sat_neg(int64_t a)
{
    return sat_mul(a, -1);
}

Range range_val(const Val *v)
{
    return (Range){v->lo, v->hi};
}

Range range_join(Range a, Range b)
{
    return (Range){MIN(a.lo, b.lo), MAX(a.hi, b.hi)};
}

Range range_add(Range a, Range b)
{
    return (Range){sat_add(a.lo, b.lo), sat_add(a.hi, b.hi)};
}

Range range_neg(Range a)
{
    return (Range){sat_neg(a.hi), sat_neg(a.lo)};
}

Range range_mul(Range a, Range b)
{
    int64_t p = sat_mul(a.lo, b.lo), q = sat_mul(a.lo, b.hi);
    int64_t r = sat_mul(a.hi, b.lo), s = sat_mul(a.hi, b.hi);

    return (Range){MIN(MIN(p, q), MIN(r, s)), MAX(MAX(p, q), MAX(r, s))};
}

Range range_times(Range a, int64_t k)
{
    return range_mul(a, (Range){k, k});
}

Range range_abs(Range a)
{
    int64_t m = MAX(sat_neg(a.lo), a.hi);

    return (Range){a.lo > 0 ? a.lo : a.hi < 0 ? sat_neg(a.hi) : 0, m};
}

Range range_clip(Range a, int64_t lo, int64_t hi)
{
    return (Range){MIN(MAX(a.lo, lo), hi), MIN(MAX(a.hi, lo), hi)};
}

Range range_clip_by(const Node *n, Range a)
{
    return range_clip(a, attr_int(n, A_lo), attr_int(n, A_hi));
}

/* Element i of a constant epilogue operand that has one per channel or one
 * for all; the range of one that is not constant. */
Range range_element(const Val *v, int64_t i)
{
    int64_t x;

    if (!v->data)
        return range_val(v);
    x = val_int(v, val_count(v) == 1 ? 0 : i);
    return (Range){x, x};
}

Range range_shifted(Range a, Range by)
{
    Range least = {a.lo >> by.lo, a.hi >> by.lo};

    return range_join(least, (Range){a.lo >> by.hi, a.hi >> by.hi});
}

Range range_with_zero(Range a)
{
    return range_join(a, (Range){0, 0});
}

Range range_met(Range acc)
{
    range_seen.acc = range_join(range_seen.acc, acc);
    range_seen.scaled = range_join(range_seen.scaled, acc);
    return acc;
}
