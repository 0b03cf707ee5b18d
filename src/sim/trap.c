/* Exceptions and interrupts of the core, and instructions that cannot be
 * executed. */
#include "sim/chip.h"

#include <string.h>

enum { TAKEN = 3 };

bool core_trap(Core *c, uint32_t pc, uint32_t cause)
{
    if (!c->mtvec_set)
        return false;
    c->mepc = pc;
    c->mcause = cause;
    c->mstatus = (c->mstatus & ~0x88u) | (c->mstatus & 8) << 4;
    return true;
}

void core_interrupt(Core *c)
{
    uint32_t n = (uint32_t)__builtin_ctz(c->irq & c->mie);

    c->mepc = core_pc(c);
    c->mcause = 0x80000000 | n;
    c->mstatus = (c->mstatus & ~0x88u) | (c->mstatus & 8) << 4;
    unit_ack(c, n);
    c->t += TAKEN;
    core_jump(c, (c->mtvec & ~255u) + 4 * n);
}

const char *core_trap_name(uint32_t cause)
{
    switch (cause) {
    case 2: return "illegal instruction";
    case 3: return "breakpoint (ebreak)";
    case 11: return "environment call (ecall)";
    }
    return "exception";
}

void core_bad_insn(Core *c, uint32_t pc)
{
    Ram *r = c->page->ram;
    uint32_t off = pc - r->base, w = 0;
    char text[64];

    if (off < r->size)
        memcpy(&w, r->data + off, MIN(4, r->size - off));
    sim_disassemble(w, pc, text, sizeof text);
    sim_fault(c->chip, c, "illegal instruction %s", text);
}

void core_stale_insn(Core *c)
{
    sim_fault(c->chip, c, "this instruction was overwritten after it had run; "
              "new code needs fence.i, or a flush of the instruction cache, "
              "before it is jumped to");
}
