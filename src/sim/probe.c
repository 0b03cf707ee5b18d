/* A debugger that comes by JTAG: OpenOCD, whose adapter remote_bitbang connects
 * to our port.  The hart of the debug module is the core that halted last, the
 * first one before.  A breakpoint is an ebreak that is written into memory. */
#include "sim/jtag.h"
#include "sim/stub.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

enum { ROOM = 1 << 16 }; /* bytes at a time */

typedef struct Probe {
    Jtag jtag;
    Gdb *g;
    uint32_t boot; /* where the first core begins */
    bool wrote;    /* memory, which may be code */
    char in[ROOM], out[ROOM];
} Probe;

static bool see_memory(void *of, uint32_t at, int bytes, uint32_t *v,
                       bool write)
{
    Probe *p = of;
    Chip *c = &p->g->sim->chip[0];
    Ram *r = ram_find(c, at, (uint32_t)bytes);

    if (!r)
        return false;
    if (write) {
        memcpy(r->data + (at - r->base), v, (size_t)bytes);
        code_changed(c, r, at - r->base, (uint32_t)bytes);
        p->wrote = true;
    } else {
        *v = 0;
        memcpy(v, r->data + (at - r->base), (size_t)bytes);
    }
    return true;
}

/* CSRs cannot be written. */
static bool see_register(void *of, uint32_t n, uint32_t *v, bool write)
{
    const Probe *p = of;
    unsigned reg = n == JTAG_DPC ? PC : n < JTAG_X0 ? CSR0 + n : n - JTAG_X0;

    if (n >= JTAG_X0 + 32)
        return false;
    if (write)
        stub_set(p->g->now, reg, *v);
    else
        *v = stub_get(p->g->now, reg);
    return true;
}

/* Of the chip the first core alone: others sleep until it wakes them. */
static void reset(void *of)
{
    Probe *p = of;

    p->g->now = stub_core(p->g, 1);
    core_jump(p->g->now, p->boot);
}

void probe_begin(Gdb *g)
{
    Probe *p = g->probe = NEW(g->sim->mem, Probe);

    p->g = g;
    p->boot = core_pc(g->now);
    jtag_begin(&p->jtag, (JtagTarget){p, see_memory, see_register, reset});
    jtag_halt(&p->jtag, JTAG_ASKED);
}

/* What has come; nobody there any more: that is the end. */
static void serve(Probe *p)
{
    Gdb *g = p->g;
    ssize_t n = recv(g->fd, p->in, sizeof p->in, 0);
    ptrdiff_t k = n > 0 ? jtag_clock(&p->jtag, p->in, (size_t)n, p->out) : -1;

    if (k < 0 || (k && send(g->fd, p->out, (size_t)k, 0) != k))
        g->gone = g->sim->done = true;
}

void probe_talk(Gdb *g)
{
    Probe *p = g->probe;

    while (!g->gone && p->jtag.halted)
        serve(p);
    if (p->wrote)
        code_flush(&g->sim->chip[0]);
    p->wrote = false;
    stub_resume(g, jtag_steps(&p->jtag));
}

bool probe_halts(Gdb *g)
{
    struct pollfd p = {.fd = g->fd, .events = POLLIN};

    if (++g->asked % ASK_EVERY || poll(&p, 1, 0) <= 0)
        return false;
    serve(g->probe);
    return g->gone || g->probe->jtag.halted;
}

void probe_stopped(Gdb *g)
{
    if (!g->probe->jtag.halted)
        jtag_halt(&g->probe->jtag, g->step ? JTAG_STEP : JTAG_EBREAK);
    probe_talk(g);
}
