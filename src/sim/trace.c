/* One line an instruction: cycle, core, pc, what, and what it reads. */
#include "sim/chip.h"

#include <string.h>

void trace_op(Core *c, const Op *op, uint64_t t)
{
    uint32_t pc = core_pc(c), w = 0;
    Ram *r = c->page->ram;
    char text[64], where[96];

    memcpy(&w, r->data + (pc - r->base), op->len * 2u);
    sim_disassemble(w, pc, text, sizeof text);
    fprintf(c->chip->sim->opt.trace,
            "%10llu %-10s %08x %-28s %08x %08x  %s\n", (unsigned long long)t,
            c->count.name, pc, text, c->x[op->rs1], c->x[op->rs2],
            symbol_at(c->chip, pc, where, sizeof where));
}
