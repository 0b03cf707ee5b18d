/* Who gets a bank of the L1 in a cycle.
 *
 * Every core that accesses a banked memory in a cycle asks, then the cycle is
 * served: each bank takes one access, a loser asks again in the next cycle.
 * Which of two arbiters decides is a key of the memory, as the RTL has them:
 *
 *   tree  one round-robin tree per bank, all ports alike (rr_arb_tree of
 *         common_cells with FairArb): the bits of a pointer pick the halves,
 *         then it moves to the lowest port that asked above it.
 *   flag  XBAR_TCDM of older clusters: a tree for the cores and one for all
 *         others, each with a flag that counts its grants; between the two,
 *         turns.
 *
 * The last four ports are the DMA's.  N-Eureka goes around the arbiter: its
 * streams win against the others `patience` times, then lose once. */
#include "sim/chip.h"

/* ---- one bank ---- */

/* The port that a binary tree lets through: where both halves ask, a bit of
 * `turn` picks one, the highest at the root. */
static int through(uint64_t asks, int levels, unsigned turn)
{
    int port = 0;

    while (levels--) {
        int half = 1 << levels;
        uint64_t all = (1ull << half) - 1;
        uint64_t low = asks >> port & all, high = asks >> (port + half) & all;

        if (high && (!low || turn >> levels & 1))
            port += half;
    }
    return port;
}

static int by_tree(const Ram *r, Bank *b, uint64_t asks)
{
    int port = through(asks, r->levels, b->pointer);
    uint64_t above = asks >> b->pointer >> 1 << b->pointer << 1;

    b->pointer = (uint8_t)__builtin_ctzll(above ? above : asks);
    return port;
}

static int by_flag(const Ram *r, Bank *b, uint64_t asks)
{
    int cores = r->ports - OTHER_PORTS;
    uint64_t near = asks & ((1ull << cores) - 1), far = asks >> cores;
    bool other = far && (!near || b->turn & 1);

    b->turn++;
    return other ? cores + through(far, 3, b->flag[1]++)
                 : through(near, r->levels, b->flag[0]++);
}

static int grant(Ram *r, unsigned bank, uint64_t asks)
{
    Bank *b = &r->bank[bank];

    return r->by_flag ? by_flag(r, b, asks) : by_tree(r, b, asks);
}

/* ---- streams ---- */

void stream_add(Ram *r, Stream s)
{
    size_t i, oldest = 0;

    for (i = 0; i < LEN(r->stream); i++)
        if (r->stream[i].to < r->stream[oldest].to)
            oldest = i;
    r->stream[oldest] = s;
    r->busy = MAX(r->busy, s.to);
    r->calm = 0;
}

/* Denies the banks that a stream takes in cycle t, if somebody asks there. */
static void deny(Ram *r, Stream *s, uint64_t t)
{
    uint32_t at = s->off + (uint32_t)(t - s->from) * s->step, i;
    uint32_t words = MIN((s->width + (at & 3) + 3) / 4, (uint32_t)r->nbank);
    bool met = false;

    for (i = 0; i < words; i++)
        met |= r->asks[(at / 4 + i) & (uint32_t)(r->nbank - 1)] != 0;
    if (!met)
        return;
    if (r->denied == s->patience) {
        r->denied = 0;
        ++*s->lost;
        return;
    }
    r->denied++;
    for (i = 0; i < words; i++)
        r->asks[(at / 4 + i) & (uint32_t)(r->nbank - 1)] = 0;
}

/* ---- a cycle ---- */

/* What the ports of a device ask for in cycle t. */
static void ask_ports(Ram *r, uint64_t t)
{
    const Ports *p = r->dma;
    int i;

    for (i = 0; p && p->t == t && i < DMA_PORTS; i++)
        if (p->bank[i] >= 0) {
            r->asks[p->bank[i]] |= 1ull << (r->ports - DMA_PORTS + i);
            r->won[p->bank[i]] = -1;
        }
}

