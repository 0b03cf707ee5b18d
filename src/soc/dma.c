/* DMA engines and energy, for whoever plans: what a description says of them
 * in cycles of its own clocks, as cycles of the cores that compute.
 *
 * A `dma` line with `levels=` is an engine of the planner's; the same line
 * tells the simulator how its device behaves, so they cannot disagree. */
#include "soc/soc.h"

#include <math.h>
#include <string.h>

/* Transfers that an engine may have under way; and bytes that any takes in one:
 * transfers that are longer are several. */
enum { MOST_QUEUE = 1 << 16, LEAST_LARGEST = 64, MOST_BURST = 1 << 16 };

/* Where no rate is known, its ratio to the other clocks, as simulated. */
static double rate(const Soc *s, const char *clock)
{
    const Item *it = soc_item(s, "clock", clock);
    double v = item_num(it, "mhz", item_num(it, "ratio", 1));

    if (!(v > 0))
        item_bad(it, item_word(it, "mhz", NULL) ? "mhz" : "ratio",
                 "more than 0");
    return v;
}

static double compute_rate(const Soc *s)
{
    const Item *chip = soc_next(s, "chip", NULL);
    const Item *core = soc_item(s, "core", item_word(chip, "compute", ""));

    if (!core)
        core = soc_next(s, "core", NULL);
    return rate(s, item_word(core, "clock", ""));
}

/* in_setup, else setup. */
static const char *key(const Soc *s, const Item *it, const char *way,
                       const char *name)
{
    const char *own = arena_fmt(s->mem, "%s_%s", way, name);

    return item_word(it, own, NULL) ? own : name;
}

static DmaWay read_way(const Soc *s, const Item *it, const char *way)
{
    const char *line = item_word(it, "clock", "");
    const char *clock = item_word(it, key(s, it, way, "clock"), line);
    double own = compute_rate(s) / rate(s, clock);
    double served = compute_rate(s) / rate(s, line);
    double begin = own * item_num(it, key(s, it, way, "setup"), 0);
    DmaWay w;

    w.setup = item_num(it, "program", 0) + item_num(it, "wait", 0) + begin +
              served * item_num(it, "serve", 0);
    w.gap = item_word(it, "next", NULL)
                ? begin + served * item_num(it, "next", 0) : 0;
    w.burst = item_within(it, "burst", 0, 0, MOST_BURST);
    w.per_burst = own * item_num(it, key(s, it, way, "per_burst"), 0);
    w.bytes_per_cycle = item_num(it, key(s, it, way, "bytes_per_cycle"), 1) /
                        own;
    if (!(w.bytes_per_cycle > 0))
        item_bad(it, key(s, it, way, "bytes_per_cycle"), "more than 0");
    return w;
}

/* The memory before (far false) or after the comma of levels=L1,L2. */
static int level(Soc *s, const Item *it, bool far)
{
    const char *list = item_word(it, "levels", ""), *comma;
    const Mem *m;

    comma = strchr(list, ',');
    if (!comma)
        item_bad(it, "levels", "two memories");
    m = soc_mem(s, far ? comma + 1
                       : arena_fmt(s->mem, "%.*s", (int)(comma - list), list));
    if (!m)
        item_bad(it, "levels", "names of memories");
    return (int)(m - s->mems);
}

static void add_dma(Soc *s, const Item *it)
{
    Dma *d = &s->dmas[s->ndma++];

    if (s->ndma > (int)LEN(s->dmas))
        err(ERR_MODEL, "%s:%d: more than %zu DMA engines", it->file, it->line,
            LEN(s->dmas));
    d->name = it->name;
    d->near = level(s, it, false);
    d->far = level(s, it, true);
    if (s->mems[d->near].level >= s->mems[d->far].level)
        item_bad(it, "levels", "the nearer memory first");
    d->queue = item_within(it, "queue", 1, 1, MOST_QUEUE);
    item_within(it, "largest", INT32_MAX, LEAST_LARGEST, INT32_MAX);
    d->in = read_way(s, it, "in");
    d->out = read_way(s, it, "out");
    d->item = it;
}

void soc_dmas(Soc *s)
{
    const Item *it;

    for (it = NULL; (it = soc_next(s, "dma", it));)
        if (item_word(it, "levels", NULL))
            add_dma(s, it);
}

/* May an engine be the first hop: do buffers lie at both of its ends? */
static bool is_first_hop(const Soc *s, const Dma *d)
{
    const Mem *near = &s->mems[d->near], *far = &s->mems[d->far];

    return near->holds & far->holds & HOLDS_buffers && near->mapped &&
           far->mapped;
}

static bool is_nearer(const Soc *s, const Dma *a, const Dma *b)
{
    int near = s->mems[a->near].level - s->mems[b->near].level;

    return near ? near < 0 : s->mems[a->far].level < s->mems[b->far].level;
}

const Dma *soc_hop(const Soc *s, int k)
{
    const Dma *before = k ? soc_hop(s, k - 1) : NULL, *best = NULL;
    int i;

    for (i = 0; i < s->ndma && (!k || before); i++) {
        const Dma *d = &s->dmas[i];

        if ((k ? d->near == before->far : is_first_hop(s, d)) &&
            (!best || is_nearer(s, d, best)))
            best = d;
    }
    return best;
}

/* A row begins anywhere and so is cut once more than its length says, but for
 * the last byte that it could have before. */
static double bursts(const DmaWay *w, int64_t row)
{
    return w->burst ? 1 + (double)(row - 1) / w->burst : 0;
}

double dma_moves(const Dma *d, bool in, int64_t row, int64_t rows)
{
    const DmaWay *w = in ? &d->in : &d->out;
    int64_t beat = MAX(1, (int64_t)w->bytes_per_cycle);
    int64_t bytes = (row + beat - 1) / beat * beat;

    return (double)rows * ((double)bytes / w->bytes_per_cycle + w->gap +
                           w->per_burst * bursts(w, row));
}

double dma_cycles(const Dma *d, bool in, int64_t bytes, int64_t rows)
{
    const DmaWay *w = in ? &d->in : &d->out;

    return w->setup - w->gap + dma_moves(d, in, bytes / rows, rows);
}

double soc_energy(const Soc *s, const char *event)
{
    return item_num(soc_item(s, "energy", event), "pj", NAN);
}
