/* A simulation from its first cycle to its last.
 *
 * Whoever is earliest goes next: an event of a device, then the clocks in
 * order, then the cores of a clock in order.  A core is told how far it may
 * go before somebody else could notice, and runs that far in one call.
 * Chips meet only through links, so each runs for a few cycles, one after the
 * other, and messages arrive behind them. */
#include "sim/chip.h"

#include <math.h>
#include <string.h>

enum { SLACK = 256, QUANTUM = 64 };

/* ---- events ---- */

static bool before(const Event *a, const Event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void swap_events(Event *a, Event *b)
{
    Event e = *a;

    *a = *b;
    *b = e;
}

/* Calls d's event function at a time in ticks. */
void chip_at(Chip *c, uint64_t time, Device *d, uint64_t what)
{
    int i = c->nevent++;

    GROW(c->sim->mem, c->event, i);
    c->event[i] = (Event){time, c->order++, d, what};
    for (; i && before(&c->event[i], &c->event[(i - 1) / 2]); i = (i - 1) / 2)
        swap_events(&c->event[i], &c->event[(i - 1) / 2]);
    c->yield = true;
}

static Event take_event(Chip *c)
{
    Event first = c->event[0];
    int i = 0, j;

    c->event[0] = c->event[--c->nevent];
    for (; (j = 2 * i + 1) < c->nevent; i = j) {
        if (j + 1 < c->nevent && before(&c->event[j + 1], &c->event[j]))
            j++;
        if (!before(&c->event[j], &c->event[i]))
            break;
        swap_events(&c->event[i], &c->event[j]);
    }
    return first;
}

/* ---- the loops ---- */

/* Who goes when: cores that ask for a bank come after all others of their
 * cycle, and then all at once. */
static uint64_t turn(const Core *c)
{
    return c->t == NEVER ? NEVER : 2 * c->t + c->asks;
}

/* The core whose turn it is; the last cycle in which it comes before all the
 * others, and the first in which another may ask for a bank. */
static Core *earliest(const Clock *k, uint64_t *lim, uint64_t *alone)
{
    Core *first = &k->core[0];
    uint64_t t = turn(first), second = NEVER, other = NEVER;
    int i;

    for (i = 1; i < k->ncore; i++) {
        uint64_t u = turn(&k->core[i]);

        if (u < t) {
            second = t == NEVER ? NEVER : (t - 1) / 2;
            other = t == NEVER ? NEVER : t / 2;
            t = u;
            first = &k->core[i];
        } else if (u < NEVER) {
            second = MIN(second, u / 2);
            other = MIN(other, u / 2);
        }
    }
    *lim = second;
    *alone = other;
    return first;
}

/* Cycle t, in which all cores that are not beyond ask for banks: those that
 * get one go on until others could notice. */
static void serve_banks(Chip *c, Clock *k, uint64_t t)
{
    uint32_t left = banks_serve(k, t);

    for (; left && !c->yield; left &= left - 1)
        core_run(&k->core[__builtin_ctz(left)], t, t + c->sim->slack, 0);
}

/* The cores of one clock, as long as their cycles begin before `end` ticks. */
static void clock_run(Chip *c, Clock *k, uint64_t end)
{
    uint64_t last = end == NEVER ? NEVER - 1 : (end - 1) / k->period;
    uint64_t slack = c->sim->slack, lim, alone;

    c->yield = false;
    while (!c->yield) {
        Core *core = earliest(k, &lim, &alone);

        if (core->t > last)
            return;
        if (core->asks) {
            serve_banks(c, k, core->t);
            continue;
        }
        lim = MIN(lim, last);
        core_run(core, lim, MIN(lim + slack, NEVER - 1),
                 MIN(alone, last + 1));
    }
}

static uint64_t next_ticks(const Clock *k)
{
    uint64_t t = NEVER;
    int i;

    for (i = 0; i < k->ncore; i++)
        t = MIN(t, k->core[i].t);
    return t == NEVER ? NEVER : to_ticks(k, t);
}

/* One event, or one clock up to what comes after it; false: nothing to do
 * before `until`. */
bool chip_step(Chip *c, uint64_t until)
{
    uint64_t event = c->nevent ? c->event[0].time : NEVER, end;
    uint64_t first = NEVER;
    Clock *k, *go = NULL;

    end = MIN(until, event);
    for (k = c->clocks; k; k = k->next) {
        uint64_t t = next_ticks(k);

        if (t < first) {
            if (go)
                end = MIN(end, first);
            first = t;
            go = k;
        } else if (t != NEVER) {
            end = MIN(end, t + 1);
        }
    }
    if (MIN(first, event) >= until)
        return false;
    c->now = MIN(first, event);
    if (event <= first) {
        Event e = take_event(c);

        e.device->model->event(e.device, e.time, e.what);
    } else {
        clock_run(c, go, end);
    }
    return true;
}

static bool idle(const Chip *c)
{
    Clock *k;

    for (k = c->clocks; k; k = k->next)
        if (next_ticks(k) != NEVER)
            return false;
    return !c->nevent;
}

static bool all_idle(const Sim *s)
{
    int i;

    for (i = 0; i < s->nchip; i++)
        if (!idle(&s->chip[i]) && !(s->opt.all && s->chip[i].ended))
            return false;
    return true;
}

static Core *first_core(const Chip *c)
{
    Clock *k;

    for (k = c->clocks; k; k = k->next)
        if (k->ncore && k->core[0].start != NEVER)
            return &k->core[0];
    return c->clocks->core;
}

/* Names a core that sleeps for ever. */
static void report_deadlock(Sim *s)
{
    Chip *c = &s->chip[0];
    Clock *k;
    int i;

    for (k = c->clocks; k; k = k->next)
        for (i = 0; i < k->ncore; i++)
            if (k->core[i].wait != W_off && k->core[i].wait != AWAKE) {
                sim_fault(c, &k->core[i], "every core waits for an event and "
                          "none can come; the first to wait");
                return;
            }
    sim_fault(c, NULL, "no core runs");
}

static bool links_settle(Sim *s)
{
    const Device *d = s->nchip > 1 ? s->link[0] : NULL;

    return d && d->model->settle && d->model->settle(s);
}

/* Until the end, the limit, or the debugger. */
static void run(Sim *s)
{
    Clock *k = chip_compute(&s->chip[0]);
    uint64_t limit = s->opt.max_cycles
                         ? to_ticks(k, MIN(s->opt.max_cycles, NEVER / k->period
                                           - 1))
                         : NEVER;
    uint64_t from = s->chip[0].now, until;
    int i;

    while (!s->stop && from < limit) {
        until = s->nchip > 1 ? MIN(limit, from + s->quantum) : limit;
        s->until = until;
        for (i = 0; i < s->nchip && !s->stop; i++)
            while (!s->stop && !(s->opt.all && s->chip[i].ended) &&
                   chip_step(&s->chip[i], until))
                ;
        if (!s->stop && !links_settle(s) && all_idle(s))
            report_deadlock(s);
        from = until;
    }
    if (!s->stop)
        s->chip[0].now = limit;
    if (!s->stop)
        sim_fault(&s->chip[0], first_core(&s->chip[0]),
                  "still running after %llu cycles",
                  (unsigned long long)s->opt.max_cycles);
}

/* ---- before and after ---- */

static uint32_t code_base(const Soc *s)
{
    int i;

    for (i = 0; i < s->nmem && !(s->mems[i].holds & HOLDS_code); i++)
        ;
    return i < s->nmem ? (uint32_t)s->mems[i].base : 0;
}

/* Ticks that chips may run apart: no longer than a message is under way, which
 * then comes when it should. */
static uint64_t quantum(const Sim *s)
{
    uint64_t most = QUANTUM * s->chip[0].clocks->period, late;
    const Device *d = chip_device(&s->chip[0], "link");

    late = d ? (uint64_t)(item_num(d->item, "latency_ns", 0) *
                          (double)s->khz / 1e6) : 0;
    return late ? MIN(most, late) : most;
}

/* Chips without a program stand still until somebody starts a core, or a
 * debugger loads one. */
static void start(Sim *s, const SimProgram *p)
{
    int i;

    for (i = 0; i < s->nchip; i++) {
        s->chip[i].sim = s;
        s->chip[i].id = i;
        s->chip[i].dir = p[i].dir ? p[i].dir : s->opt.dir;
        chip_build(&s->chip[i], p[i].soc);
    }
    clocks_settle(s);
    s->quantum = quantum(s);
    s->link = NEWN(s->mem, Device *, s->nchip);
    for (i = 0; i < s->nchip; i++)
        s->link[i] = chip_device(&s->chip[i], "link");
    s->next = soc_routes(s->mem, p[0].soc, s->nchip);
    for (i = 0; i < s->nchip; i++) {
        Core *c = s->chip[i].clocks->core;

        if (!p[i].elf && !s->opt.gdb_port && !s->opt.jtag_port)
            continue;
        s->chip[i].entry = code_base(p[i].soc);
        if (p[i].elf)
            elf_load(&s->chip[i], p[i].elf);
        core_start(c, s->chip[i].entry, c->boot_cycle);
        c->cycle0 = 0;
    }
}

/* The cycles of a core that are not named otherwise are spent running. */
static SimCore settle_core(const Core *c, uint64_t now)
{
    SimCore n = c->count;

    n.insns = c->insns;
    if (c->start == NEVER)
        return n;
    if (c->t != NEVER) /* it may have run ahead, or be about to go on */
        now = MAX(now, c->t);
    now = MAX(now, c->start);
    n.cycles = now - c->start;
    if (c->wait != AWAKE && now > c->slept)
        *(c->wait == W_barrier ? &n.barrier : c->wait == W_dma ? &n.dma :
          c->wait == W_accel ? &n.accel : &n.sleep) += now - c->slept;
    n.run = n.cycles - n.load - n.memory - n.bank - n.icache - n.barrier -
            n.dma - n.accel - n.sleep;
    return n;
}

static void sum_cores(Sim *s)
{
    SimResult *r = s->res;
    Clock *k;
    int i, j;

    for (i = 0; i < s->nchip; i++) {
        uint64_t end = s->chip[i].now;

        for (k = s->chip[i].clocks; k; k = k->next)
            for (j = 0; j < k->ncore; j++) {
                GROW(s->mem, r->core, r->ncore);
                r->core[r->ncore] = settle_core(&k->core[j],
                                                to_cycle(k, end));
                r->insns += r->core[r->ncore++].insns;
            }
    }
}

static void finish(Sim *s)
{
    SimResult *r = s->res;
    Clock *k = chip_compute(&s->chip[0]);
    Device *d;
    int i;

    for (i = 0; i < s->nchip; i++)
        for (d = s->chip[i].devices; d; d = d->next)
            if (d->model->end)
                d->model->end(d);
    sim_put_all(s);
    r->cycles = to_cycle(k, s->chip[0].now);
    r->seconds = k->mhz > 0 ? (double)r->cycles / (k->mhz * 1e6) : 0;
    sum_cores(s);
    energy_sum(s);
    str_put(&s->out, "");
    r->out = s->out.s;
    r->nout = s->out.n;
    timeline_close(s);
    stub_close(s);
    semihost_close(s);
}

Sim *sim_new(Arena *a, const SimProgram *p, int n, const SimOptions *o)
{
    Sim *s = NEW(a, Sim);

    if (n < 1 || n > SIM_CHIPS)
        err(ERR_USAGE, "%d chips; the simulator takes 1 to %d", n, SIM_CHIPS);
    s->mem = a;
    s->opt = *o;
    s->out.mem = a;
    s->nchip = n;
    s->res = NEW(a, SimResult);
    s->res->mem = a;
    s->slack = o->strict || o->trace || o->gdb_port || o->jtag_port
                   ? 0 : SLACK;
    start(s, p);
    return s;
}

SimResult *sim_run(Arena *a, const SimProgram *p, int n, const SimOptions *o)
{
    Sim *s = sim_new(a, p, n, o);

    timeline_open(s);
    stub_open(s);
    do {
        s->stop = s->done;
        run(s);
        stub_stopped(s);
    } while (!s->done);
    finish(s);
    return s->res;
}