/* Whether a port has its bank; the first to look has the bank decided. */
static bool granted(Ram *r, int bank, int port)
{
    if (r->asks[bank]) {
        r->won[bank] = (int8_t)grant(r, (unsigned)bank, r->asks[bank]);
        r->asks[bank] = 0;
    }
    return r->won[bank] == port;
}

static void step_ports(Ram *r, uint64_t t)
{
    Ports *p = r->dma;
    unsigned got = 0;
    int i;

    if (!p || p->t != t)
        return;
    for (i = 0; i < DMA_PORTS; i++)
        if (p->bank[i] >= 0 &&
            granted(r, p->bank[i], r->ports - DMA_PORTS + i))
            got |= 1u << i;
    p->step(p, got);
}

static void deny_all(Ram *r, uint64_t t)
{
    size_t i;

    for (i = 0; t < r->busy && i < LEN(r->stream); i++)
        if (t >= r->stream[i].from && t < r->stream[i].to)
            deny(r, &r->stream[i], t);
}

/* From which cycle on others than cores ask. */
static void settle_calm(Ram *r, uint64_t t)
{
    r->calm = t + 1 < r->busy ? 0 : r->dma ? r->dma->t : NEVER;
}

/* Cycles before t, in which no core asks any more. */
void banks_settle(Ram *r, uint64_t t)
{
    while (r->dma && r->dma->t < t) {
        uint64_t now = r->dma->t;

        ask_ports(r, now);
        deny_all(r, now);
        step_ports(r, now);
    }
    settle_calm(r, t - 1);
}

static bool waits(const Core *c, const Ram *r, uint64_t t)
{
    return c->t == t && c->asks && c->near == r;
}

/* A core has its word; of a misaligned access another one follows. */
static void serve_core(Core *c)
{
    Ram *r = c->near;

    if (!granted(r, c->bank, c->id)) {
        c->t++;
        c->count.bank++;
        return;
    }
    if (c->across) {
        c->across = false;
        c->bank = (c->bank + 1) & (r->nbank - 1);
        c->t++;
        c->count.load++;
        return;
    }
    c->asks = false;
    c->granted = true;
}

static void serve(Clock *k, Ram *r, uint64_t t)
{
    uint32_t who = 0, left;
    int i;

    banks_settle(r, t);
    for (i = 0; i < k->ncore; i++)
        if (waits(&k->core[i], r, t)) {
            who |= 1u << i;
            r->won[k->core[i].bank] = -1;
            r->asks[k->core[i].bank] |= 1ull << i;
        }
    ask_ports(r, t);
    deny_all(r, t);
    for (left = who; left; left &= left - 1)
        serve_core(&k->core[__builtin_ctz(left)]);
    step_ports(r, t);
    settle_calm(r, t);
}

/* The usual case: nobody but cores, all at different banks; false if not. */
static bool serve_apart(Clock *k, uint32_t who, uint64_t t)
{
    const Ram *r = k->core[__builtin_ctz(who)].near;
    uint64_t seen = 0;
    uint32_t left;

    if (t >= r->calm || r->nbank > 64)
        return false;
    for (left = who; left; left &= left - 1) {
        const Core *c = &k->core[__builtin_ctz(left)];
        uint64_t bit = 1ull << c->bank;

        if (seen & bit || c->across || c->near != r)
            return false;
        seen |= bit;
    }
    for (left = who; left; left &= left - 1) {
        Core *c = &k->core[__builtin_ctz(left)];

        bank_alone(&r->bank[c->bank], c->id);
        c->asks = false;
        c->granted = true;
    }
    return true;
}

uint32_t banks_serve(Clock *k, uint64_t t)
{
    uint32_t who = 0, got = 0, left;
    int i;

    for (i = 0; i < k->ncore; i++)
        who |= (uint32_t)(k->core[i].t == t && k->core[i].asks) << i;
    if (serve_apart(k, who, t))
        return who;
    for (left = who; left; left &= left - 1) {
        Core *c = &k->core[__builtin_ctz(left)];

        if (c->t == t && c->asks)
            serve(k, c->near, t);
        got |= (uint32_t)c->granted << c->id;
    }
    return got;
}
