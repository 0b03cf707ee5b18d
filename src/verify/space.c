/* A memory as the numbers of the bytes it holds. */
#include "verify/verify.h"

#include <string.h>

static uint32_t number(Name is, int64_t off)
{
    return is.each ? is.each[off] : is.base + (uint32_t)off;
}

void space_put(Space *s, int64_t at, Name is, int64_t off, int64_t n)
{
    uint32_t *to = s->byte + at, v = is.base + (uint32_t)off;
    int64_t i;

    if (is.each)
        memcpy(to, is.each + off, (size_t)n * sizeof *to);
    else
        for (i = 0; i < n; i++)
            to[i] = v + (uint32_t)i;
}

void space_forget(Space *s, int64_t at, int64_t n)
{
    memset(s->byte + at, 0, (size_t)n * sizeof *s->byte);
}

/* Do n bytes count on from v?  In blocks, so that compilers see a loop of
 * fixed length. */
static bool counts_on(const uint32_t *p, uint32_t v, int64_t n)
{
    enum { BLOCK = 32 };
    uint32_t differ = 0;
    int i;

    for (; n >= BLOCK; n -= BLOCK, p += BLOCK, v += BLOCK) {
        for (i = 0; i < BLOCK; i++)
            differ |= p[i] ^ (v + (uint32_t)i);
        if (differ)
            return false;
    }
    for (i = 0; i < n; i++)
        differ |= p[i] ^ (v + (uint32_t)i);
    return !differ;
}

/* What was given at an address; NULL: nothing. */
static const Given *given_at(const Space *s, int64_t at)
{
    int lo = 0, hi = s->ngiven;

    while (lo < hi) {
        int mid = (lo + hi) / 2;

        if (s->given[mid].at + s->given[mid].n > at)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo < s->ngiven && s->given[lo].at <= at ? &s->given[lo] : NULL;
}

static bool is_given(const Space *s, int64_t at, Name is, int64_t off,
                     int64_t n)
{
    while (n) {
        const Given *g = given_at(s, at);
        int64_t in, part, i;

        if (!g)
            return false;
        in = at - g->at;
        part = MIN(n, g->n - in);
        if (!is.each && number(g->is, in) != number(is, off))
            return false;
        for (i = 0; is.each && i < part; i++)
            if (number(g->is, in + i) != number(is, off + i))
                return false;
        at += part;
        off += part;
        n -= part;
    }
    return true;
}

bool space_is(const Space *s, int64_t at, Name is, int64_t off, int64_t n)
{
    if (!s->byte)
        return is_given(s, at, is, off, n);
    if (is.each)
        return !memcmp(s->byte + at, is.each + off,
                       (size_t)n * sizeof *s->byte);
    return counts_on(s->byte + at, is.base + (uint32_t)off, n);
}

static bool copy_given(const Space *from, int64_t at, Space *to, int64_t put,
                       int64_t n)
{
    while (n) {
        const Given *g = given_at(from, at);
        int64_t part;

        if (!g)
            return false;
        part = MIN(n, g->n - (at - g->at));
        space_put(to, put, g->is, at - g->at, part);
        at += part;
        put += part;
        n -= part;
    }
    return true;
}

bool space_copy(const Space *from, int64_t at, Space *to, int64_t put,
                int64_t n)
{
    bool known = true;
    int64_t i;

    if (!from->byte)
        return copy_given(from, at, to, put, n);
    for (i = 0; i < n; i++)
        known &= from->byte[at + i] != 0;
    memmove(to->byte + put, from->byte + at, (size_t)n * sizeof *to->byte);
    return known;
}

bool space_give(Arena *mem, Space *s, int64_t at, Name is, int64_t n)
{
    int i = s->ngiven;

    if (!n)
        return true;
    GROW(mem, s->given, (size_t)i);
    for (; i > 0 && s->given[i - 1].at > at; i--)
        s->given[i] = s->given[i - 1];
    s->given[i] = (Given){at, n, is};
    s->ngiven++;
    return (!i || s->given[i - 1].at + s->given[i - 1].n <= at) &&
           (i + 1 == s->ngiven || at + n <= s->given[i + 1].at);
}

/* Does a row of r meet bytes [at, end)? */
static bool row_meets(Region r, int64_t at, int64_t end)
{
    int64_t lo = at - r.at - r.row + 1, hi = end - 1 - r.at;

    if (hi < 0)
        return false;
    lo = lo <= 0 ? 0 : (lo + r.stride - 1) / r.stride;
    return lo < r.rows && lo * r.stride <= hi;
}

static int64_t region_end(Region r)
{
    return r.at + (r.rows - 1) * r.stride + r.row;
}

bool regions_meet(Region a, Region b)
{
    int64_t i, at;

    if (a.space != b.space || !a.rows || !b.rows || !a.row || !b.row ||
        region_end(a) <= b.at || region_end(b) <= a.at)
        return false;
    if (a.rows > b.rows)
        return regions_meet(b, a);
    for (i = 0; i < a.rows; i++) {
        at = a.at + i * a.stride;
        if (row_meets(b, at, at + a.row))
            return true;
    }
    return false;
}
