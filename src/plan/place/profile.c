/* Sums by position: a binary tree over the positions.  What is added to all
 * positions below a node of it is kept there; a node knows the largest sum
 * below it, and at how many positions it is. */
#include "plan/plan.h"

struct Profile {
    int leaves;      /* a power of two */
    int64_t *most;   /* by node; 1: all, 2i and 2i + 1: the halves of i */
    int64_t *add;
    int *count;
};

static void combine(Profile *l, int i)
{
    int a = 2 * i, b = a + 1;

    if (!l->count[b] || (l->count[a] && l->most[a] > l->most[b]))
        b = a;
    else if (!l->count[a] || l->most[b] > l->most[a])
        a = b;
    l->most[i] = l->most[a] + l->add[i];
    l->count[i] = a == b ? l->count[a] : l->count[a] + l->count[b];
}

Profile *profile_new(Arena *mem, int n)
{
    Profile *l = NEW(mem, Profile);
    int i;

    for (l->leaves = 1; l->leaves < n; l->leaves *= 2)
        ;
    l->most = NEWN(mem, int64_t, 2 * l->leaves);
    l->add = NEWN(mem, int64_t, 2 * l->leaves);
    l->count = NEWN(mem, int, 2 * l->leaves);
    for (i = 0; i < n; i++)
        l->count[l->leaves + i] = 1;
    for (i = l->leaves - 1; i; i--)
        combine(l, i);
    return l;
}

/* Node i is over positions lo to hi. */
static void add(Profile *l, int i, int lo, int hi, int from, int to, int64_t v)
{
    int mid = lo + (hi - lo) / 2;

    if (from <= lo && hi <= to) {
        l->most[i] += v;
        l->add[i] += v;
        return;
    }
    if (from <= mid)
        add(l, 2 * i, lo, mid, from, to, v);
    if (to > mid)
        add(l, 2 * i + 1, mid + 1, hi, from, to, v);
    combine(l, i);
}

void profile_add(Profile *l, int from, int to, int64_t v)
{
    add(l, 1, 0, l->leaves - 1, from, to, v);
}

int64_t profile_most(const Profile *l, int *count)
{
    *count = l->count[1];
    return l->most[1];
}
