/* Runs a generated program on a device: linked for memory that a debugger can
 * write, loaded, its files served, its layers timed. */
#include "dev/device.h"

#include "gen/gen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_TIME = 600 };

bool remote_open(Dev *d)
{
    const char *why = "";

    d->device = device_open(d->mem, d->p->soc, d->o->device, &why);
    return d->device || dev_fail(d, ERR_TOOL, why);
}

/* ---- linking ---- */

/* The memory with most room for code and constants, of those that a debugger
 * can write: where the chip has both, or buffers. */
static const Mem *ram_for_code(const Plan *p)
{
    const Soc *s = p->soc;
    const Mem *best = NULL;
    int64_t room, most = -1;
    int i;

    for (i = 0; i < s->nmem; i++) {
        const Mem *m = &s->mems[i];

        if (!m->mapped || !(m->holds & HOLDS_buffers))
            continue;
        if (m->holds & HOLDS_code)
            return m;
        room = m->size - m->reserved - p->used[i] -
               (m->holds & HOLDS_stack ? soc_kept(s, p->stack) : 0);
        if (room > most) {
            most = room;
            best = m;
        }
    }
    return best;
}

static void write_script(Dev *d)
{
    const Soc *s = d->p->soc;
    const Mem *code = d->in_flash ? NULL : ram_for_code(d->p);
    bool emu = d->device->emulator;
    Str b = {.mem = d->mem};

    if (code)
        soc_link_at(s, emu, d->p->stack, code, &b);
    else
        soc_link(s, emu, d->p->stack, &b);
    file_write(dev_path(d, "session.ld"), b.s, b.n);
}

void remote_begin(Dev *d)
{
    const Packed *mark = packed_find("rt/session/mark.h");

    d->in_flash = d->in_flash || d->o->flash;
    write_script(d);
    dev_write_main(d, "rt/session");
    file_write(dev_path(d, "mark.h"), mark->data, mark->n);
}

/* An emulator's flash is RAM, too. */
bool remote_again(Dev *d)
{
    if (d->in_flash || !d->device->emulator)
        return false;
    d->in_flash = true;
    d->r.ok = true;
    d->r.status = 0;
    memset(d->r.missing, 0, sizeof d->r.missing);
    write_script(d);
    return true;
}

const char *remote_make(Dev *d)
{
    return arena_fmt(d->mem, " %s/session.c' SCRIPT=%s/session.ld", d->work,
                     d->work);
}

const char *remote_defs(Dev *d)
{
    const char *counter = d->device->counter
        ? arena_fmt(d->mem, " -DRT_COUNTER=0x%" PRIx64, d->device->counter)
        : "";

    return arena_fmt(d->mem, " -DRT_SESSION -DRT_MARKS=%d%s -I%s",
                     d->r.nlayer + 2, counter, d->work);
}

/* ---- time ---- */

static void add(int64_t *to, int64_t v)
{
    if (v >= 0)
        *to = MAX(0, *to) + v;
}

static struct rt_time between(const struct rt_time *a, const struct rt_time *b)
{
    return (struct rt_time){b->ticks - a->ticks,
                            b->instructions - a->instructions};
}

/* One run: a mark before, one after every layer, one behind. */
static void take_times(Dev *d, const struct rt_time *t, int n)
{
    int64_t c, i, cycles = 0, instructions = 0;
    Run *r = &d->r;
    int k;

    for (k = 0; k + 1 < n; k++) {
        device_time(d->device, between(&t[k], &t[k + 1]), &c, &i);
        if (k < r->nlayer && n == r->nlayer + 2) {
            add(&r->layer[k].cycles, c);
            add(&r->layer[k].instructions, i);
        }
        cycles = c < 0 ? -1 : cycles + c;
        instructions = i < 0 ? -1 : instructions + i;
    }
    GROW(d->mem, r->step, (size_t)r->nstep);
    r->step[r->nstep++] = (RunStep){cycles, instructions};
    add(&r->cycles, cycles);
    add(&r->instructions, instructions);
}

/* n words of the device's memory at an address. */
static bool read_words(Device *dev, uint32_t at, uint32_t *to, int n)
{
    unsigned char *b = (unsigned char *)to;
    int i;

    if (!gdb_read(dev->g, at, b, 4 * (size_t)n))
        return device_lost(dev);
    for (i = 0; i < n; i++)
        to[i] = b[4 * i] | (uint32_t)b[4 * i + 1] << 8 |
                (uint32_t)b[4 * i + 2] << 16 | (uint32_t)b[4 * i + 3] << 24;
    return true;
}

