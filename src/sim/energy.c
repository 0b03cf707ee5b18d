/* Energy: every event that costs, times the chip's table.
 *
 * `energy NAME pj=V` lines: insn (an instruction), l1_byte, l2_byte,
 * ext_byte, dma_byte, link_byte, accel_cycle, core_cycle (a cycle of a core
 * that is awake), idle_cycle.  Without a single line nothing is known. */
#include "sim/chip.h"

#include <math.h>

static double coefficient(const Chip *c, const char *name)
{
    return item_num(soc_item(c->soc, "energy", name), "pj", 0);
}

static void count_cores(Chip *c)
{
    Clock *k;
    int i;

    for (k = c->clocks; k; k = k->next)
        for (i = 0; i < k->ncore; i++) {
            const Core *core = &k->core[i];
            uint64_t now = to_cycle(k, c->now), asleep = core->count.barrier +
                core->count.dma + core->count.accel + core->count.sleep;

            if (core->start == NEVER || now < core->start)
                continue;
            if (core->wait != AWAKE && now > core->slept)
                asleep += now - core->slept;
            c->counts.insns += core->insns;
            c->counts.idle_cycles += asleep;
            c->counts.core_cycles += now - core->start > asleep
                                         ? now - core->start - asleep : 0;
        }
}

static double picojoules(const Chip *c)
{
    const SimCounts *n = &c->counts;

    return coefficient(c, "insn") * (double)n->insns +
           coefficient(c, "l1_byte") * (double)n->l1_bytes +
           coefficient(c, "l2_byte") * (double)n->l2_bytes +
           coefficient(c, "ext_byte") * (double)n->ext_bytes +
           coefficient(c, "dma_byte") * (double)n->dma_bytes +
           coefficient(c, "link_byte") * (double)n->link_bytes +
           coefficient(c, "accel_cycle") * (double)n->accel_cycles +
           coefficient(c, "core_cycle") * (double)n->core_cycles +
           coefficient(c, "idle_cycle") * (double)n->idle_cycles;
}

static void add(SimCounts *to, const SimCounts *n)
{
    to->insns += n->insns;
    to->l1_bytes += n->l1_bytes;
    to->l2_bytes += n->l2_bytes;
    to->ext_bytes += n->ext_bytes;
    to->dma_bytes += n->dma_bytes;
    to->link_bytes += n->link_bytes;
    to->accel_cycles += n->accel_cycles;
    to->core_cycles += n->core_cycles;
    to->idle_cycles += n->idle_cycles;
}

void energy_sum(Sim *s)
{
    bool known = true;
    int i;

    s->res->energy_uj = 0;
    for (i = 0; i < s->nchip; i++) {
        count_cores(&s->chip[i]);
        add(&s->res->counts, &s->chip[i].counts);
        s->res->energy_uj += picojoules(&s->chip[i]) / 1e6;
        known = known && soc_next(s->chip[i].soc, "energy", NULL);
    }
    if (!known)
        s->res->energy_uj = NAN;
}
