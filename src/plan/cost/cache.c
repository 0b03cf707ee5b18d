/* What of the code is in the instruction cache that a team of cores shares:
 * the part of the predicted time that a kernel's head cannot know.
 *
 * A line goes to an empty way of its set, or throws out one that is drawn at
 * random.  Code of a kernel lies in one piece, so the first quarter of the
 * cache's bytes (of four ways) has a line in each set and throws out none of its
 * own; of the next one each line does so in one case of four, and so on: were
 * all of it in loops, way i + 1 would come ways / (ways - i) times until each
 * line has found its place.  Of what it so throws out itself, AGAIN percent come
 * in again in the same call, and as many are missing at the next.  Of what was
 * there of others, exp(-m / c) stays when m bytes come in that find no empty
 * way, c being the cache's bytes; or what there is room for. */
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
        c->used = c->size;
        c->ways = (int)item_int(it, "l1_ways", 1);
        c->rate = (double)(item_int(it, "fetch", 0) +
                           item_int(it, "l1_latency", 0) +
                           item_int(it, "l0_latency", 0)) / LINE;
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

/* Bytes that come in beyond n until n bytes of one piece are there together. */
static double settle(const CodeCache *c, double n)
{
    double way = c->size / c->ways, sum = 0;
    int i;

    for (i = 1; i < c->ways && n > i * way; i++)
        sum += MIN(n - i * way, way) * i / (c->ways - i);
    return sum;
}

/* So many bytes come in: the share of them that finds no empty way.  Sets do not
 * fill alike. */
static double find_full(CodeCache *c, double bytes)
{
    double used = MIN(1, c->used / c->size), full = used * used * used;

    c->used += bytes * (1 - full);
    return full;
}

int64_t code_miss(CodeCache *c, int unit, int64_t bytes)
{
    double *r = there(c, unit), need, own, taken, others = 0, keep, full;
    double n = MIN((double)bytes, 0.9 * c->size);
    int i;

    if (n <= *r || !c->size)
        return 0;
    need = n - *r;
    full = find_full(c, need);
    own = full * (settle(c, n) - settle(c, *r));
    taken = need + own * AGAIN / 100;
    *r = 0;
    for (i = 0; i < c->n; i++)
        others += c->there[i];
    keep = exp(-full * taken / c->size);
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
