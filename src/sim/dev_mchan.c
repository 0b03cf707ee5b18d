/* The cluster's DMA (MCHAN): 1-D and 2-D transfers between L1 and the rest,
 * programmed by a core through a queue of its own.
 *
 * Each direction moves `bytes_per_cycle` of the line, one transfer after the
 * other; a transfer begins `setup` cycles after its last word is written.
 * The bytes change when the transfer is over; until then its stream takes
 * two banks a cycle. */
#include "sim/chip.h"

#include <string.h>

enum { COMMAND = 0, STATUS = 4 };
enum { IDS = 16, CORES = 33, WORDS = 5 };
enum { /* command bits */
    TO_L1 = 1 << 17, INCREMENT = 1 << 18, TWO_D = 1 << 19, EVENT = 1 << 20,
    INTERRUPT = 1 << 21, BROADCAST = 1 << 22,
};

typedef struct Transfer {
    bool used;  /* its id is taken */
    int left;   /* parts under way */
    int core;   /* who started it */
} Transfer;

typedef struct Job {
    uint32_t command, l1, ext, row, stride;
    int id, core;
    uint64_t from; /* cycle in which it moves its first byte */
    struct Job *next;
} Job;

typedef struct Mchan {
    uint64_t setup, width;
    int event, irq;
    uint64_t free[2];  /* cycle in which a direction is idle */
    Transfer id[IDS];
    uint32_t word[CORES][WORDS]; /* of the command being written */
    int nword[CORES], cur[CORES]; /* cur: id given to the core, + 1 */
    Job *idle;
} Mchan;

static uint32_t length(const Job *j)
{
    return j->command & 0x1ffff;
}

static void init(Device *d)
{
    Mchan *m = d->state;

    m->setup = (uint64_t)item_int(d->item, "setup", 0);
    m->width = (uint64_t)MAX(1, item_int(d->item, "bytes_per_cycle", 8));
    m->event = (int)item_int(d->item, "event", 8);
    m->irq = (int)item_int(d->item, "irq", 9);
}

static uint32_t new_id(Mchan *m, int core)
{
    uint32_t i;

    for (i = 0; i < IDS && (m->id[i].used || m->id[i].left); i++)
        ;
    if (i == IDS)
        return ~0u;
    m->id[i] = (Transfer){.used = true, .core = core};
    m->cur[core] = (int)i + 1;
    return i;
}

static uint32_t status(const Mchan *m)
{
    uint32_t v = 0;
    int i;

    for (i = 0; i < IDS; i++)
        v |= (m->id[i].left ? 1u << i : 0) |
             (m->id[i].used ? 1u << 16 << i : 0);
    return v;
}

/* The rows of a job; false (and a fault) where memory ends. */
static bool move(Device *d, const Job *j)
{
    uint32_t n = length(j), row = j->command & TWO_D ? j->row : n, done;

    for (done = 0; done < n; done += row) {
        uint32_t part = MIN(row, n - done);
        uint32_t ext = j->ext + done / row * (j->command & TWO_D ? j->stride
                                                                 : 0);
        bool in = j->command & TO_L1;
        uint8_t *a = ram_span(d->chip, j->l1 + done, part, in, "DMA, L1 side");
        uint8_t *b = ram_span(d->chip, ext, part, !in, "DMA, far side");

        if (!a || !b)
            return false;
        memmove(in ? a : b, in ? b : a, part);
    }
    d->chip->counts.dma_bytes += n;
    return true;
}

static void event(Device *d, uint64_t time, uint64_t what)
{
    Mchan *m = d->state;
    Job *j = (Job *)(uintptr_t)what;
    int who = j->command & BROADCAST ? -1 : j->core;
    char name[64];

    if (!move(d, j))
        return;
    m->id[j->id].left--;
    if (j->command & EVENT)
        unit_event(d->clock, who, m->event, time);
    if (j->command & INTERRUPT)
        unit_event(d->clock, who, m->irq, time);
    snprintf(name, sizeof name, "%u B", length(j));
    timeline_slice(d->chip, j->command & TO_L1 ? "dma in" : "dma out", name,
                   to_ticks(d->clock, j->from), time);
    j->next = m->idle;
    m->idle = j;
}

static Job *new_job(Device *d)
{
    Mchan *m = d->state;
    Job *j = m->idle;

    if (!j)
        return NEW(d->chip->sim->mem, Job);
    m->idle = j->next;
    return j;
}

/* Refuses what the hardware would do something silly with. */
static bool misprogrammed(Device *d, Access *a, const uint32_t *w, int core)
{
    const Mchan *m = d->state;
    const char *why = NULL;

    if (!(w[0] & 0x1ffff))
        why = "a length of 0 bytes";
    else if (!m->cur[core])
        why = "no transfer id was asked for";
    else if (w[0] & TWO_D && !w[3])
        why = "2-D with rows of 0 bytes";
    else if (!(w[0] & INCREMENT))
        why = "the increment bit is not set";
    if (why)
        sim_fault(d->chip, a->core, "DMA command 0x%08x: %s", w[0], why);
    return why != NULL;
}

static void begin(Device *d, Access *a, int core)
{
    Mchan *m = d->state;
    const uint32_t *w = m->word[core];
    uint64_t now = to_cycle(d->clock, a->time), end, *free;
    Ram *l1 = d->chip->l1;
    Job *j;

    if (misprogrammed(d, a, w, core))
        return;
    j = new_job(d);
    *j = (Job){w[0], w[1], w[2], w[3], w[4], m->cur[core] - 1, core, 0, NULL};
    free = &m->free[!(w[0] & TO_L1)];
    j->from = MAX(now + m->setup, *free);
    *free = end = j->from + (length(j) + m->width - 1) / m->width;
    m->id[j->id].used = true;
    m->id[j->id].left++;
    if (l1 && l1->nbank > 1)
        stream_add(l1, (Stream){j->l1 - l1->base, (uint32_t)m->width,
                                (uint32_t)m->width, j->from, end, 1, NULL});
    chip_at(d->chip, to_ticks(d->clock, end), d, (uintptr_t)j);
}

static int who(const Device *d, const Access *a)
{
    return a->core && a->core->clock == d->clock ? a->core->id : CORES - 1;
}

static uint32_t load(Device *d, Access *a)
{
    Mchan *m = d->state;

    switch (a->off) {
    case COMMAND: return new_id(m, who(d, a));
    case STATUS:
        core_polls(a, W_dma, status(m) & 0xffff);
        return status(m);
    }
    return 0;
}

static void release(Mchan *m, uint32_t mask)
{
    int i;

    for (i = 0; i < IDS; i++)
        if (mask >> i & 1)
            m->id[i].used = false;
}

static void store(Device *d, Access *a)
{
    Mchan *m = d->state;
    int core = who(d, a), n;

    if (a->off == STATUS)
        release(m, a->value);
    if (a->off != COMMAND)
        return;
    n = m->nword[core]++;
    m->word[core][n] = a->value;
    if (n + 1 == (m->word[core][0] & TWO_D ? 5 : 3)) {
        m->nword[core] = 0;
        begin(d, a, core);
    }
}

static const Model model = {
    .name = "mchan", .size = sizeof(Mchan), .init = init, .load = load,
    .store = store, .event = event,
};
MODEL(model)
