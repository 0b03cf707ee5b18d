/* What ends a simulation, and what it says. */
#include "sim/chip.h"

#include <string.h>

static void stop(Sim *s)
{
    int i;

    s->stop = true;
    for (i = 0; i < s->nchip; i++)
        s->chip[i].yield = true;
}

void sim_fault(Chip *c, const Core *core, const char *fmt, ...)
{
    SimResult *r = c->sim->res;
    size_t n = sizeof r->fault, k;
    char where[256];
    va_list ap;

    stop(c->sim);
    if (c->sim->done)
        return;
    c->sim->done = true;
    r->chip = c->id;
    va_start(ap, fmt);
    vsnprintf(r->fault, n, fmt, ap);
    va_end(ap);
    k = strlen(r->fault);
    if (core)
        snprintf(r->fault + k, n - k, " (pc 0x%08x, %s, core %s, cycle %llu)",
                 core_pc(core),
                 symbol_at(c, core_pc(core), where, sizeof where),
                 core->count.name,
                 (unsigned long long)(core->t == NEVER ? core->slept
                                                       : core->t));
}

static bool all_ended(const Sim *s)
{
    int i;

    for (i = 0; i < s->nchip; i++)
        if (!s->chip[i].ended)
            return false;
    return true;
}

void sim_exit(Chip *c, int status)
{
    Sim *s = c->sim;

    c->ended = true;
    c->status = status;
    if (c->id)
        c->yield = true;
    if (s->done)
        return;
    if (!status && (s->opt.all ? !all_ended(s) : c->id))
        return;
    s->done = true;
    s->res->ok = true;
    s->res->status = status;
    s->res->chip = c->id;
    stop(s);
}

void sim_note(Sim *s, const char *fmt, ...)
{
    va_list ap;

    if (s->res->note[0])
        return;
    va_start(ap, fmt);
    vsnprintf(s->res->note, sizeof s->res->note, fmt, ap);
    va_end(ap);
}

static void put(Sim *s, const char *p, size_t n)
{
    str_mem(&s->out, p, n);
    if (s->opt.out) {
        fwrite(p, 1, n, s->opt.out);
        fflush(s->opt.out);
    }
}

/* What a chip has kept back goes out; it may begin a line. */
static void put_kept(Sim *s, Chip *c)
{
    put(s, c->kept.s, c->kept.n);
    s->talks = c->kept.s[c->kept.n - 1] == '\n' ? NULL : c;
    c->kept.n = 0;
}

/* Whoever has begun a line ends it before others speak. */
void sim_put(Chip *c, const char *p, size_t n)
{
    Sim *s = c->sim;
    int i;

    if (!n)
        return;
    c->kept.mem = s->mem;
    str_mem(&c->kept, p, n);
    if (s->talks && s->talks != c)
        return;
    put_kept(s, c);
    for (i = 0; i < s->nchip && !s->talks; i++)
        if (s->chip[i].kept.n)
            put_kept(s, &s->chip[i]);
}

void sim_put_all(Sim *s)
{
    int i;

    for (i = 0; i < s->nchip; i++)
        if (s->chip[i].kept.n)
            put_kept(s, &s->chip[i]);
}
