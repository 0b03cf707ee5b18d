/* Memories, and the accesses that the core does not make by itself: to far
 * memories, to devices, to nowhere.  Also the pages of decoded instructions,
 * because a store must find them. */
#include "sim/chip.h"

#include <string.h>

Ram *ram_find(const Chip *c, uint32_t addr, uint32_t n)
{
    Ram *r;

    for (r = c->rams; r; r = r->next)
        if (addr - r->base < r->size && n <= r->size - (addr - r->base))
            return r;
    return NULL;
}

static Device *find_device(const Chip *c, uint32_t addr)
{
    Device *d;

    for (d = c->devices; d; d = d->next)
        if (addr - d->base < d->size)
            return d;
    return NULL;
}

/* ---- decoded instructions ---- */

static Page *page_new(Chip *c, Ram *r, uint32_t base)
{
    Page *p = NEW(c->sim->mem, Page);
    uint32_t b = base / PAGE & (LEN(c->bucket) - 1);
    int i;

    p->base = base;
    p->ram = r;
    for (i = 0; i < PAGE_OPS; i++) {
        int at = 2 * i % 16;

        p->op[i].flags = at == 0 || at == 2 || at == 14 ? LINE : 0;
    }
    p->op[PAGE_OPS].row = p->op[PAGE_OPS + 1].row = Row_turn;
    p->next = c->bucket[b];
    return c->bucket[b] = p;
}

static Page *page_find(const Chip *c, uint32_t pc)
{
    Page *p = c->bucket[pc / PAGE & (LEN(c->bucket) - 1)];

    while (p && pc - p->base >= PAGE)
        p = p->next;
    return p;
}

Page *page_at(Chip *c, uint32_t pc)
{
    Page *p = page_find(c, pc);
    Ram *r;

    if (p)
        return p;
    r = ram_find(c, pc, 2);
    return r ? page_new(c, r, pc & ~(PAGE - 1u)) : NULL;
}

/* Ops of one page that a change of bytes at [pc, pc + n) makes wrong. */
static void make_stale(Page *p, uint32_t pc, uint32_t n)
{
    uint32_t i = (pc - p->base) / 2, end = (pc + n - p->base + 1) / 2;

    if (i && p->op[i - 1].row > Row_turn && p->op[i - 1].len == 2)
        i--;
    for (; i < end && i < PAGE_OPS; i++)
        if (p->op[i].row != Row_new) {
            p->op[i].row = Row_stale;
            p->op[i].rs1 = p->op[i].rs2 = p->op[i].rs3 = 0;
            p->has_stale = true;
        }
}

void code_changed(Chip *c, Ram *r, uint32_t off, uint32_t n)
{
    uint32_t pc = r->base + off, end = pc + n;

    while (pc < end) {
        uint32_t stop = MIN((pc | 63) + 1, end);
        Page *p = page_find(c, pc);

        if (r->code[(pc - r->base) / 64] && p)
            make_stale(p, pc, stop - pc);
        pc = stop;
    }
}

void code_flush(Chip *c)
{
    size_t b;
    Page *p;
    int i;

    for (b = 0; b < LEN(c->bucket); b++)
        for (p = c->bucket[b]; p; p = p->next) {
            for (i = 0; p->has_stale && i < PAGE_OPS; i++)
                if (p->op[i].row == Row_stale)
                    p->op[i].row = Row_new;
            p->has_stale = false;
        }
}

/* ---- accesses of cores ---- */

static void count_bytes(Ram *r, int size)
{
    *r->bytes += (uint64_t)size;
}

/* Latency of an access; twice that across a word. */
static void spend(Core *c, const int *latency, uint32_t addr, int size,
                  uint64_t *t)
{
    int cost = latency[c->side];

    if ((int)(addr & 3) + size > 4)
        cost *= 2;
    c->count.memory += (uint64_t)(cost - 1);
    *t += (uint64_t)cost;
}

static bool bad_access(Core *c, Device *d, uint32_t addr, int size,
                       const char *what)
{
    if (!d)
        sim_fault(c->chip, c, "%s of %d byte%s at 0x%08x: no memory or device "
                  "there", what, size, size > 1 ? "s" : "", addr);
    else if (addr % (uint32_t)size)
        sim_fault(c->chip, c, "misaligned %s of %d bytes at 0x%08x: device %s "
                  "wants it aligned", what, size, addr, d->name);
    else
        return false;
    return true;
}

/* What the device added, to where it belongs; true if it was not ready. */
static bool spend_extra(Core *c, const Access *a, uint64_t *t)
{
    uint64_t n = (uint64_t)(a->again ? a->again : a->extra);

    *t += n;
    *(a->why ? core_waits(c, (enum Wait)a->why) : &c->count.memory) += n;
    c->again = a->again;
    return c->again;
}

uint32_t load_far(Core *c, uint32_t addr, int size, uint64_t *t)
{
    Ram *r = ram_find(c->chip, addr, (uint32_t)size);
    Device *d = r ? NULL : find_device(c->chip, addr);
    uint32_t v = 0;
    Access a = {.size = size, .core = c, .time = to_ticks(c->clock, *t)};

    if (r) {
        memcpy(&v, r->data + (addr - r->base), (size_t)size);
        spend(c, r->latency, addr, size, t);
        count_bytes(r, size);
        return v;
    }
    if (bad_access(c, d, addr, size, "load"))
        return 0;
    a.off = addr - d->base;
    if (d->model->load)
        v = d->model->load(d, &a);
    if (!spend_extra(c, &a, t))
        spend(c, d->latency, addr, size, t);
    return v;
}

void store_far(Core *c, uint32_t addr, int size, uint32_t v, uint64_t *t)
{
    Ram *r = ram_find(c->chip, addr, (uint32_t)size);
    Device *d = r ? NULL : find_device(c->chip, addr);
    Access a = {.size = size, .core = c, .value = v,
                .time = to_ticks(c->clock, *t)};

    if (r) {
        memcpy(r->data + (addr - r->base), &v, (size_t)size);
        code_changed(c->chip, r, addr - r->base, (uint32_t)size);
        spend(c, r->latency, addr, size, t);
        count_bytes(r, size);
        return;
    }
    if (bad_access(c, d, addr, size, "store"))
        return;
    a.off = addr - d->base;
    c->t = *t;
    if (d->model->store)
        d->model->store(d, &a);
    if (!spend_extra(c, &a, t))
        spend(c, d->latency, addr, size, t);
}

uint8_t *ram_span(Chip *c, uint32_t addr, uint32_t n, bool write,
                  const char *who)
{
    Ram *r = ram_find(c, addr, n);

    if (!r) {
        Ram *s = ram_find(c, addr, 1);

        if (s)
            sim_fault(c, NULL, "%s: %u bytes at 0x%08x run over the end of %s "
                      "at 0x%08x", who, n, addr, s->name, s->base + s->size);
        else
            sim_fault(c, NULL, "%s: %u bytes at 0x%08x: no memory there", who,
                      n, addr);
        return NULL;
    }
    if (write)
        code_changed(c, r, addr - r->base, n);
    *r->bytes += n;
    return r->data + (addr - r->base);
}
