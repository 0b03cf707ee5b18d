/* Runs a program on the simulated chip, in this process: the cycles and
 * instructions between the marks of its layers come from the simulator. */
#include "dev/dev.h"

#include "sim/sim.h"

#include <string.h>

/* Ten minutes or so of a host, for a program that never ends. */
static const uint64_t LIMIT = 20000000000;

enum { RT_FAULT = 103 }; /* rt/rt.h: the processor stopped at a fault */

/* Marks of the core that runs main: begin, one after every layer, end. */
static void read_marks(const SimResult *s, Run *r)
{
    const SimMark *was = NULL;
    int i, n = 0;

    for (i = 0; i < s->nmark; i++) {
        const SimMark *m = &s->mark[i];

        if (m->kind == SIM_BEGIN) {
            was = m;
            n = 0;
            r->cycles = r->instructions = 0;
            continue;
        }
        if (!was || m->hart != was->hart)
            continue;
        if (n < r->nlayer && m->kind == SIM_LAYER) {
            r->layer[n].cycles = (int64_t)(m->cycle - was->cycle);
            r->layer[n++].instructions = (int64_t)(m->insns - was->insns);
        }
        r->cycles += (int64_t)(m->cycle - was->cycle);
        r->instructions += (int64_t)(m->insns - was->insns);
        was = m;
    }
}

bool sim_program(Arena *a, const Soc *soc, const char *elf, const char *dir,
                 Run *r)
{
    SimProgram p = {soc, elf};
    SimOptions o = {.dir = dir, .max_cycles = LIMIT};
    SimResult *s = sim_run(a, &p, 1, &o);

    read_marks(s, r);
    if (s->ok && !s->status)
        return true;
    r->ok = false;
    r->status = s->ok && s->status != RT_FAULT ? ERR_DIFFER : ERR_TOOL;
    r->why = s->ok
        ? arena_fmt(a, "the program ended with status %d%s%s", s->status,
                    s->nout ? ":\n" : "", shell_brief(a, s->out))
        : arena_fmt(a, "the program stopped on the simulator: %s", s->fault);
    return false;
}
