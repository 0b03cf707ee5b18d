/* What things take: transfers, code that is not in the instruction cache, and
 * the bytes that are moved, in cycles that their energy is worth. */
#include "plan/cost/cost.h"

#include <math.h>

enum { KERNEL_CODE = 800 }; /* bytes, of a kernel whose head says nothing */

/* Where a call begins and ends, registers and what it is told of its layer are in
 * the nearest memory: of so many cycles so many percent ask it. */
enum { CALL_PART = 220, CALL_ASKS = 90 };

int64_t move_cycles(const Engine *d, bool in, int64_t row, int64_t rows)
{
    return (int64_t)ceil(dma_moves(d, in, row, rows));
}

Code kern_code(const Kern *k, const KernSig *sig, const Node *n,
               const Dims *d)
{
    Asked x = kern_ask(n, d);
    Code c = {k, KERNEL_CODE, 0};

    if (k->code)
        c.bytes = kern_answer(&x, k, sig, k->code);
    c.cycles = k->cold ? kern_answer(&x, k, sig, k->cold) : 3 * c.bytes / 4;
    return c;
}

bool kern_direct(const Kern *k, const KernSig *sig, const Node *n,
                 const Dims *d)
{
    Asked x = kern_ask(n, d);

    return k->direct && kern_answer(&x, k, sig, k->direct);
}

int64_t kern_asks(const Kern *k, const KernSig *sig, const Node *n,
                  const Dims *d)
{
    Asked x = kern_ask(n, d);

    return k->asks ? kern_answer(&x, k, sig, k->asks) : CORES_ASK;
}

int64_t kern_beside(const Soc *s, const Kern *k, const KernSig *sig,
                    const Node *n, const Dims *d, int64_t cycles)
{
    int64_t asks = kern_asks(k, sig, n, d), part = MIN(CALL_PART, cycles);

    if (cycles)
        asks = (asks * (cycles - part) + CALL_ASKS * part) / cycles;
    return s->time.beside * asks / 100;
}

/* One after the other, for what comes in throws out. */
static int64_t program_miss(CodeCache *c)
{
    int64_t move = code_miss(c, MOVE_UNIT, c->time->move_code);

    return move + code_miss(c, CALL_UNIT, c->time->call_code);
}

int64_t call_miss(CodeCache *c)
{
    return c->time->begin + c->time->end + program_miss(c);
}

int64_t layer_miss(CodeCache *c, int unit, Code code)
{
    int64_t miss = program_miss(c);

    return miss + kern_miss(c, unit, code);
}

/* Energy is what a cycle of all cores takes, and bytes that are moved take. */
void problem_aim(Problem *q, const Plan *p)
{
    const Soc *s = p->soc;
    double cycle = soc_energy(s, "core_cycle") * s->ncore;
    int i;

    if (p->aim != AIM_energy)
        return;
    for (i = 0; i < s->nengine; i++)
        if (s->engine[i].kind == ENGINE_dma)
            q->energy_weight[i] = soc_energy(s, s->engine[i].energy) / cycle;
}

int64_t tiler_energy(const Tiler *t, const int64_t moved[MOST_ENGINES])
{
    double sum = 0;
    int i;

    for (i = 0; i < t->p->soc->nengine; i++)
        if (moved[i])
            sum += t->q->energy_weight[i] * (double)moved[i];
    return (int64_t)sum;
}

int64_t byte_energy(const Tiler *t, const Engine *e, int64_t bytes)
{
    return (int64_t)(t->q->energy_weight[e->row] * (double)bytes);
}