static bool read_times(Dev *d)
{
    Device *dev = d->device;
    int n = (int)MIN(dev->asked.b, (uint32_t)d->r.nlayer + 2), i;
    struct rt_time *t = NEWN(d->mem, struct rt_time, n + 1);
    uint32_t *w = NEWN(d->mem, uint32_t, 2 * n + 1);

    if (!read_words(dev, dev->asked.a, w, 2 * n))
        return false;
    for (i = 0; i < n; i++)
        t[i] = (struct rt_time){w[2 * i], w[2 * i + 1]};
    take_times(d, t, n);
    return true;
}

/* ---- somebody looks on ---- */

const char *remote_watched(Dev *d)
{
    return arena_fmt(d->mem, "-DWATCH=%d", d->r.nlayer + d->p->g->nin);
}

static bool read_addresses(Dev *d)
{
    int n = d->r.nlayer + d->p->g->nin;

    d->watch->address = NEWN(d->mem, uint32_t, n + 1);
    return read_words(d->device, d->device->asked.a, d->watch->address, n);
}

uint32_t watch_address(const Watch *w, const Val *v)
{
    const Dev *d = w->d;
    int i;

    for (i = 0; i < d->p->g->nin; i++)
        if (d->p->g->in[i] == v)
            return w->address[d->r.nlayer + i];
    for (i = d->r.nlayer; i--;)
        if (d->node[i]->res[0] == v)
            return w->address[i];
    return 0;
}

bool watch_read(Watch *w, uint32_t at, void *to, int64_t n)
{
    Device *dev = w->d->device;

    return gdb_read(dev->g, at, to, (size_t)n) || device_lost(dev);
}

bool watch_write(Watch *w, uint32_t at, const void *from, int64_t n)
{
    Device *dev = w->d->device;

    return gdb_write(dev->g, at, from, (size_t)n) || device_lost(dev);
}

const char *watch_overwritten(Watch *w, bool quick, uint32_t *at)
{
    Device *dev = w->d->device;

    if ((quick && !dev->emulator) || !image_overwritten(dev, &dev->image, at))
        return NULL;
    return device_where(dev, *at);
}

static bool look(Dev *d)
{
    Device *dev = d->device;
    int layer = (int)MIN(dev->asked.a, (uint32_t)d->r.nlayer) - 1;
    Watch *w = d->watch;
    uint32_t t[4];

    if (!w || !w->address || layer < 0)
        return device_fail(dev, "the program tells of a layer nobody asked "
                           "for: its memory was overwritten");
    if (dev->asked.b) {
        if (!read_words(dev, dev->asked.c, t, 4))
            return false;
        device_time(dev, (struct rt_time){t[2] - t[0], t[3] - t[1]},
                    &w->cycles, &w->instructions);
        add(&d->r.layer[layer].cycles, w->cycles);
        add(&d->r.layer[layer].instructions, w->instructions);
        add(&d->r.cycles, w->cycles);
        add(&d->r.instructions, w->instructions);
    }
    w->look(w, layer, dev->asked.b != 0);
    return !dev->g->lost || device_lost(dev);
}

/* ---- the program ---- */

static bool ended(Dev *d)
{
    uint32_t status = d->device->asked.a;
    const char *said = d->device->g->console.n ? d->device->g->console.s : "";

    if (!status)
        return true;
    return dev_fail(d, ERR_TOOL, arena_fmt(d->mem,
        "the program on the device ended with status %" PRIu32 "%s%s", status,
        *said ? ":\n" : "", shell_brief(d->mem, said)));
}

bool remote_program(Dev *d, const char *elf)
{
    int ms = 1000 * (d->o->timeout ? d->o->timeout : RUN_TIME);
    Device *dev = d->device;
    bool ok;

    dev->dir = d->dir;
    dev->show = d->o->talk && d->o->talk->show;
    for (ok = device_load(dev, elf); ok;) {
        ok = device_go(dev, 0, ms);
        if (ok && dev->asked.want == RT_EXIT)
            return ended(d);
        if (ok && dev->asked.want == RT_TIMES)
            ok = read_times(d);
        else if (ok && dev->asked.want == RT_ADDRESSES && d->watch)
            ok = read_addresses(d);
        else if (ok && dev->asked.want == RT_LAYER)
            ok = look(d);
        else if (ok)
            ok = device_fail(dev, "the program asks for %" PRIu32 ", which "
                "nobody knows: its memory was overwritten", dev->asked.want);
    }
    return dev_fail(d, ERR_TOOL, arena_str(d->mem, dev->why));
}
