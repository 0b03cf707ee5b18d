/* The table of engines, and energy, for whoever plans: what a description says
 * in cycles of its own clocks, as cycles of the cores that compute.
 *
 * The cores that compute are an engine; so is a `dma` line with `levels=`, and
 * every `accel` and `link` line.  The same lines tell the simulator how its
 * devices behave, so they cannot disagree. */
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

const Item *soc_compute(const Soc *s)
{
    const Item *chip = soc_next(s, "chip", NULL);
    const Item *core = soc_item(s, "core", item_word(chip, "compute", ""));

    return core ? core : soc_next(s, "core", NULL);
}

static double compute_rate(const Soc *s)
{
    return rate(s, item_word(soc_compute(s), "clock", ""));
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

static Engine *add_engine(Soc *s, EngineKind kind, const Item *it)
{
    Engine *e = &s->engine[s->nengine];

    if (s->nengine == MOST_ENGINES)
        err(ERR_MODEL, "%s:%d: more than %d engines", it->file, it->line,
            MOST_ENGINES - 1);
    *e = (Engine){.kind = kind, .name = it->name, .label = it->name,
                  .row = s->nengine++, .near = -1, .far = -1, .weights = -1,
                  .item = it};
    return e;
}

static Engine read_dma(Soc *s, const Item *it)
{
    Engine d = {.kind = ENGINE_dma, .near = level(s, it, false),
                .far = level(s, it, true), .weights = -1};
    const bool mapped = s->mems[d.far].mapped;

    if (s->mems[d.near].level >= s->mems[d.far].level)
        item_bad(it, "levels", "the nearer memory first");
    d.queue = item_within(it, "queue", 1, 1, MOST_QUEUE);
    d.largest = item_within(it, "largest", INT32_MAX, LEAST_LARGEST,
                            INT32_MAX);
    d.duplex = item_within(it, "duplex", mapped, 0, 1);
    d.energy = mapped ? "dma_byte" : "ext_byte";
    d.in = read_way(s, it, "in");
    d.out = read_way(s, it, "out");
    d.item = it;
    return d;
}

/* May an engine be the first hop: do buffers lie at both of its ends? */
static bool is_first_hop(const Soc *s, const Engine *d)
{
    const Mem *near = &s->mems[d->near], *far = &s->mems[d->far];

    return near->holds & far->holds & HOLDS_buffers && near->mapped &&
           far->mapped;
}

static bool is_nearer(const Soc *s, const Engine *a, const Engine *b)
{
    int near = s->mems[a->near].level - s->mems[b->near].level;

    return near ? near < 0 : s->mems[a->far].level < s->mems[b->far].level;
}

/* Of n transfers' engines the one that goes on from `before`, or the first
 * hop; NULL: none does. */
static Engine *next_hop(const Soc *s, Engine *dma, int n,
                        const Engine *before)
{
    Engine *best = NULL, *d;

    for (d = dma; d < dma + n; d++)
        if (d->item && (before ? d->near == before->far : is_first_hop(s, d))
            && (!best || is_nearer(s, d, best)))
            best = d;
    return best;
}

/* Puts it into the table; a hop has a label of its own. */
static void move_dma(Soc *s, Engine *d, const char *label)
{
    Engine *e = add_engine(s, ENGINE_dma, d->item);
    const int row = e->row;

    *e = *d;
    e->row = row;
    e->name = d->item->name;
    e->label = label ? label : e->name;
    d->item = NULL;
}

static void add_dmas(Soc *s)
{
    static const char *const label[] = {"dma", "io"};
    Engine dma[MOST_ENGINES], *d = NULL;
    const Item *it;
    int i, n = 0;

    for (it = NULL; (it = soc_next(s, "dma", it));) {
        if (!item_word(it, "levels", NULL))
            continue;
        if (n == MOST_ENGINES)
            err(ERR_MODEL, "%s:%d: more than %d engines", it->file, it->line,
                MOST_ENGINES - 1);
        dma[n++] = read_dma(s, it);
    }
    while ((d = next_hop(s, dma, n, soc_hop(s, s->nhop - 1)))) {
        move_dma(s, d, s->nhop < (int)LEN(label) ? label[s->nhop] : NULL);
        s->engine[s->nengine - 1].batched = !s->nhop++;
    }
    for (i = 0; i < n; i++)
        if (dma[i].item)
            move_dma(s, &dma[i], NULL);
}

/* The memories of levels=L1,L2; if it does not say, the nearest of transfers. */
static unsigned read_reach(const Soc *s, const Item *it)
{
    unsigned set = 0;
    int i;

    if (!item_word(it, "levels", NULL))
        return s->nhop ? 1u << soc_hop(s, 0)->near : 0;
    for (i = 0; i < s->nmem; i++)
        if (item_has(it, "levels", s->mems[i].name))
            set |= 1u << i;
    if (!set)
        item_bad(it, "levels", "names of memories");
    return set;
}

/* weights=: of a memory for constants that nothing else of ours lies in. */
static int read_weights(Soc *s, const Item *it)
{
    const Mem *m = soc_mem(s, item_word(it, "weights", ""));

    return m && m->mapped && m->holds == HOLDS_weights ? (int)(m - s->mems)
                                                       : -1;
}

static void add_accel(Soc *s, const Item *it)
{
    Engine *e = add_engine(s, ENGINE_accel, it);

    e->queue = item_within(it, "queue", 1, 1, MOST_QUEUE);
    e->reach = read_reach(s, it);
    e->weights = read_weights(s, it);
    if (e->weights >= 0)
        e->reach |= 1u << e->weights;
}

void soc_engines(Soc *s)
{
    const Item *it = soc_compute(s);

    add_engine(s, ENGINE_cores, it)->queue = 1;
    add_dmas(s);
    for (it = NULL; (it = soc_next(s, "accel", it));)
        add_accel(s, it);
    for (it = NULL; (it = soc_next(s, "link", it));)
        add_engine(s, ENGINE_link, it)->queue = 1;
}

const Engine *soc_hop(const Soc *s, int k)
{
    return k >= 0 && k < s->nhop ? &s->engine[ENG_hops + k] : NULL;
}

const Engine *soc_accel(const Soc *s, const char *name)
{
    const Engine *e, *like = NULL;

    for (e = s->engine; e < s->engine + s->nengine; e++) {
        if (e->kind != ENGINE_accel || e->off)
            continue;
        if (!strcmp(e->name, name))
            return e;
        if (!like && !strcmp(item_word(e->item, "model", ""), name))
            like = e;
    }
    return like;
}

bool soc_engine_off(Soc *s, const char *name)
{
    int i;

    for (i = 0; i < s->nengine; i++)
        if (s->engine[i].kind == ENGINE_accel &&
            !strcmp(s->engine[i].name, name))
            return s->engine[i].off = true;
    return false;
}

/* A row begins anywhere and so is cut once more than its length says, but for
 * the last byte that it could have before. */
static double bursts(const DmaWay *w, int64_t row)
{
    return w->burst ? 1 + (double)(row - 1) / w->burst : 0;
}

double dma_moves(const Engine *d, bool in, int64_t row, int64_t rows)
{
    const DmaWay *w = in ? &d->in : &d->out;
    int64_t beat = MAX(1, (int64_t)w->bytes_per_cycle);
    int64_t bytes = (row + beat - 1) / beat * beat;

    return (double)rows * ((double)bytes / w->bytes_per_cycle + w->gap +
                           w->per_burst * bursts(w, row));
}

double dma_cycles(const Engine *d, bool in, int64_t bytes, int64_t rows)
{
    const DmaWay *w = in ? &d->in : &d->out;

    return w->setup - w->gap + dma_moves(d, in, bytes / rows, rows);
}

double soc_energy(const Soc *s, const char *event)
{
    return item_num(soc_item(s, "energy", event), "pj", NAN);
}
