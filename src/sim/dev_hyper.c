/* HyperRAM and HyperFlash behind the I/O DMA, with its own slow clock.
 *
 * The controller moves bytes between L2 and a memory that has no address on
 * the bus.  Keys of its line: `rx_tx=` offset of the channel registers,
 * `memory=` the memory line that says how large it is.  Reading (in_) takes
 * `setup=` and `bytes_per_cycle=`, in cycles of `clock=`; writing (out_),
 * which waits for the L2 and moves whole words, its own. */
#include "sim/chip.h"

#include <math.h>
#include <string.h>

enum { /* from rx_tx */
    RX_ADDRESS = 0x00, RX_SIZE = 0x04, RX_CONFIG = 0x08, TX_ADDRESS = 0x0c,
    TX_SIZE = 0x10, TX_CONFIG = 0x14, COMMAND = 0x18, EXTERNAL = 0x1c,
    STATUS = 0x24,
};
enum { START = 1 << 4 };

typedef struct Hyper {
    uint32_t at, size;
    struct Pace {
        double setup, bytes_per_cycle;
        const char *clock;
    } in, out;
    uint8_t *data;
    uint32_t *reg;      /* everything reads as written */
    bool busy;
    uint32_t l2, ext, n, to_l2;
    uint64_t from;
} Hyper;

static struct Pace pace(const Device *d, const char *way)
{
    const char *setup = arena_fmt(d->chip->sim->mem, "%s_setup", way);
    const char *rate = arena_fmt(d->chip->sim->mem, "%s_bytes_per_cycle", way);
    const char *clock = arena_fmt(d->chip->sim->mem, "%s_clock", way);

    return (struct Pace){item_num(d->item, setup, 0),
                         item_num(d->item, rate, 1),
                         item_word(d->item, clock, "")};
}

static void init(Device *d)
{
    Hyper *h = d->state;
    const Item *m = soc_item(d->chip->soc, "memory",
                             item_word(d->item, "memory", ""));

    h->at = (uint32_t)item_int(d->item, "rx_tx", 0);
    h->in = pace(d, "in");
    h->out = pace(d, "out");
    h->size = m ? (uint32_t)item_int(m, "size", 0) : 0;
    h->data = arena_get(d->chip->sim->mem, MAX(h->size, 1), 1);
    h->reg = arena_get(d->chip->sim->mem, d->size / 4 + 1, 4);
}

static uint64_t duration(const Device *d, const Hyper *h)
{
    const struct Pace *p = h->to_l2 ? &h->in : &h->out;
    uint32_t n = h->to_l2 ? h->n : (h->n + 3) & ~3u;
    const Clock *k = chip_clock(d->chip, p->clock);

    return (uint64_t)llround((p->setup + n / p->bytes_per_cycle) *
                             (double)(k ? k : d->clock)->period);
}

/* Refuses what the hardware would do something silly with. */
static bool misprogrammed(Device *d, Access *a, uint32_t ext, uint32_t n)
{
    const Hyper *h = d->state;

    if (h->busy)
        sim_fault(d->chip, a->core, "I/O DMA: a transfer was started while "
                  "another was under way");
    else if (!n)
        sim_fault(d->chip, a->core, "I/O DMA: a transfer of 0 bytes");
    else if (ext >= h->size || n > h->size - ext)
        sim_fault(d->chip, a->core, "I/O DMA: %u bytes at external 0x%08x: "
                  "the memory has %u", n, ext, h->size);
    else
        return false;
    return true;
}

static void begin(Device *d, Access *a, bool to_l2)
{
    Hyper *h = d->state;
    const uint32_t *r = h->reg + h->at / 4;
    uint32_t n = r[(to_l2 ? RX_SIZE : TX_SIZE) / 4];

    if (misprogrammed(d, a, r[EXTERNAL / 4], n))
        return;
    h->busy = true;
    h->to_l2 = to_l2;
    h->l2 = r[(to_l2 ? RX_ADDRESS : TX_ADDRESS) / 4];
    h->ext = r[EXTERNAL / 4];
    h->n = n;
    h->from = a->time;
    chip_at(d->chip, a->time + duration(d, h), d, 0);
}

static void event(Device *d, uint64_t time, uint64_t what)
{
    Hyper *h = d->state;
    uint8_t *p = ram_span(d->chip, h->l2, h->n, h->to_l2, "I/O DMA");
    uint8_t *q = h->data + h->ext;

    (void)what;
    h->busy = false;
    if (!p)
        return;
    memcpy(h->to_l2 ? p : q, h->to_l2 ? q : p, h->n);
    d->chip->counts.ext_bytes += h->n;
    timeline_slice(d->chip, "io dma", h->to_l2 ? "read" : "write", h->from,
                   time);
}

static uint32_t load(Device *d, Access *a)
{
    Hyper *h = d->state;

    if (a->off == h->at + STATUS) {
        core_polls(a, W_dma, h->busy);
        return h->busy;
    }
    return h->reg[a->off / 4];
}

static void store(Device *d, Access *a)
{
    Hyper *h = d->state;

    h->reg[a->off / 4] = a->value;
    if (a->off == h->at + RX_CONFIG && a->value & START)
        begin(d, a, true);
    else if (a->off == h->at + TX_CONFIG && a->value & START)
        begin(d, a, false);
}

static const Model model = {
    .name = "hyper", .size = sizeof(Hyper), .init = init, .load = load,
    .store = store, .event = event,
};
MODEL(model)
