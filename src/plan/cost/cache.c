/* What of the code is in the instruction cache that a team of cores shares:
 * the part of the predicted time that a kernel's head cannot know.
 *
 * The way that a line takes is drawn at random, so each that comes in throws
 * out one of all that are there, as likely of its own kernel's.  A kernel of n
 * bytes, r of which are left of its last call, needs n - r; were all of it in
 * loops, it would take c log((c - r) / (c - n)) until n of the c bytes of the
 * cache are its own.  Of what it so throws out itself, AGAIN percent come in
 * again in the same call, and as many are missing at the next.  Of what was
 * there of others, exp(-m / c) stays when m bytes come in, or what there is
 * room for. */
#include "plan/cost/cost.h"

#include <math.h>

enum { LINE = 16, AGAIN = 40 };

CodeCache *code_cache(Arena *mem, const Soc *s)
{
    CodeCache *c = NEW(mem, CodeCache);
    const Item *it = NULL;

    c->mem = mem;
    c->time = &s->time;
    while ((it = soc_next(s, "core", it))) {
        int64_t banks = item_int(it, "l1_banks", 0);

        if (!banks)
            continue;
        c->size = (double)(banks * item_int(it, "l1_sets", 1) *
                           item_int(it, "l1_ways", 1) * LINE);
        c->rate = (double)(item_int(it, "fetch", 0) +
                           item_int(it, "l1_latency", 0)) / LINE;
    }
    return c;
}

static double *there(CodeCache *c, int unit)
{
    while (c->n <= unit) {
        GROW(c->mem, c->there, (size_t)c->n);
        c->there[c->n++] = 0;
    }
    return &c->there[unit];
}

int64_t code_miss(CodeCache *c, int unit, int64_t bytes)
{
    double *r = there(c, unit), need, own, taken, others = 0, keep;
    double n = MIN((double)bytes, 0.9 * c->size);
    int i;

    if (n <= *r || !c->size)
        return 0;
    need = n - *r;
    own = c->size * log((c->size - *r) / (c->size - n)) - need;
    taken = need + own * AGAIN / 100;
    *r = 0;
    for (i = 0; i < c->n; i++)
        others += c->there[i];
    keep = exp(-taken / c->size);
    n -= own * AGAIN / 100;
    if (keep * others > c->size - n)
        keep = (c->size - n) / others;
    for (i = 0; i < c->n; i++)
        c->there[i] *= keep;
    *r = n;
    return (int64_t)(taken * c->rate);
}

int64_t kern_miss(CodeCache *c, int unit, Code code)
{
    return code_miss(c, unit, code.bytes) * code.cycles / MAX(1, code.bytes);
}
