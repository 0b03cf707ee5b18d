/* Instruction caches: tags and times, no contents.
 *
 * The core holds one line of 16 bytes and asks for another when the pc leaves
 * it (an instruction across two lines asks for both).  In the cluster a small
 * cache per core stands before banks that all cores share; the fabric
 * controller has one cache.  A bank refills one line at a time; a hit on a
 * line still under way waits for it.  An empty way is taken first; of a full
 * set one is replaced by an 8-bit LFSR (pri_icache_controller and icache_bank
 * of PULP's icaches). */
#include "sim/chip.h"

#include <string.h>

Cache *cache_new(Arena *a, int n, int sets, int ways, int latency)
{
    Cache *v = NEWN(a, Cache, n);
    int i;

    for (i = 0; i < n; i++) {
        v[i].sets = sets;
        v[i].ways = ways;
        v[i].latency = latency;
        v[i].tag = NEWN(a, uint32_t, sets * ways);
        v[i].ready = NEWN(a, uint64_t, sets * ways);
    }
    return v;
}

void cache_flush(Cache *k)
{
    memset(k->tag, 0, (size_t)(k->sets * k->ways) * sizeof *k->tag);
}

/* Of a set whose lines begin at entry `first`: an empty way, else one by the
 * LFSR, which moves only then. */
static int choose_way(Cache *k, int first)
{
    unsigned r = k->lfsr;
    unsigned bit = ~(r >> 7 ^ r >> 3 ^ r >> 2 ^ r >> 1) & 1;
    int i;

    for (i = 0; i < k->ways; i++)
        if (!k->tag[first + i])
            return i;
    k->lfsr = (uint8_t)(r << 1 | bit);
    return k->lfsr >> 1 & (k->ways - 1);
}

/* The entry of a line, or -1. */
static int look_up(const Cache *k, uint32_t line, uint32_t set)
{
    int i = (int)set * k->ways, end = i + k->ways;

    for (; i < end; i++)
        if (k->tag[i] == line + 1)
            return i;
    return -1;
}

/* Takes a line from below, where it costs `below` cycles; what that costs. */
static int refill(Cache *k, uint32_t line, uint32_t set, uint64_t t, int below)
{
    int first = (int)set * k->ways, i = first + choose_way(k, first);
    uint64_t wait = t < k->refill ? k->refill - t : 0;
    uint64_t cost = wait + (uint64_t)(below + k->latency);

    k->tag[i] = line + 1;
    k->refill = k->ready[i] = t + cost;
    return (int)cost;
}

static int from_bank(Core *c, uint32_t line, uint64_t t)
{
    Cache *k = &c->l1[line & ((uint32_t)c->nl1 - 1)];
    uint32_t set = line / (uint32_t)c->nl1 & ((uint32_t)k->sets - 1);
    int i = look_up(k, line, set);

    if (i < 0)
        return refill(k, line, set, t, c->fetch_latency);
    return t < k->ready[i] ? (int)(k->ready[i] - t) : 0;
}

static int one_line(Core *c, uint32_t line, uint64_t t, uint64_t lim)
{
    Cache *k = c->l0;
    uint32_t set;
    int i, below, cost;

    if (!k || !k->on)
        return c->fetch_latency;
    set = line & ((uint32_t)k->sets - 1);
    i = look_up(k, line, set);
    if (i >= 0)
        return t < k->ready[i] ? (int)(k->ready[i] - t) : 0;
    if (c->nl1 && t > lim)
        return -1;
    below = c->nl1 ? from_bank(c, line, t) : c->fetch_latency;
    cost = refill(k, line, set, t, below);
    if (below)
        c->fetched += (uint64_t)cost;
    return cost;
}

int fetch_line(Core *c, uint32_t pc, uint64_t t, uint64_t lim)
{
    uint32_t line = pc / 16;
    int a = 0, b = 0;

    if (line != c->line)
        a = one_line(c, line, t, lim);
    if (a >= 0 && pc % 16 == 14)
        b = one_line(c, ++line, t, lim);
    if (a < 0 || b < 0)
        return -1;
    c->line = line;
    return a + b;
}
