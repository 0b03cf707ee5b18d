/* Where a core goes on: at an address, or after reset. */
#include "sim/chip.h"

/* The next Op is the one at pc, through the instruction cache. */
void core_jump(Core *c, uint32_t pc)
{
    Page *p = page_at(c->chip, pc);

    if (!p) {
        sim_fault(c->chip, c, "jump to 0x%08x: no memory there", pc);
        return;
    }
    c->page = p;
    c->op = &p->op[(pc - p->base) / 2];
    c->prev = NULL;
    c->line = ~0u;
    c->asks = c->granted = c->again = false;
}

void core_start(Core *c, uint32_t pc, uint64_t cycle)
{
    c->boot = pc;
    c->wait = AWAKE;
    c->t = cycle;
    if (c->start == NEVER) {
        c->start = cycle;
        c->cycle0 = cycle;
    }
    if (!c->mtvec_set)
        c->mtvec = pc & ~255u;
    core_jump(c, pc);
}
