/* Facts about an epilogue that a kernel is compiled for (kern/kern.h). */
#include "ir/ir.h"

static bool within(int64_t lo, int64_t hi, int bits)
{
    return lo >= -(INT64_C(1) << bits) && hi < INT64_C(1) << bits;
}

/* Is add an odd multiple of 2^30, of which 30 bits and a sign are above? */
static bool adds_halves(const Val *add)
{
    int64_t i, v;

    for (i = 0; i < val_count(add); i++) {
        v = val_int(add, i);
        if ((v & (ROUND_LESS - 1)) != ROUND_LESS / 2 ||
            !within((v >> 30) - 2, (v >> 30) + 2, 30))
            return false;
    }
    return true;
}

int node_round(const Node *n)
{
    int64_t round = attr_int(n, A_round), widest = attr_int(n, A_shift);
    const Val *shifts = round ? node_arg(n, "shifts") : NULL;

    if (shifts)
        widest = shifts->hi;
    return widest > ROUND_SHIFT ? (int)round : 0;
}

bool node_upper_half(const Node *n)
{
    const Val *mul = node_arg(n, "mul"), *add = node_arg(n, "add");
    const Val *shifts = node_arg(n, "shifts");
    int64_t shift = attr_int(n, A_shift);

    if ((!shifts && !node_round(n)) || !mul || !mul->data ||
        !add->data)
        return false;
    return (shifts ? shifts->lo : shift) > ROUND_SHIFT &&
           (shifts ? shifts->hi : shift) < 62 && within(mul->lo, mul->hi, 31) &&
           (!shifts || val_count(shifts) > 1) &&
           within(n->acc.lo, n->acc.hi, 29) && adds_halves(add);
}
