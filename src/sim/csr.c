/* Control and status registers: machine mode, hardware loops, counters.
 *
 * Counters of events run while their bit in PCER and the first bit of PCMR
 * are set; they are brought up to date when somebody looks. */
#include "sim/chip.h"

enum {
    MSTATUS = 0x300, MISA, MIE = 0x304, MTVEC, MSCRATCH = 0x340, MEPC,
    MCAUSE, MIP = 0x344, MCYCLE = 0xb00, MINSTRET = 0xb02, MCYCLEH = 0xb80,
    MINSTRETH = 0xb82, CYCLE = 0xc00, INSTRET = 0xc02, PRIVLV = 0xc10,
    MHARTID = 0xf14, UHARTID = 0x014, PCCR = 0x780, PCER = 0xcc0, PCMR,
    LOOPS = 0x7c0, LOOPS_V1 = 0x800,
};

/* Total of an event since the core began (RI5CY user manual, table of
 * performance counters). */
static uint64_t event_total(const Core *c, int n, uint64_t t, uint64_t insns)
{
    switch (n) {
    case 0: return t;
    case 1: return insns;
    case 2: return c->count.load;
    case 4: return c->count.icache;
    case 5: return c->loads;
    case 6: return c->stores;
    case 7: return c->jumps;
    case 8: return c->branches;
    case 9: return c->taken;
    case 13: return c->count.memory;
    case 15: return c->count.bank;
    }
    return 0;
}

static void update_counters(Core *c, uint64_t t, uint64_t insns)
{
    int i;

    for (i = 0; i < 32; i++) {
        uint64_t all = event_total(c, i, t, insns);

        if (c->pcmr & 1 && c->pcer >> i & 1)
            c->pccr[i] += (uint32_t)(all - c->event_base[i]);
        c->event_base[i] = all;
    }
}

static uint32_t *loop_register(Core *c, uint32_t n)
{
    Loop *l = &c->loop[n >> 2 & 1];

    switch (n & 3) {
    case 0: return &l->start;
    case 1: return &l->end;
    }
    return &l->count;
}

static bool is_loop_register(uint32_t n)
{
    return ((n & ~7u) == LOOPS || (n & ~7u) == LOOPS_V1) && (n & 3) != 3;
}

uint32_t csr_read(Core *c, uint32_t n, uint64_t t, uint64_t insns)
{
    uint64_t cycles = t - c->cycle0, done = insns - c->insn0;

    if (is_loop_register(n))
        return *loop_register(c, n);
    if (n >= PCCR && n < PCCR + 32) {
        update_counters(c, t, insns);
        return c->pccr[n - PCCR];
    }
    switch (n) {
    case MCYCLE: case CYCLE: return (uint32_t)cycles;
    case MCYCLEH: case CYCLE + 128: return (uint32_t)(cycles >> 32);
    case MINSTRET: case INSTRET: return (uint32_t)done;
    case MINSTRETH: case INSTRET + 128: return (uint32_t)(done >> 32);
    case MHARTID: case UHARTID: return c->hart;
    case MSTATUS: return c->mstatus | 0x1800;
    case MISA: return 0x40001104; /* RV32IMC */
    case MIE: return c->mie;
    case MTVEC: return c->mtvec;
    case MSCRATCH: return c->mscratch;
    case MEPC: return c->mepc;
    case MCAUSE: return c->mcause;
    case MIP: return c->irq;
    case PRIVLV: return 3;
    case PCER: return c->pcer;
    case PCMR: return c->pcmr;
    }
    return 0;
}

void csr_write(Core *c, uint32_t n, uint32_t v, uint64_t t, uint64_t insns)
{
    int i;

    update_counters(c, t, insns);
    if (is_loop_register(n))
        *loop_register(c, n) = v;
    else if (n >= PCCR && n < PCCR + 31)
        c->pccr[n - PCCR] = v;
    else if (n == PCCR + 31)
        for (i = 0; i < 32; i++)
            c->pccr[i] = v;
    switch (n) {
    case MCYCLE: c->cycle0 = t - v; break;
    case MINSTRET: c->insn0 = insns - v; break;
    case MSTATUS: c->mstatus = v & 0x88; break;
    case MIE: c->mie = v; break;
    case MTVEC:
        c->mtvec = v & ~3u;
        c->mtvec_set = true;
        break;
    case MSCRATCH: c->mscratch = v; break;
    case MEPC: c->mepc = v & ~1u; break;
    case MCAUSE: c->mcause = v; break;
    case PCER: c->pcer = v; break;
    case PCMR: c->pcmr = v; break;
    }
}
