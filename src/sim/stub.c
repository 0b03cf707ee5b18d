/* Cores as a debugger sees them, and how all stop and go on. */
#include "sim/stub.h"

Core *stub_core(Gdb *g, int n)
{
    Clock *k;
    int i;

    for (k = g->sim->chip[0].clocks; k; k = k->next)
        for (i = 0; i < k->ncore; i++)
            if (k->core[i].start != NEVER && !--n)
                return &k->core[i];
    return NULL;
}

uint32_t stub_get(Core *c, unsigned n)
{
    if (n < PC)
        return c->x[n];
    if (n == PC)
        return core_pc(c);
    return n >= CSR0 && n < CSR0 + 4096
               ? csr_read(c, n - CSR0, c->t == NEVER ? c->slept : c->t,
                          c->insns) : 0;
}

void stub_set(Core *c, unsigned n, uint32_t v)
{
    if (n && n < PC)
        c->x[n] = v;
    else if (n == PC)
        core_jump(c, v);
}

void stub_resume(Gdb *g, bool step)
{
    g->skip = g->now;
    g->step = step ? g->now : NULL;
}

bool stub_stop(Gdb *g, Core *c, int signal)
{
    g->now = c;
    g->signal = signal;
    g->sim->stop = true;
    c->chip->yield = true;
    return true;
}
